"""A lower bound on the ε of any client, from samples of its reports alone.

Samples cannot prove privacy.  They can refute a claim, at a stated level.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain, combinations
from math import exp, inf, isfinite, log
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainccinv, betaincinv

from ldpnb.chance import Randomness, SystemRandom, form, freeze
from ldpnb.checks import check_count, check_probability, is_number, shown
from ldpnb.core import Bools, Floats, Ints, Mechanism, blocks
from ldpnb.exact.clients import check_call, values as plain_values
from ldpnb.records import Records
from ldpnb.verify._features import (
    CELLS,
    LONG,
    Pool,
    Sent,
    check_batches,
    copy_of,
    features_of,
    keys,
    look,
    looked,
    settled,
    shared,
    size,
    take,
    tidy,
    unseen,
)
from ldpnb.verify._moments import check_level, repeat

SAMPLES_MIN = 100
TAILS = 4  # two events, and two bounds for each
TRIED = 1000  # events on the choosing quarter that the safe choice corrects for; nothing rests on their number
CUTS = 64  # thresholds tried for one score
REPEATS = 50  # reports that come back so often on average need no classifier
PRODUCTS = 24  # features whose pairwise products are tried as well
ROWS = 20_000  # reports of each input that a classifier is fitted to
CURE = ", or many= be changed"


# ------------------------------------------------------------------------------------------------------ the audit


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    bound : float
        With confidence 1 − level, the client's ε is at least this; 0 says nothing.
    pair : tuple of int
        Positions of two inputs; the event is likelier under the first.
    event : str
        The set of reports that tells them apart, in words.
    counts : tuple of int
        How many of the held-out reports of either input are in it.
    held_out : int
        Number of held-out reports of each input.
    samples : int
        Reports drawn of each input.
    level : float
        Probability, at most, that `bound` is above the true ε.
    claimed : float or None
    delta : float
        The bound is on the ε of (ε, δ)-privacy with this δ.
    ceiling : float
        What this audit could expect at best with as many samples, see `ceiling`: against `claimed`, or against the
        ratio of `counts` where nothing is claimed.
    perfect : float
        The same for somebody who knows the best event beforehand, and counts all reports.
    """

    bound: float
    pair: tuple[int, int]
    event: str
    counts: tuple[int, int]
    held_out: int
    samples: int
    level: float
    claimed: float | None
    delta: float
    ceiling: float
    perfect: float

    @property
    def flagged(self) -> bool:
        """Whether the claim is refuted: bound > claimed."""
        return self.claimed is not None and self.bound > self.claimed


def audit(
    client: Mechanism | Callable[..., Any],
    inputs: Any,
    *,
    samples: int,
    rng: Randomness,
    level: float = 1e-3,
    claimed: float | None = None,
    delta: float = 0.0,
    many: bool = False,
    features: Callable[[Any], Any] | None = None,
) -> Audit:
    r"""Bound the ε of any client from below, from samples of its reports alone.

    ε is the least number with :math:`P(M(x) \in S) \le e^\varepsilon P(M(x') \in S)` for all inputs x, x' and all sets
    S of reports, so any one pair of inputs and any one set S bound it: :math:`\varepsilon \ge \ln(P(S|x) / P(S|x'))`.

    One half of the reports serves to choose the pair and the set.  A quarter ranks reports by how much likelier they
    are under x than under x': by their counts, and where reports hardly come back also by logistic regression on their
    parts (bits, entries, fields, characters, members, length).  On the other quarter all ordered pairs, rankings and
    thresholds compete.  Two events win: the one that promises the largest bound, and the one that does so even if luck
    had a hand in its counts.

    The other half, which had no part in this, is then asked about these two events.  By Clopper and Pearson, P(S|x) is
    below a, or P(S|x') is above b, with probability `level` / 4 each at most, and the larger ln(a/b) is the bound.
    Nothing else is evaluated there, so **P(bound > ε) ≤ level**, whatever the client, as long as its reports are
    independent: noise that several reports share voids the guarantee.  What the array of a whole call shares, as its
    dtype, is no report's own, so arrays that differ in it between inputs are refused, even if each input has its own:
    ask for one report at a time, where it counts.

    The converse is not true: a small bound proves nothing.  An event has to show up to be seen: with n samples,
    nothing rarer than about 1/n is.  A difference that no ranking sees stays unseen too: the slot of a hash, say, means
    nothing to whoever does not evaluate the hash at the inputs; that is what `features` is for.  Nor is anything said
    of inputs that are not given: values beyond a clip, longer sets, an empty record.

    A `UserWarning` says where an audit sees little: no two reports are alike and none of their parts tells inputs
    apart; objects that are not looked into hardly come back; reports are longer than what is looked at; all reports of
    each call with `many` are alike, or have one form, and those of another call another; an input is given twice; all
    sets, dicts or records, or a callable's lists or bytes, have one length; no number is at an end of what a Mechanism
    takes.  It cannot be known which numbers, lengths or categories a callable takes, whether a tuple or a
    string may be longer, nor which items or keys a Mechanism might treat unlike others.

    Parameters
    ----------
    client : Mechanism or callable
        A callable is ``client(value, rng) -> report``, or with `many` ``client(value, n, rng) -> n reports``.
        Reports may be numbers, strings, bytes, tuples, sets, dicts, arrays or rows of them, of any length.  Each call
        has a value of its own, and its report is copied.  Reports that differ in what a receiver gets (`chance.form`),
        as in type alone, are different.
    inputs : sequence of values (for a Mechanism: a batch that `perturb` takes, one person each)
        At least two.
    samples : int, at least 100
        Reports to draw of each input.
    rng : Generator or SystemRandom
        Passed on to the client.  A client that draws from a generator of its own must have seeded it otherwise: what
        shuffles the reports must not be what drew them.
    level : float in (0, 1/2]
    claimed : float, optional
        The ε that the client claims.
    delta : float in [0, 1)
        The δ that it claims: then :math:`\varepsilon \ge \ln((P(S|x) - \delta) / P(S|x'))`, at the same level.
    many : bool
        Whether a callable draws many reports at once.
    features : callable, optional
        Takes many reports (an array or a list, as the client returned them) and returns as many rows of whatever is
        telling about them, instead of which the rows are then audited.  This is post-processing, so the guarantee
        holds.  It must not look at other reports when it treats one.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If there are fewer than two inputs, an argument is out of range, the client returns the wrong number of
        reports, reports that cannot be compared, or arrays that differ between inputs in dtype or shape of rows.

    Notes
    -----
    Sources: Clopper and Pearson 1934; Ding, Wang, Wang, Zhang and Kifer 2018 (StatDP: events found on one sample and
    tested on another); Bichsel, Steffen, Bogunovic and Vechev 2021 (DP-Sniper: events from a classifier);
    Arcolezi and Gambs 2024 (audits of local mechanisms by an attacker's guesses).

    Examples
    --------
    Local hashing, by what a report says of two items:

    >>> from ldpnb import OLH
    >>> olh, items = OLH(k=100, epsilon=1.0), np.array([3, 5])
    >>> found = audit(olh, items, samples=20_000, rng=np.random.default_rng(0), claimed=1.0,
    ...     features=lambda r: olh.hash(r["seed"][:, None], items) == r["slot"][:, None])
    >>> found.flagged
    False
    """
    if not isinstance(inputs, np.ndarray | Records if isinstance(client, Mechanism) else np.ndarray):
        inputs = plain_values(inputs)
    if len(inputs) < 2:
        raise ValueError(f"inputs must hold at least two inputs, got {len(inputs)}")
    samples = _check_size(samples, level, delta)
    if claimed is not None and not (is_number(claimed) and isfinite(claimed) and claimed >= 0):
        raise ValueError(f"claimed must be a finite number, at least 0, got {claimed!r}")
    if not isinstance(rng, np.random.Generator | SystemRandom):
        raise ValueError(f"rng must be a numpy.random.Generator or a SystemRandom, got {type(rng).__name__}")

    def drawn(i: int) -> tuple[Any, list[Sent], Hashable]:
        """Return copies of reports, with what was seen of each, and of all, before; a copy might be another."""
        if isinstance(client, Mechanism):
            reports: Any = client.perturb(deepcopy(repeat(inputs, i, samples)), rng=rng)
        elif many:
            check_call(client, "value, n, rng", CURE, inputs[i], samples, rng)
            reports = client(deepcopy(inputs[i]), samples, rng)
        else:
            check_call(client, "value, rng", CURE, inputs[i], rng)
            sent = list[Sent]()
            reports = list[Any]()
            for _ in range(samples):
                report = client(deepcopy(inputs[i]), rng)
                if features is None:
                    sent.append(look(report))
                reports.append(copy_of(report))
            return reports, sent, None
        _check_number(reports, samples, "client")
        seen = looked(reports) if features is None else []
        common = shared(reports)
        return copy_of(reports), seen, common

    def told(i: int) -> tuple[Any, list[Sent], Hashable]:
        reports, sent, common = drawn(i)
        if features is None:
            return reports, sent, common
        rows = _check_number(features(reports), samples, "features")
        return rows, looked(rows), shared(rows)

    for gap in _gaps(client, inputs):
        _warn(gap)
    reports, sent, common = zip(*map(told, range(len(inputs))), strict=True)
    check_batches([*reports], [*common], "client" if features is None else "features")
    pools = tidy([*reports], [*sent])
    if many and all(len(set(keys(pool))) == 1 for pool in pools):
        _warn("all reports of each call are alike: if they share their noise, the bound is void")
    elif (many or isinstance(client, Mechanism)) and settled([*reports], [*sent]):
        _warn(
            "all reports of a call have one form, another in another call: if one report settles it, the bound is void"
        )
    quarter, half = samples // 4, samples // 2
    n, alpha = samples - half, level / TAILS
    # at random: should reports depend on their place in the batch, then not the parts
    parts = [np.split(np.argsort(rng.random((samples,)), kind="stable"), (quarter, half)) for _ in pools]
    fit, choose, held = ([take(pool, part[at]) for pool, part in zip(pools, parts, strict=True)] for at in range(3))

    best: list[_Choice] = []  # the bold choice, the safe choice
    for last in _rankings(fit):
        prepared = [last.prepare(pool) for pool in choose]
        for i, j in combinations(range(len(pools)), 2):
            a, b = (last.score((i, j), prepared[x]) for x in (i, j))
            for pair, under, against in (((i, j), a, b), ((j, i), -b, -a)):
                found = [(promise, pair, cut, last) for promise, cut in _best_cuts(under, against, n, alpha, delta)]
                best = [max(*both, key=itemgetter(0)) for both in zip(best, found, strict=True)] if best else found
    tested = []
    for _, pair, cut, ranking in best:
        one, other = (int((ranking.score(pair, ranking.prepare(held[x])) >= cut).sum()) for x in pair)
        tested.append((float(_bound(one, other, n, alpha, delta)), one, other, pair, cut, ranking))
    bound, one, other, pair, cut, ranking = max(tested, key=itemgetter(0))
    unlike = len(set(chain(*map(keys, fit)))) == sum(map(len, fit))
    if _bound(one, other, n, 0.25, delta) <= 0 and unlike:
        _warn("no two reports are alike, and no usable feature tells inputs apart: give more samples, or features=")
    if kind := unseen([*sent]):
        _warn(f"objects of class {kind} hardly come back, and may hide more than their form: give features=")
    if isinstance(last, _Linear) and max(map(size, chain(*fit))) > LONG:
        _warn(f"only the first {LONG:,} bits, characters or entries of a report are looked at: give features=")
    surplus = one / n - delta
    point = log(surplus * n / other) if surplus > 0 and other else inf if surplus > 0 else 0.0
    target = max(point, 0.0) if claimed is None else claimed
    best_case = (ceiling(target, samples=samples, level=level, known=known, delta=delta) for known in (False, True))
    event, counts = ranking.words(pair, cut), (one, other)
    return Audit(max(0.0, bound), pair, event, counts, n, samples, level, claimed, delta, *best_case)


def ceiling(epsilon: float, *, samples: int, level: float = 1e-3, known: bool = False, delta: float = 0.0) -> float:
    r"""Bound that `audit` may expect against a client with exactly this ε, if it chooses the best event.

    One half of the reports chooses, and each side has a quarter of the level; where the best event is `known`
    beforehand, all reports are counted, and each side has one half.

    No event tells two inputs of an ε-LDP client apart better than that of randomized response,
    :math:`e^\varepsilon/(1+e^\varepsilon)` against :math:`1/(1+e^\varepsilon)`; both counts are put at their means.
    Chance may lift a single audit above it.  With `delta` the event is that of a client that tells the truth with this
    probability, and else answers so.
    """
    if not is_number(epsilon) or not epsilon >= 0:
        raise ValueError(f"epsilon must be a number, at least 0, got {epsilon!r}")
    samples = _check_size(samples, level, delta)
    n, alpha = (samples, level / 2) if known else (samples - samples // 2, level / TAILS)
    q = exp(-epsilon) / (1 + exp(-epsilon))
    return max(0.0, float(_bound(n * (1 - (1 - delta) * q), n * (1 - delta) * q, n, alpha, delta)))


def _check_size(samples: int, level: float, delta: float) -> int:
    check_level(level, "level")
    if check_probability(delta, "delta") == 1:
        raise ValueError("delta must be below 1, got 1")
    return check_count(samples, SAMPLES_MIN, "samples")


def _bound(one: ArrayLike, other: ArrayLike, n: int, alpha: float, delta: float = 0.0) -> Floats:
    """ln((a−δ)/b) with a below P(S|x) and b above P(S|x'), each but for probability alpha (Clopper and Pearson)."""
    one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
    low = np.where(one > 0, betaincinv(np.maximum(one, 1e-9), n - one + 1, alpha), 0.0)
    high = np.where(other < n, betainccinv(other + 1, np.maximum(n - other, 1e-9), alpha), 1.0)
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low - delta, 0)) - np.log(high)


def _best_cuts(a: Floats, b: Floats, n: int, alpha: float, delta: float = 0.0) -> list[tuple[float, float]]:
    """Choose a threshold t for the event {score ≥ t} boldly and safely; a holds scores under x, b under x'.

    Returns what is promised and t: the bound from n reports if these repeat themselves, and the bound from these alone,
    corrected for many events.
    """
    ascending, others = np.sort(a), np.sort(b)
    cuts = np.unique(a)
    if len(cuts) > CUTS:  # dense at the rare end
        cuts = np.unique(ascending[-np.geomspace(1, len(a), CUTS).round().astype(int)])
    one, other = (len(s) - np.searchsorted(s, cuts) for s in (ascending, others))
    bold = _bound(one * (n / len(a)), other * (n / len(b)), n, alpha, delta)
    safe = _bound(one, other, len(a), alpha / TRIED, delta)
    return [(float(promised.max()), float(cuts[np.argmax(promised)])) for promised in (bold, safe)]


# -------------------------------------------------------------------------------------------------------- reports


def _warn(text: str) -> None:
    warnings.warn(f"this audit says little: {text}", stacklevel=3)


def _gaps(client: Any, inputs: Any) -> Iterator[str]:
    """Say what the inputs do not cover, as far as it can be known from them and from what a mechanism takes."""
    values, first = plain_values(inputs), dict[Any, int]()
    for j, value in enumerate(values):
        with suppress(ValueError):  # of inputs that cannot be compared
            told = form(value)  # first, since it ends
            if (i := first.setdefault((freeze(value), told), j)) != j:
                yield f"inputs {i} and {j} are the same"
    sized = (dict, set, frozenset, *(() if isinstance(client, Mechanism) else (list, bytes)))
    if all(isinstance(x, sized) for x in values) and len({len(x) for x in values}) == 1:
        yield f"all inputs have length {len(values[0])}, and a client may tell lengths apart"
    for end, side in (("lower", -inf), ("upper", inf)) if isinstance(client, Mechanism) else ():
        with suppress(ValueError, TypeError):  # no numbers, or some that are at the end: nothing beyond is taken
            numbers = np.asarray(inputs.values if isinstance(inputs, Records) else inputs, np.float64)
            beyond = np.nextafter(numbers, side)
            client._values(Records(inputs.offsets, inputs.keys, beyond) if isinstance(inputs, Records) else beyond)
            yield f"no input is at the {end} end of the numbers that the mechanism takes"


def _check_number(reports: Any, n: int, name: str) -> Any:
    if type(reports) not in (np.ndarray, list, tuple):  # others may say more than their reports
        raise ValueError(
            f"{name} must return a sequence of {n} reports, got {type(reports).__name__}: return "
            "list(…)"
        )
    if len(reports) != n:
        raise ValueError(f"{name} must return {n} reports, got {len(reports)}")
    return reports


# ------------------------------------------------------------------------------------------------------- rankings


def _rankings(fit: list[Pool]) -> Iterator[_Counts | _Linear]:
    """Ways to order reports by how much likelier they are under one input than under another."""
    counts = _Counts(fit)
    yield counts
    if len(counts.ids) * REPEATS > sum(map(len, fit)):
        linear = _Linear(fit, products=False)
        if linear.names:
            yield linear
        if 1 < len(linear.names) <= PRODUCTS:
            yield _Linear(fit, products=True)


class _Counts:
    """Order reports by how often each of them came."""

    def __init__(self, fit: list[Pool]) -> None:
        shown: dict[Any, Any] = dict(chain(*(zip(keys(pool), pool, strict=True) for pool in fit)))
        self.ids, self.shown = {key: i for i, key in enumerate(shown)}, list(shown.values())
        # one report more of each keeps ratios finite; the last place is for reports that never came
        self.counts = np.array([np.bincount(self.prepare(pool), minlength=len(shown) + 1) + 1 for pool in fit])

    def prepare(self, pool: Pool) -> Ints:
        return np.array([self.ids.get(key, -1) for key in keys(pool)])

    def score(self, pair: tuple[int, int], ids: Any) -> Floats:
        one, other = self.counts[list(pair)]
        return np.asarray((np.log(one) - np.log(other))[ids])  # exactly the negative for the reversed pair

    def words(self, pair: tuple[int, int], cut: float) -> str:
        scores = self.score(pair, np.arange(len(self.shown) + 1))
        inside = scores >= cut
        verb = "is not" if inside[-1] else "is"  # a set that holds what never came is named by what it lacks
        order = np.argsort(scores if inside[-1] else -scores, kind="stable")
        named = [i for i in order if i < len(self.shown) and inside[i] != inside[-1]]
        shown = ", ".join(_shown(self.shown[i]) for i in named[:6])
        more = f", … ({len(named)} reports)" if len(named) > 6 else ""
        return f"report {verb} one of {{{shown}{more}}}" if named else "any report"


def _shown(report: Any) -> str:
    if isinstance(report, np.ndarray) and report.dtype == np.bool_ and report.size > 8:
        return f"bits {', '.join(map(str, np.flatnonzero(report)[:8]))}{', …' if report.sum() > 8 else ''} alone"
    text = shown(freeze(report), most=100)
    return text if len(text) <= 80 else text[:79] + "…"


class _Linear:
    """Order reports by logistic regression on their parts, one fit for each pair of inputs."""

    def __init__(self, fit: list[Pool], products: bool) -> None:
        train = [pool[:ROWS] for pool in fit]
        whole = np.concatenate(train) if isinstance(train[0], np.ndarray) else [y for pool in train for y in pool]
        try:
            plain, self.encode = features_of(whole)
            self.encode(whole[:1])
        except RecursionError:
            raise ValueError(
                "client must return reports that are not nested too deeply, or say by features= what they hold"
            ) from None
        pairs = list(combinations(range(len(plain)), 2)) if products else []
        self.at = np.array(pairs, np.int64).reshape(-1, 2).T
        self.names = plain + [f"{plain[a]} and {plain[b]}" for a, b in pairs]
        self.train = [self.prepare(pool) for pool in train]
        self.fitted: dict[tuple[int, int], Floats] = {}

    def prepare(self, pool: Pool) -> Bools:
        x, (one, other) = self.encode(pool), self.at
        return np.concatenate([x, x[:, one] & x[:, other]], 1)

    def weights(self, pair: tuple[int, int]) -> Floats:
        """Weight of each feature, and the constant; those of the reversed pair are the negative."""
        if pair[::-1] in self.fitted:
            return -self.fitted[pair[::-1]]
        if pair not in self.fitted:
            try:
                from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
                from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
            except ImportError:
                raise ImportError("an audit of reports that hardly come back needs scikit-learn") from None
            one, other = (self.train[x] for x in pair)
            model = LogisticRegression()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a rough order of reports will do
                model.fit(np.concatenate([one, other]).astype(np.float32), np.arange(len(one) + len(other)) < len(one))
            self.fitted[pair] = np.append(model.coef_[0], model.intercept_).astype(np.float64)
        return self.fitted[pair]

    def score(self, pair: tuple[int, int], x: Any) -> Floats:
        w = self.weights(pair)
        parts = [x[some].astype(np.float64) @ w[:-1] for some in blocks(len(x), max(1, CELLS // len(w)))]
        return np.asarray(np.round(np.concatenate(parts) + w[-1], 9))  # equal features, equal scores

    def words(self, pair: tuple[int, int], cut: float) -> str:
        w = self.weights(pair)[:-1]
        named = ", ".join(f"{self.names[i]} ({w[i]:+.1f})" for i in np.argsort(-np.abs(w), kind="stable")[:4])
        return f"logistic score above {cut:.2f}; heaviest features: {named}"


_Choice = tuple[float, tuple[int, int], float, _Counts | _Linear]  # what is promised, pair, threshold, ranking
