"""What a proof has found, and the sentences that say it: each of them is true as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from textwrap import fill
from typing import Any, NamedTuple

from ldpnb.exact.arguments import at_least, shown
from ldpnb.exact.arrays import arrays
from ldpnb.exact.clients import different
from ldpnb.exact.deciding import Factor
from ldpnb.exact.formulas import Formula
from ldpnb.exact.polynomials import never_zero
from ldpnb.exact.probabilities import odds
from ldpnb.exact.symbolic import Laws

WIDE = 64  # letters of a line of what is said
LONG = 60  # letters of a report or a value
FLOATS = "compute coins from exact numbers, by Fraction or ldpnb.chance.exact, and round each once"
ROUND = "round the coin of the likelier answer down, by ldpnb.chance.round_down"
PARTS = "take parts of ldpnb.chance.exact(ε), or its share: ε/3 is rounded to the nearest float, often above a third"
SEALED = (
    "This is proved of the client that ldpnb.verify.of_size runs, at ε from 1e-06 to 32: its coins are exact, and it "
)
SEALED += "sees neither ε nor k."


class Moments(NamedTuple):
    """How many identities of mean and variance were compared; wrong ones; ones right but for floats; or why none.

    Where all identities are right and numbers are not, `wrong` counts comparisons of numbers.
    `ideal` says that they were compared with coins that are not rounded, and not with whatever coins.
    """

    identities: int = 0
    wrong: int = 0
    near: int = 0
    ideal: bool = False
    unsaid: str = ""


@dataclass(frozen=True)
class Witness:
    """A number of items, an ε, and a report that is more than e^ε times as likely from one item as from another."""

    k: int
    epsilon: float
    ratio: Fraction | None  # None for infinity
    report: Any
    pair: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Proof:
    """What `prove` found.

    Attributes
    ----------
    name : str
        Of the client, with the sizes for which it was replayed.
    holds : bool or None
        Whether P(y|a) ≤ e^ε P(y|b) with ideal coins; None where neither that nor the contrary is shown.
    shipped : bool or None
        Whether it holds for ε from 1e-6 to 32 with coins that are rounded: False if it fails at an ε that was tried,
        None where that was not asked or is not shown.
    least : float
        0 where it holds for every ε > 0; 1e-6 where only from there on.  Of a refuted client the ε from which on, or
        right above which, the ratio exceeds e^ε.
    most : Factor
        The largest likelihood ratio, which `ratio`, `uniform`, `pair` and `report` are about.
    stated : bool or None
        Whether the mechanism's `realised_epsilon` is ln(ratio) as an identity; None where it states none.
    compared : Moments
        What was found of mean and variance, for `moments` and `wrong`.
    laws, rounded : Laws
        With ideal coins, and with rounded ones (None where these were not asked, or stopped).
    asked : bool
        Whether the claim about rounded coins was asked for, of a client that keeps ε with ideal ones.
    values : list
        What the client was asked about, in the order that `pair` counts in; letters for a domain of any size.
    tested : tuple of float
        Values of ε at which the client with numbers had the law of the formulas, to nine digits; none where it never
        sees a number.
    broken : tuple of float
        Those of them at which the client with numbers exceeds e^ε, by rounding or by more.
    every : tuple of (int, Laws)
        For a domain of any size: the laws at each size that is a case of its own, the last for so many and more.
    plain : bool
        Whether the largest ratio is that of a report that a client sends, at every number of items.
    witness : Witness or None
        Of a refuted client for a domain of any size: where `of_size` runs it and exceeds e^ε.
    looked_at : tuple of int
        Where no witness was found: the numbers of items that were tried.
    """

    name: str
    holds: bool | None
    shipped: bool | None
    least: float
    most: Factor
    stated: bool | None
    compared: Moments
    laws: Laws
    rounded: Laws | None
    asked: bool
    values: list[Any]
    tested: tuple[float, ...] = ()
    broken: tuple[float, ...] = ()
    every: tuple[tuple[int, Laws], ...] = ()
    plain: bool = True
    witness: Witness | None = None
    looked_at: tuple[int, ...] = ()

    @property
    def ratio(self) -> Formula | None:
        """Largest likelihood ratio, a formula in e^ε; None for ∞."""
        return self.most.ratio

    @property
    def uniform(self) -> bool:
        """Whether it is the largest for every ε."""
        return self.most.uniform

    @property
    def pair(self) -> tuple[int, int]:
        """Positions of the inputs that attain it, likelier first."""
        return self.most.pair

    @property
    def report(self) -> Any:
        """The report that attains it."""
        return self.most.report

    @property
    def moments(self) -> int:
        """Identities of mean and variance that were compared."""
        return self.compared.identities

    @property
    def wrong(self) -> int:
        """How many of them are wrong."""
        return self.compared.wrong

    @property
    def tight(self) -> bool:
        """Whether e^ε itself is attained, for every ε."""
        return self.plain and self.ratio is not None and self.ratio.same(self.laws.field.e)

    @property
    def certificates(self) -> list[str]:
        """The inequalities as texts that a stranger can check: one for each case, and one for rounded coins."""
        found = [one.certificate for _, one in self.every] or [self.laws.certificate]
        return [*found, self.rounded.certificate] if self.rounded else found

    def __str__(self) -> str:
        verdicts = {True: self._proved, False: self._refuted, None: self._undecided}
        return fill(" ".join(verdicts[self.holds]()), WIDE, break_long_words=False)

    def _where(self, epsilons: str) -> str:
        """Say for which ε and on which values."""
        if self.every:
            return f"for {epsilons} and every number of items k >= 2"
        return f"for {epsilons} on these {len(different(self.values))} values"

    def _likely(self, factor: str) -> str:
        """Say by which report two values are told apart, and by how much."""
        one, other = (brief(self.values[i]) for i in self.pair)
        kind = "item" if self.every else "value"
        report = f"report {brief(self._sent)}"
        if self.ratio is None:
            return f"{report} can come from {kind} {one}, and never from {kind} {other}"
        return f"{report} is {factor} times as likely from {kind} {one} as from {kind} {other}"

    @property
    def _sent(self) -> Any:
        """Return the report as the client sends it; an array of numbers as its numbers, which read more easily."""
        own = self.laws.reports.get(self.report, self.report)
        plain = arrays().reads_as_numbers(own)
        return self.report if plain and not self.every else own

    def _proved(self) -> Iterator[str]:
        assert self.ratio is not None
        exactly = "exactly ε-LDP" if self.tight else "ε-LDP"
        since = f"every ε >= {at_least(self.least, 6)}" if self.least else "every ε > 0"
        yield f"{self.name} is {exactly} {self._where(since)}: {self._found()}."
        if self.every:
            yield SEALED
            return
        proved = "This is proved with a symbol for ε and ideal coins"
        tested = f"tested with numbers at {self._tried}" if self.tested else "not tested with numbers"
        yield f"{proved}, and {tested}."
        if self.asked:
            yield self._rounding()
        count, wrong, near, ideal, unsaid = self.compared
        if count:
            right = f"are not, in {wrong} cases," if wrong else "are"
            what = f"{count} identities of formulas"
            what += f", {near} of them up to the rounding of floats" if near else ""
            coins = " with coins that are not rounded" if ideal else ""
            yield f"Mean and variance of one person's score {right} as stated{coins} ({what})."
        if unsaid:
            yield f"Mean and variance are not compared: {unsaid}."

    def _found(self) -> str:
        """Say what the largest factor is, of a client that keeps ε."""
        assert self.ratio is not None
        if not self.plain:
            return "no report has a larger factor than e^ε"
        if self.uniform and self.ratio.same(1):
            return "reports say nothing about the value"
        largest = "no report has a larger factor"
        if not self.uniform:
            largest = "which report has the largest factor may depend on ε"
        return f"{self._likely('e^ε' if self.tight else str(self.ratio))}, and {largest}"

    def _rounding(self) -> str:
        """Say what rounded coins do."""
        if self.shipped:
            return "With coins rounded to 53 bits it is ε-LDP for ε from 1e-06 to 32, if other arithmetic is exact."
        cure = ROUND
        if self.rounded and (self.rounded.field.nearest or self.rounded.field.floats):
            cure = PARTS if self.rounded.field.nearest else FLOATS
        if self.shipped is False:
            where = f"at ε = {min(self.broken):g}, a report is more than e^ε times as likely"
            return f"With coins rounded to 53 bits it is not: {where} ({cure})."
        advice = f" ({cure})" if self.rounded and not self.rounded.as_shipped else ""
        return f"That coins rounded to 53 bits keep ε is not shown{advice}."

    @property
    def _tried(self) -> str:
        """Say where the client was run with numbers."""
        return f"{len(self.tested)} values of ε from {min(self.tested):g} to {max(self.tested):g}"

    def _refuted(self) -> Iterator[str]:
        if self.witness:
            yield from self._witnessed(self.witness)
            return
        if self.ratio is None:
            apart = [p for _, _, p, q, _ in self.laws.gaps() if p and not q]
            always = all(never_zero(p) == (True, False) for p in apart)
            when = "for any ε" if always else "for nearly every ε"
            yield f"{self.name} is not ε-LDP {when}: {self._likely('')}."
        else:
            always = self.laws.field.e.below(self.ratio)
            where = "" if always else f"; it is more right above ε = {self.least:.6g}"
            yield f"{self.name} is not ε-LDP: {self._likely(str(self.ratio))}, and e^ε is allowed{where}."

    def _witnessed(self, seen: Witness) -> Iterator[str]:
        """Say at which size and ε a client for any number of items fails, and the formula where it is simple."""
        one, other = seen.pair
        at = f"at k = {seen.k} and ε = {seen.epsilon:.6g}"
        report = f"report {brief(seen.report)}"
        if seen.ratio is None:
            found = f"{report} can come from item {one}, and never from item {other}"
        else:
            times = f"{float(seen.ratio):.6g} times as likely"
            found = f"{report} is {times} from item {one} as from item {other}, and {exp(seen.epsilon):.6g} is allowed"
            more = float(seen.ratio / odds(seen.epsilon) - 1)
            found += f": {more:.2g} of it more" if more < 1e-4 else ""
        yield f"{self.name} is not ε-LDP for every number of items: {at}, {found}."
        if self.ratio is not None and self.plain:
            yield f"As a formula, {self._likely(str(self.ratio))}."

    def _undecided(self) -> Iterator[str]:
        likely = f": {self._likely(str(self.ratio))}" if self.plain else ""
        yield f"Whether {self.name} is ε-LDP {self._where('every ε > 0')} is neither proved nor refuted{likely}."
        if self.every:
            seen = " and ".join(map(str, self.looked_at))
            if seen:
                yield f"It was not seen to exceed e^ε with {seen} items."
            return
        kept = f"exceeded e^ε at ε = {min(self.broken):g}" if self.broken else "kept ε at each"
        yield f"Tested with numbers at {self._tried}, it {kept}."


def brief(x: Any) -> str:
    """Write a value or a report, not longer than a line."""
    text = shown(x, most=LONG + 1)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"
