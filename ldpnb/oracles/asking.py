"""One public question a person, drawn uniformly, and the answer through a frequency oracle with all of ε.

Scores are multiplied by the number L of questions, and are 0 for the others, so that estimates are linear: a person's
score has mean t and variance L (V + t²) − t², where V is the oracle's.
`DrawnAttributes` and `PairSampling` also divide by the number of people who were asked (`ldpnb.asked`); `Hierarchy`
does not, where it would gain little.
"""

from __future__ import annotations

from abc import abstractmethod
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.lib.recfunctions import repack_fields
from numpy.typing import NDArray

from ldpnb.core import Floats, Ints, Layout, Mechanism, Reports, Tally
from ldpnb.oracles.frequency import ItemOracle


class Through(Mechanism):
    """What mechanisms share whose reports are protected by an oracle, and by nothing else."""

    oracle: ItemOracle
    epsilon = property(attrgetter("oracle.epsilon"), doc="That of the oracle.")
    realised_epsilon = property(attrgetter("oracle.realised_epsilon"), doc="That of the oracle, for any two answers.")
    report_bits = property(attrgetter("oracle.report_bits"), doc="That of the oracle, without what is public.")
    layout = property(attrgetter("oracle.layout"), doc="That of the oracle's reports.")
    public_fields = property(attrgetter("oracle.public_fields"), doc="Those of the oracle's reports.")
    server_cost = property(attrgetter("oracle.server_cost"), doc="That of the oracle.")


class Asking(Through):
    """What mechanisms share that ask one of several questions, all through one oracle.

    Reports have a field for the question (public) and those of the oracle's reports, or ``report`` where these have
    none, (n,).  Tallies count for each question the reports, and then what the oracle counts: (L, 1 + …).
    """

    question: ClassVar[str]  # field with the number of the question

    @property
    @abstractmethod
    def questions(self) -> int:
        """Number of questions, L."""

    @property
    def public_fields(self) -> tuple[str, ...]:  # type: ignore[override]  # a fact about the oracle, not the class
        """The question, and those of the oracle's reports."""
        return (self.question, *self.oracle.public_fields)

    @property
    def layout(self) -> Layout:
        """A public question, and what the oracle's reports hold."""
        own = {name or "report": part for name, part in self.oracle.layout.items()}
        return {self.question: (np.int64, self.questions), **own}

    def _asked(self, questions: Any, told: Reports) -> Reports:
        """Put a question before each of the oracle's reports."""
        return put_first(np.empty(len(told), self.dtype), self.question, questions, told)

    def _worst(self) -> Reports:
        return self._asked(0, self.oracle._worst())

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count for each question its reports, and what the oracle counts of them: (L, 1 + …), flat."""
        told = told_in(reports, self.oracle)
        order = np.argsort(reports[self.question], kind="stable")
        asked, starts = np.unique(reports[self.question][order], return_index=True)
        counts = np.zeros((self.questions, 1 + no_counts(self.oracle).size), np.int64)
        for one, part in zip(asked, np.split(told[order], starts[1:]), strict=False):  # of nobody, one empty part
            counts[one] = np.append(len(part), self.oracle.tally(part).counts)
        return counts

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each answer to each question: (…, L, k)."""
        return total(self.oracle, self.oracle._score, tally.counts) * (self.questions / tally.n)

    def _squares(self, tally: Tally) -> Floats:
        """L² times the squares of the scores of those who were asked."""
        return total(self.oracle, self.oracle._squares, tally.counts) * (self.questions**2 / tally.n)


def put_first(reports: Reports, field: str, public: Any, told: Reports) -> Reports:
    """Fill empty reports: a public field, then those of an oracle's reports, or ``report`` where it has none."""
    reports[field] = public
    reports[[*told.dtype.names] if told.dtype.names else "report"] = told
    return reports


def told_in(reports: Reports, oracle: ItemOracle) -> Reports:
    """Take the oracle's reports out of those that `put_first` has filled."""
    fields = [*oracle.layout]
    return reports["report"] if "" in fields else repack_fields(reports[fields])


def total(oracle: ItemOracle, score: Any, counts: Ints) -> Floats:
    """Sum of a score, from a number of reports and their flat counts, (…, 1 + …): times n it is linear in these."""
    told = counts[..., 1:].reshape(*counts.shape[:-1], *no_counts(oracle).shape)
    nothing = score(Tally(oracle, 1, np.zeros_like(told)))  # of no counts, it is what a report costs
    return np.asarray(score(Tally(oracle, 1, told)) + (counts[..., :1] - 1) * nothing)


def no_counts(oracle: ItemOracle) -> Ints:
    """Return the counts of no reports."""
    return oracle.tally(oracle._nothing()).counts
