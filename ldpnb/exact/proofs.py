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
LITTLE = 1e-4  # an excess below this does not show in the ratio, and is said
FLOATS = "compute coins from exact numbers, by Fraction or ldpnb.chance.exact, and round each once"
ROUND = "round the coin of the likelier answer down, by ldpnb.chance.round_down"
PARTS = (
    "take parts of ldpnb.chance.exact(ε), or its share: ε/3 is rounded to the nearest float, "
    "often above a third"
)
SEALED = (
    "This is proved of the client that ldpnb.verify.of_size runs, at ε from 1e-06 to 32: "
    "its coins are exact, and it sees neither ε nor k."
)
SHIPPED = (
    "With coins rounded to 53 bits it is ε-LDP for ε from 1e-06 to 32, "
    "if other arithmetic is exact."
)


class Moments(NamedTuple):
    """What was found of mean and variance.

    Attributes
    ----------
    identities : int
        How many were compared.
    wrong : int
        How many are wrong; where all are right and numbers are not, comparisons of numbers.
    near : int
        How many are right up to the rounding of floats.
    ideal : bool
        Whether they were compared with coins that are not rounded, and not with whatever coins.
    unsaid : str
        Why none was compared.
    """

    identities: int = 0
    wrong: int = 0
    near: int = 0
    ideal: bool = False
    unsaid: str = ""


@dataclass(frozen=True)
class Witness:
    """A number of items and an ε at which a client for any number of items exceeds e^ε.

    The report is `ratio` times as likely from the first item of the pair as from the second; the
    ratio is None for infinity.
    """

    k: int
    epsilon: float
    ratio: Fraction | None
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
        Whether P(y|a) ≤ e^ε P(y|b) with ideal coins; None where neither that nor the contrary is
        shown.
    shipped : bool or None
        Whether it holds for ε from 1e-6 to 32 with coins that are rounded: False if it fails at an
        ε that was tried, None where that was not asked or is not shown.
    least : float
        0 where it holds for every ε > 0; 1e-6 where only from there on.  Of a refuted client the ε
        from which on, or right above which, the ratio exceeds e^ε.
    most : Factor
        The largest likelihood ratio, which `ratio`, `uniform`, `pair` and `report` are about.
    stated : bool or None
        Whether the mechanism's `realised_epsilon` is ln(ratio) as an identity; None where it states
        none.
    compared : Moments
        What was found of mean and variance, for `moments` and `wrong`.
    laws, rounded : Laws
        With ideal coins, and with rounded ones (None where these were not asked, or stopped).
    asked : bool
        Whether the claim about rounded coins was asked for, of a client that keeps ε with ideal
        ones.
    values : list
        What the client was asked about, in the order that `pair` counts in; letters for a domain of
        any size.
    tested : tuple of float
        Values of ε at which the client with numbers had the law of the formulas, to nine digits or
        to 16 steps of 2**-53 (to a step for each choice of a branch, if these are more); none where
        it never sees a number.
    broken : tuple of float
        Those of them at which the client with numbers exceeds e^ε, by rounding or by more.
    every : tuple of (int, Laws)
        For a domain of any size: the laws at each size that is a case of its own, the last for so
        many and more.
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
        """The inequalities as texts that a stranger can check.

        One for each case, and one for rounded coins.
        """
        proved = [laws for _, laws in self.every] or [self.laws]
        if self.rounded:
            proved.append(self.rounded)
        return [laws.certificate for laws in proved]

    def __str__(self) -> str:
        if self.holds:
            sentences = self._proved()
        elif self.holds is None:
            sentences = self._undecided()
        else:
            sentences = self._refuted()
        return fill(" ".join(sentences), WIDE, break_long_words=False)

    # ---------------------------------------------------------------------------- it keeps ε

    def _proved(self) -> Iterator[str]:
        exactly = "exactly ε-LDP" if self.tight else "ε-LDP"
        since = "every ε > 0"
        if self.least:
            since = f"every ε >= {at_least(self.least, 6)}"
        yield f"{self.name} is {exactly} {self._where(since)}: {self._largest_factor()}."
        if self.every:
            yield SEALED
            return
        tested = "not tested with numbers"
        if self.tested:
            tested = f"tested with numbers at {self._tried}"
        yield f"This is proved with a symbol for ε and ideal coins, and {tested}."
        if self.asked:
            yield self._about_rounding()
        yield from self._about_moments()

    def _largest_factor(self) -> str:
        """Say what the largest factor is, of a client that keeps ε."""
        assert self.ratio is not None
        if not self.plain:
            return "no report has a larger factor than e^ε"
        if self.uniform and self.ratio.same(1):
            return "reports say nothing about the value"
        largest = "no report has a larger factor"
        if not self.uniform:
            largest = "which report has the largest factor may depend on ε"
        factor = "e^ε" if self.tight else str(self.ratio)
        return f"{self._likely(factor)}, and {largest}"

    def _about_rounding(self) -> str:
        """Say what rounded coins do."""
        if self.shipped:
            return SHIPPED
        if self.shipped is False:
            where = f"at ε = {min(self.broken):g}, a report is more than e^ε times as likely"
            return f"With coins rounded to 53 bits it is not: {where} ({self._cure_of_rounding})."
        advice = ""
        if self.rounded and not self.rounded.as_shipped:
            advice = f" ({self._cure_of_rounding})"
        return f"That coins rounded to 53 bits keep ε is not shown{advice}."

    @property
    def _cure_of_rounding(self) -> str:
        if self.rounded and self.rounded.field.nearest:
            return PARTS
        if self.rounded and self.rounded.field.floats:
            return FLOATS
        return ROUND

    def _about_moments(self) -> Iterator[str]:
        """Say whether mean and variance are as stated."""
        found = self.compared
        if found.identities:
            right = "are"
            if found.wrong:
                right = f"are not, in {found.wrong} cases,"
            coins = ""
            if found.ideal:
                coins = " with coins that are not rounded"
            what = f"{found.identities} identities of formulas"
            if found.near:
                what += f", {found.near} of them up to the rounding of floats"
            yield f"Mean and variance of one person's score {right} as stated{coins} ({what})."
        if found.unsaid:
            yield f"Mean and variance are not compared: {found.unsaid}."

    # ------------------------------------------------------------------------- it does not keep ε

    def _refuted(self) -> Iterator[str]:
        if self.witness:
            yield from self._witnessed(self.witness)
        elif self.ratio is None:
            apart = [gap.likely for gap in self.laws.gaps() if gap.likely and not gap.other]
            always = all(never_zero(p) == (True, False) for p in apart)
            when = "for any ε" if always else "for nearly every ε"
            yield f"{self.name} is not ε-LDP {when}: {self._likely('')}."
        else:
            likely = self._likely(str(self.ratio))
            where = ""
            if not self.laws.field.e.below(self.ratio):
                where = f"; it is more right above ε = {self.least:.6g}"
            yield f"{self.name} is not ε-LDP: {likely}, and e^ε is allowed{where}."

    def _witnessed(self, seen: Witness) -> Iterator[str]:
        """Say at which size and ε a client for any number of items fails.

        The formula is added where it is simple.
        """
        at = f"at k = {seen.k} and ε = {seen.epsilon:.6g}"
        found = self._what_was_seen(seen)
        yield f"{self.name} is not ε-LDP for every number of items: {at}, {found}."
        if self.ratio is not None and self.plain:
            yield f"As a formula, {self._likely(str(self.ratio))}."

    def _what_was_seen(self, seen: Witness) -> str:
        one, other = seen.pair
        report = f"report {brief(seen.report)}"
        if seen.ratio is None:
            return f"{report} can come from item {one}, and never from item {other}"
        factor = f"{float(seen.ratio):.6g} times as likely"
        found = f"{report} is {factor} from item {one} as from item {other}"
        found += f", and {exp(seen.epsilon):.6g} is allowed"
        more = float(seen.ratio / odds(seen.epsilon) - 1)
        if more < LITTLE:
            found += f": {more:.2g} of it more"
        return found

    # --------------------------------------------------------------------------- it is not known

    def _undecided(self) -> Iterator[str]:
        likely = ""
        if self.plain:
            likely = f": {self._likely(str(self.ratio))}"
        where = self._where("every ε > 0")
        yield f"Whether {self.name} is ε-LDP {where} is neither proved nor refuted{likely}."
        if not self.every:
            kept = "kept ε at each"
            if self.broken:
                kept = f"exceeded e^ε at ε = {min(self.broken):g}"
            yield f"Tested with numbers at {self._tried}, it {kept}."
        elif self.looked_at:
            sizes = " and ".join(map(str, self.looked_at))
            yield f"It was not seen to exceed e^ε with {sizes} items."

    # ---------------------------------------------------------------------------- parts of these

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
        """The report as the client sends it; of an array of numbers, its numbers."""
        own = self.laws.reports.get(self.report, self.report)
        if arrays().reads_as_numbers(own) and not self.every:
            return self.report
        return own

    @property
    def _tried(self) -> str:
        """Where the client was run with numbers."""
        return f"{len(self.tested)} values of ε from {min(self.tested):g} to {max(self.tested):g}"


def brief(x: Any) -> str:
    """Write a value or a report, not longer than a line."""
    text = shown(x, most=LONG + 1)
    if len(text) <= LONG:
        return text
    return f"{text[: LONG - 1]}…"
