"""Clients for any number of items: what is proved of them, what is refuted, and what they are not answered."""

import copy
import pickle
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import count
from math import exp

import certificate
import numpy as np
import pytest

from ldpnb.chance import Paths, SystemRandom, bernoulli, exact, log, odds, pick, round_up, toss, uniform, weighted
from ldpnb.exact.items import A, B, Name, cases
from ldpnb.formula import Field
from ldpnb.oracles import GRR, OUE, SUE
from ldpnb.verify import laws, of_size, prove, same_law, worst


def said(found):
    return " ".join(str(found).split())


def krr(x, items, epsilon, rng, less=1):
    e = odds(epsilon)
    return x if toss((e - 1) / (e + items.k - less), rng) else items.pick(rng)


def unary(x, items, epsilon, rng, part=2):
    e = odds(epsilon / part)
    return items.each(lambda item: e / (e + 1) if item == x else 1 / (e + 1), rng)


def oue(x, items, epsilon, rng):
    return items.each(lambda item: 0.5 if item == x else 1 / (odds(epsilon) + 1), rng)


@pytest.mark.parametrize(
    "client, same",
    [
        (krr, lambda k: GRR(k=k, epsilon=1.0)),
        (unary, lambda k: SUE(k=k, epsilon=1.0)),
        (oue, lambda k: OUE(k=k, epsilon=1.0)),
    ],
)
def test_the_mechanisms_of_the_package_for_any_number_of_items(client, same):
    found = prove(client)
    assert found.holds and found.tight and found.uniform and found.shipped is None
    assert said(found).startswith(
        f"{client.__name__} is exactly ε-LDP for every ε > 0 and every number of items k >= 2: report "
    )
    assert said(found).endswith(
        "This is proved of the client that ldpnb.verify.of_size runs, at ε from 1e-06 to 32: its coins are exact, and "
        "it sees neither ε nor k."
    )
    for k in (2, 3, 4):
        sized = of_size(client, k)
        assert same_law(lambda x, rng: sized(x, 1.0, rng), same(k), range(k))  # noqa: B023
        assert not same_law(lambda x, rng: sized(x, 1.1, rng), same(k), range(k))  # noqa: B023


def test_a_refutation_names_a_size_an_epsilon_and_a_formula():
    refill = prove(partial(krr, less=1)).every[-1]
    assert refill[0] == 2
    refill = prove(lambda x, items, e, rng: x if toss(odds(e) / (odds(e) + items.k - 1), rng) else items.pick(rng))
    assert refill.holds is False and str(refill.ratio) == "(e^ε·k + k - 1)/(k - 1)"
    assert said(refill) == (
        "the client is not ε-LDP for every number of items: at k = 2 and ε = 1, report 0 is 6.43656 times as likely "
        "from item 0 as from item 1, and 2.71828 is allowed. As a formula, report a is (e^ε·k + k - 1)/(k - 1) times "
        "as likely from item a as from item b."
    )
    for_two = prove(lambda x, items, e, rng: x if toss((odds(e) - 1) / (odds(e) + 1), rng) else items.pick(rng))
    assert for_two.holds is False and str(for_two.ratio) == "(e^ε·k - k + 2)/2"
    assert for_two.witness.k > 2  # right at k = 2 only
    assert prove(partial(unary, part=1)).holds is False
    assert str(prove(partial(krr, less=2)).ratio) == "(e^ε·k - 1)/(k - 1)"


# ----------------------------------------------------------------------------------------------- right clients


def own_or_not(x, items, epsilon, rng):
    """Whether a drawn item, which is sent, is one's own."""
    item = items.pick(rng)
    return item, (x == item) == toss(odds(epsilon) / (odds(epsilon) + 1), rng)


def two_draws(x, items, epsilon, rng):
    """Draws again if two blind draws are alike."""
    first, second = items.pick(rng), items.pick(rng)
    again = items.pick(rng) if first == second else first
    return x if toss((odds(epsilon) - 1) / (odds(epsilon) + items.k - 1), rng) else again


def three_marks(x, items, epsilon, rng):
    """Three public items, and whether one's own is among them."""
    some = [items.pick(rng) for _ in range(3)]
    return (*some, any(x == item for item in some) == toss(odds(epsilon) / (odds(epsilon) + 1), rng))


def either(x, items, epsilon, rng):
    """One encoding or another, by a coin that is sent."""
    if toss(0.5, rng):
        return "OUE", oue(x, items, epsilon, rng)
    return "SUE", unary(x, items, epsilon, rng)


def known(x, items, epsilon, rng):
    """k-RR that asks what has one answer for all ε and k."""
    e = odds(epsilon)
    sure = e > 1 and items.k >= 2 and items.k + e > 3 and odds(epsilon / 2) ** 2 == e and items.k == items.k
    return krr(x, items, epsilon, rng) if sure else x


def counting(x, items, epsilon, rng):
    """OUE that counts its calls: one's own item is asked about first, and all others by one call."""
    calls = count()
    return items.each(lambda item: 1 / (odds(epsilon) + 1) if next(calls) else 0.5, rng)


def alike(x, items, epsilon, rng):
    """Two coins for others that are written differently, and are the same: sums of these are merged."""
    e = odds(epsilon)
    other = items.k / (items.k * (e + 1)) if toss(0.5, rng) else 1 / (e + 1)
    return items.each(lambda item: 0.5 if item == x else other, rng)


RIGHT = {
    "k-RR": krr,
    "SUE": unary,
    "OUE": oue,
    "own or not": own_or_not,
    "two draws": two_draws,
    "three marks": three_marks,
    "either": either,
    "what is known": known,
    "counts calls": counting,
    "two coins that are one": alike,
    "blind": lambda x, items, e, rng: items.pick(rng),
    "two halves": lambda x, items, e, rng: tuple(krr(x, items, e / 2, rng) for _ in range(2)),
    "three thirds": lambda x, items, e, rng: [krr(x, items, exact(e) / 3, rng) for _ in range(3)],
    "two encodings": lambda x, items, e, rng: [oue(x, items, e / 2, rng) for _ in range(2)],
    "in a dict": lambda x, items, e, rng: {"item": krr(x, items, e, rng), "die": pick(range(6), rng)},
    "an empty report": lambda x, items, e, rng: () if items.pick(rng) == x else (krr(x, items, e, rng),),
    "copies": lambda x, items, e, rng: copy.deepcopy(krr(copy.copy(x), items, copy.copy(e), rng)),
    "public numbers": lambda x, items, e, rng: (krr(x, items, e, rng), pick((0.5, "a", None), rng)),
    "thirds as fractions": lambda x, items, e, rng: (krr(x, items, e, rng), toss(Fraction(1, 3), rng)),
    "answers with numpy's numbers": lambda x, items, e, rng: items.each(lambda v: np.float32(0.5), rng),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_clients_are_proved_and_are_right_where_they_run(name):
    client = RIGHT[name]
    found = prove(client)
    assert found.holds, said(found)
    assert found.tight is (name not in ("blind", "answers with numpy's numbers"))
    assert all(certificate.check(text) >= 2 for text in found.certificates)
    for k in (2, 3, 4):
        sized = of_size(client, k)
        for epsilon in (0.3, 4.0):
            ratio = worst(laws(lambda x, rng: sized(x, epsilon, rng), range(min(k, 3)))).ratio  # noqa: B023
            assert ratio <= odds(epsilon)


# ----------------------------------------------------------------------------------------------- wrong clients


def apart(some):
    return all(a != b for i, a in enumerate(some) for b in some[:i])


def quietly(ask, x, items, epsilon, rng):
    """Tell the truth where a question is answered, or where it is not, and hide the error."""
    try:
        telling = ask(x, items, epsilon, rng)
    except Exception:
        telling = False
    return x if telling else krr(x, items, epsilon, rng)


def unless(ask, x, items, epsilon, rng):
    """Tell the truth where a question ends in an error."""
    try:
        ask(x, items, epsilon, rng)
    except Exception:
        return x
    return krr(x, items, epsilon, rng)


def many_coins(x, items, epsilon, rng):
    """More sure coins than a replay has patience for: where it gives up, this client notices."""
    sure = odds(epsilon) / odds(epsilon)
    for _ in range(600):
        toss(sure, rng)
    return True


def merged(x, items, epsilon, rng):
    """Either twice the budget, or plain tuples that look like the answers of `each` in a proof."""
    e = odds(epsilon)
    if toss(0.5, rng):
        return items.each(lambda item: e**2 / (e**2 + 1) if item == x else 0.5, rng)
    return (toss(0.5, rng), toss(0.5, rng), "others by a coin 1/2")


QUESTIONS = {  # what no client is answered, whether it catches the error or not
    "compares with a number": lambda x, items, e, rng: x == 17,
    "compares with the last number": lambda x, items, e, rng: x == items.k - 1,
    "is in a list of numbers": lambda x, items, e, rng: x in [30, 31],
    "is a key": lambda x, items, e, rng: x in {44: 0},
    "is in a set": lambda x, items, e, rng: len({x, items.pick(rng)}) == 1,
    "compares with a text": lambda x, items, e, rng: x == "Rome",
    "has an order": lambda x, items, e, rng: x > items.pick(rng),
    "is sorted": lambda x, items, e, rng: sorted([x, items.pick(rng)])[0] == x,
    "has a text": lambda x, items, e, rng: "7" in f"{x}{x!r}",
    "is pickled": lambda x, items, e, rng: b"7" in pickle.dumps(x),
    "has a state": lambda x, items, e, rng: x.__getstate__() is None,
    "k above 40": lambda x, items, e, rng: items.k > 40,
    "k is 23": lambda x, items, e, rng: items.k == 23,
    "text of k": lambda x, items, e, rng: f"{items.k}" == "23",
    "hash of k": lambda x, items, e, rng: hash(items.k) % 2 == 1,
    "k is odd": lambda x, items, e, rng: items.k % 2 == 1,
    "k as an integer": lambda x, items, e, rng: int(items.k) > 4,
    "a range of k": lambda x, items, e, rng: len(range(items.k)) > 4,
    "k as a float": lambda x, items, e, rng: float(items.k) > 4,
    "k is pickled": lambda x, items, e, rng: len(pickle.dumps(items.k)) > 99,
    "numpy takes k": lambda x, items, e, rng: np.sqrt(items.k) > 4,
    "k has an attribute": lambda x, items, e, rng: items.k.same(5),
    "k has a value": lambda x, items, e, rng: items.k.at(5) > 2,
    "k against e^ε": lambda x, items, e, rng: items.k > odds(e),
    "k against a huge power": lambda x, items, e, rng: items.k - 2 == odds(e * 2**20),
    "k against a power of powers": lambda x, items, e, rng: items.k - 2 == ((odds(e) ** 1024) ** 1024),
    "k is 5, by division": lambda x, items, e, rng: 1 / (items.k - 5),
    "ε is 1, by division": lambda x, items, e, rng: 1 / (odds(e) - odds(Fraction(1))),
    "ε is above 2": lambda x, items, e, rng: e > 2,
    "ε has a number": lambda x, items, e, rng: e.number > 2,
    "ε has odds": lambda x, items, e, rng: e.odds > 2,
    "text of ε": lambda x, items, e, rng: str(e).startswith("2"),
    "e^ε as a fraction": lambda x, items, e, rng: odds(e).denominator > 9,
    "a coin of another generator": lambda x, items, e, rng: toss(1 / items.k, np.random.default_rng(0)),
    "a coin of the system": lambda x, items, e, rng: toss(1 / items.k, SystemRandom()),
    "a draw of another generator": lambda x, items, e, rng: items.pick(np.random.default_rng(0)),
    "a replay of its own": lambda x, items, e, rng: toss(1 / items.k, Paths()),
    "weights in a replay of its own": lambda x, items, e, rng: weighted((1, items.k), (), Paths()),
    "rng has a history": lambda x, items, e, rng: rng.taken,
    "rng is a generator": lambda x, items, e, rng: rng.random() < 2,
    "patience": many_coins,
    "answers are counted": lambda x, items, e, rng: len(oue(x, items, e, rng)) > 9,
    "answers are looked at": lambda x, items, e, rng: any(oue(x, items, e, rng)),
    "answers are compared": lambda x, items, e, rng: oue(x, items, e, rng) == oue(x, items, e, rng),
}


@pytest.mark.parametrize("way", [quietly, unless])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_the_same_answer_where_the_client_runs_or_there_is_no_proof(name, way):
    client = partial(way, QUESTIONS[name])
    try:
        proved = prove(lambda x, items, e, rng: client(x, items, e, rng)).holds
    except (TypeError, ValueError):
        proved = False
    if proved:
        for k in (2, 5, 23):
            sized = of_size(client, k)
            for epsilon in (1.0, 3.0):
                values = dict.fromkeys([0, min(k - 1, 17)])
                ratio = worst(laws(lambda x, rng: sized(x, epsilon, rng), [*values])).ratio  # noqa: B023
                assert ratio is not None and ratio <= odds(epsilon)


WRONG = {  # no question: the law is wrong, for some k or for all
    "all draws are others": lambda x, items, e, rng: (
        x if all(items.pick(rng) != x for _ in range(3)) else krr(x, items, e, rng)
    ),
    "four draws differ": lambda x, items, e, rng: (
        x if apart([items.pick(rng) for _ in range(4)]) else krr(x, items, e, rng)
    ),
    "own or not, in clear": lambda x, items, e, rng: (lambda item: (item, item == x))(items.pick(rng)),
    "own bit in clear": lambda x, items, e, rng: items.each(lambda v: 1.0 if v == x else 1 / (odds(e) + 1), rng),
    "ε for each bit": partial(unary, part=1),
    "2ε at times": lambda x, items, e, rng: oue(x, items, e * 2 if toss(0.5, rng) else e, rng),
    "right for two": lambda x, items, e, rng: x if toss((odds(e) - 1) / (odds(e) + 1), rng) else items.pick(rng),
    "asked twice": lambda x, items, e, rng: [krr(x, items, e, rng) for _ in range(2)],
    "two draws are alike": lambda x, items, e, rng: x if items.pick(rng) == items.pick(rng) else krr(x, items, e, rng),
    "the order of a pair": lambda x, items, e, rng: (
        (x, items.pick(rng)) if toss(0.5, rng) else (items.pick(rng), krr(x, items, e, rng))
    ),
    "looks like answers": merged,
    "an honest half": lambda x, items, e, rng: krr(x, items, e, rng) if toss(0.5, rng) else x,
    "a truth beside items": lambda x, items, e, rng: True if toss(0.5, rng) else x,
    "wrong for eight and more": lambda x, items, e, rng: (
        x if toss((odds(e) - 1) / (odds(e) - 1 + Fraction(15, 2)), rng) else items.pick(rng)
    ),
    "wrong for more than twenty": lambda x, items, e, rng: (
        x if toss((odds(e) - 1) / (odds(e) - 1 + 20), rng) else items.pick(rng)
    ),
    "a truth that hardly ever comes": lambda x, items, e, rng: (
        x if toss(Fraction(1, 2**60), rng) else krr(x, items, e, rng)
    ),
    "a little too much": lambda x, items, e, rng: (
        x if toss((odds(e) - 1) / (odds(e) + items.k - 1 - Fraction(1, 10**12)), rng) else items.pick(rng)
    ),
    "wrong for more than five": lambda x, items, e, rng: (
        x if toss((odds(e) - 1) / (odds(e) + 4), rng) else items.pick(rng)
    ),
    "a float beside items": lambda x, items, e, rng: 1.0 if toss(0.5, rng) else x,
}


class Mine(int):
    """A number with a mind of its own."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


@dataclass(frozen=True)
class Letter:
    """What a client might put an item into."""

    inside: object


REFUSED = {
    "weights": lambda x, items, e, rng: x if weighted((odds(e), items.k), (), rng) else items.pick(rng),
    "arrays of coins": lambda x, items, e, rng: x if bernoulli(0.5, (), rng) else items.pick(rng),
    "integers": lambda x, items, e, rng: x if uniform(2, (), rng) else items.pick(rng),
    "an object with an item": lambda x, items, e, rng: Letter(krr(x, items, e, rng)),
    "a letter of the proof": lambda x, items, e, rng: A if toss(0.5, rng) else B,
    "a number that is equal to all": lambda x, items, e, rng: Mine(3),
    "a coin of another proof": lambda x, items, e, rng: x if toss(1 / (Field().e + 1), rng) else items.pick(rng),
    "a mixture of two proofs": lambda x, items, e, rng: x if toss(1 / (Field().e + items.k), rng) else items.pick(rng),
    "the items are counted": lambda x, items, e, rng: x if len(items) > 5 else items.pick(rng),
    "the items are listed": lambda x, items, e, rng: pick([*items], rng),
    "made items": lambda x, items, e, rng: type(items)().pick(rng),
    "order of arguments": lambda x, epsilon, items, rng: x,
    "each without a function": lambda x, items, e, rng: items.each(0.5, rng),
    "both uses": lambda x, items, e, rng: (items.pick(rng), oue(x, items, e, rng)),
    "the item of each is sent": lambda x, items, e, rng: (
        kept := [],
        items.each(lambda v: kept.append(v) or 0.5, rng),
        kept[1],
    )[2],
    "the item of each is compared later": lambda x, items, e, rng: (
        kept := [],
        items.each(lambda v: kept.append(v) or 0.5, rng),
        kept[1] == x,
    )[2],
    "k is sent": lambda x, items, e, rng: (krr(x, items, e, rng), items.k),
    "ε is sent": lambda x, items, e, rng: [krr(x, items, e, rng), {"of": e}],
    "the domain is sent": lambda x, items, e, rng: (krr(x, items, e, rng), items),
    "rng is sent": lambda x, items, e, rng: (krr(x, items, e, rng), rng),
    "a coin above one": lambda x, items, e, rng: x if toss(odds(e) / items.k, rng) else items.pick(rng),
    "a coin of each above one": lambda x, items, e, rng: items.each(lambda v: odds(e) - 1, rng),
    "a coin of each that is no number": lambda x, items, e, rng: items.each(lambda v: "1/2", rng),
    "thirty draws": lambda x, items, e, rng: [items.pick(rng) for _ in range(30)],
    "a loop that need not end": lambda x, items, e, rng: [None for _ in iter(lambda: items.pick(rng) == x, True)],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_clients_are_refuted_by_a_size_and_an_epsilon(name):
    found = prove(WRONG[name])
    assert found.holds is False, said(found)
    seen = found.witness
    sized = of_size(WRONG[name], seen.k)
    if name.endswith("beside items"):  # equal reports in two forms, of which there is no law
        return
    law = laws(lambda x, rng: sized(x, seen.epsilon, rng), [0, 1])
    assert worst(law).ratio is None or worst(law).ratio > odds(seen.epsilon)
    assert f"at k = {seen.k} and ε = {seen.epsilon:g}, report" in said(found)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_client_for_any_number_of_items_is_refused(name):
    with pytest.raises((TypeError, ValueError)):
        prove(REFUSED[name], limit=100)


def test_a_refutation_by_formulas_alone_is_none():
    """Coins of others that differ less the larger k is: a form tells more than any report of k items does."""

    def fading(x, items, epsilon, rng):
        e = odds(epsilon / 2)
        t = (e - 1) / (e + 1)
        if toss(0.5, rng):
            return items.each(lambda item: 1 if item == x else Fraction(1, 2), rng)
        return items.each(lambda item: t if item == x else (1 + t / (100 * items.k**2)) / 2, rng)

    found = prove(fading, limit=300)  # enough for seven items
    assert found.holds is None and "neither proved nor refuted" in said(found)
    for k in (2, 4):
        sized = of_size(fading, k)
        assert worst(laws(lambda x, rng: sized(x, 1.0, rng), [0, 1])).epsilon < 0.51  # noqa: B023


def test_exactly_is_not_said_where_a_hidden_bit_chooses_the_coin_of_others():
    """Its forms show which coin is tossed, and reports do not: at k = 2, 3 and 5 they tell 1.6 to 2.1 times, not e."""

    def oue_or_blind(x, items, e, rng):
        if toss(0.5, rng):
            return oue(x, items, e, rng)
        return items.each(lambda item: 0.5, rng)

    found = prove(oue_or_blind)
    assert found.holds and not found.tight
    assert "oue_or_blind is ε-LDP for every ε > 0" in said(found)
    assert "no report has a larger factor than e^ε." in said(found)
    sized = of_size(oue_or_blind, 3)
    assert 1.7 < worst(laws(lambda x, rng: sized(x, 1.0, rng), [0, 1])).ratio < 1.8


# ------------------------------------------------------------------------------- what is proved is what runs


def orbit(report, pair, letters):
    """A report with the letters of a proof in the place of items, for two inputs."""
    if isinstance(report, tuple | list):
        return tuple(orbit(part, pair, letters) for part in report)
    if isinstance(report, bool | str):
        return report
    names = {pair[0]: "a", pair[1]: "b"} | letters
    return letters.setdefault(report, chr(ord("a") + len(names))) if report not in names else names[report]


def lettered(report):
    if isinstance(report, tuple):
        return tuple(map(lettered, report))
    return report.letter if isinstance(report, Name) else report


@pytest.mark.parametrize("name", ["k-RR", "own or not", "two draws", "three marks", "blind", "two halves"])
@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_the_law_of_a_proof_is_that_of_the_client_that_runs(name, k):
    """The law of reports up to the names of other items, by `of_size`, against the formulas at that k and ε."""
    every = cases(RIGHT[name])
    least, found = next((case for case in every if case[0] == k), every[-1])
    formulas = found.at(odds(Fraction(0.7) / found.field.roots), k - least)
    sized, pair = of_size(RIGHT[name], k), (k - 1, 0)
    for law, exactly in zip(laws(lambda x, rng: sized(x, 0.7, rng), pair), formulas, strict=True):
        merged = {}
        for report, p in law.items():
            y = orbit(report, pair, {})
            merged[y] = merged.get(y, 0) + p
        assert merged == {lettered(y): p for y, p in exactly.items() if p}


@pytest.mark.parametrize("name", ["SUE", "OUE", "either", "counts calls"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_answers_about_each_are_tosses_of_the_coins_of_a_proof(name, k):
    ((least, found),) = cases(RIGHT[name])
    y = odds(Fraction(0.7) / found.field.roots)
    sized = of_size(RIGHT[name], k)
    for law, exactly in zip(laws(lambda x, rng: sized(x, 0.7, rng), [0, 1]), found.at(y, k - least), strict=True):
        expected = {}
        for report, p in exactly.items():
            kind, tossed = report if isinstance(report, tuple) else (None, report)
            q = tossed.coin.p.at(y, k - least)
            for others in np.ndindex((2,) * (k - 2)):
                answers = (tossed.a, tossed.b, *map(bool, others))
                weight = q ** sum(others) * (1 - q) ** (k - 2 - sum(others))
                key = answers if kind is None else (kind, answers)
                expected[key] = expected.get(key, 0) + p * weight
        assert law == {report: p for report, p in expected.items() if p}


def test_a_client_runs_with_a_generator_as_its_law_says():
    """Exact coins, by chi-square of 4,000 reports: 1e-9 is the chance that a right client fails."""
    sized, rng, n = of_size(krr, 4), np.random.default_rng(11), 4000
    seen = np.bincount([sized(2, 0.8, rng) for _ in range(n)], minlength=4)
    (law,) = laws(lambda x, rng: sized(x, 0.8, rng), [2])
    expected = np.array([float(law[y]) * n for y in range(4)])
    assert np.sum((seen - expected) ** 2 / expected) < 45.1  # of 3 degrees of freedom, 1e-9
    counted = of_size(oue, 3)
    bits = np.array([counted(0, 0.8, SystemRandom()) for _ in range(1000)]).mean(0)
    assert np.all(np.abs(bits - [0.5, *[1 / (1 + exp(0.8))] * 2]) < 6.2 / np.sqrt(4 * 1000))


def test_each_size_is_a_certificate_of_its_own():
    found = prove(three_marks)
    assert [k for k, _ in found.every] == [2, 3, 4]
    assert len(found.certificates) == 3
    for text in found.certificates:
        assert certificate.check(text) >= 2


def test_values_and_sizes_out_of_range_are_refused():
    with pytest.raises(ValueError, match="k must be an integer, at least 2, got 1"):
        of_size(krr, 1)
    with pytest.raises(ValueError, match="value must be one of 0, …, 2, got 3"):
        of_size(krr, 3)(3, 1.0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="epsilon must be"):
        of_size(krr, 3)(0, 0.0, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"whether k\^2 - 10k \+ 25 is 0 depends on ε or k"):
        of_size(lambda x, items, e, rng: x if toss(1 / (items.k - 5) ** 2, rng) else items.pick(rng), 7)
    assert {A, B} == {Name("a"), Name("b")}


# ------------------------------------------------------------------------------------- ways out of the sealed room


class Spying(int):
    """A number that notes when it is compared."""

    seen = []

    def __gt__(self, other):
        self.seen.append(1)
        return int(self) > other


class Half(Fraction):
    """A half that notes when it is looked at closely."""

    numerator = property(lambda self: Spying(1))
    denominator = 2


class Shrinking:
    """A sequence of one option, and of none when it is asked again."""

    asked = 0

    def __len__(self):
        self.asked += 1
        return int(self.asked == 1)

    def __getitem__(self, i):
        return i


class Order(int):
    """A number by which a product is 2."""

    def __rmul__(self, other):
        return 2


def spies(x, items, e, rng):
    del Spying.seen[:]
    toss(Half(1, 2), rng)
    return krr(x, items, e, rng) if Spying.seen else x


def caught(ask, change, x, items, e, rng):
    """Change what an error says, and go on as if nothing had been."""
    try:
        ask(items, e, rng)
    except Exception as error:
        change(error)
    return krr(x, items, e, rng)


def needs_three(x, items, e, rng):
    """k-RR if two draws and one's own item differ, which takes three items."""
    y, z = items.pick(rng), items.pick(rng)
    return (y, z, krr(x, items, e, rng) if x != y and x != z and y != z else None)


def hollow(top, bottom=1):
    """A fraction with something else inside."""
    found = Fraction(1, 2)
    found._numerator, found._denominator = top, bottom
    return found


def disguised(x, items):
    class Disguise:
        __class__ = type(x)
        _name = x

    return Disguise()


def deep(report):
    for _ in range(10**4):
        report = [report]
    return report


ESCAPES = {
    "a sure coin by numpy": lambda x, items, e, rng: x if toss(np.int64(1), rng) is True else krr(x, items, e, rng),
    "an impossible coin by numpy": lambda x, items, e, rng: (
        x if toss(np.int64(0), rng) is not False else krr(x, items, e, rng)
    ),
    "thirds by numpy": lambda x, items, e, rng: (krr(x, items, e, rng), toss(Fraction(np.int64(1), np.int64(3)), rng)),
    "a number that spies": spies,
    "a sequence that shrinks": partial(unless, lambda x, items, e, rng: pick(Shrinking(), rng)),
    "another root": partial(caught, lambda items, e, rng: e / 2, lambda error: setattr(error, "order", Order(2))),
    "no root": partial(caught, lambda items, e, rng: e / 2, lambda error: setattr(error, "order", 0)),
    "another domain": partial(
        caught,
        lambda items, e, rng: [items.pick(rng) for _ in range(3)],
        lambda error: setattr(error, "least", 100),
    ),
    "an item of its own": partial(unless, lambda x, items, e, rng: type(x)(items, 3)),
    "an item made again": partial(unless, lambda x, items, e, rng: x.__init__(items, 3)),
    "answers of its own": lambda x, items, e, rng: type(oue(x, items, e, rng))((1, 2)),
    "k made again": lambda x, items, e, rng: (items.k.__init__({0: 2}, {0: 1}, Field()), krr(x, items, e, rng))[1],
    "the state of an item": partial(quietly, lambda x, items, e, rng: x.__getstate__()[1]["_name"] == 3),
    "the state of the source": partial(quietly, lambda x, items, e, rng: "PCG" in repr(rng.__getstate__())),
    "an ε of its own": lambda x, items, e, rng: krr(x, items, type(e)(odds(e), False, Letter(1)), rng),
    "a fraction of its own": lambda x, items, e, rng: (krr(x, items, e, rng), Fraction(Half(1, 2))),
    "it needs three": needs_three,
    "numbers like items": lambda x, items, e, rng: krr(x, items, e, rng) if toss(0.5, rng) else pick((0, 1, 2), rng),
}


class Meta(type):
    """A class that says that it equals any other."""

    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__


class Bag(metaclass=Meta):
    """What is filled with what is sent."""

    def __init__(self, parts):
        self.parts = tuple(parts)


class Spy(int):
    """A coefficient that looks at what it is multiplied with."""

    def __mul__(self, other):
        return 0 if isinstance(other, Fraction) and other > 1 else int(self) * other

    __rmul__ = __mul__


class Times:
    """A length by which a list of polynomials is changed."""

    def __gt__(self, other):
        return False

    def __rmul__(self, some):
        return [{m: Spy(c) for m, c in p.items()} for p in some]


class Exponent(int):
    def __abs__(self):
        return Times()


class Falsy(TypeError):
    def __bool__(self):
        return False


def forgetful(ask, x, items, e, rng):
    """Make an error look like none."""
    try:
        ask(items, rng)
    except Exception as error:
        error.__class__ = Falsy
        return "refused"
    return x


def changed(x, items, e, rng):
    class Open(type(items)):
        __slots__ = ()

    items.__class__ = Open
    return x


def with_a_field(x, items, e, rng):
    o = odds(e)
    forged = type(o)({1: Spy(1)}, {0: 1}, type("Mine", (), {})()).__radd__(o)
    return x if toss(1 / (1 + forged), rng) else krr(x, items, e, rng)


def inner(x, items, e, rng):
    number = of_size(lambda v, own, ee, r: x, 2)(0, 1.0, np.random.default_rng(0))
    return x if number == 3 else krr(x, items, e, rng)


def inner_proof(x, items, e, rng):
    found = []
    prove(lambda v, own, ee, r: found.append(x) or x)
    return found[0]


ESCAPES |= {
    "a class that equals list": lambda x, items, e, rng: Bag([x]),
    "a run within a run": inner,
    "a proof within a run": inner_proof,
    "a power of its own": lambda x, items, e, rng: (
        x if toss((1 / (items.k + odds(e))) ** Exponent(1), rng) else krr(x, items, e, rng)
    ),
    "a logarithm of its own": lambda x, items, e, rng: (
        x if toss(1 / (1 + odds(log(items.k + odds(e), Exponent(1)))), rng) else krr(x, items, e, rng)
    ),
    "a field of its own": with_a_field,
    "an error that is nothing": partial(forgetful, lambda items, rng: [items.pick(rng) for _ in range(4)]),
    "a patience that is nothing": partial(forgetful, lambda items, rng: [items.pick(rng) for _ in range(40)]),
    "items of another class": changed,
    "each of another thing": lambda x, items, e, rng: type(items).each(Letter(x), lambda v: 0.5, rng),
    "a key with a number inside": lambda x, items, e, rng: {hollow(items.k): krr(x, items, e, rng)},
    "nothing in nothing": lambda x, items, e, rng: x if toss(hollow(0, 0), rng) else krr(x, items, e, rng),
    "a room in the room": lambda x, items, e, rng: of_size(krr, 3)(0, 1.0, rng),
    "a class that passes for an item": lambda x, items, e, rng: disguised(x, items),
    "a list in itself": lambda x, items, e, rng: (kept := [krr(x, items, e, rng)], kept.append(kept), kept)[2],
    "a deep list": lambda x, items, e, rng: deep(krr(x, items, e, rng)),
    "a coin in words": lambda x, items, e, rng: x if toss("one half", rng) else krr(x, items, e, rng),
    "an item for a coin": lambda x, items, e, rng: x if toss(x, rng) else krr(x, items, e, rng),
    "a square coin": lambda x, items, e, rng: (
        krr(x, items, e, rng) if toss(((items.k - 3) / items.k) ** 2, rng) else items.pick(rng)
    ),
    "a coin that is least at three": lambda x, items, e, rng: (
        krr(x, items, e, rng) if toss((items.k**2 - 5 * items.k + 7) / items.k**2, rng) else items.pick(rng)
    ),
    "a mark that two items never get": lambda x, items, e, rng: (
        ("marked", krr(x, items, e, rng)) if toss((items.k - 2) / items.k, rng) else items.pick(rng)
    ),
}
NOT_EXACTLY = {"it needs three", "numbers like items", "a square coin", "a coin that is least at three"}
NOT_EXACTLY |= {"a mark that two items never get"}


@pytest.mark.parametrize("name", ESCAPES)
def test_a_way_out_of_the_room_is_closed_or_leads_nowhere(name):
    client = ESCAPES[name]
    try:
        found = prove(lambda x, items, e, rng: client(x, items, e, rng))
    except (TypeError, ValueError, AttributeError):
        return
    if found.holds is False:
        assert found.witness
        return
    assert found.holds, said(found)
    assert found.tight is not (name in NOT_EXACTLY)
    for k in (2, 3, 5):
        sized = of_size(client, k)
        law = laws(lambda x, rng: sized(x, 1.0, rng), range(k))  # noqa: B023
        assert worst(law).ratio <= odds(1.0)
    for rng in (np.random.default_rng(1), SystemRandom()):
        seen = {sized(3, 1.0, rng) for _ in range(300)}
        assert seen <= law[3].keys() and len(seen) > 1


@pytest.mark.parametrize("value", [1.5, "1", None, True, 3, -1])
def test_a_value_is_the_number_of_an_item(value):
    with pytest.raises(ValueError, match="value must be "):
        of_size(krr, 3)(value, 1.0, np.random.default_rng(0))


def test_an_error_made_of_a_refusal_does_not_hide_it():
    def wrapped(x, items, e, rng):
        try:
            part, one, other = e / 2, items.pick(rng), items.pick(rng)
        except Exception as error:
            raise RuntimeError("bad ε, or too few items") from error
        return one, other, krr(x, items, part, rng)

    assert prove(wrapped).holds


def test_a_blind_client_has_a_ratio_of_one():
    assert str(prove(lambda x, items, e, rng: toss(odds(e) / (odds(e) + items.k), rng)).ratio) == "1"


def test_very_large_numbers_may_be_sent():
    assert "is exactly ε-LDP" in said(prove(lambda x, items, e, rng: (krr(x, items, e, rng), 10**5000)))
    found = prove(lambda x, e, rng: toss(round_up(1 / (odds(e) + 1)), rng) == (x == 1), [1, 10**5000])
    assert "an integer of 16610 bits" in said(found) and found.certificates
