"""Questions with several answers a person: ratings of items, and a table of yes and no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set as AnySet
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ldpnb.attributes import Blocks, DrawnAttributes, HarmonyFrequency
from ldpnb.attributes.records import Set
from ldpnb.chance import Randomness, exact, inexact
from ldpnb.checks import check_count, check_flag, check_probability, in_full, shown
from ldpnb.collecting._columns import coded, key, named_people, numbers, present, told, told_apart
from ldpnb.core import Bools, Floats, Ints, OpenMechanism, Reports, Tally, named
from ldpnb.intervals import skewed_quantile
from ldpnb.keyvalue.states import SampledKey
from ldpnb.keyvalue.ternary import SignedTernary, mean_of
from ldpnb.numbers.means import Range
from ldpnb.oracles.base import Supporting
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.records import Records
from ldpnb.survey._asked import (
    CATEGORY,
    DECLINE,
    LEAVE,
    LEFT_OUT,
    Asked,
    Labels,
    check_labels,
    column_of,
    in_unit,
    one_range,
    quantile,
)
from ldpnb.survey._ends import row_of
from ldpnb.survey._planned import PlannedError
from ldpnb.survey._results import RatingsResult, Result
from ldpnb.survey._rounds import of_share, of_unit, repeated_error, rounds_of_asked
from ldpnb.survey.drawing import Supported, left_over

if TYPE_CHECKING:
    from ldpnb.choose.planning import Question

HALVINGS = 50  # of the search for the end of an interval
TINY = 1e-300  # in place of a variance of 0


# ------------------------------------------------------------------------------------------ ratings


@dataclass(frozen=True, eq=False)
class Ratings(Asked[RatingsResult]):
    """Ratings of items, of which each person rates some: who rates each item, and how.

    The result has the share of the people who rate an item, and its mean rating.

    Parameters
    ----------
    items : list or tuple of str, bool or int
        Written down before anybody rates; found by the rule for columns of `ldpnb.survey.survey`,
        as users are.
    low, high : float
        Ends of the scale.
    most : int
        Items that a person rates, at most; the fewer, the smaller the errors.
    epsilon : float
        Privacy of all ratings of a person together.  Required, unless a mechanism is given,
        whose ε it then is.
    more : {"refuse", "draw"}
        What becomes of a person with more ratings: an error, or `most` of them are drawn.  Then
        each counts as most/(number of ratings) of a person, which makes shares of items smaller.
    mechanism : SignedTernary, optional

    Notes
    -----
    With a mechanism that asks about one public key, `StateEncoding` or `PrivKV`, estimates divide
    by the number of people who were asked about an item (`ldpnb.asked`); fewer than two of them for
    an item is an error.

    A mean is a ratio of two estimates.  It is given where the share is more than three standard
    errors of an item that nobody rates (`mean_of`); elsewhere it may be anything: estimate and
    error are NaN, and the interval is the scale.  The interval of a mean that is given holds the
    means of the scale under which so many reports of either sign are not too unlikely, as
    `ldpnb.intervals.skewed_quantile` has it; it need not lie evenly around the mean.

    Examples
    --------
    >>> stars = Ratings(["mail", "maps", "chess"], 1, 5, most=2, epsilon=2.0)
    >>> people = [{"mail": 5, "maps": 3}, {"mail": 4}, {"maps": 1}, {}] * 5000
    >>> result = stars.estimate(stars.tally(stars.perturb(people, rng=np.random.default_rng(1))))
    >>> round(result["mail"].share.share, 1), round(result["mail"].mean.mean, 1)
    (0.5, 4.5)
    """

    items: Labels
    low: float
    high: float
    most: int
    epsilon: float = LEFT_OUT
    more: Literal["refuse", "draw"] = "refuse"
    mechanism: SignedTernary = LEFT_OUT
    missing = None

    def __post_init__(self) -> None:
        items = check_labels(self.items, "items")
        d = len(items)
        self._set(items=items, low=self.range.low, high=self.range.high)
        self._set(most=check_count(self.most, 1, "most", d))
        if not isinstance(self.more, str) or self.more not in ("refuse", "draw"):
            raise ValueError(f'more must be "refuse" or "draw", got {shown(self.more)}')
        self._take(SignedTernary, "one for keys and values")
        if getattr(self.mechanism, "d", d) != d:  # one of an open domain has no d
            got = shown(self.mechanism, most=200)
            raise ValueError(f"mechanism must have d = {d}, got {got}")

    @cached_property
    def range(self) -> Range:
        """The scale, and its map to [−1, 1]."""
        return one_range(self.low, self.high)

    def _asked(self) -> str:
        return f"{self.items!r}, {self.low!r}, {self.high!r}"

    def _question(self, n: int) -> Question:
        from ldpnb.choose.pairs import Pairs

        return Pairs(
            n=n,
            epsilon=self.epsilon,
            d=len(self.items),
            m=self.most,
            low=self.low,
            high=self.high,
        )

    # ----------------------------------------------------------------------------------- the client

    def _column(self, frame: Any, name: str) -> Any:
        return _as_list(column_of(frame, name))

    def encoded(self, values: Any, everybody: Any = None) -> Records:
        """Return records; see `perturb`."""
        values = _as_list(values)
        if isinstance(values, list | tuple):
            given = _of_dicts(values, everybody)
        else:
            given = _of_table(values, everybody)
        cure = "add it to the items before the survey begins"
        keys = coded(given.item, self.items, cure, "item")
        found = numbers(given.rating, "rating")
        self._check_ratings(given.who, keys, found)
        if given.users:
            _refuse_twice(given.who, given.users, keys, self.items)
        unit = self.range.to_unit(found)
        records = Records.from_arrays(given.who, keys, unit, n=given.n)
        most = records.sizes.max(initial=0)
        if self.more == "refuse" and most > self.most:
            rating = "rating" if self.most == 1 else "ratings"
            rule = f"at most {self.most} {rating} a person"
            cure = 'raise most, or more="draw"'
            raise ValueError(f"values must be {rule}, got {most}: {cure}")
        return records

    def _check_ratings(self, who: Ints, keys: Ints, ratings: Floats) -> None:
        """Refuse columns of several lengths, gaps, and ratings outside of the scale."""
        if not len(who) == len(keys) == len(ratings):
            got = f"user: {len(who)}, item: {len(keys)}, rating: {len(ratings)}"
            raise ValueError(f"values must have columns of one length, got {got}")
        _refuse_gaps(keys < 0, "item", "an item")
        _refuse_gaps(np.isnan(ratings), "rating", "a rating")
        wrong = ratings[(ratings < self.low) | (ratings > self.high)]
        if wrong.size:
            rule = f"in [{in_full(self.low)}, {in_full(self.high)}]"
            got = in_full(wrong[0])
            raise ValueError(f"rating must be {rule}, got {got}: choose a wider scale")

    def perturb(self, values: Any, *, rng: Randomness, everybody: Any = None) -> Reports:
        """Draw a report of each person; see `Asked.perturb`.

        Parameters
        ----------
        values : list of dict {item: rating}, or a long table
            A dict a person, empty for one who rates nothing; or anything with the columns "user",
            "item" and "rating".
        rng : Generator or SystemRandom
        everybody : list, array, pandas Series or Arrow column, optional
            All users, each once, where a long table leaves out those who rate nothing; otherwise
            shares are of those in the table.  Reports are in this order.

        Raises
        ------
        ValueError
            As for all questions; and if two names in "user" and `everybody` may be those of one
            person: 7 and "7", or texts that differ in blanks or in Unicode form alone.  The person
            would be taken for two, and send twice.
        """
        return self._reported(self.encoded(values, everybody), rng)

    # ----------------------------------------------------------------------------------- the server

    def tally(self, reports: Reports, *, wave: str | None = None) -> Tally:
        """Count reports; see `Asked.tally`.  Tallies of one wave add."""
        items = named(self._candidates(None))
        return self._tallied(self.mechanism.tally(reports, *items), wave)

    def _candidates(self, items: Any) -> Any:
        own = range(len(self.items)) if isinstance(self.mechanism, OpenMechanism) else None
        if items is None:
            return own
        listed = isinstance(items, list | tuple | range)
        if own is None or not listed or list(items) != list(own):
            rule = "left out, the question has its own"
            raise ValueError(f"items must be {rule}, got {shown(items)}")
        return own

    # ----------------------------------------------------------------------------------- the result

    def _estimate(
        self, tally: Tally, level: float, people: bool, together: bool, rounds: float
    ) -> RatingsResult:
        m = self.mechanism
        if isinstance(m, SampledKey):  # the key is public: divide by the number of those asked
            found, spread = m.of_asked(tally)
            error = m.standard_error_of_asked(tally)[0]
        else:
            found = m.estimate(tally)
            spread = m.plug_in(found, tally.n)
            error = m.standard_error(tally)[0]
        if people:
            error = np.sqrt(spread.variance[0])
        again = 1 if people else rounds
        f = found[0]
        error = repeated_error(error, of_share(f), tally, again)
        means = mean_of(found, spread)
        reliable = means.reliable
        mean = np.where(reliable, means.mean, 0)
        off = np.where(reliable, means.error, 0)
        rated_by = np.where(reliable, f, 1).clip(0, 1)  # those who rate an item, among all
        off = repeated_error(off, of_unit(mean) / rated_by, tally, again)
        off = np.where(reliable, off, 0)

        count = 2 * len(self.items)
        z = quantile(level, count if together else 1)
        share_ends = partial(self._share_ends, tally, f, error, people, rounds)
        mean_ends = partial(self._mean_ends, tally, reliable, again)
        share_low, share_high = share_ends(z)
        mean_low, mean_high = mean_ends(z)
        shares = Result(
            "share",
            "item",
            tuple(self.items),
            f,
            error,
            share_low,
            share_high,
            tally,
            level,
            people,
            together,
            rounds=rounds,
            ends_at=partial(row_of, share_ends),
        )
        unit = Result(
            "mean",
            "item",
            tuple(self.items),
            mean,
            off,
            mean_low,
            mean_high,
            tally,
            level,
            people,
            together,
            notes=tuple("" if yes else "too few to tell" for yes in reliable),
            rounds=rounds,
            ends_at=partial(row_of, mean_ends),
        )
        rated = in_unit(unit, self.range, people, "")
        rated.estimate[~reliable] = np.nan
        rated.error[~reliable] = np.nan
        return RatingsResult(shares, rated)

    def _share_ends(
        self, tally: Tally, share: Floats, error: Floats, people: bool, rounds: float, z: float
    ) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of shares."""
        (part,) = self._supported(tally)
        around = share - z * error, share + z * error
        if people:
            sampled = left_over(part.n, tally.n)
        else:
            sampled = rounds_of_asked(rounds, part.n, tally.n)
        return part.ends(share, around, z, sampled)

    def _mean_ends(
        self, tally: Tally, reliable: Bools, rounds: float, z: float
    ) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of means, in [−1, 1].

        Of an item of which nothing is known that is all of it.
        """
        low, high = self._ends(tally, z, rounds)
        return np.where(reliable, low, -1), np.where(reliable, high, 1)

    def _supported(self, tally: Tally) -> list[Supported]:
        counted = tally.counts.sum(-1)  # reports that were asked about the item
        with_sign = counted - tally.counts[..., 1]
        return [Supported(slice(None), with_sign, counted, self._chances)]

    @property
    def _chances(self) -> tuple[Fraction, Fraction]:
        """Chance of a sign about an item, from somebody who rates it, and from anybody else."""
        alpha, beta, gamma = self.mechanism.answer
        used = exact(float(self.mechanism.used(np.array([1]))[0]))
        nobody = 2 * gamma
        return nobody + (alpha + beta - nobody) * used, nobody

    def _ends(self, tally: Tally, z: float, rounds: float) -> tuple[Floats, Floats]:
        r"""Return the means, in [−1, 1], that would lead to such numbers of + and − (d,) each.

        If the mean is m, the score of :math:`\hat s - m\hat f` has mean 0.  It is compared with a
        law of its own variance and skewness under m and the estimated share (Fieller's interval,
        for few reports).  Where no m of the scale leads to such numbers, both ends are the nearest
        one.  Of people who send r reports each, the variance grows by as much as it can,
        (r−1)f(1 − m²), and the skewness is that of as many fewer reports.
        """
        plus = tally.counts[..., 2]
        minus = tally.counts[..., 0]
        n = np.maximum(tally.counts.sum(-1), 1)
        alpha, beta, gamma = self.mechanism.answer
        own, other = self._chances
        gain = inexact(own - other)
        sign = inexact((alpha - beta) * (own - other) / (alpha + beta - 2 * gamma))
        blind = inexact(gamma)
        share = ((plus + minus) / n - inexact(other)) / gain
        product = (plus - minus) / n / sign
        possible = share.clip(0, 1)
        more = rounds_of_asked(rounds, n, tally.n) - 1

        def beyond(m: Floats, side: int) -> Bools:
            """Whether the score is too far on this side for a mean of m."""
            score_plus = 1 / sign - m / gain
            score_minus = -1 / sign - m / gain
            chance_plus = blind + possible * (gain + sign * m) / 2
            chance_minus = blind + possible * (gain - sign * m) / 2
            first = chance_plus * score_plus + chance_minus * score_minus
            second = chance_plus * score_plus**2 + chance_minus * score_minus**2
            third = chance_plus * score_plus**3 + chance_minus * score_minus**3
            variance = np.maximum(second - first**2, 0)
            cubed = third - 3 * first * second + 2 * first**3
            skewness = cubed / np.maximum(variance, TINY) ** 1.5
            effect = 1 + more * possible * (1 - m**2) / np.maximum(variance, TINY)
            errors = side * skewed_quantile(side * z, skewness * np.sqrt(effect / n))
            far = errors * np.sqrt(variance * effect / n)
            return np.asarray(side * (product - m * share) > far)

        nearest = (product / np.where(share > 0, share, 1)).clip(-1, 1)
        ends = []
        for side in (1, -1):
            outside = np.full(nearest.shape, -float(side))
            inside = np.where(beyond(outside, side), nearest, outside)
            for _ in range(HALVINGS):
                middle = (inside + outside) / 2
                far = beyond(middle, side)
                inside = np.where(far, inside, middle)
                outside = np.where(far, middle, outside)
            ends.append(inside)
        return ends[0], ends[1]

    # ------------------------------------------------------------------------------- errors to come

    def plan(self, n: int, share: float = 0.1) -> dict[str, float]:
        """Return the standard errors to come of an item that this share of n people rate.

        They are those of the share, and of a mean halfway.
        """
        f = check_probability(share, "share")
        estimate = np.array([[f], [0.0]])
        m = self.mechanism
        if isinstance(m, SampledKey):
            spread = m.plug_in_of_asked(estimate, n)
        else:
            spread = m.plug_in(estimate, n)
        mean = float(self.range.half * mean_of(estimate, spread).error[0])
        share_error = sqrt(spread.variance[0, 0] + f * (1 - f) / n)
        return {"share": PlannedError(share_error), "mean": PlannedError(mean, "")}

    def _planned(self, n: int) -> tuple[float, float]:
        share = 0.1
        population = self.plan(n, share)["share"] ** 2
        return population - share * (1 - share) / n, population


class _Rows(NamedTuple):
    """Ratings, one a row.

    Attributes
    ----------
    n : int
        Number of people.
    users : list
        Their names, none where values are dicts.
    who : ndarray of int64 (rows,)
        Whose rating it is.
    item, rating : column (rows,)
        As people have them.
    """

    n: int
    users: list[Any]
    who: Ints
    item: Any
    rating: Any


def _of_dicts(values: Sequence[Any], everybody: Any) -> _Rows:
    """Return the rows of a dict {item: rating} for each person."""
    wrong = [one for one in values if not isinstance(one, Mapping)]
    if wrong:
        rule = "a dict {item: rating} for each person"
        raise ValueError(f"values must be {rule}, got {shown(wrong[0])}")
    if everybody is not None:
        why = "one who rates nothing has {}"
        raise ValueError(f"everybody must be left out where values are dicts: {why}")
    items: list[Any] = []
    ratings: list[Any] = []
    for one in values:
        items += one.keys()
        ratings += one.values()
    who = np.repeat(np.arange(len(values)), [len(one) for one in values])
    return _Rows(len(values), [], who, items, ratings)


def _of_table(values: Any, everybody: Any) -> _Rows:
    """Return the rows of a long table with the columns "user", "item" and "rating"."""
    user = column_of(values, "user")
    item = column_of(values, "item")
    rating = column_of(values, "rating")
    users, who = named_people(user, "user")
    if everybody is None:
        return _Rows(len(users), users, who, item, rating)
    place = _places(users, everybody)
    place_of_user = np.array([place[key(name)] for name in users], np.int64)
    names = [name for _, name in place]
    return _Rows(len(place), names, place_of_user[who], item, rating)


def _as_list(values: Any) -> Any:
    """Return a column of dicts as a list; anything else as it is."""
    dtype = getattr(values, "dtype", None)
    return values.tolist() if getattr(dtype, "kind", "") == "O" else values


def _places(users: list[Any], everybody: Any) -> dict[Any, int]:
    """Return the place of everybody by name, if each is named once, and all users are there."""
    given = list(everybody) if isinstance(everybody, AnySet) else everybody
    people, at = named_people(given, "everybody")
    if len(people) < len(at):
        twice = shown(people[int(np.bincount(at).argmax())])
        cure = "drop the repeated ones"
        raise ValueError(f"everybody must name each person once, got {twice} twice: {cure}")
    told_apart([*people, *users], "user and everybody")
    place = {key(people[i]): row for row, i in enumerate(at.tolist())}
    strange = [name for name in users if key(name) not in place]
    if strange:
        got = f"none of the name {shown(strange[0])}"
        raise ValueError(f"everybody must name all users, got {got}")
    return place


def _refuse_gaps(gaps: Bools, name: str, one: str) -> None:
    """Refuse rows without an item or a rating."""
    lost = int(gaps.sum())
    if lost:
        cure = f"leave rows without {one} out"
        raise ValueError(f"{name} must be there in each row, got {lost} missing: {cure}")


def _refuse_twice(who: Ints, users: list[Any], keys: Ints, items: Labels) -> None:
    """Refuse two ratings of one item by one person."""
    order = np.lexsort((keys, who))
    same_person = np.diff(who[order]) == 0
    same_item = np.diff(keys[order]) == 0
    twice = np.flatnonzero(same_person & same_item)
    if twice.size:
        row = order[twice[0]]
        got = f"{shown(items[keys[row]])} twice for user {shown(users[who[row]])}"
        cure = "keep one of the ratings"
        raise ValueError(f"item must be there once a person, got {got}: {cure}")


# ----------------------------------------------------------------------------- tables of yes and no


class _Cell(NamedTuple):
    """What a row of the result is about: values of some columns."""

    columns: Set
    values: Set


@dataclass(frozen=True, eq=False)
class YesNoTable(Asked[Result]):
    """Several yes-or-no columns at once: the share of yes in each, and in both of each pair.

    Pairs only if that is asked for.  Rows of the result are labelled by column; those of missing
    answers "column: name", those of pairs "first and second".

    Parameters
    ----------
    columns : list or tuple of str, at least two
    epsilon : float
        Privacy of a whole row.  Required, unless a mechanism is given, whose ε it then is.
    missing : str, optional
        What becomes of a missing answer, as for `OneOf`; with "decline", people with a gap send
        nothing at all.
    pairs : bool
        Whether shares of people with yes in both of two columns are estimated, too.
    yes, no : str, bool or int
        How answers are written; found by the rule for columns of `ldpnb.survey.survey`.
    mechanism : Blocks, DrawnAttributes of single columns, or HarmonyFrequency, optional
        Of as many attributes as there are columns, with 2 values each, 3 if missing answers have a
        category; `Blocks` for pairs.

    Notes
    -----
    Each person is asked about some of the columns, drawn in public.  A share is that among those
    who were asked (`ldpnb.asked`, `Blocks.pair_tables`); with fewer than two of them for a column
    there is no result.

    Examples
    --------
    >>> habits = YesNoTable(["smokes", "runs"], epsilon=2.0)
    >>> smokes = [True, False, False, False] * 5000
    >>> runs = [False, True, True, False] * 5000
    >>> reports = habits.perturb({"smokes": smokes, "runs": runs}, rng=np.random.default_rng(0))
    >>> [round(row.share, 1) for row in habits.estimate(habits.tally(reports))]
    [0.2, 0.5]
    """

    columns: list[str] | tuple[str, ...]
    epsilon: float = LEFT_OUT
    missing: str | None = None
    pairs: bool = False
    yes: str | bool | int = True
    no: str | bool | int = False
    mechanism: Blocks | DrawnAttributes | HarmonyFrequency = LEFT_OUT

    def __post_init__(self) -> None:
        self._set(columns=check_labels(self.columns, "columns", 2))
        wrong = [name for name in self.columns if not isinstance(name, str)]
        if wrong:  # of rows or arrays, it would be a place
            cure = "rename them, as by table.rename(columns=str)"
            raise ValueError(f"columns must be strings, got {told(wrong)}: {cure}")
        check_labels([self.no, self.yes], "no and yes")
        self._policy(True)
        if self._values == 3:
            check_labels([self.no, self.yes, self.missing], "no, yes and missing")
        check_flag(self.pairs, "pairs")
        check_labels(self.labels, "columns, with the labels of pairs and of missing answers,")
        if self.pairs:
            self._take(Blocks, "Blocks")
        else:
            kinds = (Blocks, DrawnAttributes, HarmonyFrequency)
            self._take(kinds, "Blocks, DrawnAttributes or HarmonyFrequency")
        sizes = (self._values,) * len(self.columns)
        if self.mechanism.sizes != sizes or getattr(self.mechanism, "order", 1) != 1:
            rule = f"of single columns of sizes {shown(sizes)}"
            raise ValueError(f"mechanism must be {rule}, got {shown(self.mechanism, most=100)}")

    @property
    def labels(self) -> list[str]:
        """Labels of the result, in its order."""
        found = [str(name) for name in self.columns]
        if self._values == 3:
            found += [f"{name}: {self.missing}" for name in self.columns]
        if self.pairs:
            found += [f"{a} and {b}" for a, b in combinations(self.columns, 2)]
        return found

    @property
    def _values(self) -> int:
        """Number of values of a column, that for missing answers included."""
        return 2 if self.missing in (None, DECLINE) else 3

    @property
    def _cells(self) -> list[_Cell]:
        """What each row of the result is about."""
        each = range(len(self.columns))
        found = [_Cell((j,), (1,)) for j in each]
        if self._values == 3:
            found += [_Cell((j,), (2,)) for j in each]
        if self.pairs:
            found += [_Cell(both, (1, 1)) for both in combinations(each, 2)]
        return found

    def _asked(self) -> str:
        return f"{self.columns!r}, yes={self.yes!r}, no={self.no!r}"

    def _question(self, n: int) -> Question:
        from ldpnb.choose.attributes import Crosstabs, Marginals

        d = len(self.columns)
        if self.pairs:
            return Crosstabs(n=n, epsilon=self.epsilon, d=d, k=self._values, share=0.25)
        return Marginals(n=n, epsilon=self.epsilon, d=d, k=self._values, share=0.5)

    # ----------------------------------------------------------------------------------- the client

    def encoded(self, values: Any) -> Ints:
        """Return records of 0 for no, 1 for yes and 2 for missing, (n, d).

        Parameters
        ----------
        values : table with these columns, list of dict, or bool ndarray (n, d)
        """
        cure = "say how yes and no are written, YesNoTable(…, yes=…, no=…)"
        found = []
        for name, column in zip(self.columns, self._columns_of(values), strict=True):
            found.append(coded(column, (self.no, self.yes), cure, str(name)))
        lengths = [len(codes) for codes in found]
        if len(set(lengths)) > 1:
            raise ValueError(f"values must have columns of one length, got {shown(lengths)}")
        codes = np.stack(found, 1)
        if self._values == 3:
            codes = np.where(codes < 0, 2, codes)
        return present(codes, np.all(codes >= 0, axis=1), self.missing, CATEGORY + LEAVE)

    def _columns_of(self, values: Any) -> Sequence[Any]:
        """Return the columns, in their order."""
        if isinstance(values, np.ndarray) and values.ndim == 2:
            d = len(self.columns)
            if values.shape[1] != d:
                raise ValueError(f"values must have d = {d} columns, got shape {values.shape}")
            return list(values.T)
        if isinstance(values, list | tuple) and all(isinstance(row, Mapping) for row in values):
            columns = []
            for name in self.columns:
                columns.append([column_of(row, name) for row in values])
            return columns
        return [column_of(values, name) for name in self.columns]

    def _column(self, frame: Any, name: str) -> Any:
        return {one: column_of(frame, one) for one in self.columns}

    def _one(self, row: Any, name: str) -> Any:
        return [self._column(row, name)]

    # ----------------------------------------------------------------------------------- the result

    def _estimate(
        self, tally: Tally, level: float, people: bool, together: bool, rounds: float
    ) -> Result:
        if isinstance(self.mechanism, Blocks):
            share, error = self._of_blocks(self.mechanism, tally, people)
        else:
            share, error = self._of_asked(self.mechanism, tally, people)
        if not people:
            error = repeated_error(error, of_share(share), tally, rounds)
        labels = tuple(self.labels)
        z = quantile(level, len(labels) if together else 1)
        ends = partial(self._ends, tally, share, error, people, rounds)
        low, high = ends(z)
        return Result(
            "share",
            "column",
            labels,
            share,
            error,
            low,
            high,
            tally,
            level,
            people,
            together,
            rounds=rounds,
            ends_at=partial(row_of, ends),
        )

    def _of_blocks(self, m: Blocks, tally: Tally, people: bool) -> tuple[Floats, Floats]:
        """Return the estimate and error of each row, from tables of one column or of two."""
        cells = self._cells
        found = m.tables(tally, [one.columns for one in cells if len(one.columns) == 1])
        tables = found.tables
        variances = found.variances
        if self.pairs:
            both = m.pair_tables(tally, [one.columns for one in cells if len(one.columns) == 2])
            tables += both.tables
            variances += both.variances
        share = np.array([table[one.values] for table, one in zip(tables, cells, strict=True)])
        noise = np.array([table[one.values] for table, one in zip(variances, cells, strict=True)])
        f = share.clip(0, 1)  # as the variances are estimated
        sampled = 0 if people else f * (1 - f) / tally.n
        return share, np.sqrt(np.maximum(noise + sampled, 0))

    def _of_asked(
        self, m: DrawnAttributes | HarmonyFrequency, tally: Tally, people: bool
    ) -> tuple[Floats, Floats]:
        """Return the estimate and error of each row, among those who were asked about it."""
        entries = [self._values * one.columns[0] + one.values[0] for one in self._cells]
        asked = m.numbers_asked(tally)[entries]
        if asked.min() < 2:
            rarest = int(asked.argmin())
            got = f"{asked[rarest]} about {shown(self.labels[rarest])}"
            rule = "two answers about each column"
            raise ValueError(f"tally must hold {rule}, got {got}: collect more")
        share = m.estimate_of_asked(tally)[entries]
        error = m.standard_error_of_asked(tally, people=people)[entries]
        return share, error

    def _ends(
        self, tally: Tally, share: Floats, error: Floats, people: bool, rounds: float, z: float
    ) -> tuple[Floats, Floats]:
        """Return the ends of all intervals."""
        low = share - z * error  # where scores have more than two values
        high = share + z * error
        around = low.copy(), high.copy()
        for part in self._supported(tally):
            if people:
                sampled = left_over(part.n, tally.n)
            else:
                sampled = rounds_of_asked(rounds, part.n, tally.n)
            low[part.rows], high[part.rows] = part.ends(share, around, z, sampled)
        return low, high

    def _supported(self, tally: Tally) -> list[Supported]:
        cells = self._cells
        singles = len(self.columns) * (self._values - 1)
        parts = []
        for rows, pooled in ((slice(0, singles), False), (slice(singles, None), True)):
            found = _support(self.mechanism, tally, cells[rows])
            if found is not None:
                parts.append(Supported(rows, found.supporters, found.n, found.chances, pooled))
        return parts

    # ------------------------------------------------------------------------------- errors to come

    def _planned(self, n: int) -> tuple[float, float]:
        share = 0.25 if self.pairs else 0.5
        these = self.plan(n) ** 2
        return these, these + share * (1 - share) / n

    def plan(self, n: int) -> float:
        """Return the standard error of a share of one half to come, about these n people.

        Of a pair it is that of a quarter.
        """
        from ldpnb.choose.planning import Row

        made = self._question(n)._choice(Row("", partial(replace, self.mechanism), ""))
        return PlannedError(next(iter(made.errors.values())))


class _Supporters(NamedTuple):
    """How many reports support each of some cells.

    Attributes
    ----------
    supporters, n : ndarray (cells,)
        Of n that are about the cell.
    chances : (Fraction, Fraction)
        Chance of support by somebody who is in the cell, and by anybody else.
    """

    supporters: Floats
    n: Floats
    chances: tuple[Fraction, Fraction]


def _support(
    mechanism: Blocks | DrawnAttributes | HarmonyFrequency, tally: Tally, cells: Sequence[_Cell]
) -> _Supporters | None:
    """Count the reports that support cells of as many columns each; None if reports do not."""
    if not cells:
        return None
    if isinstance(mechanism, Blocks):
        return _support_of_blocks(mechanism, tally, cells)
    oracle: Any
    if isinstance(mechanism, HarmonyFrequency):
        oracle = HadamardBit(k=mechanism.sizes[0], epsilon=mechanism.epsilon)
        parts = tally.counts.reshape(len(mechanism.sizes), oracle.m, 2)
        n = parts.sum((1, 2))
    else:
        if not isinstance(mechanism.oracle, Supporting):
            return None
        oracle = mechanism.oracle
        n = tally.counts[:, 0]
        shape = oracle.tally(oracle._nothing()).counts.shape
        parts = tally.counts[:, 1:].reshape(-1, *shape)
    supporters = []
    asked = []
    for (j,), (value,) in cells:
        part = Tally(oracle, int(n[j]), parts[j])
        supporters.append(oracle.supporters(part)[value])
        asked.append(float(n[j]))
    return _Supporters(np.array(supporters), np.array(asked), oracle.chances)


def _support_of_blocks(mechanism: Blocks, tally: Tally, cells: Sequence[_Cell]) -> _Supporters:
    """Return the support by reports whose block holds the columns of a cell."""
    found = mechanism.tables(tally, [one.columns for one in cells])
    share = np.array([table[one.values] for table, one in zip(found.tables, cells, strict=True)])
    keep = exact(mechanism.keep[0])
    other = (1 - keep) / found.tables[0].size
    n = np.rint(found.people / inexact(keep**2))
    supporters = n * (inexact(other) + inexact(keep) * share)
    return _Supporters(supporters, n, (keep + other, other))
