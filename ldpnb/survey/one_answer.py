"""Questions with one answer a person: a category, a string that nobody can list, a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ldpnb.checks import check_count, check_flag, check_probability, in_full, shown
from ldpnb.collecting._columns import coded, folded, labelled, numbers, present, told
from ldpnb.core import Floats, Ints, Mechanism, Reports, Tally
from ldpnb.hashing import key_of
from ldpnb.keyvalue import Wheel
from ldpnb.numbers.means import Range
from ldpnb.numbers.one_number import NumberMechanism
from ldpnb.oracles.base import FrequencyOracle, Supporting
from ldpnb.records import Records
from ldpnb.survey._asked import (
    CATEGORY,
    DECLINE,
    LEAVE,
    LEFT_OUT,
    Asked,
    Labels,
    check_labels,
    in_unit,
    one_range,
    quantile,
)
from ldpnb.survey._contrasts import finite, place_of, weights_of
from ldpnb.survey._planned import PlannedError
from ldpnb.survey._results import Result
from ldpnb.survey.drawing import Supported

if TYPE_CHECKING:
    from ldpnb.choose.planning import Question
    from ldpnb.choose.ranking import Choice

MANY = 64  # categories; of more, a report and the work for it should not grow with them
CLOSE = 1.05  # times the least error, which an error may be for that


@dataclass(frozen=True, eq=False)
class OneOf(Asked[Result]):
    """One of several categories: the share of the people in each.

    Parameters
    ----------
    categories : list or tuple of str, bool or int, at least two
        Written down before anybody answers.  Labels are told apart by type: True is not 1, and "1"
        is neither.  Answers are found by the rule for columns of `ldpnb.survey.survey`.
    epsilon : float
        Privacy of an answer.  Required, unless a mechanism is given, whose ε it then is.
    missing : str, optional
        What becomes of a missing answer (None, NaN, NA).  By default it is an error.  With a name,
        say "no answer", it is a category of its own, the last one.  With "decline", these people
        send nothing.  Then the server learns that they do, which is not protected, and shares are
        of those who answer.
    mechanism : FrequencyOracle, optional
        With unbiased shares, k the number of categories, that for missing answers included.
        Otherwise the one with the least error for a category that 1/k of the people are in.  Of
        more than 64 categories, mechanisms within 5 % of that error count as equal if the server
        works once a report, and not once a report and category; then the best of these is taken,
        which has short reports.
    values : dict of category to number, or list of numbers, optional
        What categories count for in `Result.mean`, such as {"promoter": 1, "passive": 0,
        "detractor": -1} for the Net Promoter Score; by default the categories themselves, where all
        are integers (a Likert scale).  Only the server uses them: reports and tallies are the same.
        Fewer categories have less noise: map the eleven answers of an NPS question to three on the
        device.

    Examples
    --------
    >>> reason = OneOf(["pay", "boss", "hours"], epsilon=1.0, missing="no answer")
    >>> answers = ["pay"] * 6000 + ["boss"] * 3000 + [None] * 1000
    >>> tally = reason.tally(reason.perturb(answers, rng=np.random.default_rng(0)))
    >>> print(reason.estimate(tally))
    category    share  error     low    high
    pay        57.0 %  1.6 %  53.9 %  60.1 %
    boss       34.0 %  1.5 %  31.1 %  36.9 %
    hours      -0.7 %  1.3 %  -3.1 %   1.8 %  not told from zero
    no answer   9.8 %  1.3 %   7.2 %  12.4 %
    10,000 reports, one a person, ε = 1 (k-RR); error: standard error
    low, high: 95 % intervals, each alone, about the population these people are a random sample of
    """

    categories: Labels
    epsilon: float = LEFT_OUT
    missing: str | None = None
    mechanism: Mechanism = LEFT_OUT
    values: Mapping[Any, float] | Sequence[float] | None = None

    def __post_init__(self) -> None:
        categories = check_labels(self.categories, "categories", 2)
        self._policy(True)
        if self.missing is not None and folded(self.missing) in map(folded, categories):
            got = shown(self.missing)
            raise ValueError(f"missing must be no category, got {got}: give it another name")
        self._set(categories=categories)
        self._take(FrequencyOracle, "a frequency oracle")
        k = len(self.labels)
        if self._oracle.k != k or not self._oracle.shares:
            got = shown(self.mechanism, most=200)
            raise ValueError(f"mechanism must have unbiased shares and k = {k}, got {got}")
        numbers_of = self._numbers()
        if self.values is not None:
            self._set(values=numbers_of[: len(categories)])

    def _numbers(self) -> tuple[float, ...]:
        """Return the number of each label, NaN for that of missing answers.

        It is empty where nothing was said.
        """
        given = self.values
        if given is None:
            if not all(_counts(label) for label in self.categories):
                return ()
            given = self.categories
        elif isinstance(given, Mapping):
            given = _in_order(given, self.categories)
        count = len(self.categories)
        if not isinstance(given, list | tuple) or len(given) != count:
            rule = f"a number for each of {count} categories"
            raise ValueError(f"values must be {rule}, got {shown(given)}")
        found = [finite(one, "values") for one in given]
        if len(set(found)) == 1:
            got = f"{in_full(found[0])} for all categories"
            raise ValueError(f"values must differ, got {got}: a mean would be a constant")
        without = len(self.labels) - count
        return (*found, *[nan] * without)

    @property
    def labels(self) -> tuple[Any, ...]:
        """All categories, with that for missing answers, if there is one: code i is label i."""
        if self.missing in (None, DECLINE):
            return tuple(self.categories)
        return (*self.categories, self.missing)

    @property
    def _oracle(self) -> Any:
        """The mechanism, which is a `FrequencyOracle`: no class that type checkers know."""
        return self.mechanism

    def _asked(self) -> str:
        return f"{self.labels!r}"

    def _question(self, n: int) -> Question:
        from ldpnb.choose.items import Item

        k = len(self.labels)
        return Item(n=n, epsilon=self.epsilon, k=k, share=1 / k)

    def _best(self, usable: list[Choice]) -> Choice:
        best = usable[0]
        if len(self.labels) <= MANY:
            return best
        for choice in usable:
            if choice.server == "report" and choice.error <= CLOSE * best.error:
                return choice
        return best

    # ----------------------------------------------------------------------------------- the client

    def encoded(self, values: Any) -> Ints:
        """Return the code of each answer: its place among `labels`.

        Raises
        ------
        ValueError
            If an answer is not among them, or is missing and nothing was said about that.
        """
        codes = coded(values, self.labels, "add a category 'other' before the survey begins")
        if len(self.labels) > len(self.categories):
            codes = np.where(codes < 0, len(self.categories), codes)
        return present(codes, codes >= 0, self.missing, CATEGORY + LEAVE)

    # ----------------------------------------------------------------------------------- the result

    def _estimate(
        self, tally: Tally, level: float, people: bool, together: bool, rounds: float
    ) -> Result:
        labels = self.labels
        found = self._result("share", "category", labels, tally, level, people, together, rounds)
        numbers_of = self._numbers()
        order = list(range(len(self.categories)))
        if numbers_of:
            order.sort(key=numbers_of.__getitem__)
        return replace(found, values=numbers_of, order=tuple(order))

    def _supported(self, tally: Tally) -> list[Supported]:
        m = self.mechanism
        if not isinstance(m, Supporting):
            return []
        return [Supported(slice(None), m.supporters(tally), tally.n, m.chances)]

    # ------------------------------------------------------------------------------- errors to come

    def _planned(self, n: int) -> tuple[float, float]:
        return self.plan(n, people=True) ** 2, self.plan(n) ** 2

    def plan(self, n: int, share: float | None = None, *, people: bool = False) -> float:
        """Return the standard error of a share to come, from n people; by default of 1/k.

        It is a float, of a part of 1, and prints as what it is.

        Examples
        --------
        >>> OneOf(["pay", "boss", "hours"], epsilon=1.0).plan(1000)
        standard error 4.1 %: 95 % of surveys within ± 8.0 points
        """
        if share is None:
            f = 1 / len(self.labels)
        else:
            f = check_probability(share, "share")
        return PlannedError(_share_error(self.mechanism.variance([0])[0], f, n, people))

    def plan_mean(self, n: int, shares: Mapping[Any, float] | None = None) -> float:
        """Return the standard error of `Result.mean` to come, about a population, from n people.

        For ± d at 95 %, it takes (1.96 ``plan_mean(1)`` / d)² people.

        Parameters
        ----------
        n : int
        shares : dict of label to float, optional
            Of each label, that for missing answers included; they sum to 1.  By default the worst
            ones, which are those of two categories; with a category for missing answers they must
            be given.

        Raises
        ------
        ValueError
            If categories have no values, or shares are not as said.

        Examples
        --------
        >>> service = OneOf([1, 2, 3, 4, 5], epsilon=2.0)
        >>> round(service.plan_mean(2000), 3)
        0.07
        >>> round(service.plan_mean(2000, {1: 0.1, 2: 0.1, 3: 0.2, 4: 0.3, 5: 0.3}), 3)
        0.055
        """
        count = check_count(n, 1, "n")
        found = np.array(self._numbers())
        if found.size == 0:
            cure = "OneOf(…, values={…})"
            raise ValueError(f"values must be given for a mean, got none: {cure}")
        if shares is None:
            error = sqrt(self._largest_mean_variance(found) / count)
            return PlannedError(error, "", largest=True)
        part = self._parts(shares, found)
        return PlannedError(sqrt(self._mean_variance(found, part) / count), "")

    def _largest_mean_variance(self, values: Floats) -> float:
        """Return n times the variance of a mean, for the worst shares."""
        if np.isnan(values).any():
            rule = f"given, that of {shown(self.missing)} included"
            why = "where nobody answers there is no mean"
            raise ValueError(f"shares must be {rule}, got None: {why}")
        weights = values - values.mean()
        squares = self._oracle.linear_variance(weights) + weights**2
        return _largest_variance(squares, weights)

    def _parts(self, shares: Mapping[Any, float], values: Floats) -> Floats:
        """Return the share of each label, checked; somebody has a value."""
        if not isinstance(shares, Mapping):
            got = shown(shares)
            raise ValueError(f"shares must be a dict of a share for each label, got {got}")
        part = weights_of(shares, self.labels, "shares")
        if (part < 0).any() or abs(part.sum() - 1) > 1e-9:
            got = shown(dict(shares))
            raise ValueError(f"shares must be at least 0 and sum to 1, got {got}")
        if part[~np.isnan(values)].sum() <= 0:
            got = shown(dict(shares))
            raise ValueError(f"shares must be above 0 for a category with a value, got {got}")
        return part

    def _mean_variance(self, values: Floats, part: Floats) -> float:
        """Return n times the variance of the mean among those who have a value."""
        valued = ~np.isnan(values)
        inside = float(part[valued].sum())
        mean = float(part[valued] @ values[valued]) / inside
        middle = float(values.mean()) if valued.all() else mean
        weights = np.where(valued, values - middle, 0) / inside
        noise = float(self._oracle.linear_variance(weights) @ part)
        return noise + float(part @ weights**2) - float(part @ weights) ** 2


def _counts(label: Any) -> bool:
    """Whether a label is an integer, and as a float the same."""
    return type(label) is int and abs(label) < 2**53


def _in_order(given: Mapping[Any, Any], categories: Labels) -> list[float]:
    """Return the numbers of categories in their order; each must have one."""
    weights = weights_of(given, categories, "values")
    places = [place_of(label, categories) for label in given]
    left = [label for i, label in enumerate(categories) if i not in places]
    if left:
        rule = "a number for each category"
        raise ValueError(f"values must have {rule}, got none for {told(left)}")
    numbers_of: list[float] = weights.tolist()
    return numbers_of


def _largest_variance(squares: Floats, means: Floats) -> float:
    """Return the largest Σ π_i s_i − (Σ π_i m_i)² of any shares π.

    For each mean the best π has two parts at most.  With t of the people in i, and 1 − t in j, it
    is a parabola in t.

    Examples
    --------
    >>> _largest_variance(np.array([1.0, 0.0, 1.0]), np.array([-1.0, 0.0, 1.0]))
    1.0
    """
    best = float((squares - means**2).max())
    for i, j in combinations(range(len(means)), 2):
        apart = means[i] - means[j]
        if apart == 0:
            continue  # a straight line, with its largest value at an end
        top = ((squares[i] - squares[j]) / (2 * apart) - means[j]) / apart
        t = float(np.clip(top, 0, 1))
        mean = means[j] + t * apart
        best = max(best, float(t * squares[i] + (1 - t) * squares[j] - mean**2))
    return best


def _share_error(noise: Floats, share: float, n: int, people: bool) -> float:
    """Return the standard error of a share, from the noise of holders (first) and of all others."""
    mean_noise = share * noise[0] + (1 - share) * noise[1:].mean()
    left = 0 if check_flag(people, "people") else share * (1 - share)
    return sqrt((mean_noise + left) / check_count(n, 1, "n"))


@dataclass(frozen=True, eq=False)
class Strings(Asked[Result]):
    """A string of no known list: the shares of candidates that the server names afterwards.

    A string is counted for a candidate of the same code points; see the rule for columns of
    `ldpnb.survey.survey`, and `ldpnb.hashing.digest` for what is hashed.

    Parameters
    ----------
    epsilon : float
        Privacy of an answer.  Required, unless a mechanism is given, whose ε it then is.
    missing : str, optional
        What becomes of a missing answer, as for `OneOf`: an error, a string that stands for it, or
        "decline".
    mechanism : Wheel, optional
        Otherwise one for a single string a person.

    Examples
    --------
    >>> crash = Strings(epsilon=2.0)
    >>> answers = ["disk full"] * 7000 + ["no network"] * 3000
    >>> reports = crash.perturb(answers, rng=np.random.default_rng(0))
    >>> tally = crash.tally(reports, ["disk full", "no network", "overheated"])
    >>> round(crash.estimate(tally)["disk full"].share, 1)
    0.7
    """

    epsilon: float = LEFT_OUT
    missing: str | None = None
    mechanism: Wheel = LEFT_OUT

    def __post_init__(self) -> None:
        self._policy(True)
        self._take(Wheel, "a Wheel")

    def _asked(self) -> str:
        return "" if self.missing is None else f"missing={self.missing!r}"

    def _question(self, n: int) -> Question:
        from ldpnb.choose.items import Item

        return Item(n=n, epsilon=self.epsilon, k=1000, share=0.01, listed=False)

    # ----------------------------------------------------------------------- the client, the server

    def encoded(self, values: Any) -> Records:
        """Return records of one key a person, the digest of the string."""
        labels, codes = labelled(values)
        wrong = [label for label in labels if not isinstance(label, str)]
        if wrong:
            cure = "OneOf takes bools and integers"
            raise ValueError(f"values must be strings, got {told(wrong)}: {cure}")
        if self.missing not in (None, DECLINE):
            codes = np.where(codes < 0, len(labels), codes)
            labels = [*labels, self.missing]
        cures = f'missing="no answer" is a string of their own, {LEAVE}'
        codes = present(codes, codes >= 0, self.missing, cures)
        keys = np.array([key_of(label) for label in labels], np.int64)
        held = keys[codes] if len(codes) else codes
        return Records(np.arange(len(codes) + 1), held)

    def tally(
        self, reports: Reports, candidates: Sequence[str] = (), *, wave: str | None = None
    ) -> Tally:
        """Count reports, for the strings named: any list, since it need not be known beforehand.

        See `Asked.tally` for the wave.
        """
        return self._tallied(self.mechanism.tally(reports, self._candidates(candidates)), wave)

    def _candidates(self, items: Any) -> tuple[str, ...]:
        given = () if items is None else items
        labels = check_labels(given, "candidates", any_form=True)
        # a number would be a hash value, which nobody sent
        wrong = [label for label in labels if not isinstance(label, str)]
        if wrong:
            cure = "write them as strings"
            raise ValueError(f"candidates must be strings, got {told(wrong)}: {cure}")
        return labels

    # ----------------------------------------------------------------------------------- the result

    def _estimate(
        self, tally: Tally, level: float, people: bool, together: bool, rounds: float
    ) -> Result:
        labels = tally.items or ()
        if not people:
            return self._result("share", "string", labels, tally, level, False, together, rounds)
        # of sets, the server could not tell; here each person has one string, so that only the
        # noise is left
        found = self.mechanism.estimate(tally)
        own, rare = self._noise
        error = np.sqrt((rare + (own - rare) * found.clip(0, 1)) / tally.n)
        z = quantile(level, len(labels) if together else 1)
        low, high = self._ends_of(tally, z, True, rounds, "share")
        return Result(
            "share",
            "string",
            labels,
            found,
            error,
            low,
            high,
            tally,
            level,
            people,
            together,
            rounds=rounds,
            ends_at=partial(self._ends_at, tally, True, rounds, "share"),
        )

    def _supported(self, tally: Tally) -> list[Supported]:
        m = self.mechanism
        return [Supported(slice(None), m.supporters(tally), tally.n, m.chances)]

    # ------------------------------------------------------------------------------- errors to come

    @property
    def _noise(self) -> Floats:
        """Variance of the score of a string that a person has, and of any other."""
        one_with, one_without = {0}, set[int]()
        noise: Floats = self.mechanism.variance(Records.of(one_with, one_without), [0])
        return noise[:, 0]

    def _planned(self, n: int) -> tuple[float, float]:
        return self.plan(n, people=True) ** 2, self.plan(n) ** 2

    def plan(self, n: int, share: float = 0.01, *, people: bool = False) -> float:
        """Return the standard error of a share to come, from n people."""
        f = check_probability(share, "share")
        return PlannedError(_share_error(self._noise, f, n, people))


@dataclass(frozen=True, eq=False)
class Number(Asked[Result]):
    """A number in a public range: its mean.

    Parameters
    ----------
    low, high : float
        Ends of the range, fixed before anybody answers; the errors grow with its width.
    epsilon : float
        Privacy of an answer.  Required, unless a mechanism is given, whose ε it then is.
    missing : {None, "decline"}
        What becomes of a missing answer, as for `OneOf`.
    outside : {"refuse", "clip"}
        What becomes of a number outside the range: an error, or the nearest end, which moves the
        mean.
    unit : str
        Of the number, for the table.
    mechanism : mechanism for one number, optional

    Examples
    --------
    >>> age = Number(18, 90, epsilon=1.0, unit="years")
    >>> ages = np.random.default_rng(1).integers(18, 60, 50_000)
    >>> result = age.estimate(age.tally(age.perturb(ages, rng=np.random.default_rng(0))))
    >>> bool(result["mean"].low < ages.mean() < result["mean"].high)
    True
    """

    low: float
    high: float
    epsilon: float = LEFT_OUT
    missing: Literal["decline"] | None = None
    outside: Literal["refuse", "clip"] = "refuse"
    unit: str = ""
    mechanism: NumberMechanism = LEFT_OUT

    def __post_init__(self) -> None:
        self._set(low=self.range.low, high=self.range.high)
        self._policy(False)
        if not isinstance(self.outside, str) or self.outside not in ("refuse", "clip"):
            raise ValueError(f'outside must be "refuse" or "clip", got {shown(self.outside)}')
        if not isinstance(self.unit, str):
            raise ValueError(f"unit must be a string, got {shown(self.unit)}")
        self._take(NumberMechanism, "one for one number")

    @cached_property
    def range(self) -> Range:
        """The range, and its map to [−1, 1]."""
        return one_range(self.low, self.high)

    def _asked(self) -> str:
        return f"{self.low!r}, {self.high!r}, outside={self.outside!r}"

    def _question(self, n: int) -> Question:
        from ldpnb.choose.numbers import OneNumber

        return OneNumber(n=n, epsilon=self.epsilon, low=self.low, high=self.high)

    # ----------------------------------------------------------------------------------- the client

    def encoded(self, values: Any) -> Floats:
        """Return the numbers, mapped to [−1, 1].

        Raises
        ------
        ValueError
            If one is outside the range and is not to be clipped, is infinite or beyond floats, or
            is missing and nothing was said about that.
        """
        found = numbers(values)
        cures = f'{LEAVE}; ask OneOf(["yes", "no"]) who has a number'
        found = present(found, ~np.isnan(found), self.missing, cures)
        if self.outside == "clip":
            found = found.clip(self.low, self.high)
        wrong = found[(found < self.low) | (found > self.high)]
        if wrong.size:
            rule = f"numbers in [{in_full(self.low)}, {in_full(self.high)}]"
            got = f"{in_full(wrong[0])}, {wrong.size} outside in all"
            cure = 'choose a wider range, or outside="clip"'
            raise ValueError(f"values must be {rule}, got {got}; {cure}")
        return self.range.to_unit(found)

    # ----------------------------------------------------------------------------------- the result

    def _estimate(
        self, tally: Tally, level: float, people: bool, together: bool, rounds: float
    ) -> Result:
        alone = 1 if people else rounds
        found = self._result("mean", "", ("mean",), tally, level, False, together, alone)
        return in_unit(replace(found, rounds=rounds), self.range, people, self.unit)

    # ------------------------------------------------------------------------------- errors to come

    def _planned(self, n: int) -> tuple[float, float]:
        width = 2 * float(self.range.half)
        largest = (self.plan(n) / width) ** 2
        return largest, largest

    def plan(self, n: int) -> float:
        """Return the largest standard error of the mean, whatever the numbers of n people."""
        largest = self.mechanism.second_moments.max()
        error = float(self.range.half) * sqrt(largest / check_count(n, 1, "n"))
        return PlannedError(error, self.unit, largest=True)
