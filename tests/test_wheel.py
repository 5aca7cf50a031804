from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest
from contract import BAD_PAIRS, FALSE_ALARM, Contract, total_variation
from scipy.stats import norm

from ldpnb import verify
from ldpnb.chance import bernoulli, law, odds, round_up
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import Example
from ldpnb.hashing import Multilinear, SlotTable, digest
from ldpnb.keyvalue.population import Holdings, discretise, holdings
from ldpnb.keyvalue.ternary import mean_of
from ldpnb.keyvalue.wheel import CLIENTS, REPORTS, SLOTS, Circle, Wheel, WheelKV
from ldpnb.oracles.grr import GRR
from ldpnb.records import Records

ONE = Records.of({0: 1.0}, {0: -1.0}, {}, {1: 0.5}, {0: -0.25, 1: 1.0})
TWO = Records.of({0: 1.0, 1: 1.0}, {0: -1.0, 1: 0.5}, {1: -1.0}, {0: 0.25})
SET_ONE = Records.of({0}, {1}, set(), {0, 1})

KV = WheelKV.example()[0].mechanism
SETS = Wheel.example()[0].mechanism


class TestWheelKV(Contract):
    cases = [
        *WheelKV.example(),
        Example(WheelKV(epsilon=8.0, m=1, slots=3, table=1), ONE[:2], (0,)),
    ]
    bad_values = BAD_PAIRS
    bad_reports = [
        np.array([0, 1]),
        np.array([((0, 0), 4)], KV.dtype),
        np.array([((0, 0), -1)], KV.dtype),
        np.array([((0, 4), 1)], KV.dtype),
        np.array([((0, 0, 0), 1)], replace(KV, table=3).dtype),
        np.array([[((0, 0), 1)]], KV.dtype),
        np.array([((0, 0), 1.0)], [("seed", np.uint32, (2,)), ("slot", float)]),
    ]


class TestWheel(Contract):
    cases = [
        *Wheel.example(),
        Example(Wheel(epsilon=8.0, m=1, slots=5, width=3, table=2), SET_ONE, (0, 1), pairs=False),
    ]
    bad_values = [
        [{0}],
        np.array([0, 1]),
        Records.of({0: 1.0}, {1: 0.5}),
        Records.of({0}, {2}),
        Records(np.array([0, 1]), np.array([-1])),
    ]
    bad_reports = [
        np.array([0, 1]),
        np.array([((0, 0), 3)], SETS.dtype),
        np.array([((0, 3), 1)], SETS.dtype),
        np.array([((0, 0, 0), 1)], replace(SETS, table=3).dtype),
    ]


# ---------------------------------------------------------------------------------------------------------- privacy


def by_seed(mechanism, records):
    """Law of the slot, of each record, under each seed."""
    found = {}
    for i in range(len(records)):
        for (seed, slot), p in law(lambda rng, i=i: mechanism.perturb(records[i : i + 1], rng=rng)[0]).items():
            found.setdefault(seed, [{} for _ in range(len(records))])[i][slot] = p
    weight = len(found)
    return {seed: [{z: p * weight for z, p in one.items()} for one in laws] for seed, laws in found.items()}


def signed(keys, most):
    """Every record of up to `most` pairs with the values 1 and −1."""
    states = product((None, 1.0, -1.0), repeat=keys)
    records = [{k: v for k, v in enumerate(s) if v} for s in states]
    return [r for r in records if len(r) <= most]


@pytest.mark.parametrize("slots, m, keys, epsilon", [(4, 1, 2, 1.0), (3, 1, 2, 3.0), (4, 2, 2, 0.5)])
def test_epsilon_for_every_seed(slots, m, keys, epsilon):
    """At most ε under every seed; ε itself exactly where m distinct slots leave one free that another pair covers."""
    mechanism = WheelKV(epsilon=epsilon, m=m, slots=slots, table=keys)
    records = signed(keys, m)
    for seed, laws in by_seed(mechanism, Records.of(*records)).items():
        assert all(sum(one.values()) == 1 for one in laws)
        covers = [{(seed[k] + (v < 0)) % slots for k, v in r.items()} for r in records]
        exact = any(len(c) == m and (set().union(*covers) - c) for c in covers)
        one = verify.worst(laws)
        assert one.ratio <= odds(epsilon)
        assert (one.epsilon == pytest.approx(mechanism.realised_epsilon, rel=1e-12)) == exact


@pytest.mark.parametrize("slots, m, width", [(4, 1, 2), (6, 2, 2), (5, 2, 1), (7, 3, 2), (9, 2, 4)])
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 2.0, 20.0])
def test_spin_has_its_law_for_every_set_of_starts(slots, m, width, epsilon):
    """Every covered slot has α, every free one the same rest; and no two differ by more than e^ε over all covers."""
    circle, found = Circle(slots, m, width, epsilon), set()
    for starts in product(range(slots), repeat=m):
        z = law(lambda rng, starts=starts: circle.spin(np.array([starts]), rng)[0])
        cover = {(s + j) % slots for s in starts for j in range(width)}
        free = (1 - len(cover) * circle.alpha) / (slots - len(cover))
        assert z == {t: circle.alpha if t in cover else free for t in range(slots)}
        found |= set(z.values())
    assert max(found) == circle.alpha
    assert odds(epsilon) - Fraction(2) ** -46 * odds(epsilon) ** 2 < max(found) / min(found) <= odds(epsilon)
    assert circle.realised_epsilon == pytest.approx(log(max(found) / min(found)), abs=1e-15)


@pytest.mark.parametrize("epsilon", [EPSILON_MIN, 0.1, 1.0, 5.0, 20.0, EPSILON_MAX])
@pytest.mark.parametrize("m", [1, 4, 8])
def test_rounding_never_costs_privacy_with_the_best_number_of_slots(epsilon, m):
    for mechanism in (WheelKV(epsilon=epsilon, m=m), Wheel(epsilon=epsilon, m=m), Wheel(epsilon=epsilon, m=m, width=9)):
        c = mechanism.circle
        most = c.arcs * c.width
        for covered in range(c.width, most + 1):
            free = (1 - covered * c.alpha) / (c.slots - covered)
            assert (1 - most * c.alpha) / (c.slots - most) <= free <= c.alpha
            assert float(covered * c.alpha) == covered * c.alpha and (covered * c.alpha * 2**53).denominator == 1
        assert c.alpha * (c.slots - most) / (1 - most * c.alpha) <= odds(epsilon)


# ------------------------------------------------------------------------------------------------ numbers of slots


def rare(mechanism):
    """Both noises of a key that nobody holds, from the mechanism's own probabilities."""
    nobody = Records.of({0: 1.0})
    return mechanism.variance(nobody, [5])[0, :, 0].sum()


@pytest.mark.parametrize(
    "m, best", [(1, (4, 4, 5, 9, 56)), (4, (13, 15, 19, 39, 228)), (8, (26, 30, 39, 79, 458))]
)  # found by an independent scan
def test_best_number_of_slots(m, best):
    for epsilon, slots in zip((0.2, 0.5, 1.0, 2.0, 4.0), best, strict=True):
        mechanism = WheelKV(epsilon=epsilon, m=m)
        assert mechanism.slot_count == slots and mechanism.slots == 0
        scan = {*range(max(m, 2) + 1, 2 * slots), *np.geomspace(2 * slots, 1500, 20).astype(int).tolist()}
        assert slots == min(scan, key=lambda n, e=epsilon: rare(WheelKV(epsilon=e, m=m, slots=n)))
    assert replace(WheelKV(epsilon=1.0, m=m), epsilon=2.0).slot_count == best[3]
    assert replace(WheelKV(epsilon=1.0, m=m, slots=50), epsilon=2.0).slot_count == 50


@pytest.mark.parametrize("m, epsilon, width", [(1, 1.0, 1), (4, 0.5, 1), (8, 1.0, 1), (8, 2.0, 20), (2, 3.0, 7)])
def test_best_number_of_slots_for_sets(m, epsilon, width):
    """The best arc is the root of m(m(e−1) − 2e) p² + m(e+2) p − 1, close to the published 1/(2m−1+me)."""
    mechanism = Wheel(epsilon=epsilon, m=m, width=width)

    def noise(n):
        return replace(mechanism, slots=n).variance(Records.of({0}), [5])[0, 0]

    best = min(range(m * width + 1, 40 * m * width + 40), key=noise)
    assert mechanism.slot_count == best
    e = float(odds(epsilon))
    p = max(np.roots([m * (m * (e - 1) - 2 * e), m * (e + 2), -1]), key=lambda x: -abs(x - width / best))
    assert abs(width / p - best) <= 1
    assert noise(best) <= noise(round(width * (2 * m - 1 + m * e))) * (1 + 1e-12)


def test_slots_are_bounded_by_the_hash():
    assert WheelKV(epsilon=32.0, m=8).slot_count == Wheel(epsilon=32.0, m=8).slot_count == SLOTS


# -------------------------------------------------------------------------------------------------- known identities


def test_one_item_and_one_slot_is_local_hashing():
    """Wheel with m = W = 1 keeps a slot as k-RR over N slots does."""
    p, q = Wheel(epsilon=1.0, m=1, slots=4).support
    keep, lie = GRR(k=4, epsilon=1.0).support
    assert float(p) == pytest.approx(float(keep), abs=1e-15)
    assert q == Fraction(1, 4) and float((1 - p) / 3) == pytest.approx(float(lie), abs=1e-15)


def test_constants_are_those_of_the_source():
    e, n, m = float(odds(1.0)), 19, 4
    mechanism = WheelKV(epsilon=1.0, m=m)
    alpha, beta, gamma = map(float, mechanism.answer)
    assert alpha == pytest.approx(e / (n + m * (e - 1)), rel=1e-14)
    delta = (e - 1) * (n - m) / (n * (n + m * (e - 1)))
    assert alpha + beta - 2 * gamma == pytest.approx(delta * (n - 2) / (n - 1), rel=1e-12)
    assert alpha - beta == pytest.approx(delta * n / (n - 1), rel=1e-12)
    assert float(Wheel(epsilon=1.0, m=4, slots=64, width=3).support[0]) == pytest.approx(
        3 * e / (64 + 12 * (e - 1)), rel=1e-14
    )


# -------------------------------------------------------------------------------------------------------- statistics


@pytest.mark.parametrize("m, slots, table", [(1, 4, 2), (2, 5, 2)])
def test_covariance_is_exact(m, slots, table):
    mechanism = WheelKV(epsilon=1.0, m=m, slots=slots, table=table)
    records = ONE if m == 1 else TWO
    for i in range(len(records)):
        one = law(lambda rng, i=i: mechanism.perturb(records[i : i + 1], rng=rng))
        scores = np.stack(
            [mechanism.estimate(mechanism.tally(np.array(list(y), mechanism.dtype), [0, 1])) for y in one]
        )
        p = np.array([float(x) for x in one.values()])
        mean = np.tensordot(p, scores, 1)
        exact = np.tensordot(p, (scores - mean)[:, 0] * (scores - mean)[:, 1], 1)
        np.testing.assert_allclose(mechanism.covariance(records, [0, 1])[i], exact, rtol=1e-9, atol=1e-12)


def test_spread_and_plug_in_are_the_noise():
    mechanism, items = WheelKV(epsilon=1.0, m=2), [3, 0, 1]
    population = Records.of(*[{0: 1.0, 3: -1.0}] * 3, *[{0: 1.0}] * 2, {1: 1.0, 3: -1.0}, *[{}] * 4)
    spread = mechanism.spread(population, items)
    np.testing.assert_allclose(spread.variance, mechanism.variance(population, items).sum(0) / 100, rtol=1e-12)
    np.testing.assert_allclose(spread.covariance, mechanism.covariance(population, items).sum(0) / 100, rtol=1e-12)
    truth = mechanism.expected(population, items).mean(0)
    plugged = mechanism.plug_in(truth, 10)
    np.testing.assert_allclose(plugged.variance, spread.variance, rtol=1e-12)  # all values of a key are alike
    np.testing.assert_allclose(plugged.covariance, spread.covariance, rtol=1e-12)
    np.testing.assert_allclose(mean_of(truth, plugged).mean, [-1.0, 1.0, 1.0])


def told(mechanism, person):
    """Law of the counts of one person's report, for each key alone."""
    found = law(lambda rng: mechanism.perturb(person, rng=rng))
    laws = [{}, {}]
    for y, p in found.items():
        for one, counts in zip(laws, mechanism.tally(np.array(list(y), mechanism.dtype), [0, 1]).counts, strict=True):
            one[tuple(counts.tolist())] = one.get(tuple(counts.tolist()), 0) + p
    return laws


@pytest.mark.parametrize("records, m", [(ONE[:4], 1), (TWO, 2), (ONE[[0, 2, 3, 4]], 1)], ids=["1", "2", "long"])
def test_simulation_is_exact_for_each_key_alone(records, m):
    """Against the clients of two people, walked each alone."""
    mechanism = WheelKV(epsilon=1.0, m=m, slots=m + 3, table=2)
    clients = [told(mechanism, records[i : i + 1]) for i in range(4)]
    for pair in ([0, 1], [2, 3], [1, 1], [0, 3]):
        people = records[np.array(pair)]
        population = holdings(people, 2, sizes=True)
        drawn = law(
            lambda rng, population=population: mechanism.simulate_marginals(population, trials=1, rng=rng).counts[0]
        )
        for key in range(2):
            client, simulated = {}, {}
            for (a, p), (b, q) in product(*(clients[i][key].items() for i in pair)):
                both = tuple(np.add(a, b).tolist())
                client[both] = client.get(both, Fraction(0)) + p * q
            for counts, p in drawn.items():
                simulated[counts[key]] = simulated.get(counts[key], 0) + p
            assert total_variation(client, simulated) <= 2.0**-50


def test_simulations_name_their_candidates():
    population = holdings(Records.of(*[{0: 1.0, 2: 0.5}] * 5), 3)
    assert isinstance(population, Holdings)
    tally = WheelKV(epsilon=1.0, m=2).simulate_marginals(population, trials=4, rng=np.random.default_rng(0))
    assert tally.items == (0, 1, 2) and tally.counts.shape == (4, 3, 3) and np.all(tally.counts.sum(-1) == 5)


# ---------------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class Literal(WheelKV):
    """The prose read word by word: the Wheel's z for keys with arcs of two slots, moved by the sign."""

    def _perturb(self, values, rng):
        keys = Records(values.offsets, values.keys)
        wheel = Wheel(epsilon=self.epsilon, m=self.m, slots=self.slot_count, width=2, table=self.table)
        reports = wheel.perturb(keys, rng=rng)
        sign = discretise(values.values, rng)
        users = values.users
        home = self.hash(reports["seed"][users], values.keys)
        hit = (reports["slot"][users] - home) % self.slot_count < 2
        reports["slot"][users[hit]] = (home + (sign < 0))[hit] % self.slot_count
        return reports


def test_literal_reading_is_not_private():
    mechanism = Literal(epsilon=1.0, m=1, slots=4, table=2)
    records = Records.of({0: 1.0}, {0: -1.0})
    assert verify.worst(verify.laws(mechanism, records)).epsilon == np.inf
    assert verify.worst(verify.laws(KV, records)).epsilon <= 1.0


@dataclass(frozen=True, kw_only=True)
class WheelsOwnConstants(WheelKV):
    """Decodes with β = γ, as if the own slot took nothing from the other sign's."""

    @property
    def answer(self):
        alpha, _, gamma = super().answer
        return alpha, gamma, gamma


@dataclass(frozen=True)
class Rounded(Circle):
    """Rounds the wrong way."""

    @property
    def alpha(self):
        e = odds(self.epsilon)
        return Fraction(round_up(e / (self.slots + self.width * self.arcs * (e - 1))))


@dataclass(frozen=True)
class OwnSlots(Circle):
    """Takes the m slots of a person for distinct: covered ones get m/L of what they should."""

    def spin(self, starts, rng):
        z = np.empty(len(starts), np.int64)
        for i, row in enumerate(starts):
            cover = np.unique(row % self.slots)
            free = np.setdiff1d(np.arange(self.slots), cover)
            own = bernoulli(float(self.alpha) * self.arcs, (), rng)
            some = cover if own else free
            z[i] = some[rng._choose((1,) * len(some))]
        return z


def breaks(mechanism, records, items=(0, 1)):
    """Which checks a mechanism fails."""
    mean, variance = verify.moments(mechanism, records, items)
    ratio = max(verify.worst(laws).ratio or np.inf for laws in by_seed(mechanism, records).values())
    return {
        name
        for name, bad in (
            ("privacy", ratio > odds(mechanism.epsilon)),
            ("bias", np.abs(mean - mechanism.expected(records, items)).max() > 1e-9),
            ("noise", np.abs(variance / mechanism.variance(records, items) - 1).max() > 1e-9),
        )
        if bad
    }


@pytest.mark.slow
def test_controls_are_caught():
    small = dict(epsilon=1.0, m=2, slots=5, table=2)
    assert breaks(WheelKV(**small), TWO[:2]) == set()
    assert {"bias"} <= breaks(WheelsOwnConstants(**small), TWO[:2])
    for circle, caught in ((Rounded, {"privacy"}), (OwnSlots, {"privacy", "bias"})):
        mechanism = WheelKV(**small)
        object.__setattr__(mechanism, "circle", circle(5, 2, 1, 1.0))
        assert caught <= breaks(mechanism, TWO[:2])


@dataclass(frozen=True, kw_only=True)
class Twin(SlotTable):
    """Gives every two keys one slot: pairs are as likely to collide as not to be hashed at all."""

    def __call__(self, seeds, keys):
        return super().__call__(seeds, np.asarray(keys) // 2)


def test_biased_hash_is_caught():
    mechanism = WheelKV(epsilon=1.0, m=2, slots=5, table=2)
    object.__setattr__(mechanism, "hash", Twin(keys=2, slots=5))
    assert breaks(mechanism, TWO[:2]) >= {"bias"}
    assert "privacy" not in breaks(mechanism, TWO[:2])


# ------------------------------------------------------------------------------------------------- the hash in use


def worst_z(mechanism, people, reports, items):
    """Largest distance of an estimate from its target, in standard errors."""
    target, noise = mechanism.expected(people, items), mechanism.variance(people, items)
    repeats = len(reports) // len(people)
    error = np.sqrt(noise.sum(0) / repeats) / len(people)
    return np.max(np.abs(mechanism.estimate(mechanism.tally(reports, items)) - target.mean(0)) / error)


@pytest.mark.parametrize("kind", ["consecutive", "strided", "strings"])
@pytest.mark.parametrize("m, epsilon", [(1, 1.0), (4, 2.0), (8, 1.0)])
def test_hash_in_use_is_unbiased_end_to_end(kind, m, epsilon):
    """Three people with close ids, 100,000 reports each; a right one fails with a probability below 1e-9."""
    names = [f"item {i}" for i in range(40)]
    ids = {"consecutive": np.arange(40), "strided": np.arange(40) << 32, "strings": digest(names)}[kind]
    items = names if kind == "strings" else ids
    rows = [np.arange(m), np.arange(5, 5 + m) * 2, np.arange(m // 2)]
    people = Records.of(*[{int(ids[i]): 1.0 - i / 20 for i in row} for row in rows])
    copies, rng = 100_000, np.random.default_rng(11)
    everybody = people[np.tile(np.arange(3), copies)]
    limit = norm.isf(FALSE_ALARM / (2 * 2 * 40))
    kv = WheelKV(epsilon=epsilon, m=m)
    assert worst_z(kv, people, kv.perturb(everybody, rng=rng), items) < limit
    sets = Wheel(epsilon=epsilon, m=m)
    bare = Records(people.offsets, people.keys)
    everybody = Records(everybody.offsets, everybody.keys)
    assert worst_z(sets, bare, sets.perturb(everybody, rng=rng), items) < limit


@dataclass(frozen=True, kw_only=True)
class OneWord(Multilinear):
    """Multiply-shift of the key as it is: independent for every two keys, and not for three."""

    def __call__(self, seeds, keys):
        word = seeds[..., 0] * np.asarray(keys).astype(np.uint32) + seeds[..., 2]
        return ((word.astype(np.uint64) * np.uint64(self.slots)) >> np.uint64(32)).astype(np.int64)

    count = SlotTable.count


def test_pairwise_independence_is_not_enough():
    """The bias from consecutive ids is found where m > 1; with one pair a person there is none."""
    rng, limit = np.random.default_rng(12), norm.isf(FALSE_ALARM / (2 * 2 * 10))
    for m in (1, 4):
        people, mechanism = Records.of({i: 1.0 for i in range(m)}), WheelKV(epsilon=1.0, m=m)
        object.__setattr__(mechanism, "hash", OneWord(slots=mechanism.slot_count))
        reports = mechanism.perturb(people[np.zeros(400_000, np.int64)], rng=rng)
        z = worst_z(mechanism, people, reports, np.arange(10))
        assert (z > limit) == (m > 1)  # 13 standard errors against 6.6


@pytest.mark.parametrize("mechanism", [KV, WheelKV(epsilon=1.0, m=3), Wheel(epsilon=1.0, m=3, slots=50, width=4)])
def test_tally_is_the_definition(mechanism):
    """Every report of every block is counted; z is the key's own slot for +, the next for −, or in its arc."""
    n, rng = REPORTS + 5, np.random.default_rng(3)
    reports = np.zeros(n, mechanism.dtype)
    reports["seed"] = mechanism.hash.seeds(n, rng)
    reports["slot"] = rng.integers(0, mechanism.slot_count, n)
    keys = np.array([1, 0])
    step = (reports["slot"][:, None] - mechanism.hash(reports["seed"][:, None], keys)) % mechanism.slot_count
    tally = mechanism.tally(reports, keys)
    if isinstance(mechanism, WheelKV):
        expected = np.stack([(step == 1).sum(0), (step > 1).sum(0), (step == 0).sum(0)], -1)
    else:
        expected = (step < 4).sum(0)
    assert (tally.n, tally.counts.tolist(), tally.items) == (n, expected.tolist(), (1, 0))


def test_counts_do_not_depend_on_the_other_candidates():
    mechanism, rng = WheelKV(epsilon=1.0, m=2), np.random.default_rng(4)
    reports = mechanism.perturb(Records.of(*[{5: 1.0, 9: -1.0}] * 300), rng=rng)
    whole = mechanism.tally(reports, np.arange(3000)).counts
    assert np.array_equal(mechanism.tally(reports, [2900, 5, 9]).counts, whole[[2900, 5, 9]])


def test_clients_of_every_block_report_about_their_own_keys():
    """With ε = 32 nearly everybody tells a covered slot; blocks of people do not mix."""
    n = 2 * CLIENTS + 5
    mechanism = WheelKV(epsilon=32.0, m=1)
    people = Records.from_arrays(np.arange(n), np.arange(n), np.where(np.arange(n) % 2, 1.0, -1.0))
    reports = mechanism.perturb(people, rng=np.random.default_rng(5))
    step = (reports["slot"] - mechanism.hash(reports["seed"], np.arange(n))) % mechanism.slot_count
    assert np.array_equal(step, (np.arange(n) + 1) % 2)


def test_pairs_drawn_from_a_long_record_are_all_alike():
    """Every set of m pairs of a record with more is as likely: the law of the own + answers says so for each key."""
    mechanism = Wheel(epsilon=1.0, m=2, slots=5, table=4)
    object.__setattr__(mechanism, "hash", Fixed(keys=4, slots=5))
    found = law(lambda rng: mechanism.perturb(Records.of({0, 1, 2, 3}), rng=rng)[0])
    pairs = [{a, b} for a in range(4) for b in range(a)]
    alpha = mechanism.circle.alpha
    for z in range(5):
        expected = sum(alpha if z in pair else (1 - 2 * alpha) / 3 for pair in pairs) / 6
        assert found[((0,) * 4, z)] == expected


@dataclass(frozen=True, kw_only=True)
class Fixed(SlotTable):
    """One seed, under which every key has a slot of its own."""

    def seeds(self, n, rng):
        return np.zeros((n, self.keys), np.uint32)

    def __call__(self, seeds, keys):
        return np.broadcast_to(keys, np.broadcast_shapes(seeds.shape[:-1], np.shape(keys)))


# ---------------------------------------------------------------------------------------------------- keys, bad input


def test_strings_and_integers_are_different_keys():
    found = digest(["1", "2", "", "é", "\ud800"])
    assert found.dtype == np.int64 and len(set(found.tolist())) == 5 and found.min() >= 2**62
    mechanism, rng = WheelKV(epsilon=20.0, m=1, slots=64), np.random.default_rng(6)
    reports = mechanism.perturb(Records.from_arrays(np.arange(500), np.full(500, found[0]), np.ones(500)), rng=rng)
    counts = mechanism.tally(reports, ["1", 1, int(found[1])]).counts
    assert counts[0, 2] == 500 and counts[1:, [0, 2]].max() < 50  # of 8 each


def test_records_without_keys_need_candidates():
    reports = KV.perturb(ONE, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="items must name the candidates, .*, got None"):
        KV.tally(reports)


@pytest.mark.parametrize("items", [[], "ab", 3, [[1]], [1.5], [True], [1, 1], ["a", "a"], [-1], [2**63 - 1], [None]])
def test_bad_candidates_are_refused(items):
    mechanism = WheelKV(epsilon=1.0, m=2)
    reports = mechanism.perturb(ONE, rng=np.random.default_rng(0))
    for call in (lambda: mechanism.tally(reports, items), lambda: mechanism.expected(ONE, items)):
        with pytest.raises(ValueError, match=r"items must .*, got"):
            call()


def test_candidates_beyond_a_table_are_refused():
    for call in (lambda: KV.expected(ONE, [2]), lambda: KV.tally(np.zeros(0, KV.dtype), [2])):
        with pytest.raises(ValueError, match=r"keys must be integers in \[0, 2\), got 2"):
            call()


@pytest.mark.parametrize(
    "name, value, make",
    [
        ("m", 0, WheelKV),
        ("m", 1.5, WheelKV),
        ("m", SLOTS, WheelKV),
        ("slots", -1, WheelKV),
        ("slots", 2, WheelKV),
        ("slots", 8, Wheel),
        ("slots", SLOTS + 1, Wheel),
        ("table", -1, WheelKV),
        ("width", 0, Wheel),
        ("width", "1", Wheel),
    ],
)
def test_bad_parameters_are_refused(name, value, make):
    more = {"width": 4} if make is Wheel else {}
    with pytest.raises(ValueError, match=rf"{name} must .*, got"):
        make(**{"epsilon": 1.0, "m": 2, **more, name: value})
