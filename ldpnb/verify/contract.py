"""The contract of `ldpnb.core` as checks that every mechanism can be put to, exact wherever it can be enumerated.

`check_mechanism` runs all checks that apply to a mechanism; `parametrize` makes tests of pytest of them, one for each
check and example.  A check is a function of a `core.Example`; it returns if the promise is kept, and else raises an
AssertionError that says what was found.

Exact checks read the law of the client's own code, which is walked once for each example.  Sampled ones have a
false-alarm rate of 1e-9 each.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import fields, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from itertools import combinations_with_replacement, product
from math import inf, isclose, nan, prod
from operator import add
from typing import Any, NamedTuple
from unittest.mock import NonCallableMock

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, chdtrc, ndtri

from ldpnb.chance import Law, Outputs, Paths, freeze, law, odds
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import Example, Floats, Mechanism, OpenMechanism, Records, Tally, largest_sum, named
from ldpnb.verify._laws import _values, laws, moments, moments_of, stated_rounding, total_variation, worst

FALSE_ALARM = 1e-9
DRAWS = 4000  # of each input
TRIALS = 3000
GRID = 40_321  # numbers from −1 to 1, the middles of up to 630 cells among them
THREE = 20_000  # branches up to which three people, or all pairs of three inputs, are walked
CHANGED = "the client changes the values that it is handed"
COSTS = ("report", "report and item")
OTHERS = 0.35, 4.7  # as parts of the ε that an example has: where its client is walked, too
ORDERS = 3  # in which reports are lined up
PAIRS = 20_000  # pairs of reports up to which their standard errors are all looked at
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
        numbers, self._outputs = dict[tuple[Hashable, ...], int](), Outputs()
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
        key = self._outputs.key(report[0])
        self.reports.setdefault(key, report)
        return numbers.setdefault((key, *rng.trace), len(numbers))

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
    """Return the p-value of counts against expected counts; cells that expect fewer than five are pooled."""
    seen, meant = np.asarray(observed, float), np.asarray(expected, float)
    small = meant < 5
    if small.any():
        seen, meant = np.append(seen[~small], seen[small].sum()), np.append(meant[~small], meant[small].sum())
    if len(meant) < 2:
        return 1.0
    return float(chdtrc(len(meant) - 1, ((seen - meant) ** 2 / np.maximum(meant, 1e-9)).sum()))


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
    """Realised ε is at most the stated one, and just below it if it is at the ε of the example, wherever it may be."""
    m, shares = example.mechanism, max(1, getattr(example.mechanism, "count", 1))  # of ε, each rounded alone
    tight = m.realised_epsilon >= m.epsilon - shares * stated_rounding(m.epsilon)
    for stated in (EPSILON_MIN if shares == 1 else 1.01 * shares * EPSILON_MIN, *EPSILONS[1:]):
        realised = _with(example, stated).realised_epsilon
        kept = stated - shares * stated_rounding(stated) <= realised if tight else realised >= 0
        _must(kept and realised <= stated, f"at ε = {stated} the realised one is {realised!r}")


@_check(_stated, once=True, slow=True)
def epsilon_of_the_law_is_the_stated_one_elsewhere(example: Example) -> None:
    """At two other ε, one smaller and one larger, the client's law keeps ε, and shows what `realised_epsilon` says.

    The structure that a class leaves to ε stays that of the example.
    """
    m = example.mechanism
    named_fields = {f.name for f in fields(m) if f.init}  # type: ignore[arg-type]
    held = {name: getattr(m, use) for name, use in m.chosen.items() if name in named_fields}
    for part in OTHERS:
        stated = min(max(part * m.epsilon, 100 * EPSILON_MIN), EPSILON_MAX / 2)
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
    m, scores = example.mechanism, np.stack([score.ravel() for score in known(example).scores.values()])
    for targets in range(1, min(TARGETS, scores.shape[1]) + 1):
        found, stated = largest_sum(scores, targets), m.influence(targets, *named(example.items))
        what = f"influence on {targets} entries is {stated:.9g}, found {found:.9g}"
        _must(isclose(found, stated, rel_tol=1e-9), what)


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
    """Its square is on average the variance of an estimate from two random people; all pairs of reports are taken."""
    m, one = example.mechanism, known(example)
    if len(one.reports) ** 2 > PAIRS:
        return
    weights = np.arange(1, len(example.inputs) + 1) / sum(range(1, len(example.inputs) + 1))
    p = {y: sum(float(a.get(y, 0)) * w for a, w in zip(one.laws, weights, strict=True)) for y in one.reports}
    likely = [y for y in p if p[y]]
    counts = [one.tallies[y].counts for y in likely]
    both = Tally(m, 2, np.stack([a + b for a in counts for b in counts]), one.tallies[likely[0]].items)
    chance = np.array([p[a] * p[b] for a in likely for b in likely])
    left = m._squares(both) - m.estimate(both) ** 2  # over n − 1, which is one
    same = np.allclose(m.standard_error(both), np.sqrt(np.maximum(left, 0)), rtol=1e-9)
    _must(same, "standard_error is not the root of what _squares leaves")
    found = np.tensordot(chance, left, 1)  # with what is below zero by chance, which is shown as zero
    _, variance = moments_of([{y: Fraction(p[y]) for y in likely}], one.scores)
    _close(found, variance[0] / 2, 1e-12 + 1e-7 * variance[0], "variance of two people's estimate")


def _counts_supporters(example: Example) -> bool:
    return hasattr(example.mechanism, "simulate_marginals") and hasattr(example.mechanism, "supporters")


@_check(_counts_supporters, once=True)
def an_item_that_nobody_holds_is_covered(example: Example) -> None:
    """If nobody holds an item, its interval at 95 % is above zero with a chance of one in 40, or little more.

    Supporters are binomial, and every number of them is looked at; with fewer than five expected, nothing is asked.
    """
    m: Any = example.mechanism
    q, z, items = float(m.support[1]), float(-ndtri(SIDE)), m.expected(example.inputs).shape[-1]
    for n in CROWDS:
        seen = np.repeat(np.arange(n + 1)[:, None], items, 1)
        low = m.interval(Tally(m, n, seen, marginal=True), z)[0][:, 0]
        told = np.flatnonzero(low > 1e-12)  # numbers of supporters from which on zero is excluded
        missed = float(bdtrc(told[0] - 1, n, q)) if told.size else 0.0
        found = f"of {n} people, an item that nobody holds is told from zero: {missed:.3g}"
        _must(n * q < 5 or missed <= 2 * SIDE, found)


@_check()
def estimate_is_the_mean_of_scores(example: Example) -> None:
    """Estimates are the mean of the estimates from each report alone."""
    m, rng = example.mechanism, np.random.default_rng(1)
    reports = m.perturb(example.inputs[rng.integers(len(example.inputs), size=30)], rng=rng)
    scores = [m.estimate(_tally(example, reports[i : i + 1])) for i in range(30)]
    whole, mean = m.estimate(_tally(example, reports)), np.asarray(np.mean(scores, 0))
    _close(mean, whole, 1e-9 * (np.abs(mean) + np.max(np.abs(scores))), "estimate of 30 people")


@_check()
def estimate_takes_trials_one_by_one(example: Example) -> None:
    """Of counts with an axis of trials, estimates are those of each trial."""
    m, rng = example.mechanism, np.random.default_rng(5)
    tallies = [_tally(example, m.perturb(example.inputs, rng=rng)) for _ in range(3)]
    trials = Tally(m, tallies[0].n, np.stack([tally.counts for tally in tallies]), tallies[0].items)
    alone = np.stack([m.estimate(tally) for tally in tallies])
    _close(alone, m.estimate(trials), 1e-12 * np.abs(alone) + 1e-13 * np.max(np.abs(alone)), "estimate of three trials")


# ---------------------------------------------------------------------------------------------- client and server


@_check()
def draws_follow_the_law(example: Example) -> None:
    """Many people's reports, their inputs taking turns, come as often as the law of each input says."""
    k = len(example.inputs)
    drawn = example.mechanism.perturb(example.inputs[np.tile(np.arange(k), DRAWS)], rng=np.random.default_rng(2))
    for i, exact in enumerate(known(example).laws):
        counts = Counter(map(Outputs().key, drawn[i::k]))
        for report in counts:
            _must(report in exact, f"input {i} sends {report!r:.200}, which its law does not know")
        p = chi_square([counts[report] for report in exact], [float(p) * DRAWS for p in exact.values()])
        _must(p > FALSE_ALARM, f"among many people, input {i} has reports of another law than alone (p = {p:.1g})")


@_check()
def nobody_in_a_crowd_goes_with_another(example: Example) -> None:
    """In a batch of many, no shift of the reports, and no mirror image, is correlated with the reports themselves.

    Each report is turned into a number that is uniform on [0, 1], whatever its law: where it stands among all reports,
    the likelier first, or in a random order, and a random place among the reports that are alike.
    """
    k, rng, keys = len(example.inputs), np.random.default_rng(8), Outputs()
    n = k * max(1, DRAWS // k)
    drawn = list(map(keys.key, example.mechanism.perturb(example.inputs[np.arange(n) % k], rng=rng)))
    limit = -float(ndtri(FALSE_ALARM / (4 * ORDERS * n)))
    for round_ in range(ORDERS):
        cells = list[dict[Hashable, tuple[float, float]]]()
        for one in known(example).laws:
            listed = [list(one.items())[i] for i in rng.permutation(len(one))]
            if not round_:
                listed.sort(key=lambda each: -each[1])
            ends = np.cumsum([float(p) for _, p in listed])
            cells.append({y: (end - float(p), float(p)) for (y, p), end in zip(listed, ends, strict=True)})
        low, wide = np.array([cells[i % k].get(y, (0.0, 1.0)) for i, y in enumerate(drawn)]).T
        x = np.sqrt(12) * (low + wide * rng.random(n) - 0.5)
        waves = np.fft.fft(x)
        shifted, mirrored = np.fft.ifft(waves * waves.conj()).real[1:], np.fft.ifft(waves * waves).real
        twice = np.arange(1, n) * 2 == n  # by half of the batch: each pair is there twice, as in a mirror
        moved, turned = np.abs(shifted / np.where(twice, np.sqrt(2), 1)).max(), np.abs(mirrored).max() - 6
        far = max(moved, turned / np.sqrt(2)) / np.sqrt(n)  # in a mirror, two people may be their own images
        _must(
            far <= limit,
            f"in a batch of {n} people, reports go together: {far:.1f} standard errors, {limit:.1f} allowed",
        )


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
    reports = m.perturb(example.inputs[rng.integers(len(example.inputs), size=50)], rng=rng)
    whole = _tally(example, reports)
    _must(whole.n == 50, f"of 50 reports {whole.n} are counted")
    for cuts in ((7, 20), (0, 50), (1, 1)):
        total: Any = sum(_tally(example, part) for part in np.split(reports, cuts))
        same = total.n == 50 and np.array_equal(total.counts, whole.counts)
        _must(same, f"50 reports cut at {cuts} count {total.counts.tolist()}, uncut {whole.counts.tolist()}")


@_check()
def same_seed_same_reports(example: Example) -> None:
    """Nothing is drawn from but the generator that is handed in."""
    before = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002  -- which nobody may touch
    a, b = (example.mechanism.perturb(example.inputs[[0] * 200], rng=np.random.default_rng(4)) for _ in range(2))
    _must(freeze(a) == freeze(b), "two generators of one seed give different reports")
    _must(np.array_equal(before, np.random.get_state()[1]), "numpy's global generator was drawn from")  # type: ignore[index]  # noqa: NPY002


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
            p = chi_square(np.bincount(drawn, minlength=len(exact)), TRIALS * exact)
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
    reports = example.mechanism.perturb(example.inputs[:1], rng=np.random.default_rng(0))
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
