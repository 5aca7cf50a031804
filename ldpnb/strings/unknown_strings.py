"""Strings that nobody listed: whole strings and some of their n-grams, from which the server builds its dictionary.

RAPPOR can only count candidates that are named (`rappor`).  Here a report also says, privately, which n-grams
stand at a few positions of the string.  N-grams are so few that all of them can be counted, and so can pairs of them;
pairs that occur fit together to strings, and the strings are the candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ldpnb.chance import Randomness, bernoulli, distinct, exact, inexact, log, odds, round_up
from ldpnb.checks import (
    HASHES_MAX,
    SIZE_MAX,
    Limit,
    check_count,
    check_epsilon,
    is_number,
    shown,
)
from ldpnb.core import Bools, Example, Floats, Ints, Layout, Mechanism, Reports, Tally, blocks, check_tally
from ldpnb.strings.decoding import Control, Decoded, decode
from ldpnb.strings.hashed import listed
from ldpnb.strings.rappor import RAPPOR

CELLS = 2**27  # counts of pairs of n-grams in a tally; more is a gigabyte
BITS = 2**23  # bits treated at a time, so that memory does not grow with the number of people


class Counts(NamedTuple):
    """The counts of a tally, taken apart; leading axes run over trials.

    `people` and the ones are of those whose report shows both positions of a pair.
    """

    whole: Ints  # (…, C, bits + 1): as those of the mechanism for whole strings
    people: Ints  # (…, pairs)
    first: Ints  # (…, pairs, k): ones of each n-gram at the pair's first position
    second: Ints  # (…, pairs, k): at its second one
    both: Ints  # (…, pairs, k, k): ones of both


def _check_alphabet(alphabet: Any, name: str) -> str:
    if not isinstance(alphabet, str) or len(alphabet) < 2 or len(set(alphabet)) < len(alphabet):
        raise ValueError(f"{name} must be a string of at least two distinct symbols, got {shown(alphabet)}")
    return alphabet


@dataclass(frozen=True, kw_only=True)
class Unknown(Mechanism):
    r"""RAPPOR-Unknown: r + 1 reports with ε/(r+1) each, on the whole string and on its n-grams at r positions.

    A string is padded to `length` letters and cut into G = length/gram n-grams.  A person draws r of the G positions,
    all sets alike; they are public, as the cohort is.  The whole string, unpadded, goes through one-time RAPPOR; each
    n-gram at a drawn position goes through unary encoding over all :math:`k = |\text{alphabet}|^{\text{gram}}` n-grams,
    every bit of which is flipped with probability :math:`q = 1/(e^{\varepsilon'/2}+1)`,
    :math:`\varepsilon' = \varepsilon/(r+1)`.  Given the public part the r + 1 reports are independent; their ε adds.

    With :math:`x_a = (\text{bit}_a - q)/(1-2q)` the unbiased score of n-gram a at a position, the product
    :math:`x_a y_b` of two positions' scores is unbiased for having a at the one and b at the other.  A pair of
    positions is shown by a share :math:`\varrho = \frac{r(r-1)}{G(G-1)}` of people, so the estimate is

    .. math:: \hat P_{ab} = \frac{1}{n\varrho} \sum_{i \text{ shows the pair}} x_{ia}\, y_{ib}
        = \frac{C_{ab} - q C_a - q C_b + q^2 N}{n \varrho (1-2q)^2},

    which wants nothing but numbers of ones: of both bits, of either, and of people N.  The score has the variance
    :math:`(v + [a])(v + [b])/\varrho - [a][b]` with :math:`v = q(1-q)/(1-2q)^2`, where [a] says that the person has a.

    Values are strings.  Reports have the fields ``cohort`` and ``positions`` (both public, the latter ascending),
    ``bits`` and ``grams``.  Tallies are flat: what `counts` returns, one after the other, pairs of positions in
    lexicographic order.

    Source: Fanti, Pihur and Erlingsson 2016, who estimate joint shares by EM from the single reports;
    ye2018 §4.1.2, whose formula for what is sent must be read with n-grams that are perturbed.

    Parameters
    ----------
    alphabet : str
        At least two distinct symbols.  The first one is the padding, which a string must not contain.
    length : int, a multiple of gram
        Letters of a string, at most.
    gram : int, at least 1
        Letters of an n-gram.
    slots : int, at least 2 and at most length/gram
        r: positions that a report shows.
    epsilon : float
        Of the whole report.  A bound for all strings, attained by two that differ in r n-grams, and whose filters
        have h bits each and none in common in some cohort.
    bits, hashes, cohorts : int, at least 1
        Of the filter of the whole string, see `RAPPOR`.

    Examples
    --------
    >>> words = Unknown(alphabet="_abc", length=2, gram=1, epsilon=6.0, bits=8, hashes=1, cohorts=2)
    >>> reports = words.perturb(["ab", "ab", "ca"] * 5000, rng=np.random.default_rng(0))
    >>> joint = words.estimate(words.tally(reports))  # of each pair of letters at each pair of positions
    >>> joint.shape
    (1, 4, 4)
    """

    alphabet: str
    length: int
    gram: int
    slots: int = 2
    epsilon: float
    bits: int
    hashes: int
    cohorts: int
    label = "RAPPOR-Unknown"
    errors = "ldpnb.discover"
    limits: ClassVar[Mapping[str, Limit]] = {
        "alphabet": _check_alphabet,
        **dict.fromkeys(("length", "gram", "bits", "cohorts"), (1, SIZE_MAX)),
        "slots": (2, SIZE_MAX),
        "hashes": (1, HASHES_MAX),
        "epsilon": check_epsilon,
    }
    public_fields: ClassVar[tuple[str, ...]] = ("cohort", "positions")
    needs_list = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length % self.gram:
            raise ValueError(f"length must be a multiple of gram = {self.gram}, got {self.length}")
        if self.slots > self.positions:
            raise ValueError(f"slots must be at most length/gram = {self.positions}, got {self.slots}")
        if comb(self.positions, 2) * self.k**2 > CELLS:
            got = f"{self.gram}: {self.k} n-grams at {self.positions} positions"
            raise ValueError(f"gram must leave at most {CELLS} pairs of n-grams to count, got {got}")
        self.whole  # noqa: B018  -- refuses impossible combinations now

    # ------------------------------------------------------------------------------------------------------ sizes

    @property
    def positions(self) -> int:
        """G = length/gram."""
        return self.length // self.gram

    @property
    def k(self) -> int:
        """Number of n-grams."""
        return int(len(self.alphabet) ** self.gram)

    @cached_property
    def grams(self) -> list[str]:
        """All n-grams, in the order of the bits."""
        return ["".join(letters) for letters in product(self.alphabet, repeat=self.gram)]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of positions, in the order of the estimate."""
        return list(combinations(range(self.positions), 2))

    @property
    def shown(self) -> Fraction:
        """ϱ: probability that a report shows a given pair of positions."""
        return Fraction(self.slots * (self.slots - 1), self.positions * (self.positions - 1))

    # ---------------------------------------------------------------------------------------------------- privacy

    @cached_property
    def flip(self) -> Fraction:
        """q: probability that a bit of an n-gram is flipped; rounded up."""
        return exact(round_up(1 / (odds(exact(self.epsilon) / (self.slots + 1) / 2) + 1)))

    @cached_property
    def whole(self) -> RAPPOR:
        """The mechanism for whole strings: a permanent response and nothing else."""
        flip = round_up(1 / (odds(exact(self.epsilon) / (self.slots + 1) / (2 * self.hashes)) + 1))
        return RAPPOR(bits=self.bits, hashes=self.hashes, cohorts=self.cohorts, f=2 * flip, p=0, q=1)

    @property
    def realised_epsilon(self) -> float:
        """2h ln[(1−f/2)/(f/2)] + 2r ln[(1−q)/q]: 2h bits of the filter differ at most, 2 of an n-gram."""
        filters, grams = self.whole.flip, self.flip
        return log((1 / filters - 1) ** (2 * self.hashes) * (1 / grams - 1) ** (2 * self.slots))

    @property
    def public_bits(self) -> int:
        """⌈log₂ C⌉ and ⌈log₂ C(G, r)⌉."""
        return self.whole.public_bits + (comb(self.positions, self.slots) - 1).bit_length()

    # ----------------------------------------------------------------------------------------------------- client

    @property
    def layout(self) -> Layout:
        """Public cohort and positions, which ascend; bits of the filter, and of n-grams in the order of positions."""
        return {
            "cohort": (np.int64, self.cohorts),
            "positions": (np.int64, self.positions, self.slots),
            "bits": (np.bool_, 2, self.bits),
            "grams": (np.bool_, 2, self.slots, self.k),
        }

    def codes(self, values: ArrayLike | Sequence[str]) -> Ints:
        """Return the number of the n-gram at each position of each string, (n, G)."""
        named, number = self._values(values), {letter: i for i, letter in enumerate(self.alphabet)}
        rows = {value: [number[letter] for letter in value.ljust(self.length, self.alphabet[0])] for value in {*named}}
        letters = np.array([rows[value] for value in named], np.int64).reshape(-1, self.positions, self.gram)
        return letters @ len(self.alphabet) ** np.arange(self.gram)[::-1]

    def _values(self, values: ArrayLike | Sequence[str]) -> list[str]:
        found, letters = listed(values, "values", strings=str), self.alphabet[1:]
        for value in dict.fromkeys(found):
            if len(value) > self.length:
                raise ValueError(f"values must be of at most length = {self.length} letters, got {shown(value)}")
            if strange := value.strip(letters):
                raise ValueError(
                    f"values must be of the letters {shown(letters)}, got {shown(strange[0])} in {shown(value)}"
                )
        return found

    def _perturb(self, values: list[str], rng: Randomness) -> Reports:
        codes, n = self.codes(values), len(values)
        reports = np.empty(n, self.dtype)
        whole = self.whole.perturb(values, rng=rng)
        reports["cohort"], reports["bits"] = whole["cohort"], whole["bits"]
        reports["positions"] = np.sort(distinct(np.full(n, self.positions), np.full(n, self.slots), self.slots, rng), 1)
        own = codes[np.arange(n)[:, None], reports["positions"]]
        for some in blocks(n, self._people):
            bits = bernoulli(inexact(self.flip), reports["grams"][some].shape, rng)
            bits[np.arange(len(bits))[:, None], np.arange(self.slots), own[some]] ^= True
            reports["grams"][some] = bits
        return reports

    @property
    def _people(self) -> int:
        """How many are treated at a time."""
        return max(1, BITS // (self.slots * self.k))

    # ----------------------------------------------------------------------------------------------------- server

    def _reports(self, reports: Reports) -> Reports:
        found = super()._reports(reports)
        if np.any(np.diff(found["positions"]) <= 0):
            raise ValueError("positions must ascend in each report, got others")
        return found

    def _worst(self) -> Reports:
        """Show all n-grams at the first positions."""
        return np.array([(0, range(self.slots), False, True)], self.dtype)

    def _count(self, reports: Reports) -> Ints:
        """Count ones, and ones that come together, for each pair of positions; see `counts` for what is where.

        Counts of pairs are products of matrices over blocks of people, so memory does not grow with their number.
        """
        positions, both = reports["positions"], np.zeros((len(self.pairs), self.k + 1, self.k + 1), np.int64)
        for at, (i, j) in enumerate(self.pairs):
            showing = np.flatnonzero((positions == i).any(1) & (positions == j).any(1))
            for part in blocks(len(showing), self._people):
                some = showing[part]
                grams = np.pad(reports["grams"][some], ((0, 0), (0, 0), (1, 0)), constant_values=True)  # everybody's
                a, b = (grams[positions[some] == place].astype(np.float32) for place in (i, j))
                both[at] += np.rint(a.T @ b).astype(np.int64)  # exact: a block has fewer than 2**24 people
        parts = [self.whole._count(reports, None), both[:, 0, 0], both[:, 1:, 0], both[:, 0, 1:], both[:, 1:, 1:]]
        return np.concatenate([part.ravel() for part in parts])

    def counts(self, tally: Tally) -> Counts:
        """Take the counts of a tally apart."""
        counts, pairs, k = self._own(tally).counts, len(self.pairs), self.k
        shapes = ((self.cohorts, self.bits + 1), (pairs,), (pairs, k), (pairs, k), (pairs, k, k))
        parts = np.split(counts, np.cumsum([np.prod(shape) for shape in shapes])[:-1], axis=-1)
        return Counts(*(part.reshape(*part.shape[:-1], *shape) for part, shape in zip(parts, shapes, strict=True)))

    def strings(self, tally: Tally, items: Any = None) -> Tally:
        """Return the tally of the reports on whole strings, of the mechanism `whole`."""
        return Tally(self.whole, tally.n, self.counts(tally).whole, items)

    def _products(self, counts: Counts) -> Floats:
        """Sum of x_a y_b over the people who show a pair: (…, pairs, k, k)."""
        q = inexact(self.flip)
        a, b = counts.first[..., :, None], counts.second[..., None, :]
        return np.asarray((counts.both - q * a - q * b + q**2 * counts.people[..., None, None]) / (1 - 2 * q) ** 2)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of people who have n-gram a at the first position of a pair and b at the second.

        Returns
        -------
        ndarray (…, pairs, k, k)
        """
        return self._products(self.counts(tally)) / (tally.n * float(self.shown))

    def scores(self, tally: Tally) -> Floats:
        r"""Return each estimate in standard errors that it would have if nobody had the pair: (…, pairs, k, k).

        Given the N people who show a pair of positions, :math:`\sum x_a y_b` then has mean 0 and variance
        :math:`N (v^2 + v f_a + v f_b)`, with f the shares of the two n-grams among them, which are estimated.
        """
        counts, q = self.counts(tally), inexact(self.flip)
        v, people = q * (1 - q) / (1 - 2 * q) ** 2, counts.people[..., None]
        first, second = (np.clip((ones - q * people) / (1 - 2 * q), 0, people) for ones in counts[2:4])
        variance = v**2 * people[..., None] + v * (first[..., :, None] + second[..., None, :])
        return self._products(counts) / np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny))

    def expected(self, values: ArrayLike | Sequence[str]) -> Floats:
        """One for the pairs of n-grams of the person's string, zero for the others: (n, pairs, k, k)."""
        a, b = self._own_grams(values)
        return np.asarray(a * b)

    def variance(self, values: ArrayLike | Sequence[str]) -> Floats:
        """Variance of each person's score, (v + [a])(v + [b])/ϱ − [a][b], draw of positions included."""
        a, b = self._own_grams(values)
        v = inexact(self.flip * (1 - self.flip) / (1 - 2 * self.flip) ** 2)
        return np.asarray((v + a) * (v + b) / float(self.shown) - a * b)

    def _own_grams(self, values: ArrayLike | Sequence[str]) -> tuple[Floats, Floats]:
        own = np.eye(self.k)[self.codes(values)]  # (n, G, k)
        first, second = np.array(self.pairs).T
        return own[:, first, :, None], own[:, second, None, :]

    @cached_property
    def possible(self) -> Bools:
        """Whether an n-gram can stand before another one in a string: after padding comes nothing else, (k, k)."""
        codes = np.array(list(product(range(len(self.alphabet)), repeat=self.gram)))
        sound = ~np.any((codes[:, :-1] == 0) & (codes[:, 1:] != 0), axis=1)
        full, empty = codes[:, -1] != 0, ~codes.any(1)
        return np.asarray(np.outer(sound, sound) & (full[:, None] | empty))

    # ------------------------------------------------------------------------------------------------ small and large

    @classmethod
    def example(cls) -> list[Example]:
        """Two positions and three, n-grams of two letters, and two hash functions; two strings attain ε."""

        def small(alphabet: str, values: list[str], **other: Any) -> Example:
            sizes = {"length": 2, "gram": 1, "epsilon": 1.5, "bits": 2, "hashes": 1, "cohorts": 1} | other
            return Example(cls(alphabet=alphabet, **sizes), np.array(values), pairs=len(values) == 2)

        return [
            small("_c", ["", "cc"]),
            small("_f", ["", "fff", "f"], length=3),
            small("_a", ["", "aaaa", "a"], length=4, gram=2),
            small("_ab", ["ab", "ba", "a"], bits=4, hashes=2, epsilon=0.7),
        ]


def threshold(mechanism: Unknown, spurious: float) -> float:
    """Return the standard errors above which `spurious` pairs that nobody has are expected at most, of all possible.

    A quantile of the normal distribution, at `spurious` over the number of pairs of n-grams that a string can have.
    """
    if not isinstance(mechanism, Unknown):
        raise ValueError(f"mechanism must be an Unknown, got {shown(mechanism, most=200)}")
    cells = len(mechanism.pairs) * int(mechanism.possible.sum())
    if not is_number(spurious) or not 0 < spurious < cells:
        raise ValueError(f"spurious must be a number in (0, {cells}), the number of pairs, got {shown(spurious)}")
    return -float(ndtri(spurious / cells))


def dictionary(tally: Tally, *, spurious: float = 1.0, limit: int = 10_000) -> list[str]:
    """Find the strings all of whose pairs of n-grams stand out.

    A pair of n-grams at two positions is taken to occur if its estimate is above `threshold` standard errors.  These
    pairs are the edges of a graph with one part a position; strings are its cliques with one n-gram of each part.
    They are built from left to right: an n-gram is added if it goes with the one before it and with all earlier ones.

    Strings that share n-grams can make up others: all pairs of a candidate occur, but in different strings.  So what
    comes out is candidates, and the reports on whole strings say which of them are real (`discover`).

    Parameters
    ----------
    tally : Tally
        Of an `Unknown`.
    spurious : float
        Expected number of pairs that nobody has and that are taken to occur.
    limit : int
        Strings, or beginnings of strings, at most.

    Returns
    -------
    list of str
        Without padding, in the order of the alphabet.

    Raises
    ------
    ValueError
        If the tally is of another mechanism or an argument is out of range; or if there are too many strings.
    """
    mechanism: Any = check_tally(tally, Unknown, "an Unknown", alone=True).mechanism
    limit = check_count(limit, 1, "limit")
    edges = (mechanism.scores(tally) > threshold(mechanism, spurious)) & mechanism.possible
    edge = dict(zip(mechanism.pairs, edges, strict=True))
    found = np.arange(mechanism.k)[:, None]  # beginnings of strings, as codes of n-grams
    for at in range(1, mechanism.positions):
        old, new = np.nonzero(np.logical_and.reduce([edge[before, at][found[:, before]] for before in range(at)]))
        if len(old) > limit:
            got = f"{len(old)} beginnings of {at + 1} n-grams at spurious = {spurious:g}: lower it, or ask more people"
            raise ValueError(f"spurious must leave at most limit = {limit} candidates, got {got}")
        found = np.column_stack([found[old], new])
    return ["".join(mechanism.grams[code] for code in row).rstrip(mechanism.alphabet[0]) for row in found.tolist()]


def discover(
    tally: Tally, *, spurious: float = 1.0, limit: int = 10_000, control: Control = "fdr", alarm: float = 0.05
) -> Decoded:
    """Find strings, estimate their shares, and test which of them are real: a `dictionary`, then `decode`.

    Candidates come from the reports on n-grams, shares and tests from those on whole strings.  The coins of both are
    independent, so estimates and p-values are right in spite of the choice of candidates; only if there are so many
    that a Lasso has to choose again, from the reports on whole strings, are p-values too small.

    Parameters
    ----------
    tally : Tally
        Of an `Unknown`.
    spurious, limit
        Of the candidates, see `dictionary`.
    control, alarm
        Of what is found among them, see `decode`.

    Returns
    -------
    Decoded
        Of no items if there are no candidates.
    """
    items, mechanism = dictionary(tally, spurious=spurious, limit=limit), cast(Unknown, tally.mechanism)
    if items:
        return decode(mechanism.strings(tally), items, control=control, alarm=alarm)
    nothing, none = np.zeros(0), np.zeros(0, np.bool_)
    return Decoded((), nothing, nothing, nothing, none, none, none, rank=0, cells=0)
