"""Questions with several answers a person: ratings of items, and a table of yes and no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set as AnySet
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldpnb.attributes import Blocks, DrawnAttributes, HarmonyFrequency
from ldpnb.attributes.records import Set
from ldpnb.chance import Randomness, exact, inexact
from ldpnb.checks import check_count, check_flag, check_own_wave, check_probability, in_full, shown
from ldpnb.core import Bools, Floats, Ints, OpenMechanism, Reports, Tally, named
from ldpnb.intervals import skewed_quantile
from ldpnb.keyvalue.states import SampledKey
from ldpnb.keyvalue.ternary import SignedTernary, mean_of
from ldpnb.numbers.means import Range
from ldpnb.oracles.base import Supporting
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.records import Records
from ldpnb.serve._asked import (
    CATEGORY,
    DECLINE,
    LEAVE,
    Asked,
    check_labels,
    column_of,
    in_unit,
    one_range,
    quantile,
)
from ldpnb.serve._columns import coded, key, named_people, numbers, present, told, told_apart
from ldpnb.serve._ends import row_of
from ldpnb.serve._planned import PlannedError
from ldpnb.serve._results import RatingsResult, Result
from ldpnb.serve._rounds import of_share, of_unit, repeated_error, rounds_of_asked
from ldpnb.serve.drawing import Supported, left_over

if TYPE_CHECKING:
    from ldpnb.serve.choose import Question

HALVINGS = 50  # of the search for the end of an interval
TINY = 1e-300  # in place of a variance of 0


@dataclass(frozen=True, eq=False)
class Ratings(Asked):
    """Ratings of items, of which each person rates some: the share of people who rate each item, and its mean rating.

    Parameters
    ----------
    items : list or tuple of str, bool or int
        Written down before anybody rates; found by the rule for columns of `ldpnb.serve.survey`, as users are.
    low, high : float
        Ends of the scale.
    most : int
        Items that a person rates, at most; the fewer, the smaller the errors.
    epsilon : float
        Privacy of all ratings of a person together; that of the mechanism, if one is given.
    more : {"refuse", "draw"}
        What becomes of a person with more ratings: an error, or `most` of them are drawn.  Then each counts as
        most/(number of ratings) of a person, which makes shares of items smaller.
    mechanism : SignedTernary, optional

    Notes
    -----
    With a mechanism that asks about one public key, `StateEncoding` or `PrivKV`, estimates divide by the number of
    people who were asked about an item (`ldpnb.asked`); fewer than two of them for an item is an error.

    A mean is a ratio of two estimates.  It is given where the share is more than three standard errors of an item that
    nobody rates (`mean_of`); elsewhere it may be anything: estimate and error are NaN, and the interval is the scale.
    The interval of a mean that is given holds the means of the scale under which so many reports of either sign are
    not too unlikely, as `ldpnb.intervals.skewed_quantile` has it; it need not lie evenly around the mean.

    Examples
    --------
    >>> stars = Ratings(["mail", "maps", "chess"], 1, 5, most=2, epsilon=2.0)
    >>> people = [{"mail": 5, "maps": 3}, {"mail": 4}, {"maps": 1}, {}] * 5000
    >>> result = stars.estimate(stars.tally(stars.perturb(people, rng=np.random.default_rng(1))))
    >>> round(result["mail"].share.share, 1), round(result["mail"].mean.mean, 1)
    (0.5, 4.5)
    """

    items: Any
    low: Any
    high: Any
    most: Any
    epsilon: Any = None
    more: str = "refuse"
    mechanism: Any = None
    missing = None

    def __post_init__(self) -> None:
        items = check_labels(self.items, "items")
        self._set(items=items, low=self.range.low, high=self.range.high)
        self._set(most=check_count(self.most, 1, "most", len(items)))
        if not isinstance(self.more, str) or self.more not in ("refuse", "draw"):
            raise ValueError(f'more must be "refuse" or "draw", got {shown(self.more)}')
        self._take(SignedTernary, "one for keys and values")
        if getattr(self.mechanism, "d", len(items)) != len(items):
            raise ValueError(f"mechanism must have d = {len(items)}, got {shown(self.mechanism, most=200)}")

    @cached_property
    def range(self) -> Range:
        """The scale, and its map to [−1, 1]."""
        return one_range(self.low, self.high)

    def _asked(self) -> str:
        return f"{self.items!r}, {self.low!r}, {self.high!r}"

    def _question(self, n: int) -> Question:
        from ldpnb.serve.choose import Pairs

        return Pairs(n=n, epsilon=self.epsilon, d=len(self.items), m=self.most, low=self.low, high=self.high)

    def _column(self, frame: Any, name: str) -> Any:
        return _as_list(column_of(frame, name))

    def encoded(self, values: Any, everybody: Any = None) -> Records:
        """Return records; see `perturb`."""
        values = _as_list(values)
        if isinstance(values, list | tuple):
            if wrong := [x for x in values if not isinstance(x, Mapping)]:
                raise ValueError(f"values must be a dict {{item: rating}} for each person, got {shown(wrong[0])}")
            if everybody is not None:
                raise ValueError("everybody must be left out where values are dicts: one who rates nothing has {}")
            users: list[Any] = []
            who: Any = np.repeat(np.arange(len(values)), [len(x) for x in values])
            n, item = len(values), [x for one in values for x in one]
            rating: Any = [x for one in values for x in one.values()]
        else:
            user, item, rating = (column_of(values, name) for name in ("user", "item", "rating"))
            users, who = named_people(user, "user")
            n = len(users)
            if everybody is not None:
                place = _places(users, everybody)
                n, who = len(place), np.array([place[key(x)] for x in users], np.int64)[who]
                users = [x for _, x in place]
        keys = coded(item, self.items, "add it to the items before the survey begins", "item")
        found = numbers(rating, "rating")
        if not len(who) == len(keys) == len(found):
            got = f"user: {len(who)}, item: {len(keys)}, rating: {len(found)}"
            raise ValueError(f"values must have columns of one length, got {got}")
        for name, gaps in (("item", keys < 0), ("rating", np.isnan(found))):
            if lost := int(gaps.sum()):
                cure = f"leave rows without {'an item' if name == 'item' else 'a rating'} out"
                raise ValueError(f"{name} must be there in each row, got {lost} missing: {cure}")
        if (wrong := found[(found < self.low) | (found > self.high)]).size:
            ends = f"[{in_full(self.low)}, {in_full(self.high)}]"
            raise ValueError(f"rating must be in {ends}, got {in_full(wrong[0])}: choose a wider scale")
        if users:
            _once(who, users, keys, self.items)
        records = Records.from_arrays(who, keys, self.range.to_unit(found), n=n)
        if self.more == "refuse" and (most := records.sizes.max(initial=0)) > self.most:
            raise ValueError(
                f'values must be at most {self.most} ratings a person, got {most}: raise most, or more="draw"'
            )
        return records

    def perturb(self, values: Any, *, rng: Randomness, everybody: Any = None) -> Reports:
        """Draw a report of each person; see `Asked.perturb`.

        Parameters
        ----------
        values : list of dict {item: rating}, or a long table
            A dict a person, empty for one who rates nothing; or anything with the columns "user", "item" and "rating".
        rng : Generator or SystemRandom
        everybody : list, array, pandas Series or Arrow column, optional
            All users, each once, where a long table leaves out those who rate nothing; otherwise shares are of those in
            the table.  Reports are in this order.

        Raises
        ------
        ValueError
            As for all questions; and if two names in "user" and `everybody` may be those of one person: 7 and "7", or
            texts that differ in blanks or in Unicode form alone.  The person would be taken for two, and send twice.
        """
        return self.mechanism.perturb(self.encoded(values, everybody), rng=rng)  # type: ignore[no-any-return]

    def tally(self, reports: Reports, *, wave: str | None = None) -> Tally:
        """Count reports; see `Asked.tally`.  Tallies of one wave add."""
        counted: Tally = self.mechanism.tally(reports, *named(self._candidates(None)))
        return replace(counted, wave=check_own_wave(wave))

    def _candidates(self, items: Any) -> Any:
        own = range(len(self.items)) if isinstance(self.mechanism, OpenMechanism) else None
        if items is not None and not (own and isinstance(items, list | tuple | range) and [*items] == [*own]):
            raise ValueError(f"items must be left out, the question has its own, got {shown(items)}")
        return own

    def _estimate(self, tally: Tally, level: float, people: bool, together: bool, rounds: float) -> RatingsResult:
        d = len(self.items)
        again = 1 if people else rounds
        z = quantile(level, 2 * d if together else 1)
        if isinstance(self.mechanism, SampledKey):  # the key is public: divide by the number of those who were asked
            error = self.mechanism.standard_error_of_asked(tally)[0]
            found, spread = self.mechanism.of_asked(tally)
        else:
            error = self.mechanism.standard_error(tally)[0]
            found = self.mechanism.estimate(tally)
            spread = self.mechanism.plug_in(found, tally.n)
        if people:
            error = np.sqrt(spread.variance[0])
        given = {
            "tally": tally,
            "level": level,
            "people": people,
            "together": together,
            "labels": self.items,
            "rounds": rounds,
        }
        means, f = mean_of(found, spread), found[0]
        error = repeated_error(error, of_share(f), tally, again)
        told = means.reliable
        mean, off = (np.where(told, x, 0) for x in (means.mean, means.error))
        rated_by = np.where(told, f, 1).clip(0, 1)  # those who rate an item, among all
        off = np.where(told, repeated_error(off, of_unit(mean) / rated_by, tally, again), 0)
        notes = tuple("" if yes else "too few to tell" for yes in told)
        share_ends = partial(self._share_ends, tally, f, error, people, rounds)
        mean_ends = partial(self._mean_ends, tally, told, again)
        low, high = share_ends(z)
        own: dict[str, Any] = {"low": low, "high": high, "ends_at": partial(row_of, share_ends)}
        shares = Result("share", "item", estimate=f, error=error, **own, **given)
        low, high = mean_ends(z)
        own = {"low": low, "high": high, "ends_at": partial(row_of, mean_ends)}
        unit = Result("mean", "item", estimate=mean, error=off, notes=notes, **own, **given)
        rated = in_unit(unit, self.range, people, "")
        rated.estimate[~told], rated.error[~told] = np.nan, np.nan
        return RatingsResult(shares, rated)

    def _share_ends(
        self, tally: Tally, share: Floats, error: Floats, people: bool, rounds: float, z: float
    ) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of shares."""
        (part,) = self._supported(tally)
        around = share - z * error, share + z * error
        sampled = left_over(part.n, tally.n) if people else rounds_of_asked(rounds, part.n, tally.n)
        return part.ends(share, around, z, sampled)

    def _mean_ends(self, tally: Tally, told: Bools, rounds: float, z: float) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of means, in [−1, 1]: all of it for those that are not told."""
        low, high = self._ends(tally, z, rounds)
        return np.where(told, low, -1), np.where(told, high, 1)

    def _supported(self, tally: Tally) -> list[Supported]:
        counted = tally.counts.sum(-1)  # reports that were asked about the item
        return [Supported(slice(None), counted - tally.counts[..., 1], counted, self._chances)]

    def _ends(self, tally: Tally, z: float, rounds: float) -> tuple[Floats, Floats]:
        r"""Return the means, in [−1, 1], that would lead to such numbers of + and − (d,) each.

        If the mean is m, the score of :math:`\hat s - m\hat f` has mean 0.  It is compared with a law of its own
        variance and skewness under m and the estimated share (Fieller's interval, for few reports).  Where no m of the
        scale leads to such numbers, both ends are the nearest one.  Of people who send r reports each, the variance
        grows by as much as it can, (r−1)f(1 − m²), and the skewness is that of as many fewer reports.
        """
        plus, minus = tally.counts[..., 2], tally.counts[..., 0]
        n = np.maximum(tally.counts.sum(-1), 1)
        alpha, beta, gamma = self.mechanism.answer
        own, other = self._chances
        gain, sign = inexact(own - other), inexact((alpha - beta) * (own - other) / (alpha + beta - 2 * gamma))
        blind = inexact(gamma)
        share = ((plus + minus) / n - inexact(other)) / gain
        product = (plus - minus) / n / sign
        possible = share.clip(0, 1)
        more = rounds_of_asked(rounds, n, tally.n) - 1

        def beyond(m: Floats, side: int) -> Bools:
            """Whether the score is too far on this side for a mean of m."""
            score_plus, score_minus = 1 / sign - m / gain, -1 / sign - m / gain
            chance_plus = blind + possible * (gain + sign * m) / 2
            chance_minus = blind + possible * (gain - sign * m) / 2
            first, second, third = (
                chance_plus * score_plus**power + chance_minus * score_minus**power for power in (1, 2, 3)
            )
            variance = np.maximum(second - first**2, 0)
            skewness = (third - 3 * first * second + 2 * first**3) / np.maximum(variance, TINY) ** 1.5
            effect = 1 + more * possible * (1 - m**2) / np.maximum(variance, TINY)
            far = side * skewed_quantile(side * z, skewness * np.sqrt(effect / n)) * np.sqrt(variance * effect / n)
            return np.asarray(side * (product - m * share) > far)

        nearest = (product / np.where(share > 0, share, 1)).clip(-1, 1)
        ends = []
        for side in (1, -1):
            outside = np.full(nearest.shape, -float(side))
            inside = np.where(beyond(outside, side), nearest, outside)
            for _ in range(HALVINGS):
                middle = (inside + outside) / 2
                far = beyond(middle, side)
                inside, outside = np.where(far, inside, middle), np.where(far, middle, outside)
            ends.append(inside)
        return ends[0], ends[1]

    @property
    def _chances(self) -> tuple[Fraction, Fraction]:
        """Chance that a report asked about an item has a sign, from somebody who rates it, and from anybody else."""
        alpha, beta, gamma = self.mechanism.answer
        used = exact(float(self.mechanism.used(np.array([1]))[0]))
        return 2 * gamma + (alpha + beta - 2 * gamma) * used, 2 * gamma

    def plan(self, n: int, share: float = 0.1) -> dict[str, float]:
        """Return the standard errors to come of an item that this share rate: of the share, and of a mean halfway."""
        f = check_probability(share, "share")
        estimate = np.array([[f], [0.0]])
        drawn = isinstance(self.mechanism, SampledKey)
        spread = (self.mechanism.plug_in_of_asked if drawn else self.mechanism.plug_in)(estimate, n)
        mean = float(self.range.half * mean_of(estimate, spread).error[0])
        share_error = sqrt(spread.variance[0, 0] + f * (1 - f) / n)
        return {"share": PlannedError(share_error), "mean": PlannedError(mean, "")}

    def _planned(self, n: int) -> tuple[float, float]:
        share = 0.1
        population = self.plan(n, share)["share"] ** 2
        return population - share * (1 - share) / n, population


def _as_list(values: Any) -> Any:
    """Return a column of dicts as a list; anything else as it is."""
    return values.tolist() if getattr(getattr(values, "dtype", None), "kind", "") == "O" else values


def _places(users: list[Any], everybody: Any) -> dict[Any, int]:
    """Return the place of everybody by name, if each is named once, and all users are there."""
    given = list(everybody) if isinstance(everybody, AnySet) else everybody
    people, at = named_people(given, "everybody")
    if len(people) < len(at):
        twice = people[int(np.bincount(at).argmax())]
        raise ValueError(f"everybody must name each person once, got {shown(twice)} twice: drop the repeated ones")
    told_apart([*people, *users], "user and everybody")
    place = {key(people[i]): row for row, i in enumerate(at.tolist())}
    if strange := [x for x in users if key(x) not in place]:
        raise ValueError(f"everybody must name all users, got none of the name {shown(strange[0])}")
    return place


def _once(who: Ints, users: list[Any], keys: Ints, items: tuple[Any, ...]) -> None:
    """Refuse two ratings of one item by one person."""
    order = np.lexsort((keys, who))
    twice = np.flatnonzero((np.diff(who[order]) == 0) & (np.diff(keys[order]) == 0))
    if twice.size:
        row = order[twice[0]]
        got = f"{shown(items[keys[row]])} twice for user {shown(users[who[row]])}"
        raise ValueError(f"item must be there once a person, got {got}: keep one of the ratings")


@dataclass(frozen=True, eq=False)
class YesNoTable(Asked):
    """Several yes-or-no columns at once: the share of yes in each, and of yes in both of each pair if that is asked.

    Rows of the result are labelled by column; those of missing answers "column: name", those of pairs "first and
    second".

    Parameters
    ----------
    columns : list or tuple of str, at least two
    epsilon : float
        Privacy of a whole row; that of the mechanism, if one is given.
    missing : str, optional
        What becomes of a missing answer, as for `OneOf`; with "decline", people with a gap send nothing at all.
    pairs : bool
        Whether shares of people with yes in both of two columns are estimated, too.
    yes, no : str, bool or int
        How answers are written; found by the rule for columns of `ldpnb.serve.survey`.
    mechanism : Blocks, DrawnAttributes of single columns, or HarmonyFrequency, optional
        Of as many attributes as there are columns, with 2 values each, 3 if missing answers have a category; `Blocks`
        for pairs.

    Notes
    -----
    Each person is asked about some of the columns, drawn in public.  A share is that among those who were asked
    (`ldpnb.asked`, `Blocks.pair_tables`); with fewer than two of them for a column there is no result.

    Examples
    --------
    >>> habits = YesNoTable(["smokes", "runs"], epsilon=2.0)
    >>> rows = {"smokes": [True, False, False, False] * 5000, "runs": [False, True, True, False] * 5000}
    >>> result = habits.estimate(habits.tally(habits.perturb(rows, rng=np.random.default_rng(0))))
    >>> [round(row.share, 1) for row in result]
    [0.2, 0.5]
    """

    columns: Any
    epsilon: Any = None
    missing: Any = None
    pairs: bool = False
    yes: Any = True
    no: Any = False
    mechanism: Any = None

    def __post_init__(self) -> None:
        self._set(columns=check_labels(self.columns, "columns", 2))
        if wrong := [x for x in self.columns if not isinstance(x, str)]:  # of rows or arrays, it would be a place
            raise ValueError(
                f"columns must be strings, got {told(wrong)}: rename them, as by table.rename(columns=str)"
            )
        check_labels([self.no, self.yes], "no and yes")
        self._policy(True)
        if self._values == 3:
            check_labels([self.no, self.yes, self.missing], "no, yes and missing")
        check_flag(self.pairs, "pairs")
        check_labels(self.labels, "columns, with the labels of pairs and of missing answers,")
        what = "Blocks" if self.pairs else "Blocks, DrawnAttributes or HarmonyFrequency"
        self._take(Blocks if self.pairs else (Blocks, DrawnAttributes, HarmonyFrequency), what)
        sizes = (self._values,) * len(self.columns)
        if self.mechanism.sizes != sizes or getattr(self.mechanism, "order", 1) != 1:
            rule = f"of single columns of sizes {shown(sizes)}"
            raise ValueError(f"mechanism must be {rule}, got {shown(self.mechanism, most=100)}")

    @property
    def labels(self) -> list[str]:
        """Labels of the result, in its order."""
        found = [str(x) for x in self.columns]
        if self._values == 3:
            found += [f"{name}: {self.missing}" for name in self.columns]
        if self.pairs:
            found += [f"{a} and {b}" for a, b in combinations(self.columns, 2)]
        return found

    @property
    def _values(self) -> int:
        return 2 if self.missing in (None, DECLINE) else 3

    def _asked(self) -> str:
        return f"{self.columns!r}, yes={self.yes!r}, no={self.no!r}"

    def _question(self, n: int) -> Question:
        from ldpnb.serve.choose import Crosstabs, Marginals

        kind = Crosstabs if self.pairs else Marginals
        return kind(n=n, epsilon=self.epsilon, d=len(self.columns), k=self._values, share=0.25 if self.pairs else 0.5)

    def encoded(self, values: Any) -> Ints:
        """Return records of 0 for no, 1 for yes and 2 for missing, (n, d).

        Parameters
        ----------
        values : table with these columns, list of dict, or bool ndarray (n, d)
        """
        if isinstance(values, np.ndarray) and values.ndim == 2:
            if values.shape[1] != len(self.columns):
                raise ValueError(f"values must have d = {len(self.columns)} columns, got shape {values.shape}")
            each: Any = values.T
        elif isinstance(values, list | tuple) and all(isinstance(row, Mapping) for row in values):
            each = [[column_of(row, name) for row in values] for name in self.columns]
        else:
            each = [column_of(values, name) for name in self.columns]
        cure = "say how yes and no are written, YesNoTable(…, yes=…, no=…)"
        found = [coded(x, (self.no, self.yes), cure, str(name)) for x, name in zip(each, self.columns, strict=True)]
        if len({len(x) for x in found}) > 1:
            raise ValueError(f"values must have columns of one length, got {shown([len(x) for x in found])}")
        codes = np.stack(found, 1)
        if self._values == 3:
            codes = np.where(codes < 0, 2, codes)
        return present(codes, np.all(codes >= 0, axis=1), self.missing, CATEGORY + LEAVE)

    def _column(self, frame: Any, name: str) -> Any:
        return {one: column_of(frame, one) for one in self.columns}

    def _one(self, row: Any, name: str) -> Any:
        return [self._column(row, name)]

    def _estimate(self, tally: Tally, level: float, people: bool, together: bool, rounds: float) -> Result:
        v = self._values
        labels = self.labels
        asked = self._cells
        z = quantile(level, len(labels) if together else 1)
        if isinstance(self.mechanism, Blocks):
            singles = [one for one, _ in asked if len(one) == 1]
            found = self.mechanism.tables(tally, singles)
            tables, variances = found.tables, found.variances
            if self.pairs:
                both = self.mechanism.pair_tables(tally, [one for one, _ in asked if len(one) == 2])
                tables, variances = tables + both.tables, variances + both.variances
            share = np.array([x[at] for x, (_, at) in zip(tables, asked, strict=True)])
            noise = np.array([x[at] for x, (_, at) in zip(variances, asked, strict=True)])
            f = share.clip(0, 1)  # as the variances are estimated
            error = np.sqrt(np.maximum(noise + (0 if people else f * (1 - f) / tally.n), 0))
        else:
            entries = [v * one[0] + at[0] for one, at in asked]
            drawn = self.mechanism.numbers_asked(tally)[entries]
            if drawn.min() < 2:
                rarest = int(drawn.argmin())
                got = f"{drawn[rarest]} about {shown(labels[rarest])}"
                raise ValueError(f"tally must hold two answers about each column, got {got}: collect more")
            share = self.mechanism.estimate_of_asked(tally)[entries]
            error = self.mechanism.standard_error_of_asked(tally, people=people)[entries]
        if not people:
            error = repeated_error(error, of_share(share), tally, rounds)
        ends = partial(self._ends, tally, share, error, people, rounds)
        low, high = ends(z)
        given = "share", "column", tuple(labels), share, error, low, high, tally, level, people, together
        return Result(*given, rounds=rounds, ends_at=partial(row_of, ends))

    def _ends(
        self, tally: Tally, share: Floats, error: Floats, people: bool, rounds: float, z: float
    ) -> tuple[Floats, Floats]:
        """Return the ends of all intervals."""
        low, high = share - z * error, share + z * error  # where scores have more than two values
        around = low.copy(), high.copy()
        for part in self._supported(tally):
            sampled = left_over(part.n, tally.n) if people else rounds_of_asked(rounds, part.n, tally.n)
            low[part.rows], high[part.rows] = part.ends(share, around, z, sampled)
        return low, high

    @property
    def _cells(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Columns and values of each row of the result."""
        d = len(self.columns)
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((j,), (1,)) for j in range(d)]
        if self._values == 3:
            found += [((j,), (2,)) for j in range(d)]
        if self.pairs:
            found += [(both, (1, 1)) for both in combinations(range(d), 2)]
        return found

    def _supported(self, tally: Tally) -> list[Supported]:
        cells = self._cells
        singles = len(self.columns) * (self._values - 1)
        parts = []
        for rows, pooled in ((slice(0, singles), False), (slice(singles, None), True)):
            told = _support(self.mechanism, tally, cells[rows])
            if told is not None:
                parts.append(Supported(rows, told.supporters, told.n, told.chances, pooled))
        return parts

    def _planned(self, n: int) -> tuple[float, float]:
        share = 0.25 if self.pairs else 0.5
        these = self.plan(n) ** 2
        return these, these + share * (1 - share) / n

    def plan(self, n: int) -> float:
        """Return the standard error to come of a share of one half (of a quarter for a pair), for these people."""
        from ldpnb.serve.choose import Row

        made = self._question(n)._choice(Row("", partial(replace, self.mechanism), ""))
        return PlannedError(next(iter(made.errors.values())))


class _Supporters(NamedTuple):
    """How many reports support each of some cells, of how many that are about it; chances of a holder and of others."""

    supporters: Floats
    n: Floats
    chances: tuple[Fraction, Fraction]


def _support(mechanism: Any, tally: Tally, asked: Sequence[tuple[Set, Set]]) -> _Supporters | None:
    """Count the reports that support cells of sets of one size, of attributes of one size; None if they do not."""
    if not asked:
        return None
    if isinstance(mechanism, Blocks):
        found = mechanism.tables(tally, [one for one, _ in asked])
        keep = exact(mechanism.keep[0])
        cells = found.tables[0].size
        share = np.array([table[at] for table, (_, at) in zip(found.tables, asked, strict=True)])
        n = np.rint(found.people / inexact(keep**2))  # reports whose block holds the set
        own, other = keep + (1 - keep) / cells, (1 - keep) / cells
        return _Supporters(n * (inexact(other) + inexact(keep) * share), n, (own, other))
    if isinstance(mechanism, HarmonyFrequency):
        oracle: Any = HadamardBit(k=mechanism.sizes[0], epsilon=mechanism.epsilon)
        parts = tally.counts.reshape(len(mechanism.sizes), oracle.m, 2)
        n = parts.sum((1, 2))
    else:
        if not isinstance(mechanism.oracle, Supporting):
            return None
        oracle = mechanism.oracle
        n, parts = tally.counts[:, 0], tally.counts[:, 1:]
        parts = parts.reshape(-1, *oracle.tally(oracle._nothing()).counts.shape)
    count = [oracle.supporters(Tally(oracle, int(n[j]), parts[j]))[at] for (j,), (at,) in asked]
    return _Supporters(np.array(count), n[[j for (j,), _ in asked]].astype(np.float64), oracle.chances)
