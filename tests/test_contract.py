"""The suite as a stranger uses it; that each check bites is tested in test_contract_bites.py."""

import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from itertools import product
from math import inf, nan

import numpy as np
import pytest

from ldpnb import GRR, OUE, PCE, RAPPOR, StateEncoding, check_mechanism
from ldpnb.chance import Paths, bernoulli, log_up
from ldpnb.core import Example, Kept
from ldpnb.exact import laws, worst
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


def in_clear(values, bits):
    """The truth, in the form of a report."""
    return values[:, None] == np.arange(bits.shape[1])


class KeepsAndLocks(Keeps):
    def sent(self, values, bits):
        return locked(bits, (values == 0).any())


class KeepsAndLocksTheFifth(Keeps):
    def sent(self, values, bits):
        return locked(bits, (values == 4).any())


class KeepsAndChangesTheDtype(Keeps):
    def sent(self, values, bits):
        return bits.astype("u1") if (values == 1).any() else bits


class KeepsAndListsTheLast(Keeps):
    def sent(self, values, bits):
        return list(bits) if (values == 4).any() else bits


class KeepsAndTellsTheFifth(Keeps):
    def sent(self, values, bits):
        return np.where(values[:, None] == 4, in_clear(values, bits), bits)


class KeepsAndLocksACrowd(Keeps):
    def sent(self, values, bits):
        return locked(bits, len(values) > 1 and values[0] == 0)


class KeepsAndListsACrowd(Keeps):
    def sent(self, values, bits):
        return list(bits) if len(values) > 1 and values[0] == 0 else bits


class KeepsAndLists(Keeps):
    def sent(self, values, bits):
        return list(bits)


class KeepsAndTellsACrowd(Keeps):
    def sent(self, values, bits):
        return in_clear(values, bits) if len(values) > 1 else bits


class KeepsAndTellsAMinority(Keeps):
    """Tells who has another value than nearly all."""

    def sent(self, values, bits):
        often = np.bincount(values, minlength=self.k) / len(values)
        return np.where((0 < often[values]) & (often[values] < 0.1), in_clear(values, bits).T, bits.T).T


class KeepsAndSharesCoins(Keeps):
    """Lets two halves of a crowd share their noise."""

    def memoise(self, values, *, rng):
        kept = super().memoise(values, rng=rng)
        half = len(values) // 2
        same = kept.rows["value"][:half] == kept.rows["value"][half : 2 * half]
        kept.rows["bits"][:half][same] = kept.rows["bits"][half : 2 * half][same]
        return kept


class KeepsAndTellsLater(Keeps):
    """Remembers elsewhere what it has answered, and then sends the truth of one person."""

    later = True

    def memoise(self, values, *, rng):
        kept = super().memoise(values, rng=rng)
        ANSWERED.discard(id(kept))
        return kept

    def respond(self, kept, *, rng):
        reports = super().respond(kept, rng=rng)
        has_answered = id(kept) in ANSWERED
        ANSWERED.add(id(kept))
        if has_answered == self.later and self.is_told(kept.rows["value"]):
            return in_clear(kept.rows["value"], reports)
        return reports

    def is_told(self, values):
        return len(values) == 1


class KeepsAndTellsTheFifthAtFirst(KeepsAndTellsLater):
    later = False

    def is_told(self, values):
        return len(values) == 1 and values[0] == 4


class KeepsAndTellsTheFifthLater(KeepsAndTellsLater):
    def is_told(self, values):
        return len(values) == 1 and values[0] == 4


class KeepsAndTellsACrowdLater(KeepsAndTellsLater):
    def is_told(self, values):
        return len(values) > 1


class KeepsCount(Keeps):
    """Counts in what is kept how often it has answered; its reports are right."""

    def respond(self, kept, *, rng):
        reports = super().respond(kept, rng=rng)
        kept.rows["value"] += 1
        return reports


ANSWERED = set()
ONE = contract.respond_of_memoise_is_perturb
AGAIN = contract.respond_again_is_perturb
MANY = contract.respond_to_a_crowd_is_perturb
OF_PERTURB = "respond of memoise of input 4 has a law that is .* from that of perturb"


@pytest.mark.parametrize(
    "kind, k, check, said",
    [
        (KeepsAndLocks, 2, ONE, "an array that may not be written to"),
        (KeepsAndLocksTheFifth, 5, ONE, "an array that may not be written to"),
        (KeepsAndChangesTheDtype, 2, ONE, "^respond must return arrays of one dtype, got one of bool and one of uint8"),
        (KeepsAndTellsTheFifth, 5, ONE, f"^{OF_PERTURB}"),
        (KeepsAndTellsTheFifthAtFirst, 5, ONE, f"^{OF_PERTURB}"),
        (KeepsAndLists, 2, ONE, "reports come as list"),
        (KeepsAndListsTheLast, 5, ONE, "reports come as list"),
        (KeepsAndLocksACrowd, 2, MANY, "the array of 2000 people in the order"),
        (KeepsAndListsACrowd, 2, MANY, "reports come as list"),
        (KeepsAndTellsACrowd, 3, MANY, "^respond of memoise, of .* people .*, reports go together"),
        (KeepsAndTellsAMinority, 3, MANY, "^respond of memoise, .* (another law than alone|reports too much of one kind)"),
        (KeepsAndSharesCoins, 3, MANY, "^respond of memoise, of .* people .*, reports go together"),
        (KeepsAndTellsLater, 2, AGAIN, "a second respond of memoise of input 0 has a law that is .* from that of perturb"),
        (KeepsAndTellsTheFifthLater, 5, AGAIN, f"^a second {OF_PERTURB}"),
        (KeepsAndTellsACrowdLater, 3, MANY, "^a second respond of memoise, of .* people .*, reports go together"),
        (KeepsCount, 2, AGAIN, "respond changes what is kept"),
    ],
)
def test_what_is_sent_of_a_memory_tells_nothing(kind, k, check, said):
    """One check alone finds it, unless both reports of one person tell it."""
    example = Example(kind(k=k, epsilon=1.0), np.arange(k))
    for other in {ONE, AGAIN, MANY} - {check}:
        if kind not in SEVERAL:
            other(example)
    with pytest.raises((AssertionError, ValueError), match=said):
        check(example)


SEVERAL = {KeepsAndLocks, KeepsAndLocksTheFifth, KeepsAndLists, KeepsAndListsTheLast}
SEVERAL |= {KeepsAndChangesTheDtype, KeepsAndTellsTheFifth}


@dataclass(frozen=True, kw_only=True)
class RemembersTheFifth(Keeps):
    """Keeps a report, and of the last two of five values which of them it is."""

    lifetime_epsilon = property(lambda self: self.epsilon)

    def memoise(self, values, *, rng):
        kept = super().memoise(values, rng=rng)
        kept.rows["value"] = self.kept_of(kept.rows["value"])
        return kept

    def kept_of(self, values):
        return values == 4


class RemembersNothing(RemembersTheFifth):
    def kept_of(self, values):
        return 0


def test_what_is_kept_of_every_value_tells_no_more_than_is_said():
    said = "what is kept tells input . from . by inf, and lifetime_epsilon is 1: "
    with pytest.raises(AssertionError, match=said):
        ONE(Example(RemembersTheFifth(k=5, epsilon=1.0), np.arange(5)))
    ONE(Example(RemembersNothing(k=5, epsilon=1.0), np.arange(5)))


def test_a_right_memory_keeps_its_contract():
    for check in (ONE, AGAIN, MANY):
        check(Example(Keeps(k=5, epsilon=1.0), np.arange(5)))
    kept = check_mechanism(Keeps(k=2, epsilon=1.0), range(2))
    assert {check.__name__ for check in (ONE, AGAIN, MANY)} <= set(kept)


class KeepsAndTellsTurns(Keeps):
    """Sends the truth where no two neighbours have one value."""

    def sent(self, values, bits):
        takes_turns = len(values) > 3 and (values[1:] != values[:-1]).all()
        return in_clear(values, bits) if takes_turns else bits


class KeepsAndTellsTwo(Keeps):
    few = 2

    def sent(self, values, bits):
        return in_clear(values, bits) if len(values) == self.few else bits


class KeepsAndTellsThree(KeepsAndTellsTwo):
    few = 3


class KeepsAndTellsTwoLater(KeepsAndTellsLater):
    def is_told(self, values):
        return len(values) == 2


@pytest.mark.parametrize(
    "kind, said",
    [
        (KeepsAndTellsTurns, "^respond of memoise, among many people, input 0 has reports of another law than alone"),
        (KeepsAndTellsTwo, "^respond of memoise, .* by twos"),
        (KeepsAndTellsThree, "^respond of memoise, .* by threes"),
        (KeepsAndTellsTwoLater, "^a second respond of memoise, .* by twos"),
    ],
)
def test_a_memory_is_asked_in_turns_and_by_a_few(kind, said):
    with pytest.raises(AssertionError, match=said):
        MANY(Example(kind(k=3, epsilon=1.0), np.arange(3)))


@dataclass(frozen=True, kw_only=True)
class PlainAfter(RAPPOR):
    """Sends what one person keeps after some first reports."""

    after = [True, False]

    def respond(self, kept, *, rng):
        reports = super().respond(kept, rng=rng)
        if len(reports) == 1 and getattr(kept, "first", None) == [self.after]:
            reports["bits"] = kept.rows["permanent"]
        object.__setattr__(kept, "first", reports["bits"].tolist())
        return reports


@pytest.mark.parametrize("after", list(product([False, True], repeat=2)))
def test_a_second_report_is_asked_after_several_first_ones(after):
    class Plain(PlainAfter):
        pass

    Plain.after = list(after)
    letters = np.array(["a", "b", "c"])
    example = Example(Plain(bits=2, hashes=1, cohorts=1, f=0.4, p=0.5, q=0.75), letters, items=("a", "b"))
    with pytest.raises(AssertionError, match="^a second respond of memoise of input 0 has a law"):
        AGAIN(example)


@dataclass(frozen=True, kw_only=True)
class KeepsByName(OUE):
    """Keeps a report, and its value in the name of a field."""

    lifetime_epsilon = property(lambda self: self.epsilon)

    def field(self, value):
        return f"value {value}", "i8"

    def memoise(self, values, *, rng):
        rows = np.zeros(len(values), [self.field(values[0]), ("bits", "?", self.k)])
        rows["bits"] = self.perturb(values, rng=rng)
        return Kept(self, rows)

    def respond(self, kept, *, rng):
        if kept.mechanism != self:
            raise ValueError("kept must be of this mechanism")
        return kept.rows["bits"].copy()


class KeepsByWidth(KeepsByName):
    def field(self, value):
        return "padded", ("i8", "u1", "i2")[value]


@pytest.mark.parametrize("kind", [KeepsByName, KeepsByWidth])
def test_what_is_kept_tells_nothing_by_its_dtype(kind):
    with pytest.raises(ValueError, match="^memoise must return arrays of one dtype, got one of .*value 0|padded"):
        ONE(Example(kind(k=3, epsilon=1.0), np.arange(3)))


class KeepsOne(RemembersNothing):
    """Keeps a report, and says of it what it is told to."""

    says = 1.0
    lifetime_epsilon = property(lambda self: self.says)


@pytest.mark.parametrize("says", [inf, nan, -1.0, "1", None])
def test_a_lifetime_that_is_no_number_is_named(says):
    kind = type("Says", (KeepsOne,), {"says": says})
    said = rf"lifetime_epsilon must be a finite number, at least 0, got {says!r}: state at least chance\.log_up"
    with pytest.raises(AssertionError, match=said):
        ONE(Example(kind(k=2, epsilon=1.0), np.arange(2)))


def test_a_lifetime_that_is_rounded_down_is_told_how_to_round_up():
    ratio = worst(laws(OUE(k=2, epsilon=1.0), np.arange(2))).ratio
    least = log_up(ratio)
    for says in (least, np.nextafter(least, 0)):
        kind = type("Says", (KeepsOne,), {"says": says})
        example = Example(kind(k=2, epsilon=1.0), np.arange(2))
        if says == least:
            ONE(example)
            continue
        said = r"by (\S+), which is \S+ more, and lifetime_epsilon is \1: state at least chance\.log_up"
        with pytest.raises(AssertionError, match=said):
            ONE(example)


class KeepsAnotherRounding(Keeps):
    """Draws what it sends by coins that differ from those of `perturb` in the last place."""

    def memoise(self, values, *, rng):
        kept = super().memoise(values, rng=rng)
        p, q = self.support
        less = float(q) - 2.0**-53
        chance = np.where(in_clear(kept.rows["value"], kept.rows["bits"]), float(p), less)
        kept.rows["bits"] = bernoulli(chance, chance.shape, rng)
        return kept


def test_laws_that_differ_by_rounding_alone_are_told_so():
    said = r"that is \d.*e-1\d from that of perturb, which is rounding: let perturb return respond\(memoise\("
    with pytest.raises(AssertionError, match=said):
        ONE(Example(KeepsAnotherRounding(k=2, epsilon=1.0), np.arange(2)))


class KeepsAndSorts(Keeps):
    """Changes the values that it is handed."""

    def memoise(self, values, *, rng):
        kept = super().memoise(values, rng=rng)
        values[...] = 0
        return kept


def test_a_memory_that_changes_its_values_is_named_and_the_example_stays():
    for check in (ONE, AGAIN, MANY):
        inputs = np.arange(3)
        with pytest.raises(AssertionError, match="memoise changes the values that it is handed: let it work on a copy"):
            check(Example(KeepsAndSorts(k=3, epsilon=1.0), inputs))
        assert inputs.tolist() == [0, 1, 2]


@dataclass(frozen=True, kw_only=True)
class SendsObjects(GRR):
    """Sends an array of arrays: each its own, or one for all of one value and one answer."""

    shared = True

    def perturb(self, values, *, rng):
        answers = super().perturb(values, rng=rng).tolist()
        reports = np.empty(len(answers), object)
        one = {}
        for i, pair in enumerate(zip(answers, np.asarray(values).tolist(), strict=True)):
            own = np.array(pair[:1])
            reports[i] = one.setdefault(pair, own) if self.shared else own
        return reports

    def tally(self, reports):
        return super().tally(np.array([int(report[0]) for report in reports]))


class SendsOwnObjects(SendsObjects):
    shared = False


def test_people_of_a_crowd_share_no_objects():
    crowds = contract.crowds_of_other_mixtures_are_alone
    crowds(Example(SendsOwnObjects(k=3, epsilon=1.0), np.arange(3)))
    with pytest.raises(AssertionError, match="reports of people 0 and . share one ndarray, .*: return copy.deepcopy"):
        crowds(Example(SendsObjects(k=3, epsilon=1.0), np.arange(3)))


class Letter(Enum):
    """Constants, of which a receiver has one each; their values are lists."""

    A = [0]
    B = [1]
    C = [2]


class SendsConstants(SendsObjects):
    """Sends members of an Enum."""

    def perturb(self, values, *, rng):
        codes = GRR.perturb(self, values, rng=rng).tolist()
        reports = np.empty(len(codes), object)
        for i, code in enumerate(codes):
            reports[i] = (code, list(Letter)[code])
        return reports


class SendsFalseMembers(SendsObjects):
    """Sends objects that say they are members of an Enum: one for all who share answer and value."""

    def perturb(self, values, *, rng):
        codes = GRR.perturb(self, values, rng=rng).tolist()
        reports = np.empty(len(codes), object)
        known = {}
        for i, pair in enumerate(zip(codes, np.asarray(values).tolist(), strict=True)):
            member = object.__new__(Letter)
            member._name_, member._value_ = "A", [0]
            reports[i] = (pair[0], known.setdefault(pair, member))
        return reports


def test_people_of_a_crowd_may_share_constants():
    crowds = contract.crowds_of_other_mixtures_are_alone
    crowds(Example(SendsConstants(k=3, epsilon=1.0), np.arange(3)))
    with pytest.raises(AssertionError, match="reports of people 0 and . share one Letter, .*: return copy.deepcopy"):
        crowds(Example(SendsFalseMembers(k=3, epsilon=1.0), np.arange(3)))


class LocksAtTimes(OUE):
    """Sends the array of a crowd that all has the fifth value in another form, in some draws."""

    told = None  # an entry of the first report, and what it must be

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        entry, must_be = self.told
        all_have_it = len(reports) > 1 and (np.asarray(values) == 4).all()
        return locked(reports, all_have_it and reports.ravel()[entry] == must_be)


def test_the_form_of_each_crowd_is_asked_at_several_draws(monkeypatch):
    """As long as they go on as in one draw, the form tells nothing; it does in another."""
    all_fifth = np.full(contract.CROWD, 4)
    right = OUE(k=5, epsilon=1.0)
    first = [right.perturb(all_fifth, rng=np.random.default_rng(seed)).ravel() for seed in contract.FORM_SEEDS]
    for one, other in (first, first[::-1]):
        entry = int(np.argmax(one != other))
        assert one[entry] != other[entry]
        monkeypatch.setattr(LocksAtTimes, "told", (entry, one[entry]))
        with pytest.raises(AssertionError, match="another that of 2000 people who all have input 4"):
            contract.crowds_of_other_mixtures_are_alone(Example(LocksAtTimes(k=5, epsilon=1.0), np.arange(5)))


class KeepsOfGroups(PCE):
    """Keeps its report, so that a memory tells a person's public level and no more than ε besides."""

    lifetime_epsilon = property(lambda self: self.epsilon)

    def memoise(self, values, *, rng):
        return Kept(self, self.perturb(values, rng=rng))

    def respond(self, kept, *, rng):
        if kept.mechanism != self:
            raise ValueError("kept must be this mechanism's")
        return kept.rows.copy()


def test_what_is_kept_may_tell_the_public_group():
    ONE(KeepsOfGroups(k=2, levels=(0.5, 1.0))._example())
