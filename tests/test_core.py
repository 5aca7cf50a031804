"""People's records, tallies that add, and the borders of every argument check."""

from copy import deepcopy
from fractions import Fraction
from math import inf, nan, nextafter

import numpy as np
import pytest

from ldpnb.chance import law
from ldpnb.checks import check_codes, check_count, check_epsilon, check_histogram, check_people, check_unit
from ldpnb.core import Tally
from ldpnb.oracles.grr import GRR
from ldpnb.records import Records, pad_and_sample

F = Fraction
BIG = 2**63


# ------------------------------------------------------------------------------------------------------- records


def written(records):
    """Spell records out: a dict or a set for each person."""
    return [
        set(records.keys[a:b].tolist())
        if records.values is None
        else dict(zip(records.keys[a:b].tolist(), records.values[a:b].tolist(), strict=True))
        for a, b in zip(records.offsets[:-1], records.offsets[1:], strict=True)
    ]


PEOPLE = [{7: 0.5, 0: -1.0, 3: 0.0}, {}, {3: 0.25}, {}, {9: 1e300, 1: -2.5}, {}]
SETS = [set(person) for person in PEOPLE]


@pytest.mark.parametrize("people", [PEOPLE, SETS, [{}], [set()], [frozenset({4})], []], ids=str)
def test_records_written_by_hand_can_be_read_back(people):
    records = Records.of(*people)
    assert written(records) == people and len(records) == len(people)
    assert records.sizes.tolist() == [len(person) for person in people]
    assert records.users.tolist() == [i for i, person in enumerate(people) for _ in person]
    assert (records.offsets.dtype, records.keys.dtype) == (np.int64, np.int64)
    assert (records.values is None) == (not people or not isinstance(people[0], dict))


def test_rows_may_come_in_any_order_and_layout():
    user = np.array([4, 0, 2, 0, 4, 0], np.int16)
    key = np.array([9, 7, 3, 3, 1, 0], np.uint64)
    value = np.array([1e300, 0.5, 0.25, 0.0, -2.5, -1.0])
    assert written(Records.from_arrays(user, key, value, n=6)) == PEOPLE
    assert written(Records.from_arrays(user, key, value)) == PEOPLE[:5]
    shuffled = Records.from_arrays(user[::-1], key[::-1], n=6)
    assert shuffled.keys.tolist() == Records.of(*SETS).keys.tolist() == [0, 3, 7, 3, 1, 9]
    wide = np.stack([user, key, user], 1).astype(np.int64)
    assert not wide[:, 1].flags.c_contiguous
    assert written(Records.from_arrays(wide[:, 0], wide[:, 1], n=6)) == SETS
    assert written(Records.from_arrays(user[::-1], key[::-1], value[::-1], n=6)) == PEOPLE
    assert written(Records.from_arrays([], [], n=2)) == [set(), set()]
    assert written(Records.from_arrays([], [], [])) == []


@pytest.mark.parametrize("people", [PEOPLE, SETS], ids=["values", "sets"])
@pytest.mark.parametrize(
    "chosen",
    [
        slice(None),
        slice(1, 5),
        slice(None, None, -1),
        slice(4, None, 9),
        slice(3, 3),
        slice(50, None),
        [0],
        [1, 3, 5],
        [4, 0, 0, -2, 1],
        [],
        np.array([2, 4], np.uint8),
        [True, False, True, True, False, True],
        np.zeros(6, bool),
    ],
    ids=str,
)
def test_people_can_be_chosen(people, chosen):
    part = Records.of(*people)[chosen]
    assert written(part) == [people[i] for i in np.arange(6)[chosen]]
    assert written(part[:1]) == written(part)[:1]


@pytest.mark.parametrize("people", [[{0: 0.5, 3: -1.0}, {}], [{1, 2}, {0}]])
def test_a_copy_shares_nothing(people):
    records = Records.of(*people)
    twin = deepcopy(records)
    for name in ("offsets", "keys", "values"):
        mine, its = getattr(records, name), getattr(twin, name)
        np.testing.assert_equal(its, mine)
        assert mine is None or not np.shares_memory(mine, its)


def test_a_part_is_a_copy():
    whole = Records.of(*PEOPLE)
    part = whole[1:]
    part.keys[:] = 99
    part.values[:] = 99
    assert written(whole) == PEOPLE


@pytest.mark.parametrize("chosen", [[6], [-7], [True], ["0"], [0.0], np.array([])], ids=repr)
def test_people_who_do_not_exist_are_refused(chosen):
    with pytest.raises(IndexError):
        Records.of(*PEOPLE)[chosen]


def test_records_are_not_a_sequence_of_people():
    """Or a loop over them, and an array made of them, would be empty without a word."""
    records = Records.of(*PEOPLE)
    for misuse in (lambda: records[0], lambda: list(records), lambda: np.asarray(records), lambda: records[[[0]]]):
        with pytest.raises(ValueError, match="people must be a slice, an index array or a mask"):
            misuse()
    with pytest.raises(ValueError):
        GRR(k=3, epsilon=1.0).expected(records)


@pytest.mark.parametrize(
    "rows, error",
    [
        (dict(user=[0, 1], key=[1]), "user and key must have the same length, got 2 and 1"),
        (dict(user=[0, -1], key=[1, 1]), "user must be non-negative integers, got -1"),
        (dict(user=[0.0], key=[1]), "user must be non-negative integers, got float64"),
        (dict(user=[0], key=[1.5]), "key must be non-negative integers, got float64"),
        (dict(user=[0], key=[True]), "key must be non-negative integers, got bool"),
        (dict(user=[0], key=["a"]), "key must be non-negative integers, got <U1"),
        (dict(user=[0], key=[BIG]), f"key must be non-negative integers, got {BIG}"),
        (dict(user=[[0]], key=[[1]]), "user must have 1 axes"),
        (dict(user=0, key=1), "user must have 1 axes"),
        (dict(user=[0, 2], key=[1, 1], n=2), "user must be integers below n = 2, got 2"),
        (dict(user=[], key=[], n=-1), "n must be an integer, at least 0, got -1"),
        (dict(user=[0], key=[1], n=1.0), "n must be an integer"),
        (dict(user=[1, 0, 1], key=[5, 5, 5]), "keys must be distinct within a person, got 5 twice for user 1"),
        (dict(user=[0, 0, 0], key=[5, 2, 5]), "keys must be distinct within a person, got 5 twice for user 0"),
        (dict(user=[0], key=[1], value=[nan]), "value must be finite numbers"),
        (dict(user=[0], key=[1], value=[-inf]), "value must be finite numbers"),
        (dict(user=[0], key=[1], value=["0.5"]), "value must be finite numbers, got <U3"),
        (dict(user=[0], key=[1], value=[True]), "value must be finite numbers, got bool"),
        (dict(user=[0], key=[1], value=[1j]), "value must be finite numbers, got complex"),
        (dict(user=[0], key=[1], value=[None]), "value must be finite numbers"),
        (dict(user=[0], key=[1], value=[1.0, 2.0]), "value must have one entry a key, 1, got shape"),
        (dict(user=[0], key=[1], value=0.5), "value must have one entry a key, 1, got shape"),
    ],
    ids=str,
)
def test_bad_rows_are_refused(rows, error):
    with pytest.raises(ValueError, match=error):
        Records.from_arrays(**rows)


@pytest.mark.parametrize("people", [[{1: 0.5}, {2}], [{2}, {1: 0.5}], [{}, set()]], ids=str)
def test_people_with_and_without_values_are_refused(people):
    with pytest.raises(ValueError, match="people must all have values or all have none"):
        Records.of(*people)


# ------------------------------------------------------------------------------------------- padding and sampling


def test_padding_and_sampling_has_the_stated_law():
    d, ell = 10, 2
    for person in ({}, {4: 0.5}, {4: 0.5, 7: -1.0}, {4: 0.5, 7: -1.0, 9: 0.25}):
        expected = {(key, value): F(1, max(len(person), ell)) for key, value in person.items()}
        expected |= {(d + i, 0.0): F(1, ell) for i in range(ell - len(person))}

        def program(rng, person=person):
            keys, values = pad_and_sample(Records.of(person), d, ell, rng)
            assert (keys.shape, keys.dtype, values.shape, values.dtype) == ((1,), np.int64, (1,), np.float64)
            return keys[0], values[0]

        assert law(program) == expected
        plain = law(lambda rng, person=person: pad_and_sample(Records.of(set(person)), d, ell, rng)[0][0])
        assert plain == {key: p for (key, _), p in expected.items()}
    assert pad_and_sample(Records.of({1}), d, ell, np.random.default_rng(0))[1] is None


def test_people_are_sampled_independently():
    d, ell, people = 10, 1, [{4: 0.5, 7: -1.0}, {}, {0: 1.0}, {1: 0.1, 2: 0.2, 3: 0.3}]
    both = law(lambda rng: np.stack(pad_and_sample(Records.of(*people), d, ell, rng), 1))
    assert both == {
        (a, (d, 0.0), (0.0, 1.0), c): F(1, 6)
        for a in ((4.0, 0.5), (7.0, -1.0))
        for c in ((1.0, 0.1), (2.0, 0.2), (3.0, 0.3))
    }
    keys, values = pad_and_sample(Records.of(), d, ell, np.random.default_rng(0))
    assert keys.shape == (0,) and values is None
    # the last entries of all belong to nobody who draws a dummy
    keys, values = pad_and_sample(Records.of({5: 1.0}, {}, {}), d, 3, np.random.default_rng(0))
    assert np.all((keys >= d) | (keys == 5)) and np.all(values[keys >= d] == 0)


# ---------------------------------------------------------------------------------------------- argument checks


@pytest.mark.parametrize("epsilon", [1e-6, nextafter(1e-6, 1), 1, 32, 32.0, nextafter(32, 0), np.int8(3)])
def test_good_epsilon(epsilon):
    found = check_epsilon(epsilon)
    assert found == epsilon and type(found) is float


def test_a_short_float_is_taken_at_its_own_value():
    assert check_epsilon(np.float32(0.1)) == float(np.float32(0.1)) != 0.1


@pytest.mark.parametrize(
    "epsilon",
    [
        *(nextafter(1e-6, 0), nextafter(32, 33), 0, -0.0, -1, 33, nan, inf, -inf, np.float64("nan"), np.float16("inf")),
        *(
            True,
            np.True_,
            "1",
            None,
            [1.0],
            np.array(1.0),
            np.array([1.0]),
            F(1),
            1j,
            5e-324,
            np.uint64(BIG),
            10**400,
            -(10**400),
        ),
    ],
    ids=lambda x: repr(x)[:20],
)
def test_bad_epsilon(epsilon):
    with pytest.raises(ValueError, match=r"total must be a finite number in \[1e-06, 32\], got"):
        check_epsilon(epsilon, "total")


@pytest.mark.parametrize("value", [2, 3, np.int8(2), np.uint64(2**63 - 1), np.array(2)])
def test_good_count(value):
    found = check_count(value, 2, "k")
    assert found == value and type(found) is int


@pytest.mark.parametrize(
    "value",
    [1, -3, np.int8(1), True, np.True_, 2.0, np.float64(2), nan, "2", None, [2], np.array([2]), np.array(True), F(2)],
    ids=repr,
)
def test_bad_count(value):
    with pytest.raises(ValueError, match="k must be an integer, at least 2, got"):
        check_count(value, 2, "k")


@pytest.mark.parametrize(("value", "most"), [(10**30, 2**63 - 1), (np.uint64(2**63), 2**63 - 1), (8, 7)])
def test_too_large_a_count(value, most):
    with pytest.raises(ValueError, match=f"k must be at most {most}, got"):
        check_count(value, 2, "k", most)


def test_zero_may_be_a_count_and_false_may_not():
    assert check_count(0, 0, "n") == 0
    with pytest.raises(ValueError, match="n must be an integer, at least 0, got False"):
        check_count(False, 0, "n")


@pytest.mark.parametrize(
    "values",
    [
        [0, 2],
        (1,),
        range(3),
        [],
        np.array([], np.uint8),
        np.array([2], np.uint64),
        np.array([0, 1, 2], np.int8)[::-1],
        np.arange(6).reshape(2, 3)[:, 1][:1],
    ],
    ids=repr,
)
def test_good_codes(values):
    found = check_codes(values, 3)
    assert found.tolist() == list(values) and found.dtype == np.int64


def test_codes_of_any_size_axes_and_type():
    assert check_codes(np.array([BIG - 2], np.uint64), None).tolist() == [BIG - 2]
    assert check_codes([5], BIG).tolist() == [5]
    assert check_codes(np.array([127], np.int8), 300).tolist() == [127]
    assert check_codes(3, 4, ndim=0) == 3
    assert check_codes([[1, 2]], 3, ndim=2).shape == (1, 2)
    assert check_codes(np.empty((0, 3)), 3, ndim=2).shape == (0, 3)


def test_codes_are_a_copy():
    mine = np.array([1, 2])
    check_codes(mine, 3)[:] = 0
    assert mine.tolist() == [1, 2]


@pytest.mark.parametrize(
    "values",
    [
        *([3], [-1], [0, 1, 3], [1.0], [0.5], [nan], [inf], ["1"], "1", None, [None], [True], [1j], {0, 1}, b"1"),
        *([2**62], [BIG], [2**64 - 1], [2**64], [0, BIG], [-1, BIG], np.array([1], object), [F(1)]),
        *(0, np.array(1), [[0, 1]], [[]], np.array([], bool), np.array([], object), [[1], [1, 2]]),
        *(np.array([1], "m8[s]"), np.array(["2020"], "M8[Y]"), np.array([(1,)], [("a", int)])),
    ],
    ids=repr,
)
def test_bad_codes(values):
    with pytest.raises(ValueError):
        check_codes(values, 3, "seats")


@pytest.mark.parametrize(
    "values, k, error",
    [
        ([0, 3, 4], 3, r"seats must be integers in \[0, 3\), got 3"),
        ([-2], None, "seats must be non-negative integers, got -2"),
        ([2**64 - 1], None, f"seats must be non-negative integers, got {2**64 - 1}"),
        ([1.0], 3, r"seats must be integers in \[0, 3\), got float64 values"),
        ([[1]], 3, r"seats must have 1 axes, got shape \(1, 1\)"),
    ],
)
def test_bad_codes_are_named(values, k, error):
    with pytest.raises(ValueError, match=error):
        check_codes(values, k, "seats")


@pytest.mark.parametrize("values", [[-1.0, 1.0], [0], [], [-0.0, 5e-324], np.array([1], np.uint8), (0.5, -1)], ids=repr)
def test_good_unit(values):
    found = check_unit(values)
    assert found.tolist() == list(values) and found.dtype == np.float64


def test_units_of_any_axes_and_no_alias():
    assert check_unit([[1, -1]], ndim=2).shape == (1, 2)
    mine = np.array([0.5])
    check_unit(mine)[:] = 0
    assert mine.tolist() == [0.5]


@pytest.mark.parametrize(
    "values",
    [
        *([nextafter(1, 2)], [nextafter(-1, -2)], [0, nan], [inf], [-inf], [2], np.array([2**64 - 1], np.uint64)),
        *(["0"], None, [None], [True], [1j], np.array([0.5], object), [F(1, 2)], {0.5}, 0.5, [[0.5]], [[]]),
    ],
    ids=repr,
)
def test_bad_unit(values):
    with pytest.raises(ValueError, match="rating must (be numbers in|have 1 axes)"):
        check_unit(values, "rating")


def test_nobody_is_refused():
    for nobody in ([], np.empty((0, 3)), Records.of()):
        with pytest.raises(ValueError, match="values must hold at least one person, got none"):
            check_people(nobody)
    check_people([0])
    check_people(Records.of({}))


def test_histogram():
    found = check_histogram([0, 3, 0], 3)
    assert found.tolist() == [0, 3, 0] and found.dtype == np.int64
    assert check_histogram(np.array([2**52, 2**52 - 1], np.uint64), 2).sum() == 2**53 - 1
    for counts, error in [
        ([0, 0], "at least one person"),
        ([1], r"counts must hold k = 2 counts, got shape \(1,\)"),
        ([1, 1, 1], r"counts must hold k = 2 counts, got shape \(3,\)"),
        ([[1, 1]], "counts must have 1 axes"),
        ([1, -1], "counts must be non-negative integers, got -1"),
        ([1.0, 1.0], "counts must be non-negative integers, got float64"),
        ([True, False], "counts must be non-negative integers, got bool"),
        ([2**52, 2**52], rf"counts must sum to less than 2\*\*53, got {2**53}"),
        ([2**62, 2**62], rf"counts must sum to less than 2\*\*53, got {2**63}"),
        ([1, BIG], "counts must be non-negative integers, got"),
    ]:
        with pytest.raises(ValueError, match=error):
            check_histogram(counts, 2)
    with pytest.raises(ValueError, match=rf"counts must sum to less than 2\*\*53, got {2**64}"):
        check_histogram([2**62] * 4, 4)  # is 0 in 64 bits


# -------------------------------------------------------------------------------------------------------- tallies

A, B = GRR(k=3, epsilon=1.0), GRR(k=3, epsilon=2.0)


def tally(counts, mechanism=A, n=None, items=None):
    counts = np.array(counts)
    return Tally(mechanism, int(counts.sum()) if n is None else n, counts, items)


def test_tallies_add():
    parts = [tally([1, 0, 2]), tally([0, 0, 0]), tally([5, 4, 3])]
    for whole in (sum(parts), parts[0] + parts[1] + parts[2], sum(reversed(parts)), sum(parts[1:], parts[0])):
        assert (whole.n, whole.counts.tolist(), whole.items, whole.mechanism) == (15, [6, 4, 5], None, A)
    assert parts[0].counts.tolist() == [1, 0, 2]  # adding leaves the parts alone
    assert sum(parts[:1]) is parts[0]
    equal = sum([tally([1, 0, 0]), tally([0, 1, 0], GRR(k=3, epsilon=1.0))])
    assert equal.n == 2  # the same fields make the same mechanism
    named = tally([1, 0, 0], items=("a", "b", "c"))
    assert (named + named).items == ("a", "b", "c")
    trials = tally(np.ones((4, 3), int), n=3)
    assert (trials + trials).counts.shape == (4, 3) and (trials + trials).n == 6


@pytest.mark.parametrize(
    "a, b, error",
    [
        (tally([1, 0, 0]), tally([1, 0, 0], B), "tallies must be of one mechanism"),
        (tally([1, 0, 0], items=(1, 2, 3)), tally([1, 0, 0], items=(1, 2, 4)), "tallies must count the same items"),
        (tally([1, 0, 0], items=(1, 2, 3)), tally([1, 0, 0]), "tallies must count the same items"),
        (tally([1, 0, 0]), tally([1, 0]), r"tallies must have the same shape, got \(3,\) and \(2,\)"),
        (tally([1, 0, 0]), tally([[1, 0, 0]]), "tallies must have the same shape"),
        (tally([[1, 0, 0]]), tally([[1, 0, 0], [1, 0, 0]]), "tallies must have the same shape"),
    ],
    ids=str,
)
def test_unlike_tallies_do_not_add(a, b, error):
    for first, second in ((a, b), (b, a)):
        with pytest.raises(ValueError, match=error.split(", got")[0]):
            first + second


@pytest.mark.parametrize("other", [1, 0.0, None, "0", [0], np.int64(1)], ids=repr)
def test_only_tallies_add_to_tallies(other):
    with pytest.raises(TypeError):
        tally([1, 0, 0]) + other
    with pytest.raises(TypeError):
        other + tally([1, 0, 0])


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint64, bool, object])
def test_counts_are_integers(dtype):
    with pytest.raises(ValueError, match="counts must be int64, got"):
        Tally(A, 1, np.array([1, 0, 0], dtype))


def test_tallies_stay_where_floats_are_exact():
    large = tally([2**52, 0, 0])
    assert (large + tally([2**52 - 1, 0, 0])).n == 2**53 - 1  # one fewer is allowed, the control
    with pytest.raises(ValueError, match="n must be at most 9007199254740991, got 9007199254740992"):
        large + large


def test_estimates_need_own_reports():
    assert A.estimate(tally([3, 0, 0])).shape == (3,)
    with pytest.raises(
        ValueError, match=r"tally must be of GRR\(k=3, epsilon=1.0\), got one of GRR\(k=3, epsilon=2.0\)"
    ):
        A.estimate(tally([3, 0, 0], B))
    with pytest.raises(ValueError, match="tally must hold at least one report, got none"):
        A.estimate(tally([0, 0, 0]))


def test_a_key_outside_the_domain_does_not_pass_for_a_dummy():
    with pytest.raises(ValueError, match=r"keys must be integers in \[0, 2\), got 2"):
        pad_and_sample(Records.of({2}), 2, 1, np.random.default_rng(0))


@pytest.mark.parametrize("shape", [(4,), (2,), (), (3, 1), (3, 4)])
def test_counts_of_another_shape_are_refused(shape):
    oracle = GRR(k=3, epsilon=1.0)
    with pytest.raises(ValueError, match=r"counts must have the shape \(…, 3\), got"):
        oracle.estimate(Tally(oracle, 5, np.zeros(shape, np.int64)))
    assert oracle.estimate(Tally(oracle, 5, np.ones((2, 7, 3), np.int64))).shape == (2, 7, 3)


def test_counts_above_the_number_of_reports_are_refused():
    oracle = GRR(k=3, epsilon=1.0)
    with pytest.raises(ValueError, match="counts must be at most n = 5: a report counts once, got 500"):
        oracle.estimate(Tally(oracle, 5, np.array([0, 500, 0])))


@pytest.mark.parametrize("kind", ["<i8", ">i8", "<u8", "i1", ">u2"])
def test_codes_of_any_integers_are_checked(kind):
    good = np.array([0, 1, 2], kind)
    assert check_codes(good, 3).tolist() == [0, 1, 2]
    for k, wrong in ((2, 2), (3, 3), (3, 100)):
        with pytest.raises(ValueError, match=rf"values must be integers in \[0, {k}\), got {wrong}"):
            check_codes(np.array([0, wrong], kind), k)
    if np.dtype(kind).kind == "i":
        for k in (3, None):
            with pytest.raises(ValueError, match="got -1"):
                check_codes(np.array([0, -1], kind), k)
