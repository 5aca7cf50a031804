"""A lower bound on the ε of any client, from samples of its reports alone.

Samples cannot prove privacy.  They can refute a claim, at a stated level.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain, combinations
from math import exp, inf, isfinite, log
from typing import Any, NamedTuple

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
# events on the choosing quarter that the safe choice corrects for; nothing rests on their number
TRIED = 1000
CUTS = 64  # thresholds tried for one score
REPEATS = 50  # reports that come back so often on average need no classifier
PRODUCTS = 24  # features whose pairwise products are tried as well
ROWS = 20_000  # reports of each input that a classifier is fitted to
WORDS = 80  # letters of a report in the name of an event
CURE = ", or many= be changed"

Pair = tuple[int, int]  # positions of two inputs; an event is likelier under the first


# --------------------------------------------------------------------------------------- the audit


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
        What this audit could expect at best with as many samples, see `ceiling`: against `claimed`,
        or against the ratio of `counts` where nothing is claimed.
    perfect : float
        The same for somebody who knows the best event beforehand, and counts all reports.
    """

    bound: float
    pair: Pair
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

    ε is the least number with :math:`P(M(x) \in S) \le e^\varepsilon P(M(x') \in S)` for all inputs
    x, x' and all sets S of reports, so any one pair of inputs and any one set S bound it:
    :math:`\varepsilon \ge \ln(P(S|x) / P(S|x'))`.

    One half of the reports serves to choose the pair and the set.  A quarter ranks reports by how
    much likelier they are under x than under x': by their counts, and where reports hardly come
    back also by logistic regression on their parts (bits, entries, fields, characters, members,
    length).  On the other quarter all ordered pairs, rankings and thresholds compete.  Two events
    win: the one that promises the largest bound, and the one that does so even if luck had a hand
    in its counts.

    The other half, which had no part in this, is then asked about these two events.  By Clopper and
    Pearson, P(S|x) is below a, or P(S|x') is above b, with probability `level` / 4 each at most,
    and the larger ln(a/b) is the bound.  Nothing else is evaluated there, so **P(bound > ε) ≤
    level**, whatever the client, as long as its reports are independent: noise that several reports
    share voids the guarantee.  What the array of a whole call shares, as its dtype, is no report's
    own, so arrays that differ in it between inputs are refused, even if each input has its own: ask
    for one report at a time, where it counts.

    The converse is not true: a small bound proves nothing.  An event has to show up to be seen:
    with n samples, nothing rarer than about 1/n is.  A difference that no ranking sees stays unseen
    too: the slot of a hash, say, means nothing to whoever does not evaluate the hash at the inputs;
    that is what `features` is for.  Nor is anything said of inputs that are not given: values
    beyond a clip, longer sets, an empty record.

    A `UserWarning` says where an audit sees little: no two reports are alike and none of their
    parts tells inputs apart; objects that are not looked into hardly come back; reports are longer
    than what is looked at; all reports of each call with `many` are alike, or have one form, and
    those of another call another; an input is given twice; all sets, dicts or records, or a
    callable's lists or bytes, have one length; no number is at an end of what a Mechanism takes.
    It cannot be known which numbers, lengths or categories a callable takes, whether a tuple or a
    string may be longer, nor which items or keys a Mechanism might treat unlike others.

    Parameters
    ----------
    client : Mechanism or callable
        A callable is ``client(value, rng) -> report``, or with `many` ``client(value, n, rng) -> n
        reports``.  Reports may be numbers, strings, bytes, tuples, sets, dicts, arrays or rows of
        them, of any length.  Each call has a value of its own, and its report is copied.  Reports
        that differ in what a receiver gets (`chance.form`), as in type alone, are different.
    inputs : sequence of values (for a Mechanism: a batch that `perturb` takes, one person each)
        At least two.
    samples : int, at least 100
        Reports to draw of each input.
    rng : Generator or SystemRandom
        Passed on to the client.  A client that draws from a generator of its own must have seeded
        it otherwise: what shuffles the reports must not be what drew them.
    level : float in (0, 1/2]
    claimed : float, optional
        The ε that the client claims.
    delta : float in [0, 1)
        The δ that it claims: then :math:`\varepsilon \ge \ln((P(S|x) - \delta) / P(S|x'))`, at the
        same level.
    many : bool
        Whether a callable draws many reports at once.
    features : callable, optional
        Takes many reports (an array or a list, as the client returned them) and returns as many
        rows of whatever is telling about them, instead of which the rows are then audited.  This is
        post-processing, so the guarantee holds.  It must not look at other reports when it treats
        one.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If there are fewer than two inputs, an argument is out of range, the client returns the
        wrong number of reports, reports that cannot be compared, or arrays that differ between
        inputs in dtype or shape of rows.

    Notes
    -----
    Sources: Clopper and Pearson 1934; Ding, Wang, Wang, Zhang and Kifer 2018 (StatDP: events found
    on one sample and tested on another); Bichsel, Steffen, Bogunovic and Vechev 2021 (DP-Sniper:
    events from a classifier); Arcolezi and Gambs 2024 (audits of local mechanisms by an attacker's
    guesses).

    Examples
    --------
    Local hashing, by what a report says of two items:

    >>> from ldpnb import OLH
    >>> olh = OLH(k=100, epsilon=1.0)
    >>> items = np.array([3, 5])
    >>> def supports(reports):
    ...     return olh.hash(reports["seed"][:, None], items) == reports["slot"][:, None]
    >>> rng = np.random.default_rng(0)
    >>> found = audit(olh, items, samples=20_000, rng=rng, claimed=1.0, features=supports)
    >>> found.flagged
    False
    """
    is_mechanism = isinstance(client, Mechanism)
    is_batch = isinstance(inputs, np.ndarray) or (is_mechanism and isinstance(inputs, Records))
    if not is_batch:
        inputs = plain_values(inputs)
    if len(inputs) < 2:
        raise ValueError(f"inputs must hold at least two inputs, got {len(inputs)}")
    samples = _check_size(samples, level, delta)
    if claimed is not None and not (is_number(claimed) and isfinite(claimed) and claimed >= 0):
        raise ValueError(f"claimed must be a finite number, at least 0, got {claimed!r}")
    if not isinstance(rng, np.random.Generator | SystemRandom):
        kind = type(rng).__name__
        raise ValueError(f"rng must be a numpy.random.Generator or a SystemRandom, got {kind}")
    for gap in _gaps(client, inputs):
        _warn(gap)

    drawn = []
    for i in range(len(inputs)):
        reports = _drawn(client, inputs, i, samples, rng, many, look_at_each=features is None)
        if features is not None:
            reports = _rows_of(reports, features, samples)
        drawn.append(reports)
    every = [own.reports for own in drawn]
    sent = [own.sent for own in drawn]
    source = "client" if features is None else "features"
    check_batches(every, [own.common for own in drawn], source)
    pools = tidy(every, sent)
    if many and all(len(set(keys(pool))) == 1 for pool in pools):
        _warn("all reports of each call are alike: if they share their noise, the bound is void")
    elif (many or is_mechanism) and settled(every, sent):
        one_form = "all reports of a call have one form, another in another call"
        _warn(f"{one_form}: if one report settles it, the bound is void")

    fit, choose, held = _split(pools, samples, rng)
    n = samples - samples // 2
    alpha = level / TAILS
    choices, last = _chosen(fit, choose, n, alpha, delta)
    tested = [_tested(choice, held, n, alpha, delta) for choice in choices]
    found = max(tested, key=lambda one: one.bound)
    is_blind = bool(_bound(*found.counts, n, 0.25, delta) <= 0)
    for doubt in _doubts(fit, sent, last, is_blind):
        _warn(doubt)

    target = claimed
    if target is None:
        target = max(_log_ratio(*found.counts, n, delta), 0.0)
    choice = found.choice
    return Audit(
        bound=max(0.0, found.bound),
        pair=choice.pair,
        event=choice.ranking.words(choice.pair, choice.cut),
        counts=found.counts,
        held_out=n,
        samples=samples,
        level=level,
        claimed=claimed,
        delta=delta,
        ceiling=ceiling(target, samples=samples, level=level, delta=delta),
        perfect=ceiling(target, samples=samples, level=level, known=True, delta=delta),
    )


def ceiling(
    epsilon: float, *, samples: int, level: float = 1e-3, known: bool = False, delta: float = 0.0
) -> float:
    r"""Bound that `audit` may expect against a client with exactly this ε, by the best event.

    One half of the reports chooses, and each side has a quarter of the level; where the best event
    is `known` beforehand, all reports are counted, and each side has one half.

    No event tells two inputs of an ε-LDP client apart better than that of randomized response,
    :math:`e^\varepsilon/(1+e^\varepsilon)` against :math:`1/(1+e^\varepsilon)`; both counts are put
    at their means.  Chance may lift a single audit above it.  With `delta` the event is that of a
    client that tells the truth with this probability, and else answers so.
    """
    if not is_number(epsilon) or not epsilon >= 0:
        raise ValueError(f"epsilon must be a number, at least 0, got {epsilon!r}")
    n = _check_size(samples, level, delta)
    alpha = level / 2
    if not known:
        n -= n // 2
        alpha = level / TAILS
    q = exp(-epsilon) / (1 + exp(-epsilon))
    one = n * (1 - (1 - delta) * q)
    other = n * (1 - delta) * q
    return max(0.0, float(_bound(one, other, n, alpha, delta)))


def _check_size(samples: int, level: float, delta: float) -> int:
    check_level(level, "level")
    if check_probability(delta, "delta") == 1:
        raise ValueError("delta must be below 1, got 1")
    return check_count(samples, SAMPLES_MIN, "samples")


def _bound(one: ArrayLike, other: ArrayLike, n: int, alpha: float, delta: float = 0.0) -> Floats:
    """ln((a−δ)/b) with a below P(S|x) and b above P(S|x'), each but for probability alpha.

    By Clopper and Pearson, from `one` and `other` of n reports.
    """
    one = np.asarray(one, np.float64)
    other = np.asarray(other, np.float64)
    low = np.where(one > 0, betaincinv(np.maximum(one, 1e-9), n - one + 1, alpha), 0.0)
    high = np.where(other < n, betainccinv(other + 1, np.maximum(n - other, 1e-9), alpha), 1.0)
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low - delta, 0)) - np.log(high)


def _log_ratio(one: int, other: int, n: int, delta: float) -> float:
    """ln((a−δ)/b) with the shares a and b that were found; 0 where a is not above δ."""
    surplus = one / n - delta
    if surplus <= 0:
        return 0.0
    if not other:
        return inf
    return log(surplus * n / other)


# ------------------------------------------------------------------------------------- its reports


class _Drawn(NamedTuple):
    """Reports of one input.

    Attributes
    ----------
    reports : sequence
        Copies, which the client cannot fill anew.
    sent : list of Sent
        What was seen of each before it was copied, as a copy might be another.
    common : hashable
        What a call says of all of them.
    """

    reports: Any
    sent: list[Sent]
    common: Hashable


def _drawn(
    client: Any, inputs: Any, i: int, samples: int, rng: Randomness, many: bool, look_at_each: bool
) -> _Drawn:
    """Draw reports of the i-th input."""
    if isinstance(client, Mechanism):
        reports: Any = client.perturb(deepcopy(repeat(inputs, i, samples)), rng=rng)
    elif many:
        check_call(client, "value, n, rng", CURE, inputs[i], samples, rng)
        reports = client(deepcopy(inputs[i]), samples, rng)
    else:
        return _drawn_one_by_one(client, inputs[i], samples, rng, look_at_each)
    _check_number(reports, samples, "client")
    sent = list[Sent]()
    if look_at_each:
        sent = looked(reports)
    common = shared(reports)
    return _Drawn(copy_of(reports), sent, common)


def _drawn_one_by_one(
    client: Any, value: Any, samples: int, rng: Randomness, look_at_each: bool
) -> _Drawn:
    check_call(client, "value, rng", CURE, value, rng)
    sent = list[Sent]()
    reports = list[Any]()
    for _ in range(samples):
        report = client(deepcopy(value), rng)
        if look_at_each:
            sent.append(look(report))
        reports.append(copy_of(report))
    return _Drawn(reports, sent, None)


def _rows_of(drawn: _Drawn, features: Callable[[Any], Any], samples: int) -> _Drawn:
    """Return features of reports in place of them."""
    rows = _check_number(features(drawn.reports), samples, "features")
    return _Drawn(rows, looked(rows), shared(rows))


def _check_number(reports: Any, n: int, name: str) -> Any:
    if type(reports) not in (np.ndarray, list, tuple):  # others may say more than their reports
        raise ValueError(
            f"{name} must return a sequence of {n} reports, got {type(reports).__name__}: return "
            "list(…)"
        )
    if len(reports) != n:
        raise ValueError(f"{name} must return {n} reports, got {len(reports)}")
    return reports


def _split(
    pools: list[Pool], samples: int, rng: Randomness
) -> tuple[list[Pool], list[Pool], list[Pool]]:
    """Split reports: a quarter to fit rankings, a quarter to choose events, a half to test them.

    At random: should reports depend on their place in the batch, then not the parts.
    """
    quarter = samples // 4
    half = samples // 2
    fit = list[Pool]()
    choose = list[Pool]()
    held = list[Pool]()
    for pool in pools:
        order = np.argsort(rng.random((samples,)), kind="stable")
        fit.append(take(pool, order[:quarter]))
        choose.append(take(pool, order[quarter:half]))
        held.append(take(pool, order[half:]))
    return fit, choose, held


# --------------------------------------------------------------------------------------- its doubts


def _warn(text: str) -> None:
    """Warn whoever called the audit, which calls this itself."""
    warnings.warn(f"this audit says little: {text}", stacklevel=3)


def _gaps(client: Any, inputs: Any) -> Iterator[str]:
    """Say what the inputs do not cover.

    That is as far as it can be known from them and from what a mechanism takes.
    """
    values = plain_values(inputs)
    yield from _given_twice(values)
    sized: tuple[type, ...] = (dict, set, frozenset)
    if not isinstance(client, Mechanism):
        sized += (list, bytes)
    if all(isinstance(x, sized) for x in values) and len({len(x) for x in values}) == 1:
        yield f"all inputs have length {len(values[0])}, and a client may tell lengths apart"
    if isinstance(client, Mechanism):
        yield from _ends_not_reached(client, inputs)


def _given_twice(values: list[Any]) -> Iterator[str]:
    first = dict[Any, int]()
    for j, value in enumerate(values):
        with suppress(ValueError):  # of inputs that cannot be compared
            told = form(value)  # first, since it ends
            i = first.setdefault((freeze(value), told), j)
            if i != j:
                yield f"inputs {i} and {j} are the same"


def _ends_not_reached(mechanism: Mechanism, inputs: Any) -> Iterator[str]:
    for end, side in (("lower", -inf), ("upper", inf)):
        # of no numbers; and beyond those at the end nothing is taken
        with suppress(ValueError, TypeError):
            mechanism._values(_next_to(inputs, side))
            yield f"no input is at the {end} end of the numbers that the mechanism takes"


def _next_to(inputs: Any, side: float) -> Any:
    """Return inputs whose numbers are the next ones on a side."""
    if not isinstance(inputs, Records):
        return np.nextafter(np.asarray(inputs, np.float64), side)
    numbers = np.asarray(inputs.values, np.float64)
    return Records(inputs.offsets, inputs.keys, np.nextafter(numbers, side))


def _doubts(
    fit: list[Pool], sent: list[list[Sent]], last: _Ranking, is_blind: bool
) -> Iterator[str]:
    """Say what the rankings could not see, of which `last` sees most."""
    unlike = len(set(chain(*map(keys, fit)))) == sum(map(len, fit))
    if is_blind and unlike:
        cure = "give more samples, or features="
        yield f"no two reports are alike, and no usable feature tells inputs apart: {cure}"
    kind = unseen(sent)
    if kind:
        what = f"objects of class {kind} hardly come back, and may hide more than their form"
        yield f"{what}: give features="
    if isinstance(last, _Linear) and max(map(size, chain(*fit))) > LONG:
        what = f"only the first {LONG:,} bits, characters or entries of a report are looked at"
        yield f"{what}: give features="


# ---------------------------------------------------------------------------------- choosing events


class _Choice(NamedTuple):
    """An event: the reports with at least a score.  `promised` is a bound."""

    promised: float
    pair: Pair
    cut: float
    ranking: _Ranking

    def count(self, pool: Pool) -> int:
        """Return how many reports are in the event."""
        scores = self.ranking.score(self.pair, self.ranking.prepare(pool))
        return int((scores >= self.cut).sum())


class _Tested(NamedTuple):
    """An event with its counts among held-out reports, and the bound that follows."""

    bound: float
    counts: tuple[int, int]
    choice: _Choice


def _chosen(
    fit: list[Pool], choose: list[Pool], n: int, alpha: float, delta: float
) -> tuple[list[_Choice], _Ranking]:
    """Choose an event boldly and another one safely; and return the ranking that was tried last."""
    best = list[_Choice]()
    for ranking in _rankings(fit):
        prepared = [ranking.prepare(pool) for pool in choose]
        for i, j in combinations(range(len(choose)), 2):
            under_i = ranking.score((i, j), prepared[i])
            under_j = ranking.score((i, j), prepared[j])
            forth = _best_cuts(under_i, under_j, n, alpha, delta)
            best = _better(best, [_Choice(promised, (i, j), t, ranking) for promised, t in forth])
            back = _best_cuts(-under_j, -under_i, n, alpha, delta)
            best = _better(best, [_Choice(promised, (j, i), t, ranking) for promised, t in back])
    return best, ranking


def _better(best: list[_Choice], found: list[_Choice]) -> list[_Choice]:
    """Return what promises more, in either place; the first of equals."""
    if not best:
        return found
    better = []
    for old, new in zip(best, found, strict=True):
        better.append(max(old, new, key=lambda choice: choice.promised))
    return better


def _tested(choice: _Choice, held: list[Pool], n: int, alpha: float, delta: float) -> _Tested:
    """Ask the held-out reports about an event."""
    i, j = choice.pair
    one = choice.count(held[i])
    other = choice.count(held[j])
    return _Tested(float(_bound(one, other, n, alpha, delta)), (one, other), choice)


def _best_cuts(
    a: Floats, b: Floats, n: int, alpha: float, delta: float = 0.0
) -> list[tuple[float, float]]:
    """Choose a threshold t for the event {score ≥ t} boldly and safely.

    `a` holds scores under x, `b` under x'.  Returns what is promised and t: the bound from n
    reports if these repeat themselves, and the bound from these alone, corrected for many events.
    """
    ascending = np.sort(a)
    cuts = np.unique(a)
    if len(cuts) > CUTS:  # dense at the rare end
        cuts = np.unique(ascending[-np.geomspace(1, len(a), CUTS).round().astype(int)])
    one = len(a) - np.searchsorted(ascending, cuts)
    other = len(b) - np.searchsorted(np.sort(b), cuts)
    bold = _bound(one * (n / len(a)), other * (n / len(b)), n, alpha, delta)
    safe = _bound(one, other, len(a), alpha / TRIED, delta)
    best = []
    for promised in (bold, safe):
        best.append((float(promised.max()), float(cuts[np.argmax(promised)])))
    return best


# ----------------------------------------------------------------------------------------- rankings


def _rankings(fit: list[Pool]) -> Iterator[_Ranking]:
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
        reports = dict[Any, Any]()
        for pool in fit:
            reports.update(zip(keys(pool), pool, strict=True))
        self.ids = {key: i for i, key in enumerate(reports)}
        self.shown = list(reports.values())
        # one report more of each keeps ratios finite; the last place is for what never came
        places = len(reports) + 1
        counts = [np.bincount(self.prepare(pool), minlength=places) + 1 for pool in fit]
        self.counts = np.array(counts)

    def prepare(self, pool: Pool) -> Ints:
        return np.array([self.ids.get(key, -1) for key in keys(pool)])

    def score(self, pair: Pair, ids: Any) -> Floats:
        """Return the scores of reports; those of the reversed pair are exactly the negative."""
        one, other = self.counts[list(pair)]
        return np.asarray((np.log(one) - np.log(other))[ids])

    def words(self, pair: Pair, cut: float) -> str:
        """Name an event by its reports, or by what it lacks if it holds what never came."""
        scores = self.score(pair, np.arange(len(self.shown) + 1))
        inside = scores >= cut
        holds_the_rest = inside[-1]
        if holds_the_rest:
            verb = "is not"
            order = np.argsort(scores, kind="stable")
        else:
            verb = "is"
            order = np.argsort(-scores, kind="stable")
        named = [i for i in order if i < len(self.shown) and inside[i] != holds_the_rest]
        if not named:
            return "any report"
        first = ", ".join(_shown(self.shown[i]) for i in named[:6])
        more = ""
        if len(named) > 6:
            more = f", … ({len(named)} reports)"
        return f"report {verb} one of {{{first}{more}}}"


def _shown(report: Any) -> str:
    if isinstance(report, np.ndarray) and report.dtype == np.bool_ and report.size > 8:
        bits = ", ".join(map(str, np.flatnonzero(report)[:8]))
        more = ", …" if report.sum() > 8 else ""
        return f"bits {bits}{more} alone"
    text = shown(freeze(report), most=100)
    if len(text) <= WORDS:
        return text
    return text[: WORDS - 1] + "…"


class _Linear:
    """Order reports by logistic regression on their parts, one fit for each pair of inputs."""

    def __init__(self, fit: list[Pool], products: bool) -> None:
        train = [pool[:ROWS] for pool in fit]
        whole = _joined(train)
        try:
            plain, self.encode = features_of(whole)
            self.encode(whole[:1])
        except RecursionError:
            raise ValueError(
                "client must return reports that are not nested too deeply, or say by features= "
                "what they hold"
            ) from None
        pairs = list[Pair]()
        if products:
            pairs += combinations(range(len(plain)), 2)
        self.at = np.array(pairs, np.int64).reshape(-1, 2).T
        self.names = plain + [f"{plain[a]} and {plain[b]}" for a, b in pairs]
        self.train = [self.prepare(pool) for pool in train]
        self.fitted = dict[Pair, Floats]()

    def prepare(self, pool: Pool) -> Bools:
        """Return the features of reports, and their products."""
        x = self.encode(pool)
        one, other = self.at
        return np.concatenate([x, x[:, one] & x[:, other]], 1)

    def weights(self, pair: Pair) -> Floats:
        """Weight of each feature, and the constant; those of the reversed pair are the negative."""
        i, j = pair
        if (j, i) in self.fitted:
            return -self.fitted[j, i]
        if pair not in self.fitted:
            self.fitted[pair] = _fitted(self.train, pair)
        return self.fitted[pair]

    def score(self, pair: Pair, x: Any) -> Floats:
        """Return the scores of reports, from their features: equal ones of equal features."""
        w = self.weights(pair)
        parts = []
        for some in blocks(len(x), max(1, CELLS // len(w))):
            parts.append(x[some].astype(np.float64) @ w[:-1])
        return np.asarray(np.round(np.concatenate(parts) + w[-1], 9))

    def words(self, pair: Pair, cut: float) -> str:
        """Name an event by its threshold and the features with the largest weights."""
        w = self.weights(pair)[:-1]
        heaviest = np.argsort(-np.abs(w), kind="stable")[:4]
        named = ", ".join(f"{self.names[i]} ({w[i]:+.1f})" for i in heaviest)
        return f"logistic score above {cut:.2f}; heaviest features: {named}"


def _joined(pools: Sequence[Pool]) -> Pool:
    if isinstance(pools[0], np.ndarray):
        return np.concatenate(pools)
    return list(chain(*pools))


def _fitted(train: list[Bools], pair: Pair) -> Floats:
    """Fit a logistic regression; return the weights of features, and the constant."""
    try:
        from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
        from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
    except ImportError:
        raise ImportError("an audit of reports that hardly come back needs scikit-learn") from None
    i, j = pair
    x = np.concatenate([train[i], train[j]]).astype(np.float32)
    is_first = np.arange(len(x)) < len(train[i])
    model = LogisticRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a rough order of reports will do
        model.fit(x, is_first)
    return np.append(model.coef_[0], model.intercept_).astype(np.float64)


_Ranking = _Counts | _Linear
