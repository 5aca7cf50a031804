"""Ways to share a limit out among questions: a part of ε each, a draw, or one question alone.

What a person may reveal is one number, the limit.  All questions may get a part of it; or each person
answers some questions, drawn in public, each with a larger part; or only one question is asked at all.
`ways` says how large the errors will be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

from ldpnb.checks import EPSILON_MAX, EPSILON_MIN, check_count, check_flag, in_full

WORSE = 2.0  # times the least error: draws that have more are not printed
ENOUGH = 1000  # people in the message of a refusal


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
        about = "these people" if self.people else "a population"
        rows = [("way", "ε each", "people each", "error, points")]
        left_out = []
        for way in reversed(self.drawn):
            whole = way.draw == self.questions
            if not whole and way.error > WORSE * self.best.error:
                left_out.append(way.draw)
                continue
            drawn = f"{way.draw} of {self.questions}, drawn (draw={way.draw})"
            rows.append((f"all {way.draw}, ε split" if whole else drawn, *_cells(way)))
        rows.append(("one question, and no other", *_cells(self.alone)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for first, *others in rows:
            cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
            lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
        best = f"best: draw={self.best.draw}, where each person answers {self.best.draw} of {self.questions} questions"
        if self.best.draw == self.questions:
            best = f"best: everybody answers all {self.questions} questions, and ε is split"
        head = f"{self.n:,} people, limit = {self.limit:g}: standard errors to come, about {about}"
        if left_out:
            which = _listed(sorted(left_out))
            best += f"\nnot shown: draw = {which}, with more than {WORSE:g} times the error of the best; .drawn has all"
        return "\n".join([head, *lines, best])

    __repr__ = __str__


def _listed(draws: list[int]) -> str:
    """Write draws in words: a row of them by its ends."""
    if len(draws) > 2 and draws[-1] - draws[0] == len(draws) - 1:
        return f"{draws[0]} to {draws[-1]}"
    return ", ".join(map(str, draws))


def _cells(way: Way) -> tuple[str, str, str]:
    least, most = (f"{end:.3g}" for end in (min(way.epsilons), max(way.epsilons)))
    return least if least == most else f"{least} to {most}", f"{way.asked:,}", f"{way.error:.1f}"


def ways(questions: Mapping[str, Any], limit: float, n: Any, people: bool = False) -> Ways:
    """Compare ways to ask questions: standard errors to come, in points.

    Each question is asked with the mechanism that is best at its ε.  All of the limit is used; between
    questions, ε are shared out in the proportions that they have.  A point is a hundredth: of 1 for a
    share, of the range for a mean.  Shares are 1/k for `OneOf`, and otherwise what the `plan` of a
    question assumes.

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
    n, people = check_count(n, len(asked), "n"), check_flag(people, "people")
    seen: dict[Any, tuple[float, float]] = {}
    if min(shared_out([one.epsilon for one in asked], limit, len(asked))) < EPSILON_MIN:
        rule = f"so large that each question can get ε = {EPSILON_MIN:g}"
        raise ValueError(f"limit must be {rule}, got {in_full(limit)} for {len(asked)} questions: ask fewer")
    found = []
    for draw in range(1, len(asked) + 1):
        epsilons = shared_out([one.epsilon for one in asked], limit, draw)
        reached = n * draw // len(asked)
        part = draw / len(asked)
        variances = [_variance(one, e, n, part, people, seen) for one, e in zip(asked, epsilons, strict=True)]
        found.append(Way(draw, epsilons, reached, _points(variances)))
    whole = min(limit, EPSILON_MAX)
    each = [_variance(one, whole, n, 1.0, people, seen) for one in asked]
    return Ways(n, limit, tuple(found), Way(1, (whole,) * len(asked), n, _points(each)), people)


def shared_out(epsilons: list[float], limit: float, draw: int) -> tuple[float, ...]:
    """Return ε in the same proportions, of which the `draw` largest add up to the limit; at most 32.

    Examples
    --------
    >>> shared_out([1.0, 0.5, 0.5], 1.0, 2)
    (0.6666666666666666, 0.3333333333333333, 0.3333333333333333)
    """
    most = sum(sorted(map(Fraction, epsilons))[-draw:])
    return tuple(min(float(Fraction(e) * Fraction(limit) / most), EPSILON_MAX) for e in epsilons)


def _variance(
    question: Any, epsilon: float, n: int, part: float, people: bool, seen: dict[Any, tuple[float, float]]
) -> float:
    """Variance to come at another ε if a part of n people is asked: about them, or a population."""
    key = type(question), replace(question._question(n), epsilon=epsilon)
    if key not in seen:
        seen[key] = replace(question, epsilon=epsilon, mechanism=None)._planned(n)
    these, population = seen[key]
    # what is left of the chance of who is asked, f(1 − f), is the part of those who are not asked
    left = 1 - part if people else 1.0
    return (these + left * (population - these)) / part


def said(questions: Mapping[str, Any], limit: float, n: int = ENOUGH) -> str:
    r"""Say in a sentence what each way would give, where questions do not fit a limit.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> twelve = {f"q{i}": OneOf(["a", "b", "c", "d", "e"], epsilon=1.0) for i in range(12)}
    >>> print(said(twelve, 1.0).replace("; ", ";\n"))
    Of 1,000 people, say, standard errors would be 61.5 points if everybody answers all 12, at ε = 0.0833;
    17.1 points if each person answers 1, drawn in public (draw=1), at ε = 1;
    and 4.95 points if only one question is asked
    """
    found = ways(questions, limit, max(n, len(questions)))
    whole, best = found.drawn[-1], found.best
    each = [f"{_points_of(whole)} if everybody answers all {whole.draw}, at ε = {_cells(whole)[0]}"]
    if best is not whole:
        drawn = f"if each person answers {best.draw}, drawn in public (draw={best.draw})"
        each.append(f"{_points_of(best)} {drawn}, at ε = {_cells(best)[0]}")
    each.append(f"{_points_of(found.alone)} if only one question is asked")
    return f"Of {found.n:,} people, say, standard errors would be {'; '.join(each[:-1])}; and {each[-1]}"


def _points_of(way: Way) -> str:
    return f"{way.error:.3g} points"


def _points(variances: Iterable[float]) -> float:
    """Return the root mean square of errors, in hundredths."""
    each = list(variances)
    return 100 * sqrt(sum(each) / len(each))
