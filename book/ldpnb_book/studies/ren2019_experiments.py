"""The experiments of ren2019, Figs. 5 to 10, and its task at equal ε: people, what is measured of networks, designs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from math import prod, tanh
from typing import Any, cast

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb import GRR, BitFlip, Blocks, Network, flip_for, greedy, max_entropy, norm_sub
from ldpnb.attributes import (
    Scores,
    Symbols,
    avd,
    best_block_size,
    consistent,
    edge_accuracy,
    entropy_root,
    expectation,
    fit,
    i_sum,
    independent,
    inverted,
    kl,
    likeliest,
    marginals,
    planted,
    resampled,
    svm_accuracy,
    symbols,
    uniform_records,
)
from ldpnb.core import Floats, Ints
from ldpnb_book import datasets
from ldpnb_book.experiment import recorded
from ldpnb_book.studies.ren2019 import Set, Tables, planted_people, sets_of

Row = dict[str, Any]
Rule = Callable[[Symbols, Sequence[Set]], Sequence[Floats]]
Learn = Callable[[Tables, int, int, Iterable[int]], list[Network]]  # tables, parents, attributes, starts
Gathered = Mapping[str, Callable[..., Any]]

SEED, DELTA = 42, 1e-3  # δ of the stopping rule is not in the paper: it is that of the authors' group, elsewhere
TENTHS, ODD = [i / 10 for i in range(1, 10)], [0.1, 0.3, 0.5, 0.7, 0.9]
RULES: dict[str, Rule] = {
    "paper": lambda told, sets: expectation(told, sets, stop="paper", delta=DELTA).tables,
    "likeliest": lambda told, sets: likeliest(told, sets).tables,
}
CELLS = {"nltcs": 8, "adult": 32, "tpce": 16, "planted": 8}  # of the tables of Fig. 8, by its caption
SOURCES = {"nltcs": "nltcs", "adult": "adult_coarse", "tpce": None, "planted": None}

# ------------------------------------------------------------------------------------------------ people


def merged(records: Ints, sizes: Sequence[int], cells: float) -> tuple[Ints, tuple[int, ...]]:
    """Keep the most frequent values of each attribute and call the rest one: at most 4 values, and `cells` cells.

    From two values on, the attribute with most people in its rest gets one more, as long as there is room.
    """
    ranked = [np.argsort(-np.bincount(c, minlength=s), kind="stable") for c, s in zip(records.T, sizes, strict=True)]
    kept = [2] * len(sizes)

    def rest(j: int) -> int:
        return int(np.isin(records[:, j], ranked[j][kept[j] - 1 :]).sum())

    while True:
        more = [j for j in range(len(sizes)) if kept[j] < min(sizes[j], 4)]
        more = [j for j in more if prod(kept) / kept[j] * (kept[j] + 1) <= cells]
        if not more:
            break
        kept[max(more, key=rest)] += 1
    new = [
        np.minimum(np.argsort(order, kind="stable")[c], k - 1)
        for order, c, k in zip(ranked, records.T, kept, strict=True)
    ]
    return np.stack(new, axis=1), tuple(kept)


def broker_domain() -> Row:
    """Return the published numbers of values of TPC-E, and ours: up to 8 become at most 4, more become 3."""
    original = datasets.tpce_domain()
    return {"original": list(original), "merged": [min(s, 4) if s <= 8 else 3 for s in original]}


def adult_domain() -> Row:
    """Return the numbers of values of Adult, merged, and of people."""
    records, sizes = people_of("adult")
    return {"merged": list(sizes), "people": len(records)}


def people_of(name: str, seed: int = SEED) -> tuple[Ints, tuple[int, ...]]:
    """Return records and sizes: NLTCS as it is, Adult merged, and two planted tables, of TPC-E's domain and NLTCS's."""
    if name == "nltcs":
        return datasets.nltcs().to_numpy(np.int64), (2,) * 16
    if name == "adult":
        return merged(*datasets.adult_coarse(), 2**26.5)
    if name == "tpce":
        domain = cast(Row, recorded("ren2019.tpce-domain", broker_domain, dataset="tpce"))
        stream, sizes = np.random.default_rng(seed), tuple(domain["merged"])
        return planted(sizes, 2, strength=1.0, rng=stream).sample(40_000, rng=stream), sizes
    return planted_people(seed), (2,) * 16


# ------------------------------------------------------------------------------------------------ what is measured


def queries(d: int, a: int, most: int) -> list[Set]:
    """Return all sets of a attributes, or `most` of them, always the same."""
    every = sets_of(d, a)
    if len(every) <= most:
        return every
    chosen = np.random.default_rng(a).choice(len(every), most, replace=False)
    return [every[i] for i in sorted(chosen)]


def learn(tables: Tables, k: int, d: int, roots: Iterable[int]) -> list[Network]:
    """Return a network from each of some starts."""
    scores = Scores(tables)
    return [greedy(scores, d, k, root=root) for root in roots]


class Truth:
    """The people's own table, counted: marginals, and the networks that `learn` makes of it."""

    def __init__(
        self, records: Ints, sizes: Sequence[int], ks: Iterable[int], cells: int, most: int, learn: Learn = learn
    ) -> None:
        self.records, self.sizes, self.d, self.learn = records, tuple(sizes), len(sizes), learn
        self.asked = {a: queries(self.d, a, most) for a in (2, 3, 4, 5)}
        wanted = {*sets_of(self.d, 1), *(s for a in self.asked.values() for s in a)}
        wanted |= {s for k in ks for s in sets_of(self.d, k + 1)}
        self.tables = marginals(records, self.sizes, sorted(wanted, key=lambda s: (len(s), s)))
        self.root = entropy_root({s: self.tables[s] for s in sets_of(self.d, 1)})
        self.networks = {k: learn(self.of(k), k, self.d, [self.root])[0] for k in ks}
        self.shaped = [s for a in self.asked.values() for s in a if prod(self.sizes[j] for j in s) == cells]

    def of(self, k: int) -> dict[Set, Floats]:
        """Return the true tables of an attribute and k parents."""
        return {s: self.tables[s] for s in sets_of(self.d, k + 1)}

    @property
    def every(self) -> list[Set]:
        """All sets that are asked for."""
        return [s for a in self.asked.values() for s in a]

    def errors(self, other: Any) -> dict[str, float]:
        """Return AVD and KL of 2- to 5-way tables of records or tables, and how single tables look (Fig. 8)."""
        found = other if isinstance(other, dict) else marginals(other, self.sizes, sorted(set(self.every)))
        n, rows = len(self.records), {}
        for a, sets in self.asked.items():
            rows[f"AVD {a}"] = avd(self.tables, found, self.sizes, a, sets=sets)
            smooth = {s: (n * found[s] + 0.5) / (n + found[s].size / 2) for s in sets}
            rows[f"KL {a}"] = kl(self.tables, smooth, self.sizes, a, sets=sets)
        single = [np.abs(self.tables[s] - found[s]).sum() / 2 for s in self.shaped]
        pairs = [(self.tables[s].ravel(), found[s].ravel()) for s in self.shaped]
        alike = [np.corrcoef(p, q)[0, 1] if np.ptp(q) > 1e-12 else 0.0 for p, q in pairs]
        shape = {"": np.mean(single), ", least": np.min(single), ", most": np.max(single)}
        look = {f"shape AVD{which}": float(value) for which, value in shape.items()}
        return rows | look | {"shape correlation": float(np.median(alike))}


def truth_of(name: str, seed: int = SEED, ks: Iterable[int] = (1, 2)) -> Truth:
    """Return the true table of one of four data sets."""
    records, sizes = people_of(name, seed)
    return Truth(records, sizes, tuple(ks), CELLS[name], 600 if len(sizes) == 16 else 200)


def survey(truth: Truth, f: float, stream: np.random.Generator) -> Symbols:
    """Ask everybody once, and return what the reports say."""
    client = BitFlip(sizes=truth.sizes, f=f)
    return symbols(client, client.perturb(truth.records, rng=stream))


def tables_of(told: Symbols, d: int, size: int, rule: str) -> dict[Set, Floats]:
    """Return the estimated tables of all sets of this size."""
    sets = sets_of(d, size)
    return dict(zip(sets, RULES[rule](told, sets), strict=True))


def stream_of(seed: int, number: int, f: float, *more: int) -> np.random.Generator:
    """Return the chance of one repetition at one f."""
    return np.random.default_rng([seed, number, round(100 * f), *more])


def publish(
    truth: Truth, f: float, k: int, rule: str, rng: np.random.Generator
) -> tuple[Network, Ints, dict[Set, Floats]]:
    """Return the network learned from one report each, as many synthetic people, and the tables."""
    told = survey(truth, f, rng)
    tables, start = tables_of(told, truth.d, k + 1, rule), entropy_root(tables_of(told, truth.d, 1, rule))
    network = truth.learn(tables, k, truth.d, [start])[0]
    return network, fit(network, tables).sample(len(truth.records), rng=rng), tables


def repetition(truth: Truth, f: float, seed: int, number: int, plan: Mapping[str, Iterable[int]]) -> list[Row]:
    """Ask for one report each at f, and measure what is made of it; `plan` says which k for which rule."""
    stream, rows = stream_of(seed, number, f), []
    d, told = truth.d, survey(truth, f, stream)
    for rule, ks in plan.items():
        root = entropy_root(tables_of(told, d, 1, rule))
        for k in ks:
            tables = tables_of(told, d, k + 1, rule)
            networks = truth.learn(tables, k, d, range(d) if k == 2 else [root])
            own = root if k == 2 else 0
            made = [fit(g, tables).sample(len(truth.records), rng=stream) for g in networks]
            sums = [i_sum(g, marginals(x, truth.sizes, g.sets)) for g, x in zip(networks, made, strict=True)]
            found = {
                "I_sum estimated": i_sum(networks[own], tables),
                "I_sum synthetic": sums[networks.index(networks[own])],
                "I_sum raw": i_sum(networks[own], truth.tables),
                **edge_accuracy(networks[own].edges, truth.networks[k].edges, d),
            }
            if k == 2:
                synthetic = made[networks.index(networks[own])]
                found |= {"I_sum synthetic, any start": float(np.mean(sums)), **truth.errors(synthetic)}
            rows += [{"f": f, "rule": rule, "k": k, "what": w, "value": float(v)} for w, v in found.items()]
    return rows


def baselines(truth: Truth, seed: int) -> list[Row]:
    """Measure people drawn again, independent columns, the uniform law, and networks without noise."""
    stream = np.random.default_rng([seed, 0])
    clean = fit(truth.networks[2], truth.of(2)).sample(len(truth.records), rng=stream)
    others = {
        "people drawn again": resampled(truth.records, rng=stream),
        "independent columns": independent(truth.records, truth.sizes, truth.every),
        "uniform": uniform_records(truth.sizes, truth.every),
        "no noise": clean,
    }
    rows: list[Any] = [(name, 2, *pair) for name, other in others.items() for pair in truth.errors(other).items()]
    rows += [("raw", k, "I_sum", i_sum(network, truth.tables)) for k, network in truth.networks.items()]
    roots = [i_sum(network, truth.tables) for network in truth.learn(truth.of(2), 2, truth.d, range(truth.d))]
    for which, value in (("any", np.mean(roots)), ("worst", min(roots)), ("best", max(roots))):
        rows.append(("raw", 2, f"I_sum, {which} start", value))
    return [{"f": 0.0, "rule": name, "k": k, "what": what, "value": value} for name, k, what, value in rows]


def columns(truth: Truth, told: Symbols, rule: str) -> dict[Set, Floats]:
    """Return independent columns that a server could have: from the same reports, by the same rule."""
    return independent(tables_of(told, truth.d, 1, rule), truth.sizes, truth.every)


def compared(truth: Truth, f: float, seed: int, number: int, rules: Iterable[str]) -> list[Row]:
    """Measure, on the reports of `repetition`, independent columns, and what networks from all starts are worth."""
    stream, rows = stream_of(seed, number, f), []
    d, told = truth.d, survey(truth, f, stream)
    for rule in RULES:
        found = truth.errors(columns(truth, told, rule))
        if rule in rules:
            tables, mine = tables_of(told, d, 3, rule), entropy_root(tables_of(told, d, 1, rule))
            networks = truth.learn(tables, 2, d, range(d))
            raw = [i_sum(g, truth.tables) for g in networks]
            made = [fit(g, tables).sample(len(truth.records), rng=stream) for g in networks]
            synthetic = [i_sum(g, marginals(x, truth.sizes, g.sets)) for g, x in zip(networks, made, strict=True)]
            found |= {
                "start": mine,
                "I_sum raw": raw[mine],
                "gain raw": float(100 * (raw[mine] / np.mean(raw) - 1)),
                "gain synthetic": float(100 * (synthetic[mine] / np.mean(synthetic) - 1)),
            }
        rows += [{"f": f, "rule": f"columns, {rule}", "k": 2, "what": w, "value": float(v)} for w, v in found.items()]
    return rows


def random_network(d: int, rng: np.random.Generator) -> list[tuple[int, Set]]:
    """Return any network with two parents."""
    order = rng.permutation(d).tolist()
    return [(x, tuple(sorted(rng.choice(order[:i], min(2, i), replace=False).tolist()))) for i, x in enumerate(order)]


def floors(truth: Truth, seed: int, draws: int) -> list[Row]:
    """Measure networks without noise, from every start; with one pair carried; and networks drawn at random."""
    stream, rows = np.random.default_rng([seed, 1]), list[Any]()
    for root in range(truth.d):
        clean = truth.learn(truth.of(2), 2, truth.d, [root])[0]
        for _ in range(draws):
            made = fit(clean, truth.of(2)).sample(len(truth.records), rng=stream)
            rows += [("no noise", 2, what, value) for what, value in truth.errors(made).items()]
        for k in (1, 2):
            scores = Scores(truth.of(k))
            one, each = (i_sum(greedy(scores, truth.d, k, root=root, carry=c), truth.tables) for c in ("one", "each"))
            rows.append((f"one carried, start {root}", k, "I_sum, over that of one for each", one / each))
    for _ in range(100):
        network = Network(tuple(random_network(truth.d, stream)))
        rows.append(("random", 2, "I_sum", i_sum(network, truth.tables)))
    return [{"f": 0.0, "rule": name, "k": k, "what": what, "value": value} for name, k, what, value in rows]


def classified(truth: Truth, f: float, seed: int, number: int, rules: Iterable[str]) -> list[Row]:
    """Train machines on synthetic rows, test them on people held out and on synthetic rows; at f = 0, on people."""
    stream, sizes = stream_of(seed, number, f, 10), truth.sizes
    mixed = stream.permutation(truth.records)
    cut = int(0.8 * len(mixed))
    people, held = mixed[:cut], mixed[cut:]
    if f == 0:
        binary = [j for j in range(truth.d) if sizes[j] == 2]
        constant = np.mean([max(np.mean(held[:, j]), 1 - np.mean(held[:, j])) for j in binary])
        found = [("people", "held out", svm_accuracy(people, held, sizes)), ("majority", "held out", constant)]
        return [{"f": f, "rule": r, "k": 2, "what": w, "value": float(v)} for r, w, v in found]
    client = BitFlip(sizes=sizes, f=f)
    told, rows = symbols(client, client.perturb(people, rng=stream)), []
    for rule in rules:
        tables, start = tables_of(told, truth.d, 3, rule), entropy_root(tables_of(told, truth.d, 1, rule))
        synthetic = fit(truth.learn(tables, 2, truth.d, [start])[0], tables).sample(cut, rng=stream)
        inside = int(0.8 * cut)
        tested = {"held out": (synthetic, held), "synthetic": (synthetic[:inside], synthetic[inside:])}
        for what, (train, test) in tested.items():
            value = float(svm_accuracy(train, test, sizes))
            rows.append({"f": f, "rule": rule, "k": 2, "what": what, "value": value})
    return rows


def gathered(rows: list[Row]) -> pd.DataFrame:
    """Return mean and standard deviation over repetitions, and the first one."""
    groups = pd.DataFrame(rows).groupby(["f", "rule", "k", "what"], sort=False)["value"]
    frame = groups.agg(mean="mean", sd=lambda x: x.std(ddof=1) if len(x) > 1 else 0.0, first="first", runs="size")
    return frame.reset_index().round(5)


def differ(rows: list[Row], record: pd.DataFrame) -> float:
    """Return the largest difference from a stored first repetition."""
    stored = record.set_index(["f", "rule", "k", "what"])["first"]
    return float(max(abs(row["value"] - stored[row["f"], row["rule"], row["k"], row["what"]]) for row in rows))


# ------------------------------------------------------------------------------------------------ what is recorded


def figures(name: str, seed: int, repetitions: int, deep: int, light: bool) -> pd.DataFrame:
    """Measure all that Figs. 5 to 9 need of one table of people; with many values, likeliest tables for k = 1 only."""
    truth = truth_of(name, seed, (1, 2, 3, 4) if deep else (1, 2))
    rows = baselines(truth, seed)
    plan = {"paper": (1, 2), "likeliest": (1,) if light else (1, 2)}
    for number in range(repetitions):
        for f in ODD if light else TENTHS:
            rows += repetition(truth, f, seed, number, plan)
    for number in range(deep):
        for f in ODD:
            rows += repetition(truth, f, seed + 1, number, {"paper": (3, 4), "likeliest": (3,)})
    return gathered(rows)


def more_parents(name: str, seed: int, repetitions: int) -> pd.DataFrame:
    """Measure three and four parents where `figures` does not: at every second f, and likeliest tables for four."""
    truth, both = truth_of(name, seed, (3, 4)), {"paper": (3, 4), "likeliest": (3, 4)}
    plans = {f: {"likeliest": (4,)} if f in ODD else both for f in TENTHS}
    runs = product(range(repetitions), plans)
    return gathered([row for i, f in runs for row in repetition(truth, f, seed + 1, i, plans[f])])


def references(name: str, seed: int, repetitions: int, light: bool) -> pd.DataFrame:
    """Measure what the networks are compared with."""
    truth = truth_of(name, seed)
    rows = floors(truth, seed, repetitions)
    for number in range(repetitions):
        for f in ODD if light else TENTHS:
            rows += compared(truth, f, seed, number, ("paper",) if light else tuple(RULES))
    return gathered(rows)


def machines(name: str, seed: int, repetitions: int, rules: Sequence[str] = tuple(RULES)) -> pd.DataFrame:
    """Measure what machines trained on synthetic rows are worth."""
    truth = truth_of(name, seed)
    return gathered(
        [row for i in range(repetitions) for f in [0.0, *ODD] for row in classified(truth, f, seed, i, rules)]
    )


def shapes(name: str, seed: int) -> Row:
    """Return Fig. 8 by the paper's rule: of all tables of its size, that with the median error at f = 0.9."""
    truth = truth_of(name, seed)
    made = {f: publish(truth, f, 2, "paper", stream_of(seed, 0, f, 8))[1] for f in (0.1, 0.5, 0.9)}
    found = {f: marginals(rows, truth.sizes, truth.shaped) for f, rows in made.items()}
    ranked = sorted(truth.shaped, key=lambda s: float(np.abs(truth.tables[s] - found[0.9][s]).sum()))
    chosen = ranked[len(ranked) // 2]
    shares = {f"f = {f:g}": found[f][chosen].ravel().round(6).tolist() for f in found}
    people = truth.tables[chosen].ravel().round(6).tolist()
    return {"number": len(truth.records), "attributes": truth.d, "set": list(chosen), "people": people, **shares}


def shared(truth: Truth, f: float, surveys: int, seed: int) -> tuple[float, float]:
    """Return the share of edges that two surveys have in common: from the largest entropy, and from random starts."""
    found = []
    for i in range(surveys):
        told = survey(truth, f, stream_of(seed, i, f))
        every = [g.skeleton for g in truth.learn(tables_of(told, truth.d, 3, "paper"), 2, truth.d, range(truth.d))]
        found.append(([every[entropy_root(tables_of(told, truth.d, 1, "paper"))]], every))
    pairs = [[(x, y) for a, b in combinations(found, 2) for x, y in product(a[i], b[i])] for i in (0, 1)]
    largest, chance = (float(np.mean([len(x & y) / len(x) for x, y in some])) for some in pairs)
    return largest, chance


# ------------------------------------------------------------------------------------------------ other designs

CLIENTS = ("two bits", "one bit", "block")
EARLY, NETWORK, TREE, ENTROPY = "network, printed stop", "network", "tree", "maximum entropy"
MODELS = (EARLY, NETWORK, TREE, ENTROPY)


def gather(client: str, records: Ints, eps: float, rng: np.random.Generator) -> Gathered:
    """Ask at a record's ε; return three ways from sets of attributes to tables: early stop, likeliest, unbiased."""
    n, d = records.shape
    if client == "block":
        size = min(6, best_block_size((2,) * d, eps))  # a tally has a cell for every cell of every block
        mechanism = Blocks(sizes=(2,) * d, size=size, epsilon=eps)
        counted = mechanism.tally(mechanism.perturb(records, rng=rng))

        @cache
        def unbiased(sets: tuple[Set, ...]) -> Any:
            found = mechanism.tables(counted, sets)
            return found.tables, found.people

        return {
            NETWORK: lambda sets: [norm_sub(x.ravel()).reshape(x.shape) for x in unbiased(sets)[0]],
            "all": unbiased,
        }
    if client == "one bit":
        clients = [GRR(k=2, epsilon=eps / d)] * d
        found = symbols(clients, np.stack([c.perturb(x, rng=rng) for c, x in zip(clients, records.T, strict=True)], 1))
        worth = tanh(eps / d / 2) ** 2
    else:
        flips = BitFlip(sizes=(2,) * d, f=flip_for(eps, 2 * d))
        found, f = symbols(flips, flips.perturb(records, rng=rng)), flips.f
        worth = (1 - f) ** 2 / (1 - f + f * f / 2)
    return {
        EARLY: lambda sets: expectation(found, sets, stop="paper").tables,
        NETWORK: lambda sets: likeliest(found, sets).tables,
        "all": lambda sets: (inverted(found, sets).tables, n * worth ** np.array([len(s) for s in sets])),
    }


def parity_of(table: Floats) -> float:
    """Return the parity of a table of binary attributes."""
    return float((table * np.array([1, -1])[np.indices(table.shape).sum(0) % 2]).sum())


def modelled(model: str, known: Gathered, d: int, n: int, rng: np.random.Generator) -> Ints:
    """Return synthetic records of n people by one of the models."""
    if model in (EARLY, NETWORK):
        triples = tuple(sets_of(d, 3))
        tables = dict(zip(triples, known[model](triples), strict=True))
        return fit(greedy(Scores(tables), d, 2, root=entropy_root(tables)), tables).sample(n, rng=rng)
    sets = tuple(sets_of(d, 1, 2))
    found, people = known["all"](sets)
    if model == TREE:
        even: dict[Set, Any] = {s: t for s, t in zip(sets, consistent(sets, found, people), strict=True) if len(s) == 2}
        return fit(greedy(Scores(even), d, 1, root=entropy_root(even)), even).sample(n, rng=rng)
    return max_entropy(d, sets, [parity_of(t) for t in found], 1 / np.asarray(people)).sample(n, rng)


def designs(
    records: Ints,
    budgets: Iterable[float],
    repetitions: int,
    seed: int,
    orders: Sequence[int],
    clients: Sequence[str] = CLIENTS,
    models: Sequence[str] = MODELS,
) -> pd.DataFrame:
    """Return the AVD of synthetic tables, for clients and models at the same ε of a record."""
    n, d = records.shape
    sizes, budgets = (2,) * d, list(budgets)
    true = {a: marginals(records, sizes, combinations(range(d), a)) for a in orders}
    rows: list[Row] = [
        {"client": "—", "model": "independent columns", "eps": eps, "repetition": 0, "a": a}
        | {"avd": avd(true[a], independent(records, sizes, true[a]), sizes, a)}
        for eps, a in product(budgets, orders)
    ]
    for eps, number, client in product(budgets, range(repetitions), clients):
        at = [seed, round(100 * eps), number]
        known = gather(client, records, eps, np.random.default_rng([*at, CLIENTS.index(client)]))
        for model in models:
            if (model == EARLY and client != "two bits") or (model == NETWORK and client == "block" and eps > 2):
                continue  # nothing to stop; and tables of triples from thousands of blocks take long
            made = modelled(model, known, d, n, np.random.default_rng([*at, 10 + len(model)]))
            rows += [
                {"client": client, "model": model, "eps": eps, "repetition": number, "a": a}
                | {"avd": avd(true[a], made, sizes, a)}
                for a in orders
            ]
    return pd.DataFrame(rows)


def equal_planted(budgets: Iterable[float], repetitions: int, **only: Any) -> pd.DataFrame:
    """Compare designs on 21,574 people from a random network with two parents."""
    drawn = np.random.default_rng(SEED)
    people = planted((2,) * 16, 2, strength=4.0, rng=drawn).sample(21_574, rng=drawn)
    return designs(people, budgets, repetitions, SEED, only.pop("orders", (2, 3, 4)), **only)


def equal_nltcs(budgets: Iterable[float], repetitions: int, **only: Any) -> pd.DataFrame:
    """Compare designs on NLTCS."""
    return designs(datasets.nltcs().to_numpy(), budgets, repetitions, SEED, (2, 3, 4), **only)
