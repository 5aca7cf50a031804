"""The contract of `ldpnb.core` as checks that every mechanism can be put to.

They are exact wherever a mechanism can be enumerated.  `check_mechanism` runs all checks that apply
to a mechanism; `parametrize` makes tests of pytest of them, one for each check and example.  A
check is a function of a `core.Example`; it returns if the promise is kept, and else raises an
AssertionError that says what was found.

Exact checks read the law of the client's own code, which is walked once for each example.

Sampled checks raise a false alarm once in 10⁹ at most, each of them, and so less than once in 10⁷
all together:

- Counts are compared with what is expected of them by a bound that holds for any number of people
  (`likelihood`).
- In crowds, reports are turned into numbers that are independent and uniform if a client is right,
  whatever its law is (`_numbers`).  What is then added up are products of at most 3 in size, some
  hundred of them at least (127 for one total), which are uncorrelated: their sum is normal, but
  for a factor of 2 or so at the 6 to 8 standard errors that are allowed.  The limit of each sum is
  that of a normal law for all of them together (Bonferroni), at 10⁻⁹.
- `_rectangles` is no sum of independent terms; of 12,000 simulated, its largest was 3.8 standard
  errors, and 8 are allowed.
- Standard errors and intervals are looked at in surveys that are drawn by the law: a mean may be 8
  standard errors off, and more by Bernstein's bound where rare scores are large; how often ends are
  wrong is binomial.

Seeds are fixed, so a mechanism that passed passes again.
"""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from inspect import signature
from itertools import combinations_with_replacement, product
from math import exp, inf, isclose, log, nan, prod
from operator import add
from pickle import dumps, loads
from typing import Any, NamedTuple
from unittest.mock import NonCallableMock

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrc, chdtr, chdtrc, ndtr, ndtri

from ldpnb.arrays import form_of, layout
from ldpnb.asked import AsksSome
from ldpnb.chance import (
    LIMIT,
    Law,
    Outputs,
    Paths,
    SystemRandom,
    TooManyBranches,
    freeze,
    law,
    log_up,
    odds,
)
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN, apart, is_number
from ldpnb.core import (
    Example,
    Floats,
    Ints,
    Mechanism,
    OpenMechanism,
    Tally,
    Untold,
    largest_sum,
    named,
)
from ldpnb.exact.clients import values as plain_values
from ldpnb.exact.distributions import laws, total_variation
from ldpnb.exact.forms import told_apart
from ldpnb.exact.ratios import Worst, stated_rounding, worst
from ldpnb.records import Records
from ldpnb.verify._mechanisms import Rows
from ldpnb.verify._moments import moments, moments_of, row_keys

FALSE_ALARM = 1e-9
DRAWS = 4000  # of each input
TRIALS = 3000
# numbers in the range of the inputs; from −1 to 1 the middles of up to 630 cells are among them
GRID = 40_321
FEW = 20_000  # branches of an input up to which examples are walked that are made of one at hand
# branches up to which three people, or all pairs of three inputs, are walked; and how many reports
# are taken together
THREE = 20_000
CHANGED = "the client changes the values that it is handed"
COSTS = ("report", "report and item")
OTHERS = 0.35, 4.7  # as parts of the ε that an example has: where its client is walked, too
ORDERS = 3  # in which reports are lined up
THINNED = 65  # from which on a crowd is not thinned out any more
CROWD = 2000  # people of other mixtures
BY_FEW = 600  # people who respond by twos, and by threes
FIRSTS = 6  # draws of a first report, after each of which a second one is looked at
ROUNDING = 2.0**-40  # distance of laws up to which it is rounding, and said
ALIKE = 100  # inputs of which a crowd is asked where all of it has one
RARE = 15  # one in so many of them has not the input of most
MIXED = 4  # inputs that most of a crowd may have; of other checks, inputs that are tried
BATCHES = (1000, 127), (300, 600), (16, 4000)  # number of batches, people in each
PLACES = 300  # batches from which on each place is looked at
RECTANGLES = 8.0  # of 12,000 simulated, the largest was 3.8
PAIRS = 20_000  # pairs of reports up to which their standard errors are all looked at
TALLIED = 3000  # reports that are counted, whole and in parts
TARGETS = 12  # entries up to which influence on any number of them is looked at
CROWDS = 50, 300, 3000  # people of whom nobody holds an item
SIDE = 0.025  # chance that one end of an interval at 95 % is wrong
FEW_PEOPLE = (2, 8000), (30, 3000), (500, 200)  # people in a survey, and how many surveys
SURVEYED = 2000  # people in a survey whose intervals are looked at
SURVEYS = 400
WIDE = 10  # how many times the usual width an interval may have
TAIL = 26  # more than the logarithm of 2/FALSE_ALARM
BETWEEN = 2000  # branches of an input up to which numbers between the inputs are walked
GOLDEN = 0.381966  # where between two neighbours numbers are tried, beside the middle
UNASKED = 12  # items up to which simulations are looked at that an example does not speak of
FORGED = 12  # reports of each example that are drawn at random from all of their type
EPSILONS = (EPSILON_MIN, 0.01, 0.1, 1, 3, 10, 20, EPSILON_MAX)
NO_EPSILONS = (0, -1.0, nan, inf, 32.5, 1e-9, "1", None, True, 1j)
NO_NUMBERS = nan, inf, -inf, None, "text"

FORM_SEEDS = 15, 18  # at which it is looked in what form the array of a crowd is sent

Check = Callable[[Example], None]
Send = Callable[[Any, Any], Any]  # makes reports of people and a generator


class Slack(UserWarning, AssertionError):
    """A mechanism keeps its ε with room to spare.

    It might have a smaller variance, or state a smaller ε.  This is a warning; with
    ``warnings.simplefilter("error", Slack)`` it is a breach like others.
    """


def check_mechanism(mechanism: Mechanism | Example, inputs: Any = None, **about: Any) -> list[str]:
    """Run every check that applies, and return their names.

    A mechanism that keeps its ε with room to spare keeps its contract, and is warned about
    (`Slack`).

    What no check sees:

    - a client that does otherwise after thousands of calls, beyond thousands of people in one call,
      for certain numbers of people, or for a source of randomness that is a `chance.Paths`;
    - rare randomness from elsewhere, a truth told once in a thousand reports, or to one person
      beyond the 600th of a batch; of a crowd that responds from memories (below), to one in nine;
    - an ε between those that are tried: its own, 0.35 and 4.7 times as much, and 16; there the law,
      bias, variance, influence and size are looked at, if branches are few, and crowds are not;
    - more than three people who go together though no two of them do, and two of more than 127
      people who share a coin in places that follow no rule;
    - crowds of other mixtures than equal parts, one of the first four inputs alone, and one of
      them that 14 in 15 people have; but in what form their array is sent is looked at for each of
      the first 100 inputs alone, and for equal parts in ascending and in descending order, in two
      or three draws of 2,000 people each; there alone it is looked at, too, whether people's
      reports share an object;
    - which draws are made, and how many, for more than one person;
    - of clients with a memory (`memoise` and `respond`): a second report of one person after other
      first ones than six draws of it, reports after the second from one memory, what two of them
      tell together, what is kept of a crowd beyond what is sent of it, what is kept beside
      ``Kept.rows``, which draws are made, batch after batch of people, and all that is not said of
      `perturb`;
    - a tally or an estimate that errs beyond some thousand reports, influence on more than 12
      entries, and whatever larger instances of the class do;
    - reports that are forged otherwise than at random, values of other types, and intervals of
      other surveys than 2,000 people at z = 1 and 2;
    - what no law tells: `needs_list`, and how `server_cost` grows.

    Parameters
    ----------
    mechanism : Mechanism or Example
        Small enough to be enumerated: a few items, keys or letters.
    inputs : sequence or Records
        Values of one person each, as `perturb` takes them, of an `Example` its own; a pair that
        reports tell apart best must be among them.
    **about
        What else an `Example` says: ``items``, ``groups``, ``histogram``, ``pairs``.

    Raises
    ------
    AssertionError
        If the contract is not kept; it names the checks that failed, and says what each found.
    ValueError
        If there is no law of one person's reports, as where they come in two forms.

    Examples
    --------
    >>> from math import exp
    >>> from ldpnb import GRR
    >>> check_mechanism(GRR(k=3, epsilon=1.0), range(3))[0]
    'epsilon_of_the_law_is_the_stated_one'
    >>> class Mine(GRR):  # forgets that a blind draw may be the truth, too
    ...     keep = property(lambda self: exp(self.epsilon) / (exp(self.epsilon) + self.k - 1))
    >>> check_mechanism(Mine(k=3, epsilon=1.0), range(3))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: Mine(k=3, epsilon=1.0) does not keep its contract
    epsilon_of_the_law_is_the_stated_one: the client shows more than ε = 1.0: report 0 tells ...
    epsilon_is_kept_at_every_size: at ε = 1e-06 the realised one is 0.91...
    """
    if isinstance(mechanism, Mechanism):
        if not isinstance(inputs, Records):
            inputs = np.asarray(inputs)
        mechanism = Example(mechanism, inputs, **about)
    unusable = _unusable(mechanism)
    if unusable:
        raise AssertionError(f"{mechanism} does not keep its contract\n{unusable}")
    kept = []
    broken = []
    first = None
    for check, example in plan([mechanism]):
        try:
            check(example)
            kept.append(check.__name__)
        except Exception as error:
            broken.append(f"{check.__name__}: {_told(error)}")
            if not isinstance(error, AssertionError):
                first = first or error
    if broken:
        lines = [f"{mechanism} does not keep its contract", *broken]
        raise AssertionError("\n".join(lines)) from first
    return kept


def _unusable(example: Example) -> str:
    """Say why no check can be made of an example, or nothing.

    A law that cannot be read is an error.
    """
    if not is_dataclass(example.mechanism):
        kind = type(example.mechanism).__name__
        return f"{kind} must be a dataclass: write @dataclass(frozen=True, kw_only=True)"
    if not isinstance(example.inputs, Records) and np.ndim(example.inputs) == 0:
        return f"inputs must be a list, an array or Records, got {example.inputs!s:.60}"
    people = range(len(example.inputs))
    if len(people) < 2:
        return f"inputs must be at least two, to be told apart, got {len(people)}"
    for group, stated in example.groups:
        size = len(people[group])
        if size < 2:
            rule = "groups must have at least two inputs, to be told apart"
            return f"{rule}, got {size} of ε = {stated}"
    try:
        known(example)
    except AssertionError as error:
        return f"of one person, {error}"
    except Exception as error:
        error.add_note(f"in the law of {example}, which all checks read")
        raise
    return _no_histogram(example)


def _no_histogram(example: Example) -> str:
    """Say why simulations do not take a histogram of the inputs, if the example says they do."""
    if not example.histogram:
        return ""
    one_of_each = np.ones(len(example.inputs), np.int64)
    for way, simulate in _simulations(example).items():
        try:
            simulate(one_of_each, trials=1, rng=np.random.default_rng(0))
        except ValueError as error:
            rule = f"histogram must be False unless inputs are one of each that {way} counts"
            return f"{rule}: {error}"
    return ""


def plan(examples: Iterable[Example]) -> list[tuple[Check, Example]]:
    """Pair checks with the examples they apply to.

    A check for which once is enough is paired with the smallest example of each class.
    """
    listed = list(examples)
    smallest = dict[type, Example]()
    for example in sorted(listed, key=_size, reverse=True):
        smallest[type(example.mechanism)] = example
    found = []
    for example in listed:
        is_smallest = smallest[type(example.mechanism)] is example
        for check, kind in checks.items():
            if kind.once and not is_smallest:
                continue
            if kind.applies(example):
                found.append((check, example))
    return found


def _size(example: Example) -> int:
    """Bits of a report and of its public part."""
    return example.mechanism.report_bits + example.mechanism.public_bits


def parametrize(examples: Iterable[Example], slow: Any = ()) -> Any:
    """Return the mark of pytest for a test of `check` and `example`.

    The test has to call ``check(example)``.

    Parameters
    ----------
    examples : iterable of Example
    slow : marks
        Of the checks that take seconds.
    """
    import pytest

    def case(check: Check, example: Example) -> Any:
        name = f"{check.__name__}-{str(example)[:60]}".replace("\n", " ")
        marks = slow if checks[check].slow else ()
        return pytest.param(check, example, marks=marks, id=name)

    return pytest.mark.parametrize(("check", "example"), [case(*one) for one in plan(examples)])


# -------------------------------------------------------------------------------- what checks share


class Known:
    """What is read off the law of a client: of each input, and of each report that it sends."""

    def __init__(self, example: Example) -> None:
        self.example = example
        self.reports = dict[Hashable, Any]()
        self.laws = list[Law]()
        self.branches = Counter[int]()
        # of each input, for each report the law of the draws behind it
        self.traces = list[dict[Hashable, Law]]()
        self.outputs = Outputs()
        self._rows = Rows()
        numbers = dict[tuple[Hashable, ...], int]()
        handed = deepcopy(example.inputs)
        example.mechanism.perturb(handed, rng=np.random.default_rng(0))
        self._must_be_as_it_was(handed)
        for i in range(len(example.inputs)):
            report = partial(self._report, i, example.inputs[i : i + 1], numbers)
            both: dict[Any, Fraction] = law(report, limit=getattr(example, "limit", LIMIT))
            key_of = {number: key for (key, *_), number in numbers.items()}
            self.laws.append(_image(both, key_of))
            self.traces.append({key: {} for key in self.laws[i]})
            for (key, *trace), number in numbers.items():
                if number in both:
                    self.traces[i][key][tuple(trace)] = both[number] / self.laws[i][key]
        self._must_be_as_it_was(handed)  # after every branch, too

    def _must_be_as_it_was(self, handed: Any) -> None:
        _must(freeze(plain_values(handed)) == freeze(plain_values(self.example.inputs)), CHANGED)

    def _report(
        self, i: int, person: Any, numbers: dict[tuple[Hashable, ...], int], rng: Paths
    ) -> int:
        """Replay one person, and return the number of the report and of the draws behind it."""
        self.branches[i] += 1
        report = self.example.mechanism.perturb(person, rng=rng)
        _must_be_array(report)
        _must(len(report) == 1, f"one person with input {i} sends {len(report)} reports")
        self._rows.only(report)
        key = self.outputs.key(_alone(report, 0))
        self.reports.setdefault(key, report)
        return numbers.setdefault((key, *rng._trace), len(numbers))

    @cached_property
    def tallies(self) -> dict[Hashable, Tally]:
        """Tally of each report alone."""
        return {key: _tally(self.example, report) for key, report in self.reports.items()}

    @cached_property
    def counts(self) -> list[dict[Any, Fraction]]:
        """Law of the counts of one report, of each input."""
        counts = {key: tuple(tally.counts.ravel().tolist()) for key, tally in self.tallies.items()}
        return [_image(one, counts) for one in self.laws]

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        """Mean and variance of one person's score, of each input."""
        return moments_of(self.laws, self.scores)

    @cached_property
    def scores(self) -> dict[Hashable, Floats]:
        """Estimate from each report alone."""
        return {key: self.example.mechanism.estimate(y) for key, y in self.tallies.items()}

    @cached_property
    def public(self) -> dict[Hashable, tuple[Hashable, ...]]:
        """Public part of each report."""
        names = next(iter(self.reports.values())).dtype.names or ()
        at = [names.index(name) for name in self.example.mechanism.public_fields]
        return {key: tuple(key[i] for i in at) for key in self.reports}  # type: ignore[index]


def _must_be_array(reports: Any) -> None:
    kind = type(reports)
    _must(kind is np.ndarray, f"reports come as {kind.__name__}, and must be a plain array")


def _alone(reports: Any, i: int) -> Any:
    """Return one of many reports as it is alone: how the others lie in memory is not its own."""
    row = reports[i]
    if isinstance(row, np.str_ | np.bytes_):  # which alone is of a dtype of its own length
        return np.array(row, reports.dtype)
    if isinstance(reports, np.ndarray) and reports.ndim > 1:
        return row.copy()
    return row  # an array that is an entry among objects is a person's own


known = lru_cache(maxsize=8)(Known)  # a client is walked once for all checks


@dataclass(frozen=True, eq=False)
class Other(Example):
    """An example that is made of one at hand; it may have fewer branches."""

    limit: int = FEW


def _other(example: Example, **changes: Any) -> Example:
    same = {field.name: getattr(example, field.name) for field in fields(Example)}
    return Other(**same | changes)


@lru_cache(maxsize=4)
def _elsewhere(example: Example) -> tuple[Example, ...]:
    """Return an example at a smaller ε and two larger ones, but those that its class refuses."""
    least = 100 * EPSILON_MIN
    most = EPSILON_MAX / 2
    found = []
    for part in OTHERS:
        stated = min(max(part * example.mechanism.epsilon, least), most)
        found.append(_moved(example, stated))
    found.append(_moved(example, most))
    return tuple(one for one in found if one is not None)


def _moved(example: Example, stated: float) -> Example | None:
    """Return an example at another ε.

    The structure that a class leaves to ε follows it, or stays as it is if there were too many
    branches.
    """
    m: Any = example.mechanism
    named_fields = {f.name for f in fields(m) if f.init}
    held = {name: getattr(m, use) for name, use in m.chosen.items() if name in named_fields}
    structures = [{}, held] if held else [{}]
    for structure in structures:
        try:
            moved = _other(example, mechanism=replace(m, epsilon=stated, **structure))
        except ValueError:  # the class has limits of its own
            continue
        with suppress(TooManyBranches):
            known(moved)
            return moved
    return None


@lru_cache(maxsize=4)
def _between(example: Example) -> Example | None:
    """Return an example of the ends of the inputs and of numbers between, or of such records."""
    x = example.inputs
    if example.groups:
        return None
    if isinstance(x, Records):
        if x.values is None or not len(x.values):
            return None
        least = x.values.min()
        inside: Any = Records(x.offsets, x.keys, least + GOLDEN * (x.values - least))
    elif x.dtype.kind == "f" and x.ndim in (1, 2):
        rows = np.unique(x) if x.ndim == 1 else x
        steps = [rows[:-1] + part * np.diff(rows, axis=0) for part in (0.5, GOLDEN)]
        lowest, *_ = np.unravel_index(rows.argmin(), rows.shape)
        highest, *_ = np.unravel_index(rows.argmax(), rows.shape)
        ends = rows[[lowest, highest]]
        inside = np.concatenate([ends, *(step[:MIXED] for step in steps)])
    else:
        return None
    return _other(example, inputs=inside, histogram=False)


def chi_square(observed: ArrayLike, expected: ArrayLike) -> float:
    """Return the p-value of counts against expected counts, by the law of many.

    Cells that expect fewer than five are pooled.  Far in its tail, it is too small.
    """
    seen, meant = _pooled(observed, expected)
    if len(meant) < 2:
        return 1.0
    return float(chdtrc(len(meant) - 1, ((seen - meant) ** 2 / np.maximum(meant, 1e-9)).sum()))


def likelihood(observed: ArrayLike, expected: ArrayLike) -> float:
    """Return a bound on the p-value of counts against expected counts, for any number of them.

    By the likelihood ratio: n times the divergence of what is seen from what is expected is t or
    more with a probability of at most e^−t (e t/m)^m, for m + 1 cells and t above m (Agrawal 2020).
    Cells that expect fewer than five are pooled.
    """
    seen, meant = _pooled(observed, expected)
    some = seen > 0
    m = len(meant) - 1
    if np.any(meant[some] <= 0):
        return 0.0
    t = float((seen[some] * np.log(seen[some] / meant[some])).sum())
    if not t > m > 0:
        return 1.0
    return exp(m - t + m * log(t / m))


def _pooled(observed: ArrayLike, expected: ArrayLike) -> tuple[Floats, Floats]:
    """Return counts and expected counts as floats, those that expect fewer than five as one."""
    seen = np.asarray(observed, float)
    meant = np.asarray(expected, float)
    small = meant < 5
    if small.any():
        seen = np.append(seen[~small], seen[small].sum())
        meant = np.append(meant[~small], meant[small].sum())
    return seen, meant


def _must(kept: object, found: str) -> None:
    if not kept:
        raise AssertionError(found)


def _close(found: Floats, stated: Floats, within: Any, what: str) -> None:
    _must(found.shape == stated.shape, f"{what} has the shape {stated.shape}, found {found.shape}")
    off = np.abs(found - stated) - within
    at = tuple(map(int, np.unravel_index(np.argmax(off), off.shape)))
    one, other = apart(float(stated[at]), float(found[at]), 9)
    _must(off[at] <= 0, f"{what} at {at} is {one}, found {other}")


def _off(found: Any, limit: float) -> str:
    most, off = apart(limit, float(found), 3)
    return f"{off} standard errors, {most} allowed"


def _refuses(call: Callable[[], Any], rule: str, what: str) -> None:
    try:
        call()
    except ValueError as error:
        by_others = f"{what} is refused, but not by the words {rule!r}: {error}"
        _must(re.search(rule, str(error)), by_others)
    except Exception as error:
        kind = type(error).__name__
        ends = f"{what} is not refused by a ValueError, but ends in a {kind}: {error}"
        raise AssertionError(ends) from error
    else:
        raise AssertionError(f"{what} is not refused")


def _tally(example: Example, reports: Any) -> Tally:
    return example.mechanism.tally(reports, *named(example.items))


def _image(one: Mapping[Any, Fraction], of: Mapping[Any, Any]) -> dict[Any, Fraction]:
    """Law of what outputs are mapped to."""
    found: dict[Any, Fraction] = {}
    for key, p in one.items():
        found[of[key]] = found.get(of[key], Fraction(0)) + p
    return found


def _entries(part: Hashable) -> list[Hashable]:
    """Return what nested tuples hold, one after the other."""
    if not isinstance(part, tuple):
        return [part]
    found: list[Hashable] = []
    for one in part:
        found += _entries(one)
    return found


def _groups(example: Example) -> tuple[tuple[slice, float], ...]:
    return example.groups or ((slice(None), example.mechanism.epsilon),)


def _with(example: Example, epsilon: Any) -> Mechanism:
    return replace(example.mechanism, epsilon=epsilon)  # type: ignore[type-var]


class Kind(NamedTuple):
    """What is said of a check.

    Whether it applies to an example, whether one example of a class is enough, and whether it takes
    seconds.
    """

    applies: Callable[[Example], Any]
    once: bool = False
    slow: bool = False


checks: dict[Check, Kind] = {}  # all of them, in order


def _always(example: Example) -> bool:
    return True


def _check(applies: Callable[[Example], Any] = _always, **kind: bool) -> Callable[[Check], Check]:
    """Put a check on the list of all, with what is said of it (`Kind`)."""

    def listed(check: Check) -> Check:
        checks[check] = Kind(applies, **kind)
        return check

    return listed


def _stated(example: Example) -> bool:
    m: Any = example.mechanism
    return "epsilon" in {field.name for field in fields(m)}


def _simulated(example: Example) -> bool:
    return (example.histogram or _one_of_each(example)) and bool(_simulations(example))


def _one_of_each(example: Example) -> bool:
    """Whether the inputs are the items of an oracle whose simulations count what tallies count."""
    m = example.mechanism
    x = example.inputs
    if m.takes != "item" or not getattr(m, "counts_items", True):
        return False
    if not isinstance(x, np.ndarray) or len(x) > UNASKED or x.dtype.kind != "i":
        return False
    return np.array_equal(x, np.arange(getattr(m, "k", 0)))


def _few(example: Example) -> bool:
    with suppress(Exception):  # a check says it better, and a plan is made of all examples
        return prod(known(example).branches[i] for i in _three(example)) <= THREE
    return True


# ------------------------------------------------------------------------------------------ privacy


@_check()
def epsilon_of_the_law_is_the_stated_one(example: Example) -> None:
    """No report is more than e^ε times as likely under one input as under another.

    `realised_epsilon` is what is spent.  Less than ε is no breach, and said: the warning is a
    `Slack`.
    """
    found = []
    groups = _groups(example)
    most = max(stated for _, stated in groups)
    own = example.mechanism.epsilon
    _must(own == most, f"ε is {own}, the largest of a group {most}")
    for people, stated in groups:
        one = worst(known(example).laws[people])
        what = _told_apart(one)
        within = one.ratio is not None and one.ratio <= odds(stated)
        _must(within, f"the client shows more than ε = {stated!r}: {what}")
        # less is no breach: to know the ε really spent is all that matters
        if one.epsilon < stated - stated_rounding(stated):
            less = f"{example}: the client shows less than ε = {stated!r}: at most, {what}"
            warnings.warn(less, Slack, stacklevel=2)
        found.append(one.epsilon)
    realised = example.mechanism.realised_epsilon
    right = isclose(realised, max(found), rel_tol=1e-12, abs_tol=1e-15)
    _must(right, f"realised ε is {realised!r}, found {max(found)}")


def _told_apart(one: Worst) -> str:
    """Say which report tells which inputs apart, and how well."""
    first, second = one.pair
    return f"report {one.report!r:.200} tells input {first} from {second} by {one.epsilon!r}"


@_check(_stated)
def epsilon_is_kept_at_every_size(example: Example) -> None:
    """Realised ε is at most the stated one, from the least to the largest that may be stated.

    Less than ε is no breach, and said: the warning is a `Slack`.
    """
    count = getattr(example.mechanism, "count", 1)
    shares = max(1, count) if isinstance(count, int) else 1  # of ε, each rounded alone
    least = EPSILON_MIN if shares == 1 else 1.01 * shares * EPSILON_MIN
    slack = []
    for stated in (least, *EPSILONS[1:]):
        try:
            other = _with(example, stated)
        except ValueError:  # the class has limits of its own
            continue
        realised = other.realised_epsilon
        _must(0 <= realised <= stated, f"at ε = {stated} the realised one is {realised!r}")
        if realised < stated - shares * stated_rounding(stated):
            slack.append(" of ".join(reversed(apart(stated, realised, 3))))
    if slack:
        what = f"{example}: the realised ε is less than the stated one: {', '.join(slack)}"
        warnings.warn(what, Slack, stacklevel=2)


@_check(_stated, once=True, slow=True)
def epsilon_of_the_law_is_the_stated_one_elsewhere(example: Example) -> None:
    """At a smaller ε and two larger ones the client keeps ε.

    It shows what `realised_epsilon` says.  The structure that a class leaves to ε is chosen
    anew, unless it has too many branches.
    """
    for other in _elsewhere(example):
        stated = other.mechanism.epsilon
        realised = other.mechanism.realised_epsilon
        found = [worst(known(other).laws[people]) for people, _ in _groups(other)]
        for one in found:
            within = one.ratio is not None and one.ratio <= odds(stated)
            _must(within, f"at ε = {stated:.3g} the client shows {_told_apart(one)}")
        shown = max(one.epsilon for one in found)
        right = isclose(realised, shown, rel_tol=1e-9, abs_tol=1e-12)
        _must(right, f"at ε = {stated:.3g} realised ε is {realised!r}, found {shown!r}")


@_check(_stated, once=True, slow=True)
def what_is_stated_holds_elsewhere(example: Example) -> None:
    """At a smaller ε and two larger ones bias, variance, influence and size are as stated, too."""
    of_a_law = (
        estimate_is_unbiased,
        noise_is_the_variance,
        influence_is_the_most_that_a_report_adds,
        report_has_the_stated_size,
    )
    for other in _elsewhere(example):
        for check in of_a_law:
            _found_in(f"at ε = {other.mechanism.epsilon:.3g}", check, other, example)


def _found_in(where: str, check: Check, other: Example, example: Example) -> None:
    """Make a check of an example that is made of one at hand.

    Say where it fails, if it does not fail in the one at hand, too.
    """
    try:
        check(other)
    except Exception as error:
        if _holds(check, example):
            raise AssertionError(f"{where}, {check.__name__}: {_told(error)}") from error


def _holds(check: Check, example: Example) -> bool:
    with suppress(Exception):
        check(example)
        return True
    return False


def _told(error: Exception) -> str:
    """Return what an error says, with its type if no check has raised it."""
    if isinstance(error, AssertionError):
        return str(error)
    return f"{type(error).__name__}: {error}"


@_check(_between)
def numbers_between_the_inputs_are_as_stated(example: Example) -> None:
    """Numbers between the inputs have the stated ε, bias and noise, if the client takes them."""
    between: Any = _between(example)
    if max(known(example).branches.values()) > BETWEEN:
        return
    try:
        between.mechanism.perturb(between.inputs, rng=np.random.default_rng(0))
        seen = known(between)
    except ValueError:  # of too many branches, or because numbers are to be on a grid
        return
    one = worst([*known(example).laws, *seen.laws])
    kept = one.ratio is not None and one.ratio <= odds(example.mechanism.epsilon)
    _must(kept, f"between the inputs, report {one.report!r:.200} shows {one.epsilon!r}")
    for check in (estimate_is_unbiased, noise_is_the_variance):
        _found_in("between the inputs", check, between, example)


@_check(lambda example: example.groups)
def groups_are_told_by_the_public_part(example: Example) -> None:
    """No two groups share a public part, and each input is in one of them.

    Else more is told than their ε says.
    """
    public = "inputs are in groups, but no field of a report is public"
    _must(example.mechanism.public_fields, public)
    people = range(len(example.inputs))
    often = Counter[int]()
    for group, _ in example.groups:
        often.update(people[group])
    for i in people:
        rule = "each input must be in one group"
        _must(often[i] == 1, f"{rule}, and input {i} is in {often[i]}")
    whose = dict[Hashable, int]()
    for number, (group, _) in enumerate(example.groups):
        for y in set().union(*known(example).laws[group]):
            first = whose.setdefault(known(example).public[y], number)
            common = f"groups {first} and {number} have a public part in common"
            _must(first == number, f"{common}, of report {y!r:.200}")


def _unordered(example: Example) -> bool:
    return isinstance(example.inputs, Records) and example.inputs.sizes.max(initial=0) > 1


@_check(_unordered)
def order_of_keys_does_not_matter(example: Example) -> None:
    """No order is told of a record, which is a set.

    With its keys in the opposite order it has the same law.
    """
    x = example.inputs
    for i in np.flatnonzero(x.sizes > 1)[:MIXED]:
        one = x[i : i + 1]
        values = None
        if one.values is not None:
            values = one.values[::-1].copy()
        back = Records(one.offsets, one.keys[::-1].copy(), values)
        apart = total_variation(laws(example.mechanism, back)[0], known(example).laws[i])
        what = f"input {i} with its keys in the opposite order"
        _must(not apart, f"{what} has a law that is {float(apart):.3g} away")


def _keeps(example: Example) -> bool:
    return hasattr(example.mechanism, "memoise") and hasattr(example.mechanism, "respond")


@_check(_keeps)
def respond_of_memoise_is_perturb(example: Example) -> None:
    """One report from what is kept has the law of `perturb`, of each input.

    The rows that are kept of one person tell no more than `lifetime_epsilon`, neither by what they
    hold nor by their dtype.  What another mechanism's clients keep is refused.
    """
    m: Any = example.mechanism
    kept = _memoised(m, example.inputs, np.random.default_rng(0))
    foreign = replace(kept, mechanism=NonCallableMock(spec=Mechanism))
    of_another = partial(m.respond, foreign, rng=np.random.default_rng(0))
    _refuses(of_another, "kept must", "what another mechanism keeps")
    _sends_as_perturb(example, partial(_first_of_memory, m), "respond of memoise")
    if hasattr(m, "lifetime_epsilon"):
        _memory_tells_what_is_stated(example)


def _memory_tells_what_is_stated(example: Example) -> None:
    """Compare what the rows that are kept of one person tell with `lifetime_epsilon`."""
    m: Any = example.mechanism
    stated = m.lifetime_epsilon
    cure = "state at least chance.log_up of the ratio, or leave it out if nothing bounds it"
    is_usable = is_number(stated) and 0 <= stated < inf
    rule = "lifetime_epsilon must be a finite number, at least 0"
    _must(is_usable, f"{rule}, got {stated!r}: {cure}")
    rows = Rows("memoise")
    outputs = Outputs()

    def memory(one: Any, rng: Paths) -> Hashable:
        return outputs.key(rows.only(_memoised(m, one, rng).rows))

    for people, _ in _groups(example):
        which = range(len(example.inputs))[people]
        shown = worst([law(partial(memory, example.inputs[i : i + 1])) for i in which])
        first, second = (which[i] for i in shown.pair)
        least = inf
        if shown.ratio is not None and shown.ratio > 1:
            least = log_up(shown.ratio)
        says, tells = apart(float(stated), least, 9)
        what = f"what is kept tells input {first} from {second} by {tells}"
        within = shown.ratio is not None and shown.ratio <= odds(stated)
        _must(within, f"{what}, and lifetime_epsilon is {says}: {cure}")


@_check(_keeps)
def respond_again_is_perturb(example: Example) -> None:
    """One more report from what is kept has the law of `perturb`, too, of each input.

    The first one is drawn from each of six seeds.  Neither report changes what is kept.
    """
    m: Any = example.mechanism

    def send(seed: int, one: Any, rng: Any) -> Any:
        kept = _memoised(m, one, rng)
        before = dumps(kept.rows)
        m.respond(kept, rng=np.random.default_rng(seed))
        reports = m.respond(kept, rng=rng)
        same = dumps(kept.rows) == before
        _must(same, "respond changes what is kept: let it leave kept.rows as they are")
        return reports

    for seed in range(FIRSTS):
        _sends_as_perturb(example, partial(send, seed), "a second respond of memoise")


@_check(_keeps)
def respond_to_a_crowd_is_perturb(example: Example) -> None:
    """People in a crowd respond from what they keep as if alone, a second time, too.

    In the crowds of `crowds_of_other_mixtures_are_alone`, whose array is sent in one form, and of
    `nobody_in_a_crowd_goes_with_another` and `draws_follow_the_law`; and 600 people by twos and by
    threes.
    """
    m: Any = example.mechanism
    alarm = FALSE_ALARM / 10  # for two reports in five kinds of crowds
    which = _people(example, DRAWS)
    sends: dict[str, Send] = {
        "respond of memoise": partial(_first_of_memory, m),
        "a second respond of memoise": partial(_second_of_memory, m),
    }
    for what, send in sends.items():
        try:
            _crowds_are_alone(example, send, alarm)
            _alone_in_a_crowd(example, send, which, "in a batch", alarm)
            _follow_the_law_by_turns(example, send, alarm)
            for size, name in ((2, "by twos"), (3, "by threes")):
                _few_are_alone(example, send, size, name, alarm)
        except AssertionError as error:
            raise AssertionError(f"{what}, {error}") from error


def _few_are_alone(example: Example, send: Send, size: int, name: str, alarm: float) -> None:
    """Look at people who are asked a few at a time."""

    def in_parts(crowd: Any, rng: Any) -> Any:
        parts = [send(crowd[i : i + size], rng) for i in range(0, len(crowd), size)]
        for part in parts:
            _must_be_array(part)
        return np.concatenate(parts)

    which = _people(example, BY_FEW)
    drawn = _alone_in_a_crowd(example, in_parts, which, name, alarm / 2)
    _come_as_often_as_alone(example, which, drawn, f"of {BY_FEW} people {name}", alarm / 2)


def _memoised(m: Any, people: Any, rng: Any) -> Any:
    """Return what is kept of people, whose values must stay as they are."""
    handed = deepcopy(people)
    before = dumps(handed)
    kept = m.memoise(handed, rng=rng)
    same = dumps(handed) == before
    _must(same, "memoise changes the values that it is handed: let it work on a copy")
    return kept


def _first_of_memory(m: Any, people: Any, rng: Any) -> Any:
    return m.respond(_memoised(m, people, rng), rng=rng)


def _second_of_memory(m: Any, people: Any, rng: Any) -> Any:
    kept = _memoised(m, people, rng)
    m.respond(kept, rng=rng)
    return m.respond(kept, rng=rng)


def _sends_as_perturb(example: Example, send: Send, what: str) -> None:
    """Compare the law of what is sent of one person, of each input, with that of `perturb`."""
    outputs = known(example).outputs
    rows = Rows("respond")

    def report(one: Any, rng: Any) -> Hashable:
        sent = send(one, rng)
        _must_be_array(sent)
        rows.only(sent)
        return outputs.key(_alone(sent, 0))

    for i in range(len(example.inputs)):
        found = law(partial(report, example.inputs[i : i + 1]))
        far = total_variation(found, known(example).laws[i])
        has = f"{what} of input {i} has a law that is {float(far):.3g} from that of perturb"
        if far <= ROUNDING:
            way = "respond(memoise(values, rng=rng), rng=rng)"
            has = f"{has}, which is rounding: let perturb return {way}"
        _must(not far, has)


@_check(lambda example: example.mechanism.public_fields)
def public_part_does_not_depend_on_the_value(example: Example) -> None:
    """Fields that are named public have one law under all inputs of a group."""
    for people, _ in _groups(example):
        public = [_image(one, known(example).public) for one in known(example).laws[people]]
        for i, one in enumerate(public):
            apart = total_variation(one, public[0])
            what = f"the public parts of inputs 0 and {i} have laws"
            _must(not apart, f"{what} that are {float(apart):.3g} apart")


@_check()
def draws_tell_no_more_than_the_report(example: Example) -> None:
    """Given the report, which functions of `chance` a client calls says nothing more.

    Nor does for how many draws it calls them.
    """
    for people, _ in _groups(example):
        first: dict[Hashable, Law] = {}
        for i in range(len(example.inputs))[people]:
            for y, one in known(example).traces[i].items():
                same = first.setdefault(y, one) == one
                what = f"behind report {y!r:.200} input {i} makes draws"
                _must(same, f"{what} of other kinds or numbers than others do")


@_check()
def report_has_the_stated_size(example: Example) -> None:
    """Private parts take `report_bits`, and `public_bits` hold all public parts.

    No entry of a public part takes more bits than its own.
    """
    m = example.mechanism
    public = known(example).public
    most = max(Counter(public.values()).values())
    private = (most - 1).bit_length()
    takes = f"{most} private parts take {private}"
    _must(m.report_bits == private, f"report_bits is {m.report_bits}, but {takes}")
    least = (len(set(public.values())) - 1).bit_length()
    alone = 0
    for values in zip(*map(_entries, public.values()), strict=True):
        alone += (len(set(values)) - 1).bit_length()
    takes = f"public parts take {least} bits, or {alone} if each entry has its own"
    _must(least <= m.public_bits <= alone, f"public_bits is {m.public_bits}, but {takes}")


@_check()
def card_is_right(example: Example) -> None:
    """Clients need no list where candidates are named at the count.

    The server's cost is one that there is.
    """
    m = example.mechanism
    both = m.needs_list and isinstance(m, OpenMechanism)
    _must(not both, "needs_list is True, but tally takes candidates")
    _must(m.server_cost in COSTS, f"server_cost is {m.server_cost!r}, not one of {COSTS}")


# -------------------------------------------------------------------------------- bias and variance


@_check()
def estimate_is_unbiased(example: Example) -> None:
    """One person's mean score is `expected`."""
    mean, _ = known(example).moments
    variance = example.mechanism.variance(example.inputs, *named(example.items))
    stated = example.mechanism.expected(example.inputs, *named(example.items))
    _close(mean, stated, 1e-12 * (1 + np.sqrt(variance)), "expected")


@_check()
def noise_is_the_variance(example: Example) -> None:
    """One person's score has the variance that `variance` says.

    So it is with `rare_variance`, `linear_variance` and `worst_variance`, where there are any.
    """
    m: Any = example.mechanism
    _, variance = known(example).moments
    stated = m.variance(example.inputs, *named(example.items))
    within = 1e-12 + 1e-9 * variance
    _close(variance, stated, within, "variance")
    if hasattr(m, "rare_variance"):
        absent = m.expected(example.inputs, *named(example.items)) == 0
        _close(variance, np.where(absent, m.rare_variance, variance), within, "rare_variance")
    if hasattr(m, "linear_variance") and m.takes == "item":  # of sums whose weights have no pattern
        _linear_variance_is_right(example)
    if hasattr(m, "worst_variance") and isinstance(example.inputs, np.ndarray):
        _worst_variance_is_right(example)


def _linear_variance_is_right(example: Example) -> None:
    """Look at sums of scores by weights."""
    m: Any = example.mechanism
    seen = known(example)
    weights = np.random.default_rng(7).normal(size=(4, m.k))
    _, sums = moments_of(seen.laws, {y: weights @ score for y, score in seen.scores.items()})
    within = 1e-12 + 1e-9 * sums.max()
    for axes in ((4,), (2, 2), ()):  # of sums; without any, it is the first of them
        size = prod(axes)
        stated = m.linear_variance(weights[:size].reshape(*axes, m.k))[..., example.inputs]
        right = sums.T[:size].reshape(*axes, -1)
        _close(right, stated, within, "linear_variance")


def _worst_variance_is_right(example: Example) -> None:
    """Walk the client where the variance should be the largest, too."""
    m: Any = example.mechanism
    x = example.inputs
    numbers = np.linspace(x.min(), x.max(), GRID)
    grid = numbers.reshape(-1, *[1] * (x.ndim - 1)) + 0 * x[:1]
    at = np.max(m.variance(grid), -1).argmax()
    _, most = moments(m, grid[[at]])
    near = isclose(m.worst_variance, most.max(), rel_tol=1e-5)
    one, other = apart(float(m.worst_variance), float(most.max()), 9)
    _must(near, f"worst_variance is {one}, found {other}")


@_check()
def expected_and_variance_follow_the_people(example: Example) -> None:
    """In another order, or asked about twice, people have the same rows: these belong to values."""
    m = example.mechanism
    n = len(example.inputs)
    order = [*range(n)[::-1], 0, 0, n - 1]
    for name in ("expected", "variance"):
        of = getattr(m, name)
        rows = np.asarray(of(example.inputs, *named(example.items)))[order]
        again = np.asarray(of(example.inputs[order], *named(example.items)))
        _close(rows, again, 1e-12 * (1 + np.abs(rows).max()), f"{name} of people in another order")


@_check(lambda example: example.items is not None, once=True)
def candidates_may_come_in_any_order(example: Example) -> None:
    """Of candidates in the opposite order all is in that order; of one alone all is as stated."""
    m: Any = example.mechanism
    items = tuple(example.items)
    reports = m.perturb(example.inputs, rng=np.random.default_rng(0))
    of: dict[str, Callable[[Any], Any]] = {
        "estimate": lambda some: m.estimate(m.tally(reports, some)),
        "expected": partial(m.expected, example.inputs),
        "variance": partial(m.variance, example.inputs),
    }
    for name, call in of.items():
        whole = np.asarray(call(items))
        if whole.shape[-1] == len(items):
            within = 1e-9 * (1 + np.abs(whole).max())
            back = np.asarray(call(items[::-1]))
            _close(whole[..., ::-1], back, within, f"{name} of candidates in the opposite order")
    alone = _other(example, items=items[:1])
    with suppress(TooManyBranches):
        known(alone)
        of_a_law = (
            estimate_is_unbiased,
            noise_is_the_variance,
            influence_is_the_most_that_a_report_adds,
        )
        for check in of_a_law:
            _found_in("of one candidate alone", check, alone, example)


def _supports(example: Example) -> bool:
    m = example.mechanism
    return m.takes == "item" and hasattr(m, "supporters") and hasattr(m, "support")


@_check(_supports)
def supporters_are_as_many_as_support_says(example: Example) -> None:
    """Supporters of a report have the chances of `support`: the first for the person's own item."""
    m: Any = example.mechanism
    seen = known(example)
    found, _ = moments_of(seen.laws, {y: m.supporters(tally) for y, tally in seen.tallies.items()})
    p, q = map(float, m.support)
    own = np.equal.outer(example.inputs, np.arange(m.k))
    usual = np.where(own, p, q)
    # where seeds are held, what is expected tells the share of own items
    held = q + (p - q) * m.expected(example.inputs)
    stated = min(usual, held, key=lambda one: np.abs(found - one).max())
    _close(found, stated, 1e-12, "chance of a report to support an item")


@_check()
def influence_is_the_most_that_a_report_adds(example: Example) -> None:
    """No report adds more to entries of an estimate than `influence` says, and one adds as much."""
    m: Any = example.mechanism
    scores = np.stack([score.ravel() for score in known(example).scores.values()])
    for targets in range(1, min(TARGETS, scores.shape[1]) + 1):
        found = largest_sum(scores, targets)
        stated = m.influence(targets, *named(example.items))
        said, is_so = apart(float(stated), float(found), 9)
        right = isclose(found, stated, rel_tol=1e-9)
        _must(right, f"influence on {targets} entries is {said}, found {is_so}")
    beyond = partial(m.influence, scores.shape[1] + 1, *named(example.items))
    _refuses(beyond, "targets", "influence on more entries than there are")
    usual = m.influence() if example.items is None else m.influence(items=example.items)
    one = m.influence(1, *named(example.items))
    said, is_so = apart(float(one), float(usual), 9)
    rule = "influence is about one entry unless said otherwise"
    _must(usual == one, f"{rule}: {said}, found {is_so}")


def _errors(example: Example) -> bool:
    """Whether the tally tells standard errors: a mechanism may say that it does not."""
    with suppress(Exception):  # a check says it better
        m = example.mechanism
        reports = m.perturb(example.inputs[[0, 0]], rng=np.random.default_rng(0))
        try:
            m.standard_error(_tally(example, reports))
        except ValueError as error:
            return "tally must tell how scores scatter" not in str(error)
    return True


@_check(_errors)
def standard_error_is_right(example: Example) -> None:
    """Its square is on average the variance of an estimate from random people.

    Of two people, all pairs of reports are taken, unless they are too many or a mechanism has its
    own `standard_error`; what is cut at zero counts as it was.  Of many, 20 surveys of 20,000
    people are drawn by the law, and their mean may be 8 standard errors and 1 % off.
    """
    m = example.mechanism
    one = known(example)
    weights = _different_shares(example)
    chance, scores, counts = _mixed(example, weights)
    items = next(iter(one.tallies.values())).items
    away = scores - np.tensordot(chance, scores, 1)
    variance = np.tensordot(chance, away**2, 1)
    if type(m).standard_error is Mechanism.standard_error and len(chance) ** 2 <= PAIRS:
        i, j = map(np.ravel, np.indices((len(chance), len(chance))))
        both = Tally(m, 2, counts[i] + counts[j], items)
        left = m._squares(both) - m.estimate(both) ** 2  # over n − 1, which is one
        found = np.tensordot(chance[i] * chance[j], left, 1)
        _close(found, variance / 2, 1e-12 + 1e-7 * variance, "variance of two people's estimate")
    n = 20_000
    trials = 20
    drawn = np.random.default_rng(10).multinomial(n, chance / chance.sum(), trials)
    many = Tally(m, n, np.tensordot(drawn, counts, 1), items)
    fourth = np.tensordot(chance, away**4, 1)
    within = 1e-12 + 0.01 * variance + 8 * np.sqrt(fourth / (n * trials))
    stated = {False: variance}
    if m.shares:
        stated[True] = np.tensordot(weights, one.moments[1], 1)
    for people, right in stated.items():
        found = n * np.square(m.standard_error(many, people=people)).mean(0)
        what = f"variance of a score that standard_error(people={people}) tells"
        _close(found, right, within, what)


def _different_shares(example: Example) -> Floats:
    """Shares of people with each input, of which no two are equal."""
    sizes = np.arange(1, len(example.inputs) + 1)
    return np.asarray(sizes / sizes.sum())


def _mixed(example: Example, weights: Floats) -> tuple[Floats, Floats, Any]:
    """Chance, score and counts of each report, of a person who has an input by these weights."""
    one = known(example)
    p = Counter[Hashable]()
    for law_of_one, weight in zip(one.laws, weights, strict=True):
        p.update({y: float(q) * weight for y, q in law_of_one.items()})
    chance = np.array([*p.values()])
    scores = np.stack([one.scores[y] for y in p])
    counts = np.stack([one.tallies[y].counts for y in p])
    return chance, scores, counts


@_check(_errors)
def standard_error_of_few_is_right(example: Example) -> None:
    """Of 2, 30 and 500 people its square is right on average, too.

    Of one person, and where none is known, it is refused.  Surveys are drawn by the law.  Their
    mean may be 1 % and 11 standard errors off, and as much more as one report in them could change
    (Bernstein's bound), and above by what `Mechanism.standard_error` cuts at zero.
    """
    m = example.mechanism
    one = known(example)
    rng = np.random.default_rng(12)
    weights = np.full(len(example.inputs), 1 / len(example.inputs))
    chance, scores, counts = _mixed(example, weights)
    alone = next(iter(one.tallies.values()))
    _refuses(lambda: m.standard_error(alone), "two reports", "a standard error of one report")
    square = np.square(scores - np.tensordot(chance, scores, 1))
    variance = np.tensordot(chance, square, 1)
    stated = {False: (variance, square)}
    if m.shares:
        of_these_people = np.tensordot(weights, one.moments[1], 1)
        stated[True] = of_these_people, np.square(scores) - scores
    else:
        two = replace(alone, n=2, counts=2 * alone.counts)
        unknown = partial(m.standard_error, two, people=True)
        _refuses(unknown, "people must be False", "an error about these people alone")
    for n, trials in FEW_PEOPLE:
        drawn = rng.multinomial(n, chance / chance.sum(), trials)
        many = Tally(m, n, np.tensordot(drawn, counts, 1), alone.items)
        for people, (right, each) in stated.items():
            found = n * np.square(m.standard_error(many, people=people)).mean(0)
            spread = np.tensordot(chance, (each - np.tensordot(chance, each, 1)) ** 2, 1)
            # what squared means add to the variance of a variance
            pairs = variance**2 / (n - 1)
            within = 1e-9 + 0.01 * right + 8 * np.sqrt(2 * (spread + pairs) / (n * trials))
            within += 4 * TAIL / 3 * np.abs(each).max(0) / (n * trials)
            cut = n * _cut(m, many, people)
            what = f"variance of a score that standard_error(people={people}) of {n} people tells"
            _close(right, np.clip(right, found - cut, found), within, what)


def _cut(m: Any, tally: Tally, people: bool) -> Any:
    """Return what `Mechanism.standard_error` adds on average by cutting squares at zero.

    This is 0 for a mechanism without mean squares.
    """
    try:
        squares = m._squares(tally)
        found = m.estimate(tally)
    except ValueError:
        return 0.0
    if people:
        left = (squares - found) / tally.n
    else:
        left = (squares - found**2) / (tally.n - 1)
    return np.maximum(-left, 0).mean(0)


def _contrasted(example: Example) -> bool:
    """Whether the tally tells how sums of scores scatter: a mechanism may say that it does not."""
    with suppress(Exception):  # a check says it better
        m = example.mechanism
        tally = _tally(example, m.perturb(example.inputs[[0, 0]], rng=np.random.default_rng(0)))
        try:
            m.contrast_variance(tally, np.ones_like(m.estimate(tally)))
        except Untold:
            return False
    return True


@_check(_contrasted)
def contrasts_are_right(example: Example) -> None:
    """Variances of weighted sums of the estimate are right on average.

    Those of random people, and those of the first ones.  Exactly: the mean square that a tally
    tells is linear, and right on average for one report.  All pairs of reports are taken together,
    unless they are too many.  With one weight of 1 it is the square of `standard_error`.
    """
    m = example.mechanism
    rng = np.random.default_rng(14)
    alone = next(iter(known(example).tallies.values()))
    shape = m.estimate(alone).shape
    mixed = _mixed(example, _different_shares(example))
    chance, scores, counts = mixed
    of_one = partial(m.contrast_variance, alone, np.ones(shape))
    _refuses(of_one, "two reports", "a variance of one report")
    drawn = rng.multinomial(3, chance / chance.sum())
    few = Tally(m, 3, np.tensordot(drawn, counts, 1), alone.items)
    of_nan = partial(m.contrast_variance, few, np.full(shape, nan))
    _refuses(of_nan, "weights must be finite", "a weight of NaN")
    of_more_axes = partial(m.contrast_variance, few, np.ones((*shape, 1)))
    _refuses(of_more_axes, "weights must have the shape", "too many axes")
    if type(m).standard_error is Mechanism.standard_error:
        within = 1e-9 * (1 + np.abs(scores).max() ** 2)
        for entry in {0, prod(shape) - 1}:
            unit = np.zeros(prod(shape))
            unit[entry] = 1
            for people in (False, True)[: 1 + m.shares]:
                found = np.maximum(m.contrast_variance(few, unit.reshape(shape), people=people), 0)
                right = m.standard_error(few, people=people).ravel()[entry] ** 2
                _close(found, right, within, f"contrast_variance(people={people}) of one entry")
    for w in (*rng.integers(-3, 4, (3, *shape)).astype(np.float64), np.ones(shape)):
        _contrast_is_right(example, w, mixed)
        _contrast_of_two_is_right(example, w, mixed)


def _contrast_is_right(example: Example, w: Floats, mixed: tuple[Floats, Floats, Any]) -> None:
    """Compare what tallies of random people tell of one weighted sum with its variance."""
    m = example.mechanism
    one = known(example)
    chance, scores, counts = mixed
    items = next(iter(one.tallies.values())).items
    sums = np.tensordot(scores, w, w.ndim)
    right = chance @ sums**2
    within = 1e-12 + 1e-7 * right
    each = m._contrast_squares(Tally(m, 1, counts, items), w)
    _close(chance @ each, right, within, "mean squared sum of scores")
    whole = np.arange(1, len(chance) + 1)
    summed = Tally(m, int(whole.sum()), np.tensordot(whole, counts, 1), items)
    told = m._contrast_squares(summed, w)
    nearly = 1e-9 * (1 + np.abs(each).max())
    _close(told, whole @ each / whole.sum(), nearly, "mean squared sum of a sum of tallies")
    if len(chance) ** 2 <= PAIRS:
        i, j = map(np.ravel, np.indices((len(chance), len(chance))))
        both = Tally(m, 2, counts[i] + counts[j], items)
        found = (chance[i] * chance[j]) @ m.contrast_variance(both, w)
        variance = (right - (chance @ sums) ** 2) / 2
        _close(found, variance, within, "variance of a weighted sum of two people's estimate")


def _contrast_of_two_is_right(
    example: Example, w: Floats, mixed: tuple[Floats, Floats, Any]
) -> None:
    """Compare what tallies tell of one weighted sum about two people, the first inputs."""
    m = example.mechanism
    one = known(example)
    chance, scores, counts = mixed
    items = next(iter(one.tallies.values())).items
    try:
        m.contrast_variance(Tally(m, 2, counts[0] + counts[-1], items), w, people=True)
    except Untold:
        return
    first = one.laws[:2]
    if len(first) < 2 or prod(map(len, first)) > PAIRS:
        return
    of_one, of_other = [np.stack([one.tallies[y].counts for y in each]) for each in first]
    p, q = [np.array([float(c) for c in each.values()]) for each in first]
    counts = (of_one[:, None] + of_other).reshape(-1, *of_one.shape[1:])
    found = np.outer(p, q).ravel() @ m.contrast_variance(Tally(m, 2, counts, items), w, people=True)
    exact = np.zeros(())
    for law_of_one, c in zip(first, (p, q), strict=True):
        own = np.array([np.tensordot(one.scores[y], w, w.ndim) for y in law_of_one])
        exact = exact + (c @ own**2 - (c @ own) ** 2) / 4
    sums = np.tensordot(scores, w, w.ndim)
    within = 1e-12 + 1e-7 * (chance @ sums**2)
    _close(found, exact, within, "variance of a weighted sum about two very people")


@_check(lambda example: isinstance(example.mechanism, AsksSome))
def estimates_of_those_asked_are_right(example: Example) -> None:
    """Given how many were asked, they are unbiased, with the stated variance and standard errors.

    Exactly: all reports of three people are taken together, or of two if they are too many.  First
    of these very people, the first inputs, and then of two people who have any input.
    """
    m: Any = example.mechanism
    one = known(example)
    alone = next(iter(one.tallies.values()))
    rule = "tally must hold answers"
    if np.any(m.numbers_asked(alone) == 0):
        _refuses(partial(m.estimate_of_asked, alone), rule, "an estimate of nobody's answers")
    _refuses(partial(m.standard_error_of_asked, alone), rule, "an error of one answer")
    laws_of = [{y: float(p) for y, p in law_of_one.items()} for law_of_one in one.laws]
    first = [i % len(laws_of) for i in range(3)]
    if prod(len(laws_of[i]) for i in first) > THREE:
        first = first[:2]
    people = example.inputs[np.array(first)]
    truth = m.expected(people).mean(0)
    variances = [m.variance_of_asked(people, number) for number in range(1, len(first) + 1)]
    _given_asked(example, [laws_of[i] for i in first], truth, variances, people=True)
    mixed = Counter[Hashable]()
    for law_of_one in laws_of:
        mixed.update({y: p / len(laws_of) for y, p in law_of_one.items()})
    _given_asked(example, [mixed, mixed], m.expected(example.inputs).mean(0), [], people=False)


def _given_asked(
    example: Example,
    laws_of: Sequence[Mapping[Hashable, float]],
    truth: Floats,
    variances: list[Floats],
    people: bool,
) -> None:
    """Compare moments of the estimate of those asked, given their number.

    They follow from the laws of independent reports.
    """
    m: Any = example.mechanism
    one = known(example)
    n = len(laws_of)
    if prod(map(len, laws_of)) > THREE:
        return
    chance = np.ones(1)
    counts = np.zeros((1, *m._one_trial), np.int64)
    for law_of_one in laws_of:
        each = np.stack([one.tallies[y].counts for y in law_of_one])
        chance = np.outer(chance, [*law_of_one.values()]).ravel()
        counts = (counts[:, None] + each).reshape(-1, *m._one_trial)
    tally = Tally(m, n, counts)
    asked = m.numbers_asked(tally)
    found = m._mean_of_asked(tally)
    every = asked.reshape(len(asked), -1).min(1) > 0
    if every.any():
        told = m.estimate_of_asked(replace(tally, counts=counts[every]))
        _close(found[every], told, 1e-12 * (1 + np.abs(told)), "estimate_of_asked")
    square = None
    if m.shares or not people:
        square = m._error_of_asked(tally, people)
    p = chance.reshape(-1, *[1] * truth.ndim)
    for number in range(1, n + 1):
        weight = np.where(asked == number, p, 0)
        some = weight.sum(0) > 0
        if not some.any():
            continue
        weight = weight[:, some] / weight.sum(0)[some]
        here = np.where(weight > 0, found[:, some], 0)
        mean = (weight * here).sum(0)
        variance = (weight * (here - mean) ** 2).sum(0)
        within = 1e-12 + 1e-9 * variance
        whose = f"of {number} of {n} people"
        nearly = 1e-12 + 1e-9 * np.sqrt(variance)
        _close(mean, truth[some], nearly, f"estimate_of_asked {whose}")
        if variances:
            stated = np.broadcast_to(variances[number - 1], truth.shape)[some]
            _close(variance, stated, within, f"variance_of_asked {whose}")
        if number > 1 and square is not None:
            told = (weight * np.where(weight > 0, square[:, some], 0)).sum(0)
            what = f"squared standard_error_of_asked(people={people}) {whose}"
            _close(variance, told, within, what)


@_check(_errors)
def intervals_cover_on_both_sides(example: Example) -> None:
    """Each end of an interval is wrong little more often than its z says.

    A larger z makes an interval wider.  Surveys of 2,000 people are drawn by the law: all inputs
    are equally frequent, or four in five people have the first.  An end may be wrong half as often
    again, and by as much more as scores are from normal (Berry–Esseen).
    """
    k = len(example.inputs)
    for share in dict.fromkeys((1 / k, 0.8)):
        members = np.full(k, int(SURVEYED * (1 - share) / (k - 1)))
        members[0] = SURVEYED - members[1:].sum()
        for people in (False, True)[: 1 + example.mechanism.shares]:
            _covered(example, members, people)


def _covered(example: Example, members: Ints, people: bool) -> None:
    """Look at intervals of people of whom so many have each input.

    They are about these very people, or about a population of which these are a sample.
    """
    m = example.mechanism
    one = known(example)
    rng = np.random.default_rng(13)
    n = members.sum()
    weights = members / n
    truth = np.tensordot(weights, m.expected(example.inputs, *named(example.items)), 1)
    chance, scores, counts = _mixed(example, weights)
    parts = [(chance, n)]
    if people:
        place = _places(one.laws)
        parts = []
        for law_of_one, size in zip(one.laws, members, strict=True):
            p = np.zeros(len(place))
            p[[place[y] for y in law_of_one]] = [float(q) for q in law_of_one.values()]
            parts.append((p, size))
    drawn = np.sum([rng.multinomial(size, p / p.sum(), SURVEYS) for p, size in parts], 0)
    items = next(iter(one.tallies.values())).items
    tally = Tally(m, int(n), np.tensordot(drawn, counts, 1), items)
    seconds = []
    thirds = []
    for p, size in parts:
        weight = size * p / n
        away = np.abs(scores - np.tensordot(p, scores, 1))
        seconds.append(np.tensordot(weight, away**2, 1))
        thirds.append(np.tensordot(weight, away**3, 1))
    second = np.sum(seconds, 0)
    third = np.sum(thirds, 0)
    noisy = second > 1e-12
    skew = third[noisy] / second[noisy] ** 1.5 / np.sqrt(n)
    widths = []
    for z in (1.0, 2.0):
        low, high = m.interval(tally, z, people=people)
        widths.append((high - low).mean(0)[noisy])
        allowed = np.minimum(1, 1.5 * ndtr(-z) + 0.5 * skew)
        for end, wrong in (("low", low > truth + 1e-9), ("high", high < truth - 1e-9)):
            times = wrong.sum(0)[noisy]
            p = bdtrc(times - 1, SURVEYS, allowed)
            p[times == 0] = 1
            what = f"the {end} end of an interval at z = {z:g}, people = {people}, is wrong"
            most = np.max(wrong.mean(0)[noisy], initial=0)
            found = f"{most:.3g} of the time, at most {ndtr(-z):.3g} is right"
            _must(p.min(initial=1) > FALSE_ALARM / (16 * p.size + 1), f"{what} {found}")
    usual = 2 * np.sqrt(second[noisy] / n)
    wider = np.all(widths[1] >= 1.2 * widths[0])
    _must(wider, "an interval is hardly wider at z = 2 than at z = 1")
    narrow = np.all(widths[0] <= WIDE * usual)
    _must(narrow, f"an interval is more than {WIDE} times as wide as z standard errors")


def _places(laws: Iterable[Law]) -> dict[Hashable, int]:
    """Return a number for each report, the least for those of the first input."""
    found = dict[Hashable, int]()
    for one in laws:
        for y in one:
            found.setdefault(y, len(found))
    return found


def _counts_supporters(example: Example) -> bool:
    m = example.mechanism
    return hasattr(m, "simulate_marginals") and hasattr(m, "supporters") and _errors(example)


@_check(_counts_supporters, once=True)
def an_item_that_nobody_holds_is_covered(example: Example) -> None:
    """If nobody holds an item, its interval at 95 % is hardly ever above zero.

    The chance is one in 40, or little more.  Supporters are binomial, and every number of them is
    looked at; with fewer than five expected, nothing is asked.
    """
    m: Any = example.mechanism
    q = float(m.support[1])
    z = float(-ndtri(SIDE))
    items = m.expected(example.inputs).shape[-1]
    for n in CROWDS:
        if n * q < 5:
            continue
        seen = np.repeat(np.arange(n + 1)[:, None], items, 1)
        tally = Tally(m, n, seen, marginal=True)
        chance = np.diff(bdtr(np.arange(n + 1), n, q), prepend=0.0)
        for people in (False, True)[: 1 + m.shares]:
            low = m.interval(tally, z, people=people)[0][:, 0]
            missed = float(chance[low > 1e-12].sum())
            most, often = apart(2 * SIDE, missed, 3)
            found = f"told from zero {often} of the time, at most {most} allowed"
            _must(missed <= 2 * SIDE, f"of {n} people nobody holds an item, and it is {found}")


@_check()
def estimate_is_the_mean_of_scores(example: Example) -> None:
    """Estimates are the mean of the estimates from each report alone, of 30 people and of 3,000.

    Of the many, reports alone are counted: another check is about their tally.
    """
    m = example.mechanism
    one = known(example)
    rng = np.random.default_rng(1)
    people = rng.integers(len(example.inputs), size=TALLIED)
    reports = m.perturb(example.inputs[people], rng=rng)
    for n in (30, TALLIED):
        came = Counter(_keys(example, reports[:n]))
        _must(came.keys() <= one.scores.keys(), "a report comes that no person sends alone")
        tally = _tally(example, reports[:n])
        if n > 30:
            counts = np.stack([one.tallies[y].counts for y in came])
            tally = replace(tally, n=n, counts=np.tensordot([*came.values()], counts, 1))
        each = np.stack([one.scores[y] for y in came])
        mean = np.asarray(np.tensordot([*came.values()], each, 1) / n)
        within = 1e-9 * (np.abs(mean) + np.max(np.abs(each)))
        _close(mean, m.estimate(tally), within, f"estimate of {n} people")
    scores = np.stack([*one.scores.values()])
    counts = TALLIED * np.stack([alone.counts for alone in one.tallies.values()])
    often = replace(tally, n=TALLIED, counts=counts)  # scores are outside of what is possible
    within = 1e-9 * (np.abs(scores) + np.max(np.abs(scores)))
    _close(scores, m.estimate(often), within, f"estimate of {TALLIED} people with one report")


@_check()
def estimate_takes_trials_one_by_one(example: Example) -> None:
    """Of counts with axes of trials, estimates, errors and intervals are those of each trial."""
    m = example.mechanism
    rng = np.random.default_rng(5)
    tallies = [_tally(example, m.perturb(example.inputs, rng=rng)) for _ in range(6)]
    counts = np.stack([tally.counts for tally in tallies])
    of: dict[str, Callable[[Tally], Any]] = {"estimate": m.estimate}
    if tallies[0].n > 1 and _errors(example):
        for people in (False, True)[: 1 + m.shares]:
            of[f"standard_error(people={people})"] = partial(m.standard_error, people=people)
            of[f"half of the interval(people={people})"] = partial(_half, m, people)
    for name, call in of.items():
        alone = np.stack([call(tally) for tally in tallies])
        within = 1e-12 * np.abs(alone) + 1e-13 * np.max(np.abs(alone))
        if name != "estimate":  # the root of what is zero but for rounding
            within += 1e-6 * np.max(np.abs(alone)) * (alone < 1e-6)
        for axes in ((6,), (2, 3)):
            of_trials = counts.reshape(*axes, *counts.shape[1:])
            trials = Tally(m, tallies[0].n, of_trials, tallies[0].items)
            each = alone.reshape(*axes, *alone.shape[1:])
            _close(each, call(trials), within.reshape(each.shape), f"{name} of trials {axes}")


def _half(m: Mechanism, people: bool, tally: Tally) -> Any:
    low, high = m.interval(tally, 1.0, people=people)
    return (high - low) / 2


# -------------------------------------------------------------------------------- client and server


@_check()
def draws_follow_the_law(example: Example) -> None:
    """In a crowd whose inputs take turns, reports come as often as the law of each input says."""
    _follow_the_law_by_turns(example, partial(_perturb, example.mechanism), FALSE_ALARM)


def _follow_the_law_by_turns(example: Example, send: Send, alarm: float) -> None:
    """Look at how often reports come in a crowd whose inputs take turns."""
    which = np.tile(np.arange(len(example.inputs)), DRAWS)
    drawn = send(example.inputs[which], np.random.default_rng(2))
    _come_as_often_as_alone(example, which, drawn, "among many people", alarm)


def _come_as_often_as_alone(
    example: Example, which: Ints, reports: Any, where: str, alarm: float
) -> None:
    """Compare how often reports of each input come with its law.

    `alarm` is of all inputs together.
    """
    drawn = _keys(example, reports)
    inputs = np.unique(which)
    for i in inputs:
        counts = Counter(drawn[j] for j in np.flatnonzero(which == i))
        exact = known(example).laws[i]
        for report in counts:
            unknown = f"{where}, input {i} sends {report!r:.200}, which its law does not know"
            _must(report in exact, unknown)
        expected = [float(p) * counts.total() for p in exact.values()]
        p = likelihood([counts[report] for report in exact], expected)
        what = f"{where}, input {i} has reports of another law than alone (p = {p:.1g})"
        _must(p > alarm / len(inputs), what)


def _numbers(example: Example, which: Ints, drawn: Any) -> Iterator[Floats]:
    """Turn each report into a number, once for each of several orders of the reports.

    Of a right client the numbers of all people are independent, and uniform with mean 0 and
    variance 1, whatever its law is.  A number says where a report stands among all that its input
    may send, in one order for all inputs, and at random within its own probability.  The first
    order is each input's own: the likelier first.
    """
    laws = known(example).laws
    rng = np.random.default_rng(9)
    place = _places(laws)
    chance = np.zeros((len(laws), len(place)))
    for i, one in enumerate(laws):
        for y, p in one.items():
            chance[i, place[y]] = float(p)
    # another check says what is not in a law
    seen = np.array([place.get(y, -1) for y in _keys(example, drawn)])
    orders = [np.argsort(-chance, 1, kind="stable")]
    for _ in range(ORDERS - 1):
        orders.append(np.tile(rng.permutation(len(place)), (len(laws), 1)))
    for order in orders:
        ends = np.cumsum(np.take_along_axis(chance, order, 1), 1)
        starts = np.zeros_like(chance)
        np.put_along_axis(starts, order, ends, 1)
        starts -= chance
        number = starts[which, seen] + chance[which, seen] * rng.random(len(which))
        yield np.sqrt(12) * (np.where(seen < 0, rng.random(len(which)), number) - 0.5)


def _keys(example: Example, drawn: Any) -> list[Hashable]:
    """Return the reports as they are in a law, in the same forms; each is looked up once."""
    outputs = known(example).outputs
    if not isinstance(drawn, np.ndarray) or drawn.dtype.hasobject:
        return [outputs.key(_alone(drawn, i)) for i in range(len(drawn))]
    found = dict[bytes, Hashable]()
    rows = row_keys(drawn)
    for i, row in enumerate(rows):
        if row not in found:
            found[row] = outputs.key(_alone(drawn, i))
    return [found[row] for row in rows]


def _people(example: Example, n: int) -> Ints:
    """Return which inputs a crowd of n people has: all about equally often, in no order."""
    return np.random.default_rng(8).permutation(np.arange(n) % len(example.inputs))


def _together(x: Floats) -> tuple[float, int]:
    """Largest correlation of a sequence with itself, in standard errors, and how many there are.

    The sequence is shifted around by any number of places, and mirrored at any place; and the i-th
    is compared with the i//2-nd, the i//3-rd, ….
    """
    n = len(x)
    waves = np.fft.fft(x)
    shifted = np.abs(np.fft.ifft(waves * waves.conj()).real[1:])
    if n % 2 == 0:
        shifted[n // 2 - 1] /= np.sqrt(2)  # each pair is there twice, as in a mirror
    # in a mirror, two people may be their own images: their squares are at most 3 each
    mirrored = (np.abs(np.fft.ifft(waves * waves).real) - 6) / np.sqrt(2)
    thinned = [abs(x[m:] @ x[np.arange(m, n) // m]) for m in range(2, THINNED)]
    return max(shifted.max(), mirrored.max(), *thinned) / np.sqrt(n), 2 * n + THINNED


@_check()
def nobody_in_a_crowd_goes_with_another(example: Example) -> None:
    """In a batch of many, in any order, no shift and no mirror image goes with the reports.

    People are in the order of the batch, or in that of their inputs.  A client that lets them share
    coins, by blocks, by turns, by halves or by values, shows it there; so does a batch that reports
    too much of one kind altogether.
    """
    which = _people(example, DRAWS)
    _alone_in_a_crowd(
        example, partial(_perturb, example.mechanism), which, "in a batch", FALSE_ALARM
    )


def _perturb(m: Any, people: Any, rng: Any) -> Any:
    return m.perturb(people, rng=rng)


def _alone_in_a_crowd(example: Example, send: Send, which: Ints, name: str, alarm: float) -> Any:
    """Look at a crowd of people who have these inputs, and return their reports."""
    crowd = example.inputs[which]
    before = dumps(crowd)
    drawn = send(crowd, np.random.default_rng(8))
    _must(dumps(crowd) == before, f"{CHANGED}, in a batch of {len(which)} people")
    _must(len(drawn) == len(which), f"{len(which)} people send {len(drawn)} reports")
    by_input = np.argsort(which, kind="stable")
    for x in _numbers(example, which, drawn):
        for who, y in ((name, x), ("by input", x[by_input])):
            far, tried = _together(y)
            limit = -float(ndtri(alarm / (4 * ORDERS * tried)))
            off = _off(far, limit)
            _must(far <= limit, f"of {len(y)} people {who}, reports go together: {off}")
        far = abs(x.sum()) / np.sqrt(len(x))
        limit = -float(ndtri(alarm / (4 * ORDERS)))
        off = _off(far, limit)
        batch = f"a batch of {len(x)} people {name}"
        _must(far <= limit, f"{batch} reports too much of one kind: {off}")
    return drawn


@_check()
def crowds_of_other_mixtures_are_alone(example: Example) -> None:
    """People report as if alone in crowds of other mixtures, too.

    They come in the order of their inputs; or all, or 14 in 15 of them, have one input.  So it
    is seen if a client asks what most people have.  The array of all reports is sent in one form,
    whatever they have and in whatever order, in two or three draws.
    """
    _crowds_are_alone(example, partial(_perturb, example.mechanism), FALSE_ALARM)


def _crowds_are_alone(example: Example, send: Send, alarm: float) -> None:
    """Look at form and law of what is sent of crowds of several mixtures."""
    forms = Forms()
    for name, which in _crowds(example):
        for seed in FORM_SEEDS:
            forms.take(send(example.inputs[which], np.random.default_rng(seed)), name)
    mixtures = dict(_mixtures(example))
    alarm /= 2 * len(mixtures)
    for name, which in mixtures.items():
        forms.take(_alone_in_a_crowd(example, send, which, name, alarm), name)
        reports = send(example.inputs[which], np.random.default_rng(15))
        where = f"of {CROWD} people {name}"
        _come_as_often_as_alone(example, which, reports, where, alarm)


def _must_share_nothing(reports: Any) -> None:
    """Refuse an array of objects in which reports of two people have a part that is one object."""
    if not reports.dtype.hasobject:
        return
    first = dict[int, int]()
    held = list[Any]()  # so that no other part gets the address of one
    for i, report in enumerate(reports):
        parts = told_apart(report)
        held.append(parts)
        constants = set[int]()
        for part in parts:
            if id(part) in constants or _is_constant(part):
                constants.update(map(id, told_apart(part)))  # the value of a member of an Enum, too
                continue
            j = first.setdefault(id(part), i)
            what = f"reports of people {j} and {i} share one {type(part).__name__}"
            _must(i == j, f"{what}, which a receiver of both sees: return copy.deepcopy of each")


def _is_constant(part: Any) -> bool:
    """Whether a receiver has one object for it, however often it comes, as a member of an Enum."""
    with suppress(Exception):  # some objects can be sent and not be read
        return loads(dumps(part)) is part
    return False


class Forms:
    """Arrays of crowds, which must be in one form, whoever it is."""

    def __init__(self) -> None:
        self._names = dict[Hashable, str]()

    def take(self, reports: Any, name: str) -> None:
        """Look at the form of an array; refuse another one than those before."""
        _must_be_array(reports)
        _must_share_nothing(reports)
        self._names.setdefault((form_of(reports.dtype), *layout(reports)), name)
        several = f" has one form, another that of {CROWD} people ".join(self._names.values())
        cure = "return ….copy() of one dtype"
        _must(len(self._names) == 1, f"the array of {CROWD} people {several}: {cure}")


def _crowds(example: Example) -> Iterator[tuple[str, Ints]]:
    """Name more crowds than `_mixtures`, of which no statistics are made."""
    mixtures = dict(_mixtures(example))
    yield from mixtures.items()
    (ascending, *_) = mixtures.values()
    yield "in the opposite order of their inputs", ascending[::-1]
    for i in range(MIXED, min(len(example.inputs), ALIKE)):
        yield f"who all have input {i}", np.full(CROWD, i)


def _mixtures(example: Example) -> Iterator[tuple[str, Ints]]:
    """Name crowds, and say who has which input in them."""
    k = len(example.inputs)
    yield "in the order of their inputs", np.arange(CROWD) * k // CROWD
    for i in range(min(k, MIXED)):
        yield f"who all have input {i}", np.full(CROWD, i)
        rare = np.random.default_rng(14).permutation(CROWD)[: CROWD // RARE]
        which = np.full(CROWD, i)
        which[rare] = (i + 1 + np.arange(len(rare)) % (k - 1)) % k
        yield f"of whom most have input {i}", which


@_check(once=True, slow=True)
def batch_after_batch_people_are_alone(example: Example) -> None:
    """In a thousand batches no place, no pair of places, no total, and no later batch stands out.

    A place of its own law, two places that go together, and totals that vary too much or too
    little show clients that share coins or deal them out; batches that go together show a client
    that keeps coins, or puts the generator back to where it was.
    """
    for batches, n in BATCHES:
        one = _people(example, n)
        crowd = example.inputs[one]
        rng = np.random.default_rng(11)
        drawn = [example.mechanism.perturb(crowd, rng=rng) for _ in range(batches)]
        for flat in _numbers(example, np.tile(one, batches), np.concatenate(drawn)):
            _alone_in_batches(flat.reshape(batches, len(one)))


def _alone_in_batches(x: Floats) -> None:
    """Look at numbers that are uniform and independent if a client is right: (batches, people)."""
    batches, n = x.shape
    several = 5 * ORDERS * len(BATCHES)
    limit = -float(ndtri(FALSE_ALARM / (several * n * n)))
    if batches >= PLACES:  # enough of them for a statement about each place
        places = np.abs(x.sum(0)) / np.sqrt(batches)
        at = int(places.argmax())
        off = _off(places[at], limit)
        _must(places[at] <= limit, f"in {batches} batches, person {at} has a law of its own: {off}")
    if batches > n:  # and about each pair
        pairs = np.abs(np.triu(x.T @ x, 1)) / np.sqrt(batches)
        i, j = map(int, np.unravel_index(pairs.argmax(), pairs.shape))
        off = _off(pairs[i, j], limit)
        _must(pairs[i, j] <= limit, f"in {batches} batches, people {i} and {j} go together: {off}")
    far = _rectangles(x)
    off = _off(far, RECTANGLES)
    _must(far <= RECTANGLES, f"in {batches} batches of {n} people, pairs go together: {off}")
    square = float((x.sum(1) ** 2).sum() / n)
    p = 2 * min(float(chdtr(batches, square)), float(chdtrc(batches, square)))
    what = f"have {square / batches:.3g} of the variance of people who are alone (p = {p:.1g})"
    _must(p > FALSE_ALARM / several, f"totals of {batches} batches of {n} people {what}")
    waves = np.fft.fft(x.ravel())
    shifted = np.abs(np.fft.ifft(waves * waves.conj()).real[1:])[: x.size // 2 - 1]
    far = shifted.max() / np.sqrt(x.size)
    limit = -float(ndtri(FALSE_ALARM / (several * x.size)))
    off = _off(far, limit)
    at = 1 + int(shifted.argmax())
    _must(far <= limit, f"somebody and who reports {at} places later go together: {off}")


def _rectangles(x: Floats) -> float:
    """Sum of x_ri x_rj x_si x_sj over all pairs of batches and of people, in standard errors.

    If all are independent, no two of these products are correlated.  If two people go together,
    or two batches, their products are positive on average, in whatever pairs.
    """
    batches, n = x.shape
    square = np.square(x)
    if batches < n:
        gram = x @ x.T
    else:
        gram = x.T @ x
    every = np.square(gram).sum() + np.square(square).sum()
    within = np.square(square.sum(0)).sum() + np.square(square.sum(1)).sum()
    return float((every - within) / 4 / np.sqrt(batches * (batches - 1) * n * (n - 1) / 4))


def _independent(example: Example, people: Sequence[int]) -> None:
    """Compare the law of all reports of these people with the product of their laws."""
    inputs = example.inputs[np.array(people)]
    together = law(lambda rng: example.mechanism.perturb(inputs, rng=rng))
    alone = {}
    for some in product(*(known(example).laws[i].items() for i in people)):
        reports, chances = zip(*some, strict=True)
        alone[reports] = prod(chances, start=Fraction(1))
    _must(together == alone, f"people with inputs {people} do not report as if each were alone")


@_check(lambda example: example.pairs, slow=True)
def people_are_independent(example: Example) -> None:
    """Two people's reports have the product of their laws, in either order.

    The two have any of three inputs, or of two if there are many branches.
    """
    few = (3 * known(example).branches[0]) ** 2 <= THREE
    inputs = range(len(example.inputs))[: 3 if few else 2]
    for people in product(inputs, repeat=2):
        _independent(example, people)


def _three(example: Example) -> tuple[int, int, int]:
    return 1, 0, 2 % len(example.inputs)


@_check(_few, once=True, slow=True)
def three_people_are_independent(example: Example) -> None:
    """Three people's reports have the product of their laws."""
    _independent(example, _three(example))


@_check()
def tallies_add(example: Example) -> None:
    """Tallies of parts add up to the tally of all, which counts every report and changes none."""
    m = example.mechanism
    rng = np.random.default_rng(3)
    people = rng.integers(len(example.inputs), size=TALLIED)
    reports = m.perturb(example.inputs[people], rng=rng)
    before = dumps(reports)
    fifties = range(50, TALLIED, 50)
    for n, several in ((50, ((7, 20), (0, 50), (1, 1))), (TALLIED, ((1, 1000), fifties))):
        whole = _tally(example, reports[:n])
        _must(whole.n == n, f"of {n} reports {whole.n} are counted")
        for cuts in several:
            parts = np.split(reports[:n], cuts)
            total: Any = sum(_tally(example, part) for part in parts)
            same = total.n == n and np.array_equal(total.counts, whole.counts)
            found = f"{total.counts.tolist()!s:.200}, uncut {whole.counts.tolist()!s:.200}"
            _must(same, f"{n} reports in {len(parts)} parts count {found}")
            _must(dumps(reports) == before, "tally changes the reports that it is handed")


@_check()
def same_seed_same_reports(example: Example) -> None:
    """Nothing is drawn from but the generator that is handed in."""
    numpys, own = _global_states()
    crowd = example.inputs[[0] * 200]
    one = example.mechanism.perturb(crowd, rng=np.random.default_rng(4))
    other = example.mechanism.perturb(crowd, rng=np.random.default_rng(4))
    same = freeze(one) == freeze(other)
    example.mechanism.estimate(_tally(example, one))
    _must(same, "two generators of one seed give different reports")
    numpys_now, own_now = _global_states()
    _must(numpys == numpys_now, "numpy's global generator was drawn from")
    _must(own == own_now, "Python's global generator, of the module random, was drawn from")


def _listable(example: Example) -> bool:
    return isinstance(example.inputs, np.ndarray) and not example.inputs.dtype.names


@_check(_listable, once=True)
def lists_are_as_good_as_arrays(example: Example) -> None:
    """From one seed a list of values, and of integers short ones, have the reports of an array."""
    values = example.inputs[_people(example, 200)]
    same = {"a list": values.tolist()}
    if values.dtype.kind == "i":
        same["an array of int32"] = values.astype(np.int32)
    right = freeze(example.mechanism.perturb(values, rng=np.random.default_rng(4)))
    for name, others in same.items():
        found = freeze(example.mechanism.perturb(others, rng=np.random.default_rng(4)))
        _must(found == right, f"from one seed {name} of values has other reports than an array")


@_check(once=True)
def the_system_is_a_source_of_randomness(example: Example) -> None:
    """From `chance.SystemRandom`, the source of reports that are sent, clients draw as well."""
    try:
        reports = example.mechanism.perturb(example.inputs, rng=SystemRandom())
    except ValueError as error:
        raise AssertionError(f"SystemRandom is refused: {error}") from error
    came = set(_keys(example, reports))
    is_known = came <= known(example).reports.keys()
    _must(is_known, "with SystemRandom a report comes that no law knows")


@_check(_stated)
def a_mechanism_is_its_fields(example: Example) -> None:
    """Equal fields make equal mechanisms.

    With another ε it is another mechanism, whose tallies are not taken.
    """
    m: Any = example.mechanism
    copy = replace(m)
    _must(copy == m, "a mechanism is not equal to its copy")
    same_hash = type(m).__hash__ is None or hash(copy) == hash(m)
    _must(same_hash, "a mechanism and its copy have two hashes")
    for part in (0.99, 1.01):
        with suppress(ValueError):  # where the class has limits of its own
            other: Any = _with(example, part * m.epsilon)
            _must(other != m, f"a mechanism equals the one of ε = {other.epsilon}")
            tally = _tally(example, m.perturb(example.inputs, rng=np.random.default_rng(0)))
            _refuses(partial(other.estimate, tally), "tally must be of", "a tally of another ε")


def _global_states() -> tuple[Any, Any]:
    """States of the generators that nobody may touch: numpy's and Python's."""
    _, words, *rest = np.random.get_state()  # noqa: NPY002
    return (np.asarray(words).tobytes(), *rest), random.getstate()


# --------------------------------------------------------------------------------------- simulation


def _simulations(example: Example) -> dict[str, Callable[..., Tally]]:
    """Ways to simulate people from their histogram.

    On an open domain the values that are counted have to be named.
    """
    m: Any = example.mechanism
    values = {} if example.items is None else {"values": example.inputs}
    found = dict[str, Callable[..., Tally]]()
    for way in ("simulate", "simulate_marginals"):
        simulate = getattr(m, way, None)
        if simulate is not None and "trials" in signature(simulate).parameters:
            found[way] = partial(simulate, **values)
    return found


@_check(lambda example: example.pairs and _simulated(example), slow=True)
def simulate_has_the_law_of_two_clients(example: Example) -> None:
    """Two people's simulated counts have the law of the sum of theirs; marginals, each alone."""
    one = known(example).counts
    k = len(example.inputs)

    def counted(simulate: Callable[..., Tally], histogram: Ints, rng: Paths) -> Any:
        return simulate(histogram, trials=1, rng=rng).counts.ravel()

    for i, j in combinations_with_replacement(range(k)[:3], 2):
        both: Any = Counter()
        for (a, p), (b, q) in product(one[i].items(), one[j].items()):
            both[tuple(map(add, a, b))] += p * q
        histogram = np.bincount([i, j], minlength=k)
        for way, simulate in _simulations(example).items():
            drawn: Any = law(partial(counted, simulate, histogram))
            # marginals have the law of each count alone
            parts: Any = range(k) if way == "simulate_marginals" else [slice(None)]
            for v in parts:
                of_clients = _image(both, {y: y[v] for y in both})
                simulated = _image(drawn, {y: y[v] for y in drawn})
                apart = total_variation(of_clients, simulated)
                what = f"{way} of inputs {i} and {j} is {float(apart):.3g}"
                _must(apart <= 2.0**-50, f"{what} from the law of clients")


@_check(_simulated, slow=True)
def simulate_has_the_law_of_many_clients(example: Example) -> None:
    """Each simulated count of many people is drawn by the law of the sum of theirs.

    Trials are independent.  Sums of two counts, and that of all, have their laws as well, but where
    each count is simulated alone.
    """
    one = known(example).counts
    histogram = 2 * np.arange(1, len(example.inputs) + 1)
    for way, simulate in _simulations(example).items():
        tally = simulate(histogram, trials=TRIALS, rng=np.random.default_rng(6))
        n = histogram.sum()
        _must(tally.n == n, f"{way} says that {tally.n} of {n} people were counted")
        counts = tally.counts.reshape(TRIALS, -1)
        cells = counts.shape[1]
        sums = [[v] for v in range(cells)]
        if way == "simulate":
            sums += [[v, v + 1] for v in range(cells - 1)] + [list(range(cells))]
        for some in sums:
            people = []
            for counts_of_one, size in zip(one, histogram, strict=True):
                people += [_sum_of(counts_of_one, some)] * int(size)
            exact = reduce(np.convolve, people)
            what = "the sum of count" if len(some) > 1 else "count"
            _drawn_by(counts[:, some].sum(1), exact, f"{way} draws {what} {some}")


def _sum_of(law_of_counts: Mapping[Any, Fraction], some: Sequence[int]) -> Floats:
    """Chance of each value that the sum of some counts of one report may have."""
    chance = [float(p) for p in law_of_counts.values()]
    return np.asarray(np.bincount([sum(y[v] for v in some) for y in law_of_counts], chance))


def _drawn_by(drawn: Ints, exact: Floats, what: str) -> None:
    """Look at trials of one number: they must have this law, and not go together."""
    _must(drawn.max() < len(exact), f"{what} as {drawn.max()}, more than {len(exact) - 1}")
    p = likelihood(np.bincount(drawn, minlength=len(exact)), TRIALS * exact)
    _must(p > FALSE_ALARM, f"{what} by another law than clients do (p = {p:.1g})")
    place = np.cumsum(exact)[drawn] - exact[drawn] * np.random.default_rng(16).random(len(drawn))
    far, tried = _together(np.sqrt(12) * (place - 0.5))
    limit = -float(ndtri(FALSE_ALARM / (4 * tried)))
    off = _off(far, limit)
    _must(far <= limit, f"{what} in trials that go together: {off}")


# ----------------------------------------------------------------------------------------- refusals


@_check(_stated, once=True)
def bad_epsilon_is_refused(example: Example) -> None:
    """No ε is taken that is no number from the least to the largest."""
    for epsilon in NO_EPSILONS:
        _refuses(partial(_with, example, epsilon), r"epsilon must .*, got", f"ε = {epsilon!r}")


@_check(once=True)
def bad_rng_is_refused(example: Example) -> None:
    """Only generators are drawn from."""
    m: Any = example.mechanism
    for rng in (None, 0, 42, np.random.RandomState(0)):  # noqa: NPY002
        again = partial(m.perturb, example.inputs, rng=rng)
        _refuses(again, "rng must be a numpy.random.Generator", f"rng = {rng!r}")


@_check(once=True)
def nobody_is_refused(example: Example) -> None:
    """There is no report of nobody."""
    nobody = partial(example.mechanism.perturb, example.inputs[:0], rng=np.random.default_rng(0))
    _refuses(nobody, "at least one person", "a batch of nobody")


@_check(once=True)
def foreign_and_empty_tallies_are_refused(example: Example) -> None:
    """Tallies of another mechanism are neither estimated from nor added.

    Neither no report has an estimate, nor have counts above the number of reports.
    """
    m = example.mechanism
    reports = m.perturb(example.inputs, rng=np.random.default_rng(0))
    own = _tally(example, reports)
    foreign = replace(own, mechanism=NonCallableMock(spec=Mechanism))
    of_another = "estimating from another mechanism's tally"
    _refuses(lambda: m.estimate(foreign), "tally must be of", of_another)
    _refuses(lambda: own + foreign, "one mechanism", "adding another mechanism's tally")
    empty = _tally(example, reports[:0])
    _refuses(lambda: m.estimate(empty), "at least one report", "estimating from no report")
    many = replace(own, counts=own.counts + own.n + 1)
    above = "estimating from counts above the number of reports"
    _refuses(lambda: m.estimate(many), "at most", above)


def _numeric(example: Example) -> bool:
    x = example.inputs
    if isinstance(x, Records):
        return x.values is not None and len(x.values) > 0
    return x.dtype.kind in "iuf" and not isinstance(example.mechanism, OpenMechanism)


@_check(_numeric, once=True)
def what_is_no_value_is_refused(example: Example) -> None:
    """Where values are numbers, nothing, text, NaN and infinite numbers are refused.

    So are items that there are not.  Numbers beyond the inputs are refused, or keep ε.
    """
    m: Any = example.mechanism
    x = example.inputs
    for name, values in _no_values(x):
        call = partial(m.perturb, values, rng=np.random.default_rng(0))
        _refuses(call, "", f"the value {name}")
    for name, shown in _beyond(example):
        what = f"the value {name} is not refused, and tells itself from the inputs"
        what = f"{what} by {shown.epsilon!r}"
        _must(shown.ratio is not None and shown.ratio <= odds(m.epsilon), what)
    if m.takes == "item":
        for code in (-1, m.k):
            call = partial(m.perturb, np.append(x, code), rng=np.random.default_rng(0))
            _refuses(call, "", f"the item {code} of {m.k}")


def _no_values(x: Any) -> Iterator[tuple[str, Any]]:
    """Name what is no number, and put it in the place of the first number."""
    for bad in NO_NUMBERS:
        if isinstance(x, Records):
            numbers: Any = x.values
            if isinstance(bad, float):
                yield str(bad), Records(x.offsets, x.keys, np.append(bad, numbers[1:]))
            continue
        values = x.astype(float if isinstance(bad, float) else object)
        values.flat[0] = bad
        yield repr(bad), values if isinstance(bad, float) else values.tolist()


def _beyond(example: Example) -> Iterator[tuple[str, Worst]]:
    """Name numbers beyond the inputs that a client takes.

    Say, too, how well reports tell them from inputs.
    """
    x = example.inputs
    if isinstance(x, Records) or x.dtype.kind != "f" or example.groups:
        return
    low = x.min()
    high = x.max()
    for number in (low - (high - low) / 4, high + (high - low) / 4, -1e9, 1e9):
        one = x[:1].copy()
        one.flat[0] = number
        with suppress(ValueError):  # it is refused, or has too many branches
            beyond = laws(example.mechanism, one, limit=FEW)
            yield f"{number:.3g}", worst([*known(example).laws, *beyond])


def _laid_out(example: Example) -> bool:
    with suppress(NotImplementedError):
        return bool(example.mechanism.layout)
    return False


@_check(_laid_out)
def forged_reports_count_once_or_are_refused(example: Example) -> None:
    """Numbers beyond those of `layout` are refused.

    What is taken counts once, and adds no more than `influence`.  Tried are reports drawn at random
    from all of their type, those of ones, and rows of numbers in place of a number.
    """
    m: Any = example.mechanism
    for what, forged in _out_of_range(example):
        _refuses(partial(_tally, example, forged), "", f"a report whose {what}")
    scores = np.stack([score.ravel() for score in known(example).scores.values()])
    stated = {}
    for targets in range(1, min(TARGETS, scores.shape[1]) + 1):
        own = largest_sum(scores, targets)  # another check compares it with the stated one
        stated[targets] = max(own, m.influence(targets, *named(example.items)))
    for forged in _forged(example):
        try:
            tally = _tally(example, forged)
        except ValueError:
            continue
        _must(tally.n == 1, f"one report is counted {tally.n} times: {forged.tolist()!s:.200}")
        score = m.estimate(tally).reshape(1, -1)
        for targets, most in stated.items():
            added = largest_sum(score, targets)
            says, adds = apart(float(most), float(added), 9)
            what = f"a forged report adds {adds} to {targets} entries, and influence says {says}"
            _must(added <= most + 1e-9 * (1 + abs(most)), f"{what}: {forged.tolist()!s:.200}")


def _parts(example: Example, reports: Any) -> Iterator[tuple[str, Any, int]]:
    """Name the integer parts of reports, and say how many values each of them can have."""
    for name, (_, values, *_) in example.mechanism.layout.items():
        part = reports[name] if name else reports
        if part.dtype.kind in "iu":
            yield name, part, int(values)


def _out_of_range(example: Example) -> Iterator[tuple[str, Any]]:
    """Forge reports with a number beyond those that there are.

    Negative ones may be meant, where a client sends one.
    """
    reports = known(example).reports
    report = next(iter(reports.values()))
    legal = {name: set[Any]() for name, *_ in _parts(example, report)}
    for one in reports.values():
        for name, part, _ in _parts(example, one):
            legal[name].update(part.ravel().tolist())
    for name, part, values in _parts(example, report):
        limits = np.iinfo(part.dtype)
        for bad in {values, values + 1, -1, 2**31 - 1 if values < 2**31 else values} - legal[name]:
            if part.size and limits.min <= bad <= limits.max:
                forged = report.copy()
                (forged[name] if name else forged)[...] = bad
                yield f"{name or 'number'} is {bad} of {values}", forged


def _forged(example: Example) -> Iterator[Any]:
    """Forge reports of the type of those that are sent, with the largest numbers and with any."""
    rng = np.random.default_rng(17)
    report = next(iter(known(example).reports.values()))
    for i in range(FORGED + 1):
        forged = report.copy()
        for name in report.dtype.names or ("",):
            part = forged[name] if name else forged
            if part.dtype.kind == "b":
                part[...] = rng.integers(0, 2, part.shape) if i else True
        for _, part, values in _parts(example, forged):
            part[...] = rng.integers(0, min(values, 2**62), part.shape) if i else values - 1
        yield forged
    if not report.dtype.names and report.dtype.kind in "iu":
        yield np.stack([np.zeros_like(report), np.full_like(report, 5)], 1)


def _bits(example: Example) -> list[Any]:
    """Fields of reports that are bools; all of a report that has no fields is an ellipsis."""
    reports: Any = None
    with suppress(Exception):  # other checks say it better
        reports = example.mechanism.perturb(example.inputs[:1], rng=np.random.default_rng(0))
    if not isinstance(reports, np.ndarray):
        return []
    return [name for name in reports.dtype.names or [...] if reports[name].dtype == np.bool_]


@_check(_bits, once=True)
def bytes_that_are_no_bits_are_refused(example: Example) -> None:
    """Bools that hold another byte than 0 or 1 are refused.

    They would be added as the number that the byte is, and one report would count for many.
    """
    for byte in (2, 254, 255):
        reports = example.mechanism.perturb(example.inputs[[0] * 9], rng=np.random.default_rng(0))
        for name in _bits(example):
            forged = reports.copy()
            bits = forged[name].view(np.uint8)
            bits[np.unravel_index(np.argmax(bits), bits.shape)] = byte  # where a one is
            _refuses(partial(_tally, example, forged), "bools", f"a byte {byte} in a bool")
