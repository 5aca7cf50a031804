"""The contract of `ldpnb.core` as checks that every mechanism can be put to, exact wherever it can be enumerated.

`check_mechanism` runs all checks that apply to a mechanism; `parametrize` makes tests of pytest of them, one for each
check and example.  A check is a function of a `core.Example`; it returns if the promise is kept, and else raises an
AssertionError that says what was found.

Exact checks read the law of the client's own code, which is walked once for each example.

Sampled checks raise a false alarm once in 10⁹ at most, each of them:

- Counts are compared with what is expected of them by a bound that holds for any number of people
  (`likelihood`).
- In crowds, reports are turned into numbers that are independent and uniform if a client is right,
  whatever its law is (`_numbers`).  What is then added up are products of at most 3 in size, some
  thousand of them at least (127 for one total), which are uncorrelated: their sum is normal, but
  for a factor of 2 or so at the 6 to 8 standard errors that are allowed.  The limit of each sum is
  that of a normal law for all of them together (Bonferroni), at 10⁻⁹.
- `_rectangles` is no sum of independent terms; of 12,000 simulated, its largest was 3.8 standard
  errors, and 8 are allowed.

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
from dataclasses import fields, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from itertools import combinations_with_replacement, product
from math import exp, inf, isclose, log, nan, prod
from operator import add
from pickle import dumps
from typing import Any, NamedTuple
from unittest.mock import NonCallableMock

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, chdtr, chdtrc, ndtri

from ldpnb.chance import Law, Outputs, Paths, freeze, law, odds
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import (
    Example,
    Floats,
    Ints,
    Mechanism,
    OpenMechanism,
    Records,
    Tally,
    largest_sum,
    named,
)
from ldpnb.verify._laws import (
    Rows,
    _values,
    laws,
    moments,
    moments_of,
    row_keys,
    stated_rounding,
    total_variation,
    worst,
)

FALSE_ALARM = 1e-9
DRAWS = 4000  # of each input
TRIALS = 3000
GRID = 40_321  # numbers from −1 to 1, the middles of up to 630 cells among them
THREE = 20_000  # branches up to which three people, or all pairs of three inputs, are walked
CHANGED = "the client changes the values that it is handed"
COSTS = ("report", "report and item")
OTHERS = 0.35, 4.7  # as parts of the ε that an example has: where its client is walked, too
ORDERS = 3  # in which reports are lined up
THINNED = 65  # from which on a crowd is not thinned out any more
BATCHES = (1000, 127), (16, 4000)  # number of batches, people in each
RECTANGLES = 8.0  # of 12,000 simulated, the largest was 3.8
PAIRS = 20_000  # pairs of reports up to which their standard errors are all looked at
TALLIED = 3000  # reports that are counted, whole and in parts
TARGETS = 12  # entries up to which influence on any number of them is looked at
CROWDS = 50, 300, 3000  # people of whom nobody holds an item
SIDE = 0.025  # chance that one end of an interval at 95 % is wrong
EPSILONS = (EPSILON_MIN, 0.01, 0.1, 1, 3, 10, 20, EPSILON_MAX)
NO_EPSILONS = (0, -1.0, nan, inf, 32.5, 1e-9, "1", None, True, 1j)

Check = Callable[[Example], None]


class Slack(UserWarning, AssertionError):
    """A mechanism keeps its ε with room to spare: it might have a smaller variance, or state a smaller ε.

    A warning; with ``warnings.simplefilter("error", Slack)`` it is a breach like others.
    """


def check_mechanism(mechanism: Mechanism | Example, inputs: Any = None, **about: Any) -> list[str]:
    """Run every check that applies, and return their names.

    A mechanism that keeps its ε with room to spare is warned about (`Slack`), and keeps its contract.

    What no check sees:

    - a client that does otherwise after thousands of calls, beyond thousands of people in one call,
      for certain numbers of people, or for a source of randomness that is a `chance.Paths`;
    - rare randomness from elsewhere, a truth told once in a thousand reports;
    - an ε between those that are tried: its own, 0.35 and 4.7 times as much, and 16;
    - more than three people who go together though no two of them do, and two of more than 127
      people who share a coin in places that follow no rule;
    - a tally or an estimate that errs beyond some thousand reports, influence on more than 12
      entries, and whatever larger instances of the class do.

    Parameters
    ----------
    mechanism : Mechanism or Example
        Small enough to be enumerated: a few items, keys or letters.
    inputs : sequence or Records
        Values of one person each, as `perturb` takes them, of an `Example` its own; a pair that reports tell apart best
        must be among them.
    **about
        What else an `Example` says: ``items``, ``groups``, ``histogram``, ``pairs``.

    Raises
    ------
    AssertionError
        If the contract is not kept; it names the checks that failed, and says what each of them found.

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
    epsilon_of_the_law_is_the_stated_one: the client shows more than ε = 1.0: report 0 tells input 0 from 1 by 1.62...
    epsilon_is_kept_at_every_size: at ε = 1e-06 the realised one is 0.91...
    """
    if isinstance(mechanism, Mechanism):
        mechanism = Example(mechanism, inputs if isinstance(inputs, Records) else np.asarray(inputs), **about)
    if unusable := _unusable(mechanism):
        raise AssertionError(f"{mechanism} does not keep its contract\nof one person, {unusable}")
    kept, broken = [], []
    for check, example in plan([mechanism]):
        try:
            check(example)
            kept.append(check.__name__)
        except AssertionError as error:
            broken.append(f"{check.__name__}: {error}")
        except Exception as error:
            error.add_note(f"in the check {check.__name__} of {example}")
            raise
    if broken:
        raise AssertionError("\n".join([f"{mechanism} does not keep its contract", *broken]))
    return kept


def _unusable(example: Example) -> str:
    """Say why no check can be made of a client, or nothing; of other errors, the first check tells."""
    with suppress(Exception):
        try:
            known(example)
        except AssertionError as error:
            return str(error)
    return ""


def plan(examples: Iterable[Example]) -> list[tuple[Check, Example]]:
    """Pair checks with the examples they apply to, those that once is enough for with the smallest of each class."""
    listed = list(examples)
    size = {example: example.mechanism.report_bits + example.mechanism.public_bits for example in listed}
    smallest = {type(example.mechanism): example for example in sorted(listed, key=size.__getitem__, reverse=True)}
    return [
        (check, example)
        for example in listed
        for check, kind in checks.items()
        if not kind.once or smallest[type(example.mechanism)] is example
        if kind.applies(example)
    ]


def parametrize(examples: Iterable[Example], slow: Any = ()) -> Any:
    """Return the mark of pytest for a test of `check` and `example`, which has to call ``check(example)``.

    Parameters
    ----------
    examples : iterable of Example
    slow : marks
        Of the checks that take seconds.
    """
    import pytest

    def case(check: Check, example: Example) -> Any:
        name = f"{check.__name__}-{str(example)[:60]}".replace("\n", " ")
        return pytest.param(check, example, marks=slow if checks[check].slow else (), id=name)

    return pytest.mark.parametrize(("check", "example"), [case(*one) for one in plan(examples)])


# ---------------------------------------------------------------------------------------------- what checks share


class Known:
    """What is read off the law of a client: of each input, and of each report that it sends."""

    def __init__(self, example: Example) -> None:
        self.example, self.reports = example, dict[Hashable, Any]()
        self.laws, self.branches = list[Law](), Counter[int]()
        self.traces = list[dict[Hashable, Law]]()  # of each input, for each report the law of the draws behind it
        self.outputs, self._rows = Outputs(), Rows()
        numbers = dict[tuple[Hashable, ...], int]()
        handed = deepcopy(example.inputs)
        example.mechanism.perturb(handed, rng=np.random.default_rng(0))
        _must(freeze(_values(handed)) == freeze(_values(example.inputs)), CHANGED)
        for i in range(len(example.inputs)):
            both: dict[Any, Fraction] = law(partial(self._report, i, example.inputs[i : i + 1], numbers))
            self.laws.append(_image(both, {number: key for (key, *_), number in numbers.items()}))
            self.traces.append({key: {} for key in self.laws[i]})
            for (key, *trace), number in numbers.items():
                if number in both:
                    self.traces[i][key][tuple(trace)] = both[number] / self.laws[i][key]
        _must(freeze(_values(handed)) == freeze(_values(example.inputs)), CHANGED)  # after every branch, too

    def _report(self, i: int, person: Any, numbers: dict[tuple[Hashable, ...], int], rng: Paths) -> int:
        self.branches[i] += 1
        report = self.example.mechanism.perturb(person, rng=rng)
        _must(isinstance(report, np.ndarray), f"reports are a {type(report).__name__}, and must be an array")
        _must(len(report) == 1, f"one person with input {i} sends {len(report)} reports")
        key = self.outputs.key(self._rows.only(report))
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


known = lru_cache(maxsize=4)(Known)  # a client is walked once for all checks


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
    some, m = seen > 0, len(meant) - 1
    if np.any(meant[some] <= 0):
        return 0.0
    t = float((seen[some] * np.log(seen[some] / meant[some])).sum())
    return exp(m - t + m * log(t / m)) if t > m > 0 else 1.0


def _pooled(observed: ArrayLike, expected: ArrayLike) -> tuple[Floats, Floats]:
    seen, meant = np.asarray(observed, float), np.asarray(expected, float)
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
    _must(off[at] <= 0, f"{what} at {at} is {stated[at]:.9g}, found {found[at]:.9g}")


def _refuses(call: Callable[[], Any], rule: str, what: str) -> None:
    try:
        call()
    except ValueError as error:
        _must(re.search(rule, str(error)), f"{what} is refused, but not by the words {rule!r}: {error}")
    except Exception as error:
        kind = type(error).__name__
        raise AssertionError(f"{what} is not refused by a ValueError, but ends in a {kind}: {error}") from error
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
    return [x for y in part for x in _entries(y)] if isinstance(part, tuple) else [part]


def _groups(example: Example) -> tuple[tuple[slice, float], ...]:
    return example.groups or ((slice(None), example.mechanism.epsilon),)


def _with(example: Example, epsilon: Any) -> Mechanism:
    return replace(example.mechanism, epsilon=epsilon)  # type: ignore[type-var]


class Kind(NamedTuple):
    """What is said of a check: whether it applies, is enough for one example of a class, and takes seconds."""

    applies: Callable[[Example], Any]
    once: bool = False
    slow: bool = False


checks: dict[Check, Kind] = {}  # all of them, in order


def _check(applies: Callable[[Example], Any] = lambda example: True, **kind: bool) -> Callable[[Check], Check]:
    def listed(check: Check) -> Check:
        checks[check] = Kind(applies, **kind)
        return check

    return listed


def _stated(example: Example) -> bool:
    return "epsilon" in {field.name for field in fields(example.mechanism)}  # type: ignore[arg-type]


def _simulated(example: Example) -> bool:
    return example.histogram and bool(_simulations(example))


def _few(example: Example) -> bool:
    with suppress(Exception):  # a check says it better, and a plan is made of all examples
        return prod(known(example).branches[i] for i in _three(example)) <= THREE
    return True


# --------------------------------------------------------------------------------------------------------- privacy


@_check()
def epsilon_of_the_law_is_the_stated_one(example: Example) -> None:
    """No report is more than e^ε times as likely under one input as under another; `realised_epsilon` is what is spent.

    Less than ε is no breach, and said: the warning is a `Slack`.
    """
    found, groups = [], _groups(example)
    most = max(stated for _, stated in groups)
    _must(example.mechanism.epsilon == most, f"ε is {example.mechanism.epsilon}, the largest of a group {most}")
    for people, stated in groups:
        one = worst(known(example).laws[people])
        what = f"report {one.report!r:.200} tells input {one.pair[0]} from {one.pair[1]} by {one.epsilon!r}"
        _must(one.ratio is not None and one.ratio <= odds(stated), f"the client shows more than ε = {stated!r}: {what}")
        if one.epsilon < stated - stated_rounding(stated):  # no breach: to know the ε really spent is all that matters
            warnings.warn(f"{example}: the client shows less than ε = {stated!r}: at most, {what}", Slack, stacklevel=2)
        found.append(one.epsilon)
    realised = example.mechanism.realised_epsilon
    right = isclose(realised, max(found), rel_tol=1e-12, abs_tol=1e-15)
    _must(right, f"realised ε is {realised!r}, found {max(found)}")


@_check(_stated)
def epsilon_is_kept_at_every_size(example: Example) -> None:
    """Realised ε is at most the stated one, from the least to the largest that may be stated.

    Less than ε is no breach, and said: the warning is a `Slack`.
    """
    shares = max(1, getattr(example.mechanism, "count", 1))  # of ε, each rounded alone
    least = EPSILON_MIN if shares == 1 else 1.01 * shares * EPSILON_MIN
    slack = []
    for stated in (least, *EPSILONS[1:]):
        realised = _with(example, stated).realised_epsilon
        _must(0 <= realised <= stated, f"at ε = {stated} the realised one is {realised!r}")
        if realised < stated - shares * stated_rounding(stated):
            slack.append(f"{realised:.3g} of {stated:.3g}")
    if slack:
        what = f"{example}: the realised ε is less than the stated one: {', '.join(slack)}"
        warnings.warn(what, Slack, stacklevel=2)


@_check(_stated, once=True, slow=True)
def epsilon_of_the_law_is_the_stated_one_elsewhere(example: Example) -> None:
    """At a smaller ε and two larger ones the client keeps ε, and `realised_epsilon` is what it shows.

    The structure that a class leaves to ε stays that of the example.
    """
    m = example.mechanism
    named_fields = {f.name for f in fields(m) if f.init}  # type: ignore[arg-type]
    held = {name: getattr(m, use) for name, use in m.chosen.items() if name in named_fields}
    near = [min(max(part * m.epsilon, 100 * EPSILON_MIN), EPSILON_MAX / 2) for part in OTHERS]
    for stated in (*near, EPSILON_MAX / 2):
        other: Any = replace(m, epsilon=stated, **held)  # type: ignore[type-var]
        found = [worst(laws(other, example.inputs[people])) for people, _ in _groups(example)]
        for one in found:
            what = f"report {one.report!r:.200} tells input {one.pair[0]} from {one.pair[1]} by {one.epsilon!r}"
            _must(one.ratio is not None and one.ratio <= odds(stated), f"at ε = {stated:.3g} the client shows {what}")
        shown, realised = max(one.epsilon for one in found), other.realised_epsilon
        right = isclose(realised, shown, rel_tol=1e-9, abs_tol=1e-12)
        _must(right, f"at ε = {stated:.3g} realised ε is {realised!r}, found {shown!r}")


@_check(lambda example: example.mechanism.public_fields)
def public_part_does_not_depend_on_the_value(example: Example) -> None:
    """Fields that are named public have one law under all inputs of a group."""
    for people, _ in _groups(example):
        public = [_image(one, known(example).public) for one in known(example).laws[people]]
        for i, one in enumerate(public):
            apart = total_variation(one, public[0])
            _must(not apart, f"the public parts of inputs 0 and {i} have laws that are {float(apart):.3g} apart")


@_check()
def draws_tell_no_more_than_the_report(example: Example) -> None:
    """Given the report, the functions of `chance` that a client calls, and for how many draws, say nothing more."""
    for people, _ in _groups(example):
        first: dict[Hashable, Law] = {}
        for i in range(len(example.inputs))[people]:
            for y, one in known(example).traces[i].items():
                same = first.setdefault(y, one) == one
                _must(same, f"behind report {y!r:.200} input {i} makes draws of other kinds or numbers than others do")


@_check()
def report_has_the_stated_size(example: Example) -> None:
    """Private parts take `report_bits`; `public_bits` hold all public parts, and no entry takes more than its own."""
    m, public = example.mechanism, known(example).public
    most = max(Counter(public.values()).values())
    private = (most - 1).bit_length()
    _must(m.report_bits == private, f"report_bits is {m.report_bits}, but {most} private parts take {private}")
    least = (len(set(public.values())) - 1).bit_length()
    alone = sum((len(set(values)) - 1).bit_length() for values in zip(*map(_entries, public.values()), strict=True))
    what = f"public_bits is {m.public_bits}, but public parts take {least} bits, or {alone} if each entry has its own"
    _must(least <= m.public_bits <= alone, what)


@_check()
def card_is_right(example: Example) -> None:
    """Clients need no list where candidates are named at the count, and the server's cost is one that there is."""
    m = example.mechanism
    _must(not (m.needs_list and isinstance(m, OpenMechanism)), "needs_list is True, but tally takes candidates")
    _must(m.server_cost in COSTS, f"server_cost is {m.server_cost!r}, not one of {COSTS}")


# ---------------------------------------------------------------------------------------------- bias and variance


@_check()
def estimate_is_unbiased(example: Example) -> None:
    """One person's mean score is `expected`."""
    mean, _ = known(example).moments
    variance = example.mechanism.variance(example.inputs, *named(example.items))
    stated = example.mechanism.expected(example.inputs, *named(example.items))
    _close(mean, stated, 1e-12 * (1 + np.sqrt(variance)), "expected")


@_check()
def noise_is_the_variance(example: Example) -> None:
    """One person's score has the variance that `variance` says, and `rare_`, `linear_` and `worst_variance` if any."""
    m: Any = example.mechanism
    seen, variance = known(example), known(example).moments[1]
    stated = m.variance(example.inputs, *named(example.items))
    within = 1e-12 + 1e-9 * variance
    _close(variance, stated, within, "variance")
    if hasattr(m, "rare_variance"):
        absent = m.expected(example.inputs, *named(example.items)) == 0
        _close(variance, np.where(absent, m.rare_variance, variance), within, "rare_variance")
    if hasattr(m, "linear_variance"):  # of sums whose weights have no pattern
        weights = np.random.default_rng(7).normal(size=(4, m.k))
        _, sums = moments_of(seen.laws, {y: weights @ score for y, score in seen.scores.items()})
        _close(sums.T, m.linear_variance(weights)[:, example.inputs], 1e-12 + 1e-9 * sums.max(), "linear_variance")
    if hasattr(m, "worst_variance"):  # the number where it should be is walked, too
        grid = np.linspace(-1, 1, GRID).reshape(-1, *[1] * (example.inputs.ndim - 1)) + 0 * example.inputs[:1]
        _, most = moments(m, grid[[np.max(m.variance(grid), -1).argmax()]])
        right = isclose(m.worst_variance, most.max(), rel_tol=1e-5)
        _must(right, f"worst_variance is {m.worst_variance:.9g}, found {most.max():.9g}")


@_check()
def influence_is_the_most_that_a_report_adds(example: Example) -> None:
    """No report adds more to so many entries of the estimate than `influence` says, and one adds as much."""
    m: Any = example.mechanism
    scores = np.stack([score.ravel() for score in known(example).scores.values()])
    for targets in range(1, min(TARGETS, scores.shape[1]) + 1):
        found, stated = largest_sum(scores, targets), m.influence(targets, *named(example.items))
        what = f"influence on {targets} entries is {stated:.9g}, found {found:.9g}"
        _must(isclose(found, stated, rel_tol=1e-9), what)
    usual = m.influence() if example.items is None else m.influence(items=example.items)
    one = m.influence(1, *named(example.items))
    _must(usual == one, f"influence is about one entry unless said otherwise: {one:.9g}, found {usual:.9g}")


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
    m, one = example.mechanism, known(example)
    weights = np.arange(1, len(example.inputs) + 1) / sum(range(1, len(example.inputs) + 1))
    p = Counter[Hashable]()
    for law_of_one, weight in zip(one.laws, weights, strict=True):
        p.update({y: float(q) * weight for y, q in law_of_one.items()})
    chance = np.array([*p.values()])
    scores = np.stack([one.scores[y] for y in p])
    counts = np.stack([one.tallies[y].counts for y in p])
    items = next(iter(one.tallies.values())).items
    away = scores - np.tensordot(chance, scores, 1)
    variance = np.tensordot(chance, away**2, 1)
    if type(m).standard_error is Mechanism.standard_error and len(p) ** 2 <= PAIRS:
        i, j = map(np.ravel, np.indices((len(p), len(p))))
        both = Tally(m, 2, counts[i] + counts[j], items)
        left = m._squares(both) - m.estimate(both) ** 2  # over n − 1, which is one
        found = np.tensordot(chance[i] * chance[j], left, 1)
        _close(found, variance / 2, 1e-12 + 1e-7 * variance, "variance of two people's estimate")
    n, trials = 20_000, 20
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


def _counts_supporters(example: Example) -> bool:
    m = example.mechanism
    return hasattr(m, "simulate_marginals") and hasattr(m, "supporters") and _errors(example)


@_check(_counts_supporters, once=True)
def an_item_that_nobody_holds_is_covered(example: Example) -> None:
    """If nobody holds an item, its interval at 95 % is above zero with a chance of one in 40, or little more.

    Supporters are binomial, and every number of them is looked at; with fewer than five expected, nothing is asked.
    """
    m: Any = example.mechanism
    q, z = float(m.support[1]), float(-ndtri(SIDE))
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
            found = f"told from zero {missed:.3g} of the time, at most {2 * SIDE} allowed"
            _must(missed <= 2 * SIDE, f"of {n} people nobody holds an item, and it is {found}")


@_check()
def estimate_is_the_mean_of_scores(example: Example) -> None:
    """Estimates are the mean of the estimates from each report alone, of 30 people and of 3,000.

    Of the many, reports alone are counted: another check is about their tally.
    """
    m, rng, one = example.mechanism, np.random.default_rng(1), known(example)
    reports = m.perturb(example.inputs[rng.integers(len(example.inputs), size=TALLIED)], rng=rng)
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
    """Of counts with an axis of trials, estimates and standard errors are those of each trial."""
    m, rng = example.mechanism, np.random.default_rng(5)
    tallies = [_tally(example, m.perturb(example.inputs, rng=rng)) for _ in range(3)]
    counts = np.stack([tally.counts for tally in tallies])
    trials = Tally(m, tallies[0].n, counts, tallies[0].items)
    found = {"estimate": m.estimate}
    if trials.n > 1 and _errors(example):
        found["standard_error"] = m.standard_error
    for name, of in found.items():
        alone = np.stack([of(tally) for tally in tallies])
        within = 1e-12 * np.abs(alone) + 1e-13 * np.max(np.abs(alone))
        # the root of what is zero but for rounding
        within += 1e-6 * np.max(np.abs(alone)) * (name == "standard_error") * (alone < 1e-6)
        _close(alone, of(trials), within, f"{name} of three trials")


# ---------------------------------------------------------------------------------------------- client and server


@_check()
def draws_follow_the_law(example: Example) -> None:
    """Many people's reports, their inputs taking turns, come as often as the law of each input says."""
    k = len(example.inputs)
    drawn = example.mechanism.perturb(example.inputs[np.tile(np.arange(k), DRAWS)], rng=np.random.default_rng(2))
    for i, exact in enumerate(known(example).laws):
        counts = Counter(_keys(example, drawn[i::k]))
        for report in counts:
            _must(report in exact, f"input {i} sends {report!r:.200}, which its law does not know")
        p = likelihood([counts[report] for report in exact], [float(p) * DRAWS for p in exact.values()])
        _must(p > FALSE_ALARM, f"among many people, input {i} has reports of another law than alone (p = {p:.1g})")


def _numbers(example: Example, which: Ints, drawn: Any) -> Iterator[Floats]:
    """Turn each report into a number, once for each of several orders of the reports.

    Of a right client the numbers of all people are independent, and uniform with mean 0 and
    variance 1, whatever its law is.  A number says where a report stands among all that its input
    may send, in one order for all inputs, and at random within its own probability.  The first
    order is each input's own: the likelier first.
    """
    laws, rng = known(example).laws, np.random.default_rng(9)
    at = {y: i for i, y in enumerate(dict.fromkeys(y for one in laws for y in one))}
    chance = np.array([[float(one.get(y, 0)) for y in at] for one in laws])
    seen = np.array([at.get(y, -1) for y in _keys(example, drawn)])  # another check says what is not in a law
    orders = [np.argsort(-chance, 1, kind="stable")]
    orders += [np.tile(rng.permutation(len(at)), (len(laws), 1)) for _ in range(ORDERS - 1)]
    for order in orders:
        ends = np.cumsum(np.take_along_axis(chance, order, 1), 1)
        starts = np.zeros_like(chance)
        np.put_along_axis(starts, order, ends, 1)
        starts -= chance
        place = starts[which, seen] + chance[which, seen] * rng.random(len(which))
        yield np.sqrt(12) * (np.where(seen < 0, rng.random(len(which)), place) - 0.5)


def _keys(example: Example, drawn: Any) -> list[Hashable]:
    """Return the reports as they are in a law, in the same forms; each of them is looked up once."""
    outputs = known(example).outputs
    if not isinstance(drawn, np.ndarray) or drawn.dtype.hasobject:
        return list(map(outputs.key, drawn))
    found = dict[bytes, Hashable]()
    rows = row_keys(drawn)
    for i, row in enumerate(rows):
        if row not in found:
            found[row] = outputs.key(drawn[i])
    return [found[row] for row in rows]


def _people(example: Example, n: int) -> Ints:
    """Return which inputs a crowd of n people has: all about equally often, in no order."""
    return np.random.default_rng(8).permutation(np.arange(n) % len(example.inputs))


def _together(x: Floats) -> tuple[float, int]:
    """Largest correlation of a sequence with itself, in standard errors, and how many there are.

    The sequence is shifted around by any number of places, and mirrored at any place; and the i-th
    is compared with the i//2-nd, the i//3-rd, ….
    """
    n, waves = len(x), np.fft.fft(x)
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
    crowd = example.inputs[which]
    before = dumps(crowd)
    drawn = example.mechanism.perturb(crowd, rng=np.random.default_rng(8))
    _must(dumps(crowd) == before, f"{CHANGED}, in a batch of {DRAWS} people")
    _must(len(drawn) == DRAWS, f"{DRAWS} people send {len(drawn)} reports")
    by_input = np.argsort(which, kind="stable")
    for x in _numbers(example, which, drawn):
        for who, y in (("in a batch", x), ("by input", x[by_input])):
            far, tried = _together(y)
            limit = -float(ndtri(FALSE_ALARM / (4 * ORDERS * tried)))
            off = f"{far:.1f} standard errors, {limit:.1f} allowed"
            _must(far <= limit, f"of {len(y)} people {who}, reports go together: {off}")
        far, limit = abs(x.sum()) / np.sqrt(len(x)), -float(ndtri(FALSE_ALARM / (4 * ORDERS)))
        off = f"{far:.1f} standard errors, {limit:.1f} allowed"
        _must(far <= limit, f"a batch of {len(x)} people reports too much of one kind: {off}")


@_check(once=True, slow=True)
def batch_after_batch_people_are_alone(example: Example) -> None:
    """In a thousand batches no place, no pair of places, no total, and no later batch stands out.

    A place of its own law, two places that go together, and totals that vary too much or too
    little show clients that share coins or deal them out; batches that go together show a client
    that keeps coins, or puts the generator back to where it was.
    """
    for batches, n in BATCHES:
        one = _people(example, n)
        crowd, rng = example.inputs[one], np.random.default_rng(11)
        drawn = [example.mechanism.perturb(crowd, rng=rng) for _ in range(batches)]
        for flat in _numbers(example, np.tile(one, batches), np.concatenate(drawn)):
            _alone_in_batches(flat.reshape(batches, len(one)))


def _alone_in_batches(x: Floats) -> None:
    """Look at numbers that are uniform and independent if a client is right: (batches, people)."""
    batches, n = x.shape
    several = 5 * ORDERS * len(BATCHES)
    if batches > n:  # enough of them for a statement about each place
        pairs = np.abs(np.triu(x.T @ x, 1)) / np.sqrt(batches)
        places = np.abs(x.sum(0)) / np.sqrt(batches)
        limit = -float(ndtri(FALSE_ALARM / (several * n * n)))
        at = int(places.argmax())
        off = f"{places[at]:.1f} standard errors, {limit:.1f} allowed"
        _must(places[at] <= limit, f"in {batches} batches, person {at} has a law of its own: {off}")
        i, j = map(int, np.unravel_index(pairs.argmax(), pairs.shape))
        off = f"{pairs[i, j]:.1f} standard errors, {limit:.1f} allowed"
        _must(pairs[i, j] <= limit, f"in {batches} batches, people {i} and {j} go together: {off}")
    far = _rectangles(x)
    off = f"{far:.1f} standard errors, {RECTANGLES:.1f} allowed"
    _must(far <= RECTANGLES, f"in {batches} batches of {n} people, pairs go together: {off}")
    square = float((x.sum(1) ** 2).sum() / n)
    p = 2 * min(float(chdtr(batches, square)), float(chdtrc(batches, square)))
    what = f"have {square / batches:.3g} of the variance of people who are alone (p = {p:.1g})"
    _must(p > FALSE_ALARM / several, f"totals of {batches} batches of {n} people {what}")
    waves = np.fft.fft(x.ravel())
    shifted = np.abs(np.fft.ifft(waves * waves.conj()).real[1:])[: x.size // 2 - 1]
    far, limit = shifted.max() / np.sqrt(x.size), -float(ndtri(FALSE_ALARM / (several * x.size)))
    off = f"{far:.1f} standard errors, {limit:.1f} allowed"
    at = 1 + int(shifted.argmax())
    _must(far <= limit, f"somebody and who reports {at} places later go together: {off}")


def _rectangles(x: Floats) -> float:
    """Sum of x_ri x_rj x_si x_sj over all pairs of batches and of people, in standard errors.

    If all are independent, no two of these products are correlated.  If two people go together,
    or two batches, their products are positive on average, in whatever pairs.
    """
    batches, n = x.shape
    square, gram = np.square(x), x @ x.T if batches < n else x.T @ x
    every = np.square(gram).sum() + np.square(square).sum()
    within = np.square(square.sum(0)).sum() + np.square(square.sum(1)).sum()
    return float((every - within) / 4 / np.sqrt(batches * (batches - 1) * n * (n - 1) / 4))


def _independent(example: Example, people: Sequence[int]) -> None:
    inputs, each = example.inputs[np.array(people)], [known(example).laws[i].items() for i in people]
    together = law(lambda rng: example.mechanism.perturb(inputs, rng=rng))
    alone = {tuple(y for y, _ in some): prod((p for _, p in some), start=Fraction(1)) for some in product(*each)}
    _must(together == alone, f"people with inputs {people} do not report as if each were alone")


@_check(lambda example: example.pairs, slow=True)
def people_are_independent(example: Example) -> None:
    """Two people's reports have the product of their laws, in either order; of three inputs, unless they are many."""
    first = range(len(example.inputs))[: 3 if (3 * known(example).branches[0]) ** 2 <= THREE else 2]
    for people in product(first, repeat=2):
        _independent(example, people)


def _three(example: Example) -> tuple[int, int, int]:
    return 1, 0, 2 % len(example.inputs)


@_check(_few, once=True, slow=True)
def three_people_are_independent(example: Example) -> None:
    """Three people's reports have the product of their laws."""
    _independent(example, _three(example))


@_check()
def tallies_add(example: Example) -> None:
    """Tallies of parts add up to the tally of all, which counts every report."""
    m, rng = example.mechanism, np.random.default_rng(3)
    reports = m.perturb(example.inputs[rng.integers(len(example.inputs), size=TALLIED)], rng=rng)
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


@_check()
def same_seed_same_reports(example: Example) -> None:
    """Nothing is drawn from but the generator that is handed in."""
    numpys, own = _global_states()
    again = [example.mechanism.perturb(example.inputs[[0] * 200], rng=np.random.default_rng(4)) for _ in range(2)]
    a, b = map(freeze, again)
    _must(a == b, "two generators of one seed give different reports")
    numpys_now, own_now = _global_states()
    _must(numpys == numpys_now, "numpy's global generator was drawn from")
    _must(own == own_now, "Python's global generator, of the module random, was drawn from")


def _global_states() -> tuple[Any, Any]:
    """States of the generators that nobody may touch: numpy's and Python's."""
    _, words, *rest = np.random.get_state()  # noqa: NPY002
    return (np.asarray(words).tobytes(), *rest), random.getstate()


# ----------------------------------------------------------------------------------------------------- simulation


def _simulations(example: Example) -> dict[str, Callable[..., Tally]]:
    """Ways to simulate people from their histogram; on an open domain the values that are counted have to be named."""
    m: Any = example.mechanism
    values = {} if example.items is None else {"values": example.inputs}
    return {way: partial(getattr(m, way), **values) for way in ("simulate", "simulate_marginals") if hasattr(m, way)}


@_check(lambda example: example.pairs and _simulated(example), slow=True)
def simulate_has_the_law_of_two_clients(example: Example) -> None:
    """Two people's simulated counts have the law of the sum of theirs; marginals, each count alone."""
    one, k = known(example).counts, len(example.inputs)
    for i, j in combinations_with_replacement(range(k)[:3], 2):
        both: Any = Counter()
        for (a, p), (b, q) in product(one[i].items(), one[j].items()):
            both[tuple(map(add, a, b))] += p * q
        histogram = np.bincount([i, j], minlength=k)
        for way, simulate in _simulations(example).items():
            drawn = law(lambda rng: simulate(histogram, trials=1, rng=rng).counts.ravel())  # noqa: B023
            for v in range(k) if way == "simulate_marginals" else [slice(None)]:
                apart = total_variation(*(_image(a, {y: y[v] for y in a}) for a in (both, drawn)))  # type: ignore[index]
                _must(apart <= 2.0**-50, f"{way} of inputs {i} and {j} is {float(apart):.3g} from the law of clients")


@_check(_simulated, slow=True)
def simulate_has_the_law_of_many_clients(example: Example) -> None:
    """Each simulated count of many people is drawn by the law of the sum of theirs."""
    one, histogram = known(example).counts, 2 * np.arange(1, len(example.inputs) + 1)
    for way, simulate in _simulations(example).items():
        tally = simulate(histogram, trials=TRIALS, rng=np.random.default_rng(6))
        _must(tally.n == histogram.sum(), f"{way} says that {tally.n} of {histogram.sum()} people were counted")
        for v, drawn in enumerate(tally.counts.reshape(TRIALS, -1).T):
            alone = [np.bincount([y[v] for y in a], [float(p) for p in a.values()]) for a in one]
            exact = reduce(np.convolve, [alone[i] for i in np.repeat(np.arange(len(alone)), histogram)])
            _must(drawn.max() < len(exact), f"{way} counts {drawn.max()}, more than {len(exact) - 1}")
            p = likelihood(np.bincount(drawn, minlength=len(exact)), TRIALS * exact)
            _must(p > FALSE_ALARM, f"{way} draws count {v} by another law than clients do (p = {p:.1g})")


# ------------------------------------------------------------------------------------------------------- refusals


@_check(_stated, once=True)
def bad_epsilon_is_refused(example: Example) -> None:
    """No ε is taken that is no number from the least to the largest."""
    for epsilon in NO_EPSILONS:
        _refuses(lambda: _with(example, epsilon), r"epsilon must .*, got", f"ε = {epsilon!r}")  # noqa: B023


@_check(once=True)
def bad_rng_is_refused(example: Example) -> None:
    """Only generators are drawn from."""
    for rng in (None, 0, np.random.RandomState(0)):  # noqa: NPY002
        again = partial(example.mechanism.perturb, example.inputs, rng=rng)  # type: ignore[arg-type]
        _refuses(again, "rng must be a numpy.random.Generator", f"rng = {rng!r}")


@_check(once=True)
def nobody_is_refused(example: Example) -> None:
    """There is no report of nobody."""
    nobody = partial(example.mechanism.perturb, example.inputs[:0], rng=np.random.default_rng(0))
    _refuses(nobody, "at least one person", "a batch of nobody")


@_check(once=True)
def foreign_and_empty_tallies_are_refused(example: Example) -> None:
    """Tallies of another mechanism are neither estimated from nor added, and from nothing there is no estimate."""
    m = example.mechanism
    reports = m.perturb(example.inputs, rng=np.random.default_rng(0))
    own, empty = _tally(example, reports), _tally(example, reports[:0])
    foreign = replace(own, mechanism=NonCallableMock(spec=Mechanism))
    _refuses(lambda: m.estimate(foreign), "tally must be of", "estimating from another mechanism's tally")
    _refuses(lambda: own + foreign, "one mechanism", "adding another mechanism's tally")
    _refuses(lambda: m.estimate(empty), "at least one report", "estimating from no report")


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
    """Bools that hold another byte than 0 or 1 would be added as what it is, and one report count for many."""
    for byte in (2, 254, 255):
        reports = example.mechanism.perturb(example.inputs[[0] * 9], rng=np.random.default_rng(0))
        for name in _bits(example):
            forged = reports.copy()
            bits = forged[name].view(np.uint8)
            bits[np.unravel_index(np.argmax(bits), bits.shape)] = byte  # where a one is
            _refuses(lambda: _tally(example, forged), "bools", f"a byte {byte} in a bool")  # noqa: B023
