"""The suite as a stranger uses it; that each check bites is tested in test_contract_bites.py."""

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from ldpnb import GRR, OUE, RAPPOR, StateEncoding, check_mechanism
from ldpnb.chance import Paths
from ldpnb.core import Example, Kept
from ldpnb.records import Records
from ldpnb.verify import contract

ALL = {check.__name__ for check in contract.checks}
NO_ERRORS = {"standard_error", "contrasts", "an_item", "intervals"}  # checks of what tells standard errors
NO_ITEMS = {"groups", "order", "respond", "candidates", "numbers"}  # checks of other things than items
NO_EPSILON = {"bad_epsilon", "epsilon_is_kept", "epsilon_of_the_law_is_the_stated_one_e", "what_is_stated", "a_mech"}
ONE_KEY = Records.of({}, {0: 1.0}, {0: -1.0}, {0: 0.5})


@dataclass(frozen=True, kw_only=True)
class Generous(GRR):
    """States twice the variance, and half the size of its reports."""

    report_bits = 1

    def variance(self, values):
        return 2 * super().variance(values)


@dataclass(frozen=True, kw_only=True)
class Careless(GRR):
    """Draws beside the generator it was given."""

    def _perturb(self, values, rng):
        return np.random.default_rng().integers(self.k, size=len(values))


@dataclass(frozen=True, kw_only=True)
class Walked(GRR):
    """Counts how often its client is replayed, for how many people."""

    def perturb(self, values, *, rng):
        if isinstance(rng, Paths):
            WALKS.append((len(values), self.epsilon))
        return super().perturb(values, rng=rng)


WALKS = []


@pytest.mark.parametrize(
    "mechanism, inputs, more, does_not_apply",
    [
        (GRR(k=3, epsilon=1.0), range(3), {"histogram": True}, {"public_part", "bytes", "estimates_of", *NO_ITEMS}),
        (OUE(k=2, epsilon=1.0), [0, 1], {}, {"public_part", "estimates_of", *NO_ITEMS}),
        (
            StateEncoding(d=1, epsilon=1.0),
            ONE_KEY,
            {},
            {"simulate", "bytes", "an_item", "lists", "supporters"} | NO_ITEMS - {"numbers"},
        ),
        (
            RAPPOR(bits=2, hashes=1, cohorts=1, f=0.5, p=0.25, q=0.75),
            ["a", "b", "c"],
            {"items": ("a", "b")},
            {"simulate", "supporters", "estimates_of", "what_is_no"}
            | {*NO_EPSILON, *NO_ERRORS}
            | NO_ITEMS - {"respond", "candidates"},
        ),
    ],
    ids=lambda x: type(x).__name__,
)
def test_a_right_mechanism_keeps_all_that_applies(mechanism, inputs, more, does_not_apply):
    kept = check_mechanism(mechanism, inputs, **more)
    assert set(kept) == {name for name in ALL if not name.startswith(tuple(does_not_apply))}


def test_an_example_does_as_well():
    example = Example(GRR(k=2, epsilon=1.0), np.arange(2))
    assert check_mechanism(example) == check_mechanism(GRR(k=2, epsilon=1.0), [0, 1])


def test_what_is_not_kept_is_named_with_what_was_found():
    with pytest.raises(AssertionError) as raised:
        check_mechanism(Generous(k=3, epsilon=1.0), range(3))
    first, *others = str(raised.value).splitlines()
    assert first == "Generous(k=3, epsilon=1.0) does not keep its contract"
    assert [line.split(":")[0] for line in others] == ["report_has_the_stated_size", "noise_is_the_variance"]
    assert others[0].endswith("report_bits is 1, but 3 private parts take 2")


def test_a_law_that_cannot_be_read_is_an_error():
    with pytest.raises(ValueError, match="does not come from chance") as raised:
        check_mechanism(Careless(k=3, epsilon=1.0), range(3))
    assert raised.value.__notes__ == [f"in the law of {Careless(k=3, epsilon=1.0)}, which all checks read"]


def test_the_law_is_walked_once_for_all_checks():
    example = Example(Walked(k=2, epsilon=1.0), np.arange(2), pairs=False, histogram=True)
    contract.known(example)
    once = len(WALKS)
    assert once > 0
    check_mechanism(example)
    assert WALKS.count((1, 1.0)) == once and WALKS.count((3, 1.0)) > 0
    assert {epsilon for _, epsilon in WALKS} == {0.35, 1.0, 4.7, 16.0}


def test_some_checks_are_made_once_for_each_class():
    examples = [Example(GRR(k=k, epsilon=1.0), np.arange(k)) for k in (5, 2, 3)]
    other = Example(OUE(k=2, epsilon=1.0), np.arange(2))
    plan = contract.plan([*examples, other])
    assert {example.mechanism.k for check, example in plan if contract.checks[check].once} == {2}
    assert len([1 for check, _ in plan if check is contract.bad_epsilon_is_refused]) == 2
    assert len([1 for check, _ in plan if check is contract.estimate_is_unbiased]) == 4


def test_three_people_are_tried_where_their_branches_are_few():
    tried = [
        contract.three_people_are_independent in dict(contract.plan([Example(GRR(k=k, epsilon=1.0), np.arange(k))]))
        for k in (2, 50)
    ]
    assert tried == [True, False]


class TestAsTestsOfPytest:
    EXAMPLES = [Example(GRR(k=2, epsilon=1.0), np.arange(2))]

    @contract.parametrize(EXAMPLES)
    def test_contract(self, check, example):
        check(example)

    def test_they_are_named_after_check_and_example_and_slow_ones_are_marked(self):
        mark = contract.parametrize(self.EXAMPLES, slow=pytest.mark.slow)
        assert mark.args[0] == ("check", "example")
        slow = {p.id.partition("-")[0] for p in mark.args[1] if p.marks}
        assert slow == {
            "batch_after_batch_people_are_alone",
            "epsilon_of_the_law_is_the_stated_one_elsewhere",
            "people_are_independent",
            "simulate_has_the_law_of_many_clients",
            "simulate_has_the_law_of_two_clients",
            "three_people_are_independent",
            "what_is_stated_holds_elsewhere",
        }
        assert mark.args[1][0].id == "epsilon_of_the_law_is_the_stated_one-GRR(k=2, epsilon=1.0)"


def test_the_suite_does_not_want_pytest():
    code = (
        "import sys, ldpnb; ldpnb.check_mechanism(ldpnb.GRR(k=2, epsilon=1.0), [0, 1]); print('pytest' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


class ColumnsFirst(OUE):
    def perturb(self, values, *, rng):
        return np.asfortranarray(super().perturb(values, rng=rng))


class Locked(OUE):
    def perturb(self, values, *, rng):
        found = super().perturb(values, rng=rng)
        found.flags.writeable = False
        return found


class Telling(OUE):
    def perturb(self, values, *, rng):
        found = super().perturb(values, rng=rng)
        found.flags.writeable = values[0] == 0
        return found


class Words(GRR):
    """Sends texts of two lengths."""

    words = np.array(["a", "longer"])

    def perturb(self, values, *, rng):
        return self.words[super().perturb(values, rng=rng)]

    def tally(self, reports):
        return super().tally(np.searchsorted(self.words, reports).astype(np.int64))


class Backwards(GRR):
    """Sends an array that is not contiguous, for each number of people."""

    def perturb(self, values, *, rng):
        return np.repeat(super().perturb(values, rng=rng), 2)[::2]


@pytest.mark.parametrize("kind", [ColumnsFirst, Locked, Words, Backwards])
def test_how_a_crowd_lies_in_memory_is_no_report(kind):
    check_mechanism(kind(k=2, epsilon=1.0), range(2))


def test_whether_a_report_may_be_written_to_is_sent():
    with pytest.raises(ValueError, match="an array that may not be written to, .*: return ….copy"):
        check_mechanism(Telling(k=2, epsilon=1.0), range(2))


def columns_first(reports, is_first):
    return np.asfortranarray(reports) if is_first else reports


def locked(reports, is_first):
    reports.flags.writeable = not is_first
    return reports


def other_bytes(reports, is_first):
    return reports.astype(">i8" if is_first else "<i8")


def entries(reports, is_first):
    """Each report as an array among objects, as a person sends it."""
    found = np.empty(len(reports), object)
    for i, report in enumerate(reports):
        found[i] = locked(np.array([report]), is_first and i == 0)
    return found


@pytest.mark.parametrize(
    "kind, change", [(OUE, columns_first), (OUE, locked), (GRR, locked), (GRR, other_bytes), (GRR, entries)]
)
def test_the_array_of_a_crowd_does_not_tell_of_the_first_one(kind, change):
    class Crowd(kind):
        def perturb(self, values, *, rng):
            values = np.asarray(values)
            return change(super().perturb(values, rng=rng), len(values) > 1 and values[0] == 0)

        def tally(self, reports):
            return super().tally(np.array([*map(int, reports)]) if reports.dtype == object else reports)

    with pytest.raises(AssertionError, match="the array of 2000 people in the order|may not be written to"):
        check_mechanism(Crowd(k=2, epsilon=1.0), range(2))


TELLING_CROWDS = {  # number of items, and of which crowds' values the reports may not be written to
    "the fifth value comes first": (5, lambda values: values[0] == 4),
    "all have the fifth value": (5, lambda values: (values == 4).all()),
    "the first value comes last": (3, lambda values: values[-1] == 0 and values[0] != 0),
}


@pytest.mark.parametrize("kind", [GRR, OUE])
@pytest.mark.parametrize("name", TELLING_CROWDS)
def test_the_array_of_a_crowd_tells_nothing_of_any_value_in_any_order(kind, name):
    k, is_told = TELLING_CROWDS[name]

    class Crowd(kind):
        def perturb(self, values, *, rng):
            values = np.asarray(values)
            return locked(super().perturb(values, rng=rng), len(values) > 1 and is_told(values))

    example = Example(Crowd(k=k, epsilon=1.0), np.arange(k))
    with pytest.raises(AssertionError, match="the array of 2000 people in the order .*, another that of 2000 people"):
        contract.crowds_of_other_mixtures_are_alone(example)


@dataclass(frozen=True, kw_only=True)
class Keeps(OUE):
    """Remembers a value, too."""

    def memoise(self, values, *, rng):
        rows = np.zeros(len(values), [("value", "i8"), ("bits", "?", self.k)])
        rows["value"], rows["bits"] = values, self.perturb(values, rng=rng)
        return Kept(self, rows)

    def respond(self, kept, *, rng):
        if kept.mechanism != self:
            raise ValueError("kept must be of this mechanism")
        return self.sent(kept.rows["value"], kept.rows["bits"].copy())

    def sent(self, values, bits):
        return bits


class KeepsAndLocks(Keeps):
    def sent(self, values, bits):
        return locked(bits, (values == 0).any())


class KeepsAndLocksTheFifth(Keeps):
    def sent(self, values, bits):
        return locked(bits, (values == 4).any())


class KeepsAndLocksACrowd(Keeps):
    def sent(self, values, bits):
        return locked(bits, len(values) > 1 and values[0] == 0)


class KeepsAndListsACrowd(Keeps):
    def sent(self, values, bits):
        return list(bits) if len(values) > 1 and values[0] == 0 else bits


class KeepsAndLists(Keeps):
    def sent(self, values, bits):
        return list(bits)


@pytest.mark.parametrize(
    "kind, k, said",
    [
        (KeepsAndLocks, 2, "an array that may not be written to"),
        (KeepsAndLocksTheFifth, 5, "an array that may not be written to"),
        (KeepsAndLocksACrowd, 2, "the array of 2000 people in the order"),
        (KeepsAndListsACrowd, 2, "reports come as list"),
        (KeepsAndLists, 2, "reports come as list"),
    ],
)
def test_what_is_sent_of_a_memory_tells_nothing_by_its_form(kind, k, said):
    with pytest.raises((AssertionError, ValueError), match=said):
        contract.respond_of_memoise_is_perturb(Example(kind(k=k, epsilon=1.0), np.arange(k)))


def test_a_right_memory_keeps_its_contract():
    contract.respond_of_memoise_is_perturb(Example(Keeps(k=2, epsilon=1.0), np.arange(2)))
