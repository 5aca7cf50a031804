r"""Questions of which each person answers some, drawn in public before any answer is looked at.

Of Q questions, each person is asked m, all sets of m alike.  Those who are asked about one question
are then a random sample of all people, so that a tally of them alone estimates the shares of all
without bias.  There are two ways to draw:

- `deal`, by whoever has a list of all people: each question goes to ⌊Nm/Q⌋ or ⌈Nm/Q⌉ of N people.
- Each device by itself, and its `Account` remembers.  How many are asked then varies from question
  to question.

About a population nothing changes, since those who are asked are a sample of it.  About these N
people, n of whom are asked about a question, the draw is a part of the error.  With V the mean
variance of a score, and f the share,

.. math:: \operatorname{Var}\hat f = \frac{V}{n} + \frac{N-n}{N-1}\,\frac{f(1-f)}{n},

given how many are asked.  Let :math:`\hat\sigma^2` be the squared error about a population.  Its
mean is :math:`\operatorname{Var}\hat f + f(1-f)/(N-1)`, and that of :math:`\hat f(1-\hat f)` is
:math:`f(1-f) - \operatorname{Var}\hat f`, so that
:math:`\{(N-1)\,\hat\sigma^2 - \hat f(1-\hat f)\}/N` is unbiased.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness, uniform
from ldpnb.checks import check_count, shown
from ldpnb.collecting._columns import told
from ldpnb.core import Bools, Floats, Ints
from ldpnb.intervals import exact_below, scatter, support_interval
from ldpnb.survey._ends import row_of
from ldpnb.survey._results import RatingsResult, Result
from ldpnb.survey._rounds import check_rounds

R = TypeVar("R", Result, RatingsResult)
ALARM = 1e-9  # chance that numbers of people who were drawn are taken for numbers of others


class Supported(NamedTuple):
    """Rows of a result that reports support or do not.

    Attributes
    ----------
    rows : slice
    count, n : array_like (rows,)
        How many reports support the cell of a row, of how many that are about it.
    chances : (Fraction, Fraction)
        Chance of support by somebody who is in the cell, and by anybody else.
    pooled : bool
        Whether the estimate comes from more reports than these.
    """

    rows: slice
    count: Any
    n: Any
    chances: tuple[Fraction, Fraction]
    pooled: bool = False

    def ends(
        self, share: Floats, around: tuple[Floats, Floats], z: float, sampled: ArrayLike
    ) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of these rows.

        Parameters
        ----------
        share : ndarray
            The estimates of all rows.
        around : tuple of two ndarray
            z errors below and above them.
        z, sampled
            As in `support_interval`.
        """
        low, high = support_interval(self.count, self.n, *self.chances, z, sampled=sampled)
        if not self.pooled:
            return low, high
        # from more reports than those that are counted here, unless these are few
        own = share[self.rows]
        below, above = around
        many = scatter(own, self.n, *self.chances, np.minimum(sampled, 1)) >= exact_below(z)
        least = np.where(many, below[self.rows], np.minimum(low, own))
        most = np.where(many, above[self.rows], np.maximum(high, own))
        return least, most


# ------------------------------------------------------------------------------------ the draw


def check_draw(draw: Any, questions: int) -> int:
    """Return how many of the questions a person answers."""
    whole = isinstance(draw, int | np.integer) and not isinstance(draw, bool)
    if not whole or not 1 <= draw <= questions:
        rule = f"an integer from 1 to {questions}, the number of questions"
        cure = "draw=1 asks each person one of them"
        raise ValueError(f"draw must be {rule}, got {shown(draw)}: {cure}")
    return int(draw)


def deal(n: int, questions: int, draw: int, rng: Randomness) -> Bools:
    """Deal questions to people as evenly as can be, and return who is asked what, (n, questions).

    Every question goes to ⌊n·draw/questions⌋ people, or to one more.  Given how many, all groups of
    so many people are equally likely to be asked it.  Every person is asked `draw` questions, all
    sets of them alike.

    Parameters
    ----------
    n : int
        Number of people.
    questions, draw : int
        How many questions there are, and how many of them each person is asked.
    rng : Generator, SystemRandom or Paths

    Examples
    --------
    >>> asked = deal(1000, 12, 5, np.random.default_rng(0))
    >>> sorted({*asked.sum(0).tolist()}), {*asked.sum(1).tolist()}
    ([416, 417], {5})
    """
    # At a table with a seat for each question, cards go round until each seat has `draw` of them,
    # so that a full table deals out each question equally often.  The last table may not be full.
    people = shuffled(n, rng)
    tables = -(-n // questions)
    cards = np.array([shuffled(questions, rng) for _ in range(tables)]).reshape(tables, questions)
    table, seat = np.divmod(np.arange(n), questions)
    asked = np.zeros((n, questions), np.bool_)
    for card in range(draw):
        asked[people, cards[table, (seat * draw + card) % questions]] = True
    return asked


def shuffled(n: int, rng: Randomness) -> Ints:
    """Return 0, …, n−1 in an order that is drawn, all orders alike (Fisher and Yates)."""
    order = list(range(n))
    drawn = uniform(np.arange(1, n + 1), (n,), rng).tolist()
    for last in range(n - 1, 0, -1):
        other = drawn[last]
        order[last], order[other] = order[other], order[last]
    return np.array(order, np.int64)


def some_of(column: Any, rows: Ints) -> Any:
    """Return some rows of a column, or of each column of a table; the others are not looked at."""
    if isinstance(column, Mapping):
        return {name: some_of(part, rows) for name, part in column.items()}
    if isinstance(column, list | tuple):
        return [column[i] for i in rows.tolist()]
    if hasattr(column, "take"):
        return column.take(rows)
    return column[rows]


# ------------------------------------------------------------------------ about all these people


def people_in(
    tallied: Mapping[str, int],
    questions: int,
    draw: int,
    n: Any = None,
    declining: Collection[str] = (),
) -> int:
    """Return the number of people whose questions were drawn, and refuse what was not drawn so.

    Parameters
    ----------
    tallied : dict of str to int
        How many reports there are to each question.
    questions, draw : int
    n : int, optional
        The number, if it is known; otherwise that of all reports over `draw`.
    declining : collection of str
        Questions that people may leave without a report.

    Raises
    ------
    ValueError
        If n is needed and not given; or if numbers are not those of questions that were drawn: more
        reports than a draw from n people makes or, where n follows from the reports, fewer.  Those
        that were drawn, and none of them lost, are refused with a probability of 1e-9 at most.

    Notes
    -----
    Four questions with 800 reports each may be those of 3,200 people who answered one of them, or
    of 800 who answered all: without n, they are taken for the first.

    Examples
    --------
    >>> people_in({"pay": 100, "boss": 99, "hours": 101}, 3, 1)
    300
    """
    total = sum(tallied.values())
    known = n is not None
    if known:
        people = check_count(n, 1, "n")
    else:
        why = _why_unknown(tallied, questions, draw, declining)
        if why:
            rule = f"n must be given, the number of people who took part, since {why}"
            raise ValueError(f"{rule}: estimate(…, n=…)")
        people = total // draw
    share = draw / questions
    for name, count in tallied.items():
        if not plausible(count, people, share, questions, not known):
            each = f"so that each is asked of about {people * share:,.0f}"
            rule = f"of questions drawn for {people:,} people"
            if known:
                cure = (
                    "were all people asked all questions, then leave out draw=…; of waves that "
                    "were added, n counts the people of each one, or say rounds=… if they were "
                    "the same; else correct n"
                )
            else:
                rule += f", which is what {total:,} reports make"
                cure = (
                    f"take all tallies from one survey with draw={draw}, or say n, the number of "
                    "people who took part, if reports were lost"
                )
            reports = "report" if count == 1 else "reports"
            got = f"{count:,} {reports} to {shown(name)}"
            raise ValueError(f"tallies must be {rule}, {each}, got {got}: {cure}")
    if total > draw * people:
        answered = f"of {people:,} people who answered {draw} of {questions} questions"
        rule = f"{answered}, {draw * people:,} reports"
        cure = "they were not drawn, or n is larger"
        raise ValueError(f"tallies must be {rule}, got {total:,}: {cure}")
    return people


def _why_unknown(
    tallied: Mapping[str, int], questions: int, draw: int, declining: Collection[str]
) -> str:
    """Say why numbers of reports do not tell how many people took part; empty if they do."""
    if len(tallied) < questions:
        have = "has" if len(tallied) == 1 else "have"
        return f"only {len(tallied)} of {questions} questions {have} a tally"
    if declining:
        return f"people may decline {told(declining)}"
    total = sum(tallied.values())
    if total % draw:
        reports = "1 report is" if total == 1 else f"{total:,} reports are"
        reports += f" not {draw} of each person"
        return f"{reports}, so that some are lost, or were not drawn"
    return ""


def people_at_least(tallied: Mapping[str, int], rounds: Any, n: Any = None) -> int:
    r"""Return the number of people, if so many may have sent these reports, `rounds` each.

    Of T_i reports each, :math:`r = \sum T_i^2/\sum T_i`, so that n people have
    :math:`nr \ge \sum T_i` reports (Cauchy and Schwarz).  Who was drawn, such numbers do not tell.

    Parameters
    ----------
    tallied : dict of str to int
        How many reports there are to each question.
    rounds : float
    n : int, optional
        By default, the least number.

    Raises
    ------
    ValueError
        If n is smaller.

    Examples
    --------
    >>> people_at_least({"pay": 291, "boss": 303}, 3)
    101
    """
    name = max(tallied, key=lambda one: tallied[one], default="")
    reports = tallied.get(name, 0)
    least = ceil(reports / check_rounds(rounds, reports) * (1 - 1e-12))
    if n is None:
        return least
    people = check_count(n, 1, "n")
    if people < least:
        cure = "n counts people of all waves, each once, and rounds the reports of one person"
        what = f"{reports:,} reports to {shown(name)} over rounds = {rounds:g}"
        raise ValueError(f"n must be at least {least:,}, {what}, got {people:,}: {cure}")
    return people


def plausible(count: int, n: int, share: float, questions: int, whole: bool) -> bool:
    """Return whether a question that is drawn for a share of n people may have so many reports.

    Parameters
    ----------
    count, n : int
    share : float
    questions : int
        How many numbers are looked at: all of them pass, but for a chance of 1e-9.
    whole : bool
        Whether no report is lost, so that there may not be too few, either.
    """
    from scipy.stats import binom

    if share == 1:
        return count == n if whole else count <= n
    tails = [binom.sf(count - 1, n, share)]  # of so many reports or more
    if whole:
        tails.append(binom.cdf(count, n, share))
    chance = min(tails) * len(tails) * questions
    return bool(count <= n and chance >= ALARM)


def check_of(of: Any, asked: int) -> int:
    """Return the number of people of whom so many were asked."""
    found = check_count(of, 1, "of")
    if found < asked:
        what = f"the number of all people, of whom {asked:,} were asked"
        cure = "count those who were drawn and not asked, too"
        raise ValueError(f"of must be {what}, got {found:,}: {cure}")
    return found


def about_all(found: R, supported: Sequence[Supported], of: int, z: float) -> R:
    """Return a result about N people, of whom those in the tally were drawn.

    Parameters
    ----------
    found : Result or RatingsResult
        About a population.  Errors and intervals of means stay: the server cannot tell how far
        numbers scatter.
    supported : list of Supported
        Rows whose intervals are those of `ldpnb.intervals`; the others are z errors to both sides.
    of : int
        N.
    z : float
    """
    if isinstance(found, RatingsResult):
        shares = about_all(found.shares, supported, of, z)
        return replace(found, shares=shares, means=replace(found.means, people=True, of=of))
    if found.what != "share":
        return replace(found, people=True, of=of)
    share = found.estimate
    variance = ((of - 1) * found.error**2 - share * (1 - share)) / of
    error = np.sqrt(np.maximum(variance, 0))
    ends = partial(_ends_about_all, share, error, supported, of)
    low, high = ends(z)
    return replace(
        found,
        people=True,
        of=of,
        error=error,
        low=low,
        high=high,
        ends_at=partial(row_of, ends),
    )


def _ends_about_all(
    share: Floats, error: Floats, supported: Sequence[Supported], of: int, z: float
) -> tuple[Floats, Floats]:
    """Return the ends of intervals of shares of N people, of whom some were drawn."""
    low = share - z * error
    high = share + z * error
    for part in supported:
        ends = part.ends(share, (low, high), z, left_over(part.n, of))
        low[part.rows], high[part.rows] = ends
    return low, high


def left_over(asked: Any, of: int) -> Floats:
    """Return the part of the chance of who is asked that is left, of N people: (N − n)/(N − 1)."""
    others = np.asarray(asked, np.float64) - 1
    return np.asarray(1 - others / max(1, of - 1))
