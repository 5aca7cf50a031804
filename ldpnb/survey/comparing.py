"""Differences between groups and between questions, and one test of whether groups are the same.

Two results of different tallies are taken to be of other people, whose variances add: an A/B test,
two regions, two years with other people.  Results of one `Survey` are of the same people, and know
it; of any others, you have to say it, ``same_people=True``.  Within one result, `Result.contrast`
compares rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ldpnb.checks import check_flag, shown
from ldpnb.core import Floats
from ldpnb.oracles.base import FrequencyOracle
from ldpnb.postprocess import norm_sub, normal_quantile
from ldpnb.survey._contrasts import Contrast, Contrasts, apart_from, part_of, variance_of
from ldpnb.survey._results import Entry, RatingsResult, Result

ROWS = 200  # of a test: its covariances are asked for two by two


def difference(
    a: Any,
    b: Any,
    level: float | None = None,
    *,
    same_people: bool | None = None,
    names: tuple[str, str] | None = None,
) -> Contrast:
    """Estimate by how much one row, or contrast, is above another one.

    Two results of different tallies are taken to be of *other people*, as in an A/B test; the line
    below the printed table says so.  If they are of the same people, say ``same_people=True``:
    about a population, the error is then the largest that their answers can lead to, since no
    report tells how two answers of a person go together.  Rows of one result come from the same
    reports, which is always allowed for.

    Intervals of two rows, or of sets as of ``top(2)``, are combined, so that they hold for rare
    categories, too (Zou and Donner 2008), by mechanisms of which each report supports a row or does
    not: not by Hadamard response, whose few reports about a row may show no scatter at all.  Those
    of differences within one result, and of contrasts with rows of several weights, follow the
    normal law, unless they come down to one row or set, as in `Result.contrast`.

    So it is about these people: of 10 to 200 people in a group, by k-RR of two or four categories
    at ε = 0.5 to 6, 95 % intervals cover at least 95 %, and 99 % intervals at least 97.7 %; the
    least, where nobody of one group is in the category, everybody of the other one, and hardly any
    report is changed.  Where shares are the same, 99 % intervals cover at least 99 %.

    For the effect of a random assignment, as in an A/B test, leave out ``people=True``: who came
    into which group is chance, too, and an error about these people does not contain it.

    Its level is that of one difference alone; `differences` takes all rows of two groups at once.

    Parameters
    ----------
    a, b : Entry or Contrast
        ``result["pay"]``, ``result.contrast({…})``, ``result.mean``, ``result.top(2)``,
        ``ratings["mail"].mean``; of one kind (shares or means) and one unit.
    level : float in (0, 1), optional
        That of the first one, by default.
    same_people : bool, optional
        Whether both are of the same people.  It must be said for two questions of one `Survey`, and
        for two waves of one question.
    names : (str, str), optional
        Of the two groups, for the label.

    Returns
    -------
    Contrast

    Raises
    ------
    ValueError
        If they are no rows, of different kinds or units, one about these people and the other about
        a population, or of one survey without a word about it.

    Examples
    --------
    An A/B test: half of the people saw a new page.

    >>> from ldpnb import OneOf
    >>> buys = OneOf(["yes", "no"], epsilon=1.0)
    >>> rng = np.random.default_rng(2)
    >>> found = {}
    >>> for page, n in {"old": 600, "new": 1400}.items():
    ...     answers = ["yes"] * n + ["no"] * (4000 - n)
    ...     found[page] = buys.estimate(buys.tally(buys.perturb(answers, rng=rng)))
    >>> apart = difference(found["new"]["yes"], found["old"]["yes"], names=("new", "old"))
    >>> print(apart)  # doctest: +ELLIPSIS
                          share       error          low         high       p
    yes: new − old  20.7 points  2.3 points  16.1 points  25.2 points  <1e-09
    each of 4,000 reports, one a person, ε = 1 (k-RR); error: standard error
    other people in each: variances add; results of the same people are same_people=True
    low, high: 95 % interval, alone, about the population ... random sample of; p: if 0 were true
    """
    if same_people is not None:
        check_flag(same_people, "same_people")
    _check_row(a, "a")
    _check_row(b, "b")
    first = part_of(a, "a")
    second = part_of(b, "b")
    wanted = first.level if level is None else level
    normal_quantile(wanted)  # checks it
    return apart_from(first, second, wanted, same_people, _checked_names(names))


def _check_row(one: Any, name: str) -> None:
    """Refuse what is neither a row of a result nor a contrast."""
    if isinstance(one, Entry | Contrast):
        return
    got = shown(one)
    if isinstance(one, Result | RatingsResult | dict):
        got = type(one).__name__
    cure = ""
    if isinstance(one, Result):
        cure = ": differences(a, b) takes all rows of two results"
    rule = "a row of a result or a contrast, result['pay'] or result.contrast({…})"
    raise ValueError(f"{name} must be {rule}, got {got}{cure}")


def differences(
    a: Any,
    b: Any,
    level: float | None = None,
    *,
    same_people: bool | None = None,
    names: tuple[str, str] | None = None,
) -> Contrasts:
    """Estimate by how much each row of one result is above that of another one, all rows at once.

    The level is that of all intervals together, and p-values allow for their number (Bonferroni).
    Intervals hold for rare categories, too, as in `difference`.

    Parameters
    ----------
    a, b : Result
        Of two groups, with the same labels; of ratings, ``.shares`` or ``.means``.
    level, same_people
        As in `difference`.
    names : (str, str), optional
        Of the two groups, for the table: ("first", "second"), if nothing is said.

    Returns
    -------
    Contrasts
        By the text of the label.

    Raises
    ------
    ValueError
        If they are no results, or of other rows; or as in `difference`.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> reason, rng = OneOf(["pay", "boss", "hours"], epsilon=2.0), np.random.default_rng(0)
    >>> here = ["pay"] * 3000 + ["boss"] * 2000 + ["hours"] * 1000
    >>> there = ["pay"] * 2000 + ["boss"] * 2000 + ["hours"] * 2000
    >>> groups = [reason.estimate(reason.tally(reason.perturb(x, rng=rng))) for x in (here, there)]
    >>> found = differences(*groups, names=("here", "there"))
    >>> found["pay"].label, bool(found["pay"].low < 1 / 6 < found["pay"].high)
    ('pay: here − there', True)
    """
    for name, one in (("a", a), ("b", b)):
        if not isinstance(one, Result):
            cure = "of ratings, .shares or .means; difference(…) takes single rows"
            raise ValueError(f"{name} must be a Result, {cure}, got {shown(type(one).__name__)}")
    if a.labels != b.labels:
        both = f"{shown(list(a.labels))} and {shown(list(b.labels))}"
        cure = "ask both with one list of labels, or take difference(a[label], b[label])"
        raise ValueError(f"a and b must have the same rows in one order, got {both}: {cure}")
    if a.tally is b.tally:
        raise ValueError("a and b must be of two groups, got one tally twice")
    if same_people is not None:
        check_flag(same_people, "same_people")
    wanted = a.level if level is None else level
    normal_quantile(wanted)  # checks it
    pair = _checked_names(names) or ("first", "second")
    sides = [(part_of(x, "a"), part_of(y, "b")) for x, y in zip(a, b, strict=True)]
    found = Contrasts()
    for label, (x, y) in zip(a.labels, sides, strict=True):
        found[str(label)] = apart_from(x, y, wanted, same_people, pair, len(sides))
    found.heading = " − ".join(pair)
    return found


def _checked_names(names: Any) -> tuple[str, str] | None:
    """Return the names of two groups."""
    if names is None:
        return None
    given = list(names) if isinstance(names, list | tuple) else []
    are_texts = all(isinstance(one, str) and one.strip() for one in given)
    if len(given) != 2 or not are_texts or given[0] == given[1]:
        rule = "two different texts, such as ('new', 'old')"
        raise ValueError(f"names must be {rule}, got {shown(names)}")
    return given[0], given[1]


class Homogeneity(NamedTuple):
    """A test of whether groups are the same.

    Attributes
    ----------
    statistic : float
        Squared distance of the groups from what they have in common, in units of their errors.
    df : int
        Degrees of freedom: the statistic's mean, about, if all groups are the same.
    p_value : float
        Chance of so large a statistic, or a larger one, if all groups are the same.
    """

    statistic: float
    df: int
    p_value: float

    def __str__(self) -> str:
        freedom = f"{self.df} degrees of freedom"
        if self.df == 1:
            freedom = "1 degree of freedom"
        chance = f"p = {self.p_value:.2g}, if all groups are the same"
        return f"χ² = {self.statistic:.4g} with {freedom}: {chance}"


def same_everywhere(*results: Result, same_people: bool | None = None) -> Homogeneity:
    r"""Test all rows at once: whether groups of other people have the same shares, or means.

    The statistic is :math:`\sum_g (\hat f_g - \bar f)^T C_g^{-1} (\hat f_g - \bar f)`, with
    :math:`C_g` the covariance of a group's rows, and :math:`\bar f` their mean, weighted by
    :math:`C_g^{-1}`.  Groups may have been asked at different ε, or by different mechanisms.

    Of exclusive categories (`OneOf`), :math:`C_g` is that at the pooled shares; shares sum to 1, so
    that k − 1 contrasts are compared, and it has (G − 1)(k − 1) degrees of freedom.  A category for
    missing answers is one of them, so that groups of which unequal parts do not answer are not the
    same.  Of other questions, each group's rows say its covariance: (G − 1) degrees for each row.

    It says whether there is a difference, not where: `difference` does, row by row.

    Parameters
    ----------
    *results : Result
        Two or more, of one question and of other people, about a population; of ratings,
        ``.shares`` or ``.means``.
    same_people : False, optional
        It must be said of several waves: people are new each time.

    Returns
    -------
    Homogeneity

    Raises
    ------
    ValueError
        If there are fewer than two, they are of different questions or of the same people, or rows
        are not told.

    Notes
    -----
    The law of the statistic is that of many people; see Gaboardi and Rogers 2018 for chi-square
    tests of noisy counts.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> reason, rng = OneOf(["pay", "boss", "hours"], epsilon=2.0), np.random.default_rng(0)
    >>> here = ["pay"] * 3000 + ["boss"] * 2000 + ["hours"] * 1000
    >>> there = ["pay"] * 2000 + ["boss"] * 2000 + ["hours"] * 2000
    >>> groups = [reason.estimate(reason.tally(reason.perturb(x, rng=rng))) for x in (here, there)]
    >>> found = same_everywhere(*groups)
    >>> found.df, bool(found.p_value < 0.001)
    (2, True)
    """
    from scipy.special import chdtrc

    _check_groups(results)
    _check_other_people(results, same_people)
    is_oracle = isinstance(results[0].tally.mechanism, FrequencyOracle)
    if is_oracle and results[0].what == "share":
        statistic, df = _of_categories(results)
    else:
        statistic, df = _of_rows(results)
    return Homogeneity(statistic, df, float(chdtrc(df, max(statistic, 0.0))))


def _check_other_people(results: tuple[Result, ...], same_people: bool | None) -> None:
    """Refuse several waves without a word, and what is said to be of the same people."""
    if len({one.tally.wave for one in results}) > 1 and same_people is not False:
        rule = "False for results of several waves"
        cure = (
            "people who were asked again are no other people, and no test of all waves at once is "
            "known for them; Waves(…, same=True) has changes and slopes, row by row"
        )
        raise ValueError(f"same_people must be {rule}, got {shown(same_people)}: {cure}")
    if same_people is not None and check_flag(same_people, "same_people"):
        why = "the test is one of groups of other people"
        both = "difference(…, same_people=True) and Waves(…, same=True)"
        cure = f"{both} compare the same people, row by row"
        raise ValueError(f"same_people must be False, got True: {why}; {cure}")


def _check_groups(results: tuple[Any, ...]) -> None:
    """Refuse what are no results of one question and of other people."""
    if len(results) < 2:
        cure = "same_everywhere(*by_group.values())"
        raise ValueError(f"results must be at least two, got {len(results)}: {cure}")
    for one in results:
        if not isinstance(one, Result):
            cure = "of ratings, .shares or .means"
            raise ValueError(f"results must be Result, {cure}, got {shown(type(one).__name__)}")
    first = results[0]
    for other in results[1:]:
        if _question_of(first) != _question_of(other):
            got = f"rows {shown(list(first.labels))} and {shown(list(other.labels))}"
            cure = "compare those of one question"
            raise ValueError(f"results must be of one question, got {got}: {cure}")
    if any(one.rounds != 1 for one in results):
        got = "people who sent several"
        cure = "difference(…) of single rows allows for them"
        raise ValueError(f"results must be of one report a person, got {got}: {cure}")
    if any(one.people for one in results):
        cure = "estimate(…, people=False)"
        raise ValueError(f"results must be about a population, got people=True: {cure}")
    if len({id(one.tally) for one in results}) < len(results):
        raise ValueError("results must be of other people, got one tally twice")
    surveyed = []
    for one in results:
        surveyed += [id(tally) for tally in one.survey]
    if any(surveyed.count(id(one.tally)) > 1 for one in results):
        got = "two questions of one survey: results.difference(…)"
        raise ValueError(f"results must be of other people, got {got}")
    if len(first) > ROWS:
        cure = "ask about fewer categories"
        raise ValueError(f"results must have at most {ROWS} rows, got {len(first)}: {cure}")
    if any(not np.all(np.isfinite(one.estimate)) for one in results):
        got = "some with too few to tell: collect more"
        raise ValueError(f"results must have all rows told, got {got}")


def _question_of(result: Result) -> tuple[Any, ...]:
    """Return what results of one question have in common."""
    return (result.labels, result.what, result.unit, result.heading, result.scale)


def _of_categories(results: tuple[Result, ...]) -> tuple[float, int]:
    """Return statistic and degrees of freedom for shares that sum to 1."""
    k = len(results[0])
    mechanisms: list[Any] = [one.tally.mechanism for one in results]
    n = np.array([one.tally.n for one in results], np.float64)
    each = np.stack([one.estimate for one in results])
    weights = n / [_spread(m, k) for m in mechanisms]
    shares = norm_sub(weights @ each / weights.sum())
    less_than_all = np.eye(k)[:, : k - 1] - 1 / k
    contrasts = np.linalg.qr(less_than_all)[0]  # orthogonal to (1, …, 1)
    inverse: list[Floats] = []
    for i, m in enumerate(mechanisms):
        if m in mechanisms[:i]:
            known = mechanisms.index(m)
            inverse.append(inverse[known] * n[i] / n[known])
            continue
        noise = _symmetric(partial(_noise_at, m, shares), k)
        covariance = noise + np.diag(shares) - np.outer(shares, shares)
        inverse.append(n[i] * np.linalg.inv(contrasts.T @ covariance @ contrasts))
    df = (len(results) - 1) * (k - 1)
    return _apart(each @ contrasts, inverse), df


def _noise_at(mechanism: Any, shares: Floats, weights: Floats) -> float:
    """Return the variance, by coins alone, of one report's weighted sum of shares."""
    return float(mechanism.linear_variance(weights) @ shares)


def _spread(mechanism: Any, k: int) -> float:
    """Return the variance of one report's shares, added up, where all k categories are alike."""
    noise = sum(float(mechanism.linear_variance(row).mean()) for row in np.eye(k))
    return noise + 1 - 1 / k


def _apart(each: Sequence[Floats] | Floats, inverse: Sequence[Floats]) -> float:
    """Return the squared distance of groups from their weighted mean, in units of their errors.

    Parameters
    ----------
    each : list of ndarray (rows,)
        One a group.
    inverse : list of ndarray (rows, rows)
        Inverse of its covariance.
    """
    weighted = np.sum([c @ x for c, x in zip(inverse, each, strict=True)], 0)
    common = np.linalg.solve(np.sum(inverse, 0), weighted)
    away = [x - common for x in each]
    return float(sum(x @ c @ x for x, c in zip(away, inverse, strict=True)))


def _of_rows(results: tuple[Result, ...]) -> tuple[float, int]:
    """Return statistic and degrees of freedom for rows of any kind."""
    rows = len(results[0])
    inverse: list[Floats] = []
    for one in results:
        covariance = _symmetric(partial(_told_variance, one), rows)
        inverse.append(np.asarray(np.linalg.inv(covariance), np.float64))
    df = (len(results) - 1) * rows
    return _apart([one.estimate for one in results], inverse), df


def _told_variance(result: Result, weights: Floats) -> float:
    """Return the variance of a weighted sum of rows, if it is known."""
    variance, bound = variance_of(result, weights, False)
    if bound:
        rule = "tell how rows go together"
        cure = "difference(…) of single rows, at a level of 1 − 0.05/(number of rows)"
        raise ValueError(f"results must {rule}, which these reports do not: {cure}")
    return variance


def _symmetric(form: Callable[[Floats], float], size: int) -> Floats:
    """Return the matrix of a quadratic form, by its values for unit vectors and their sums."""
    unit = np.eye(size)
    own = np.array([form(row) for row in unit])
    found = np.diag(own)
    for i, j in combinations(range(size), 2):
        both = form(unit[i] + unit[j])
        found[i, j] = (both - own[i] - own[j]) / 2
        found[j, i] = found[i, j]
    return found
