"""One public question per person, drawn uniformly, and the answer through a frequency oracle.

The answer has all of ε.  Scores are multiplied by the number L of questions, and are 0 for the
others, so that estimates are linear: a person's score has mean t and variance L (V + t²) − t²,
where V is the oracle's.  `DrawnAttributes` and `PairSampling` also divide by the number of people
who were asked (`ldpnb.asked`); `Hierarchy` does not, where it would gain little.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.lib.recfunctions import repack_fields

from ldpnb.core import Floats, Ints, Layout, Mechanism, Reports, Tally


class Through(Mechanism):
    """Base of mechanisms whose reports are protected by an oracle, and by nothing else."""

    oracle: Mechanism

    @property
    def epsilon(self) -> float:
        """That of the oracle."""
        return self.oracle.epsilon

    @property
    def realised_epsilon(self) -> float:
        """That of the oracle, for any two answers."""
        return self.oracle.realised_epsilon

    @property
    def report_bits(self) -> int:
        """That of the oracle, without what is public."""
        return self.oracle.report_bits

    @property
    def layout(self) -> Layout:
        """That of the oracle's reports."""
        return self.oracle.layout

    @property
    def public_fields(self) -> tuple[str, ...]:  # type: ignore[override]  # not of the class
        """Those of the oracle's reports."""
        return self.oracle.public_fields

    @property
    def server_cost(self) -> str:  # type: ignore[override]  # not of the class
        """That of the oracle."""
        return self.oracle.server_cost


class Asking(Through):
    """Base of mechanisms that ask each person one of several questions, all through one oracle.

    Reports have a field for the question (public) and those of the oracle's reports, or ``report``
    where these have none, (n,).  Tallies count for each question the reports, and then what the
    oracle counts: (L, 1 + …).
    """

    question: ClassVar[str]  # field with the number of the question

    @property
    @abstractmethod
    def questions(self) -> int:
        """Number of questions, L."""

    @property
    def public_fields(self) -> tuple[str, ...]:  # type: ignore[override]  # not of the class
        """The question, and those of the oracle's reports."""
        return (self.question, *self.oracle.public_fields)

    @property
    def layout(self) -> Layout:
        """A public question, and what the oracle's reports hold."""
        answer = {name or "report": part for name, part in self.oracle.layout.items()}
        return {self.question: (np.int64, self.questions), **answer}

    # -------------------------------------------------------------------------------- the client

    def _asked(self, questions: int | np.integer | Ints, told: Reports) -> Reports:
        """Put a question before each of the oracle's reports."""
        return put_first(np.empty(len(told), self.dtype), self.question, questions, told)

    def _worst(self) -> Reports:
        return self._asked(0, self.oracle._worst())

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        """Count for each question its reports, and what the oracle counts of them: (L, 1 + …)."""
        told = told_in(reports, self.oracle)
        order = np.argsort(reports[self.question], kind="stable")
        asked, starts = np.unique(reports[self.question][order], return_index=True)
        counts = np.zeros((self.questions, 1 + no_counts(self.oracle).size), np.int64)
        parts = np.split(told[order], starts[1:])
        for one, part in zip(asked, parts, strict=False):  # of nobody, one empty part
            counts[one] = np.append(len(part), self.oracle.tally(part).counts)
        return counts

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each answer to each question: (…, L, k)."""
        found = total(self.oracle, self.oracle._score, tally.counts)
        return found * (self.questions / tally.n)

    def _squares(self, tally: Tally) -> Floats:
        """L² times the squares of the scores of those who were asked."""
        found = total(self.oracle, self.oracle._squares, tally.counts)
        return found * (self.questions**2 / tally.n)


def put_first(
    reports: Reports,
    field: str,
    public: int | np.integer | Ints,
    told: Reports,
) -> Reports:
    """Fill empty reports: a public field, then those of an oracle's reports, or ``report``."""
    reports[field] = public
    names = told.dtype.names
    if names:
        reports[[*names]] = told
    else:
        reports["report"] = told
    return reports


def told_in(reports: Reports, oracle: Mechanism) -> Reports:
    """Take the oracle's reports out of those that `put_first` has filled."""
    fields = [*oracle.layout]
    if "" in fields:
        return reports["report"]
    return repack_fields(reports[fields])


def total(oracle: Mechanism, score: Callable[[Tally], Floats], counts: Ints) -> Floats:
    """Sum of a score over reports, from their number and their flat counts, (…, 1 + …).

    Times the number of reports, a score is linear in number and counts; of no counts, it is what
    a report costs.
    """
    told = counts[..., 1:].reshape(*counts.shape[:-1], *no_counts(oracle).shape)
    nothing = score(Tally(oracle, 1, np.zeros_like(told)))
    return np.asarray(score(Tally(oracle, 1, told)) + (counts[..., :1] - 1) * nothing)


def no_counts(oracle: Mechanism) -> Ints:
    """Return the counts of no reports."""
    return oracle.tally(oracle._nothing()).counts
