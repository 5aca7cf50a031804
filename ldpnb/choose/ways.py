"""Ways to share a limit out among questions: a part of ε each, a draw, or one question alone.

What a person may reveal is one number, the limit.  All questions may get a part of it; or each
person answers some questions, drawn in public, each with a larger part; or only one question is
asked at all.  `ways` says how large the errors will be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any

from ldpnb.checks import EPSILON_MAX, EPSILON_MIN, check_count, check_flag, in_full

if TYPE_CHECKING:
    from ldpnb.survey._asked import Asked

WORSE = 2.0  # times the least error: draws that have more are not printed
ENOUGH = 1000  # people in the message of a refusal

Seen = dict[Any, tuple[float, float]]  # variances that were computed before


@dataclass(frozen=True)
class Way:
    """One way to share a limit out.

    Attributes
    ----------
    draw : int
        Questions that each person answers.
    epsilons : tuple of float
        ε of each question.
    asked : int
        People who are asked each question, at least.
    error : float
        Standard error to come, in points: the root mean square over all questions.
    """

    draw: int
    epsilons: tuple[float, ...]
    asked: int
    error: float


@dataclass(frozen=True)
class Ways:
    """Standard errors to come, by how many questions each person answers; ``print`` shows a table.

    Attributes
    ----------
    n : int
        Number of people.
    limit : float
    drawn : tuple of Way
        By the number of questions that each person answers; the last one is all questions.
    alone : Way
        If one of the questions is asked and no other: the root mean square over which one it is.
    people : bool
        Whether errors are about these people, not about a population.
    """

    n: int
    limit: float
    drawn: tuple[Way, ...]
    alone: Way
    people: bool = False

    @property
    def best(self) -> Way:
        """The way to ask all questions that has the least error."""
        return min(self.drawn, key=lambda way: way.error)

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return self.drawn[-1].draw

    def __str__(self) -> str:
        head = f"{self.n:,} people, limit = {self.limit:g}: standard errors to come"
        about = "these people" if self.people else "a population"
        rows = [("way", "ε each", "people each", "error, points")]
        left_out = []
        for way in reversed(self.drawn):
            whole = way.draw == self.questions
            if whole:
                rows.append((f"all {way.draw}, ε split", *_cells(way)))
            elif way.error > WORSE * self.best.error:
                left_out.append(way.draw)
            else:
                name = f"{way.draw} of {self.questions}, drawn (draw={way.draw})"
                rows.append((name, *_cells(way)))
        rows.append(("one question, and no other", *_cells(self.alone)))
        lines = [f"{head}, about {about}", *_aligned(rows), self._best_in_words()]
        if left_out:
            which = _listed(sorted(left_out))
            more = f"with more than {WORSE:g} times the error of the best; .drawn has all"
            lines.append(f"not shown: draw = {which}, {more}")
        return "\n".join(lines)

    def _best_in_words(self) -> str:
        draw = self.best.draw
        if draw == self.questions:
            return f"best: everybody answers all {self.questions} questions, and ε is split"
        answers = f"each person answers {draw} of {self.questions} questions"
        return f"best: draw={draw}, where {answers}"

    __repr__ = __str__


def _listed(draws: list[int]) -> str:
    """Write draws in words: a row of them by its ends."""
    if len(draws) > 2 and draws[-1] - draws[0] == len(draws) - 1:
        return f"{draws[0]} to {draws[-1]}"
    return ", ".join(map(str, draws))


def _aligned(rows: list[tuple[str, str, str, str]]) -> list[str]:
    """Put a table into lines: its first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [first.ljust(widths[0])]
        for cell, width in zip(others, widths[1:], strict=True):
            cells.append(cell.rjust(width))
        lines.append("  ".join(cells).rstrip())
    return lines


def _cells(way: Way) -> tuple[str, str, str]:
    """Return ε, the number of people and the error as the table has them."""
    least = f"{min(way.epsilons):.3g}"
    most = f"{max(way.epsilons):.3g}"
    epsilons = least if least == most else f"{least} to {most}"
    return epsilons, f"{way.asked:,}", f"{way.error:.1f}"


def ways(questions: Mapping[str, Asked], limit: float, n: Any, people: bool = False) -> Ways:
    """Compare ways to ask questions: standard errors to come, in points.

    Each question is asked with the mechanism that is best at its ε.  All of the limit is used;
    between questions, ε are shared out in the proportions that they have.  A point is a hundredth:
    of 1 for a share, of the range for a mean.  Shares are 1/k for `OneOf`, and otherwise what the
    `plan` of a question assumes.

    Parameters
    ----------
    questions : dict of str to question
    limit : float
    n : int
        Number of people, at least as many as questions.
    people : bool
        Whether the errors are those about these people.

    Raises
    ------
    ValueError
        If there are fewer people than questions, or too many questions for the limit.
    """
    asked = list(questions.values())
    n = check_count(n, len(asked), "n")
    people = check_flag(people, "people")
    given = [question.epsilon for question in asked]
    if min(shared_out(given, limit, len(asked))) < EPSILON_MIN:
        rule = f"so large that each question can get ε = {EPSILON_MIN:g}"
        got = f"{in_full(limit)} for {len(asked)} questions"
        raise ValueError(f"limit must be {rule}, got {got}: ask fewer")
    seen: Seen = {}
    found = []
    for draw in range(1, len(asked) + 1):
        epsilons = shared_out(given, limit, draw)
        reached = n * draw // len(asked)
        part = draw / len(asked)
        variances = []
        for question, epsilon in zip(asked, epsilons, strict=True):
            variances.append(_variance(question, epsilon, n, part, people, seen))
        found.append(Way(draw, epsilons, reached, _points(variances)))
    whole = min(limit, EPSILON_MAX)
    each = [_variance(question, whole, n, 1.0, people, seen) for question in asked]
    alone = Way(1, (whole,) * len(asked), n, _points(each))
    return Ways(n, limit, tuple(found), alone, people)


def shared_out(epsilons: list[float], limit: float, draw: int) -> tuple[float, ...]:
    """Return ε in the same proportions, whose `draw` largest add up to the limit; at most 32.

    Examples
    --------
    >>> shared_out([1.0, 0.5, 0.5], 1.0, 2)
    (0.6666666666666666, 0.3333333333333333, 0.3333333333333333)
    """
    largest = sorted(map(Fraction, epsilons))[-draw:]
    scale = Fraction(limit) / sum(largest)
    return tuple(min(float(Fraction(epsilon) * scale), EPSILON_MAX) for epsilon in epsilons)


def _variance(
    question: Any, epsilon: float, n: int, part: float, people: bool, seen: Seen
) -> float:
    """Variance to come at another ε if a part of n people is asked: about them, or a population."""
    key = type(question), replace(question._question(n), epsilon=epsilon)
    if key not in seen:
        other = replace(question, epsilon=epsilon, mechanism=None)
        seen[key] = other._planned(n)
    these, population = seen[key]
    # what is left of the chance of who is asked, f(1 − f), is the part of those who are not asked
    left = 1 - part if people else 1.0
    return (these + left * (population - these)) / part


def said(questions: Mapping[str, Asked], limit: float, n: int = ENOUGH) -> str:
    r"""Say in a sentence what each way would give, where questions do not fit a limit.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> twelve = {f"q{i}": OneOf(["a", "b", "c", "d", "e"], epsilon=1.0) for i in range(12)}
    >>> print(said(twelve, 1.0).replace(" if", "\n    if"))
    Of 1,000 people, say, standard errors would be 61.5 points
        if everybody answers all 12, at ε = 0.0833; 17.1 points
        if each person answers 1, drawn in public (draw=1), at ε = 1; and 4.95 points
        if only one question is asked
    """
    found = ways(questions, limit, max(n, len(questions)))
    whole = found.drawn[-1]
    best = found.best
    epsilons, _, _ = _cells(whole)
    each = [f"{_points_of(whole)} if everybody answers all {whole.draw}, at ε = {epsilons}"]
    if best is not whole:
        epsilons, _, _ = _cells(best)
        drawn = f"each person answers {best.draw}, drawn in public (draw={best.draw})"
        each.append(f"{_points_of(best)} if {drawn}, at ε = {epsilons}")
    each.append(f"{_points_of(found.alone)} if only one question is asked")
    *first, last = each
    head = f"Of {found.n:,} people, say, standard errors would be"
    return f"{head} {'; '.join(first)}; and {last}"


def _points_of(way: Way) -> str:
    return f"{way.error:.3g} points"


def _points(variances: Sequence[float]) -> float:
    """Return the root mean square of errors, in hundredths."""
    return 100 * sqrt(sum(variances) / len(variances))
