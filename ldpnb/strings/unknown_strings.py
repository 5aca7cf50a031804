"""Strings that nobody listed: the server builds its dictionary from n-grams.

RAPPOR can only count candidates that are named (`rappor`).  Here a report also says, privately,
which n-grams stand at a few positions of the string.  N-grams are so few that all of them can be
counted, and so can pairs of them; pairs that occur fit together to strings, and the strings are
the candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
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
from ldpnb.core import (
    Bools,
    Example,
    Floats,
    Ints,
    Items,
    Layout,
    Mechanism,
    Reports,
    Tally,
    Values,
    blocks,
    check_tally,
)
from ldpnb.strings.decoding import Control, Decoded, decode
from ldpnb.strings.hashed import listed
from ldpnb.strings.rappor import RAPPOR

CELLS = 2**27  # counts of pairs of n-grams in a tally; more is a gigabyte
BITS = 2**23  # bits treated at a time, so that memory does not grow with the number of people


class Counts(NamedTuple):
    """The counts of a tally, taken apart; leading axes run over trials.

    `people` and the ones are of those whose report shows both positions of a pair.

    Attributes
    ----------
    whole : ndarray (…, C, bits + 1)
        As those of the mechanism for whole strings.
    people : ndarray (…, pairs)
    first : ndarray (…, pairs, k)
        Ones of each n-gram at the pair's first position.
    second : ndarray (…, pairs, k)
        At its second one.
    both : ndarray (…, pairs, k, k)
        Ones of both.
    """

    whole: Ints
    people: Ints
    first: Ints
    second: Ints
    both: Ints


def _check_alphabet(alphabet: object, name: str) -> str:
    if not isinstance(alphabet, str) or len(alphabet) < 2 or len(set(alphabet)) < len(alphabet):
        rule = f"{name} must be a string of at least two distinct symbols"
        raise ValueError(f"{rule}, got {shown(alphabet)}")
    return alphabet


@dataclass(frozen=True, kw_only=True)
class Unknown(Mechanism):
    r"""RAPPOR-Unknown: r + 1 reports at ε/(r+1) each, on a string and on r of its n-grams.

    A string is padded to `length` letters and cut into G = length/gram n-grams.  A person draws r
    of the G positions, all sets alike; they are public, as the cohort is.  The whole string,
    unpadded, goes through one-time RAPPOR; each n-gram at a drawn position goes through unary
    encoding over all :math:`k = |\text{alphabet}|^{\text{gram}}` n-grams, every bit of which is
    flipped with probability :math:`q = 1/(e^{\varepsilon'/2}+1)`,
    :math:`\varepsilon' = \varepsilon/(r+1)`.  Given the public part the r + 1 reports are
    independent; their ε adds.

    With :math:`x_a = (\text{bit}_a - q)/(1-2q)` the unbiased score of n-gram a at a position, the
    product :math:`x_a y_b` of two positions' scores is unbiased for having a at the one and b at
    the other.  A pair of positions is shown by a share :math:`\varrho = \frac{r(r-1)}{G(G-1)}` of
    people, so the estimate is

    .. math:: \hat P_{ab} = \frac{1}{n\varrho} \sum_{i \text{ shows the pair}} x_{ia}\, y_{ib}
        = \frac{C_{ab} - q C_a - q C_b + q^2 N}{n \varrho (1-2q)^2},

    which needs nothing but numbers of ones: of both bits, of either, and of people N.  The score
    has the variance :math:`(v + [a])(v + [b])/\varrho - [a][b]` with :math:`v = q(1-q)/(1-2q)^2`,
    where [a] says that the person has a.

    Values are strings.  Reports have the fields ``cohort`` and ``positions`` (both public, the
    latter ascending), ``bits`` and ``grams``.  Tallies are flat: what `counts` returns, one after
    the other, pairs of positions in lexicographic order.

    Source: Fanti, Pihur and Erlingsson 2016, who estimate joint shares by EM from the single
    reports; ye2018 §4.1.2, whose formula for what is sent must be read with n-grams that are
    perturbed.

    Parameters
    ----------
    alphabet : str
        At least two distinct symbols.  The first one is the padding, which a string must not
        contain.
    length : int, a multiple of gram
        Letters of a string, at most.
    gram : int, at least 1
        Letters of an n-gram.
    slots : int, at least 2 and at most length/gram
        r: positions that a report shows.
    epsilon : float
        Of the whole report.  A bound for all strings, attained by two that differ in r n-grams, and
        whose filters have h bits each and none in common in some cohort.
    bits, hashes, cohorts : int, at least 1
        Of the filter of the whole string, see `RAPPOR`.

    Examples
    --------
    >>> words = Unknown(
    ...     alphabet="_abc", length=2, gram=1, epsilon=6.0, bits=8, hashes=1, cohorts=2
    ... )
    >>> reports = words.perturb(["ab", "ab", "ca"] * 5000, rng=np.random.default_rng(0))
    >>> joint = words.estimate(words.tally(reports))  # of each pair of letters at each two places
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
        "length": (1, SIZE_MAX),
        "gram": (1, SIZE_MAX),
        "bits": (1, SIZE_MAX),
        "cohorts": (1, SIZE_MAX),
        "slots": (2, SIZE_MAX),
        "hashes": (1, HASHES_MAX),
        "epsilon": check_epsilon,
    }
    public_fields = ("cohort", "positions")
    needs_list = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length % self.gram:
            rule = f"length must be a multiple of gram = {self.gram}"
            raise ValueError(f"{rule}, got {self.length}")
        if self.slots > self.positions:
            rule = f"slots must be at most length/gram = {self.positions}"
            raise ValueError(f"{rule}, got {self.slots}")
        if comb(self.positions, 2) * self.k**2 > CELLS:
            got = f"{self.gram}: {self.k} n-grams at {self.positions} positions"
            rule = f"gram must leave at most {CELLS} pairs of n-grams to count"
            raise ValueError(f"{rule}, got {got}")
        self.whole  # noqa: B018  -- refuses impossible combinations now

    # -------------------------------------------------------------------------------------- sizes

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

    @cached_property
    def possible(self) -> Bools:
        """Whether an n-gram can stand before another one in a string, (k, k).

        After padding comes nothing else.
        """
        letters = np.array(list(product(range(len(self.alphabet)), repeat=self.gram)))
        resumed = (letters[:, :-1] == 0) & (letters[:, 1:] != 0)
        sound = ~np.any(resumed, axis=1)
        full = letters[:, -1] != 0
        empty = ~letters.any(1)
        return np.asarray(np.outer(sound, sound) & (full[:, None] | empty))

    # ------------------------------------------------------------------------- privacy and reports

    @cached_property
    def flip(self) -> Fraction:
        """q: probability that a bit of an n-gram is flipped; rounded up."""
        each = exact(self.epsilon) / (self.slots + 1)
        return exact(round_up(1 / (odds(each / 2) + 1)))

    @cached_property
    def whole(self) -> RAPPOR:
        """The mechanism for whole strings: a permanent response and nothing else."""
        each = exact(self.epsilon) / (self.slots + 1)
        flip = round_up(1 / (odds(each / (2 * self.hashes)) + 1))
        return RAPPOR(
            bits=self.bits,
            hashes=self.hashes,
            cohorts=self.cohorts,
            f=2 * flip,
            p=0,
            q=1,
        )

    @property
    def realised_epsilon(self) -> float:
        """2h ln[(1−f/2)/(f/2)] + 2r ln[(1−q)/q].

        2h bits of the filter differ at most, and 2 of an n-gram.
        """
        of_filter = (1 / self.whole.flip - 1) ** (2 * self.hashes)
        of_grams = (1 / self.flip - 1) ** (2 * self.slots)
        return log(of_filter * of_grams)

    @property
    def public_bits(self) -> int:
        """⌈log₂ C⌉ and ⌈log₂ C(G, r)⌉."""
        return self.whole.public_bits + (comb(self.positions, self.slots) - 1).bit_length()

    @property
    def layout(self) -> Layout:
        """Public cohort and positions, which ascend; bits of the filter, and of n-grams.

        N-grams are in the order of the positions.
        """
        return {
            "cohort": (np.int64, self.cohorts),
            "positions": (np.int64, self.positions, self.slots),
            "bits": (np.bool_, 2, self.bits),
            "grams": (np.bool_, 2, self.slots, self.k),
        }

    # --------------------------------------------------------------------------------- the client

    def _values(self, values: Values) -> list[str]:
        found = listed(values, "values", strings=str)
        letters = self.alphabet[1:]
        for value in dict.fromkeys(found):
            if len(value) > self.length:
                rule = f"values must be of at most length = {self.length} letters"
                raise ValueError(f"{rule}, got {shown(value)}")
            strange = value.strip(letters)
            if strange:
                got = f"{shown(strange[0])} in {shown(value)}"
                raise ValueError(f"values must be of the letters {shown(letters)}, got {got}")
        return found

    def codes(self, values: Values) -> Ints:
        """Return the number of the n-gram at each position of each string, (n, G).

        Parameters
        ----------
        values : sequence of str (n,)
        """
        named = self._values(values)
        number = {letter: i for i, letter in enumerate(self.alphabet)}
        rows = {}
        for value in set(named):
            padded = value.ljust(self.length, self.alphabet[0])
            rows[value] = [number[letter] for letter in padded]
        letters = np.array([rows[value] for value in named], np.int64)
        grams = letters.reshape(-1, self.positions, self.gram)
        return grams @ len(self.alphabet) ** np.arange(self.gram)[::-1]

    def _perturb(self, values: list[str], rng: Randomness) -> Reports:
        codes = self.codes(values)
        n = len(values)
        reports = np.empty(n, self.dtype)
        whole = self.whole.perturb(values, rng=rng)
        reports["cohort"] = whole["cohort"]
        reports["bits"] = whole["bits"]
        every = np.full(n, self.positions)
        positions = distinct(every, np.full(n, self.slots), self.slots, rng)
        reports["positions"] = np.sort(positions, 1)
        own = codes[np.arange(n)[:, None], reports["positions"]]
        for some in blocks(n, self._people):
            bits = bernoulli(inexact(self.flip), reports["grams"][some].shape, rng)
            rows = np.arange(len(bits))[:, None]
            bits[rows, np.arange(self.slots), own[some]] ^= True
            reports["grams"][some] = bits
        return reports

    @property
    def _people(self) -> int:
        """How many are treated at a time."""
        return max(1, BITS // (self.slots * self.k))

    # --------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Reports:
        found = super()._reports(reports)
        if np.any(np.diff(found["positions"]) <= 0):
            raise ValueError("positions must ascend in each report, got others")
        return found

    def _count(self, reports: Reports) -> Ints:
        """Count ones, and ones that come together, for each pair of positions.

        See `counts` for what is where.
        """
        counts = Counts(self.whole._count(reports, None), *self._count_pairs(reports))
        return np.concatenate([part.ravel() for part in counts])

    def _count_pairs(self, reports: Reports) -> tuple[Ints, Ints, Ints, Ints]:
        """Count people and ones, see `Counts`.

        They are products of matrices over blocks of people, so memory does not grow with their
        number.  A column before all n-grams, set by everybody, counts people and single ones.
        """
        positions = reports["positions"]
        both = np.zeros((len(self.pairs), self.k + 1, self.k + 1), np.int64)
        for at, (i, j) in enumerate(self.pairs):
            showing = np.flatnonzero((positions == i).any(1) & (positions == j).any(1))
            for part in blocks(len(showing), self._people):
                some = showing[part]
                everybody = ((0, 0), (0, 0), (1, 0))
                grams = np.pad(reports["grams"][some], everybody, constant_values=True)
                a = grams[positions[some] == i].astype(np.float32)
                b = grams[positions[some] == j].astype(np.float32)
                # exact: a block has fewer than 2**24 people
                both[at] += np.rint(a.T @ b).astype(np.int64)
        return both[:, 0, 0], both[:, 1:, 0], both[:, 0, 1:], both[:, 1:, 1:]

    def counts(self, tally: Tally) -> Counts:
        """Take the counts of a tally apart."""
        counts = self._own(tally).counts
        pairs = len(self.pairs)
        k = self.k
        shapes = [
            (self.cohorts, self.bits + 1),
            (pairs,),
            (pairs, k),
            (pairs, k),
            (pairs, k, k),
        ]
        ends = np.cumsum([np.prod(shape) for shape in shapes])
        parts = np.split(counts, ends[:-1], axis=-1)
        trials = counts.shape[:-1]
        shaped = [part.reshape(trials + shape) for part, shape in zip(parts, shapes, strict=True)]
        return Counts(*shaped)

    def strings(self, tally: Tally, items: Items = None) -> Tally:
        """Return the tally of the reports on whole strings, of the mechanism `whole`."""
        return Tally(self.whole, tally.n, self.counts(tally).whole, items)

    def _products(self, counts: Counts) -> Floats:
        """Sum of x_a y_b over the people who show a pair: (…, pairs, k, k)."""
        q = inexact(self.flip)
        a = counts.first[..., :, None]
        b = counts.second[..., None, :]
        people = counts.people[..., None, None]
        return np.asarray((counts.both - q * a - q * b + q**2 * people) / (1 - 2 * q) ** 2)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of people who have a at the first position of a pair, b at the second.

        Returns
        -------
        ndarray (…, pairs, k, k)
        """
        return self._products(self.counts(tally)) / (tally.n * float(self.shown))

    def scores(self, tally: Tally) -> Floats:
        r"""Return each estimate in standard errors that it would have if nobody had the pair.

        Given the N people who show a pair of positions, :math:`\sum x_a y_b` then has mean 0 and
        variance :math:`N (v^2 + v f_a + v f_b)`, with f the shares of the two n-grams among them,
        which are estimated.

        Returns
        -------
        ndarray (…, pairs, k, k)
        """
        counts = self.counts(tally)
        q = inexact(self.flip)
        v = q * (1 - q) / (1 - 2 * q) ** 2
        people = counts.people[..., None]
        first = np.clip((counts.first - q * people) / (1 - 2 * q), 0, people)
        second = np.clip((counts.second - q * people) / (1 - 2 * q), 0, people)
        have = first[..., :, None] + second[..., None, :]
        variance = v**2 * people[..., None] + v * have
        tiny = np.finfo(np.float64).tiny
        return self._products(counts) / np.sqrt(np.maximum(variance, tiny))

    def _worst(self) -> Reports:
        """Show all n-grams at the first positions."""
        return np.array([(0, range(self.slots), False, True)], self.dtype)

    # ------------------------------------------------------------- target, variance and examples

    def expected(self, values: Values) -> Floats:
        """One for the pairs of n-grams of the person's string, else zero: (n, pairs, k, k)."""
        a, b = self._own_grams(values)
        return np.asarray(a * b)

    def variance(self, values: Values) -> Floats:
        """Variance of each person's score, (v + [a])(v + [b])/ϱ − [a][b].

        The draw of positions is included.
        """
        a, b = self._own_grams(values)
        v = inexact(self.flip * (1 - self.flip) / (1 - 2 * self.flip) ** 2)
        return np.asarray((v + a) * (v + b) / float(self.shown) - a * b)

    def _own_grams(self, values: Values) -> tuple[Floats, Floats]:
        """Return [a] at each pair's first position, (n, pairs, k, 1), and [b] at its second."""
        own = np.eye(self.k)[self.codes(values)]  # (n, G, k)
        first, second = np.array(self.pairs).T
        return own[:, first, :, None], own[:, second, None, :]

    @classmethod
    def example(cls) -> list[Example]:
        """Two positions and three, n-grams of two letters, and two hash functions.

        Two strings attain ε.
        """

        def small(alphabet: str, values: list[str], **other: Any) -> Example:  # of any field
            sizes = {"length": 2, "gram": 1, "epsilon": 1.5, "bits": 2, "hashes": 1, "cohorts": 1}
            mechanism = cls(alphabet=alphabet, **(sizes | other))
            return Example(mechanism, np.array(values), pairs=len(values) == 2)

        return [
            small("_c", ["", "cc"]),
            small("_f", ["", "fff", "f"], length=3),
            small("_a", ["", "aaaa", "a"], length=4, gram=2),
            small("_ab", ["ab", "ba", "a"], bits=4, hashes=2, epsilon=0.7),
        ]


# ------------------------------------------------------------------------------ the dictionary


def threshold(mechanism: Unknown, spurious: float) -> float:
    """Return the standard errors above which a pair of n-grams is taken to occur.

    At most `spurious` pairs that nobody has are then expected, of all possible: a quantile of the
    normal distribution, at `spurious` over the number of pairs of n-grams that a string can have.
    """
    if not isinstance(mechanism, Unknown):
        raise ValueError(f"mechanism must be an Unknown, got {shown(mechanism, most=200)}")
    cells = len(mechanism.pairs) * int(mechanism.possible.sum())
    if not is_number(spurious) or not 0 < spurious < cells:
        rule = f"spurious must be a number in (0, {cells}), the number of pairs"
        raise ValueError(f"{rule}, got {shown(spurious)}")
    return -float(ndtri(spurious / cells))


def dictionary(tally: Tally, *, spurious: float = 1.0, limit: int = 10_000) -> list[str]:
    """Find the strings all of whose pairs of n-grams stand out.

    A pair of n-grams at two positions is taken to occur if its estimate is above `threshold`
    standard errors.  These pairs are the edges of a graph with one part for each position; strings
    are its cliques with one n-gram of each part.  They are built from left to right: an n-gram is
    added if it goes with the one before it and with all earlier ones.

    Strings that share n-grams can make up others: all pairs of a candidate occur, but in different
    strings.  So what comes out is candidates, and the reports on whole strings say which of them
    are real (`discover`).

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
        If the tally is of another mechanism or an argument is out of range; or if there are too
        many strings.
    """
    check_tally(tally, Unknown, "an Unknown", alone=True)
    mechanism = cast(Unknown, tally.mechanism)
    limit = check_count(limit, 1, "limit")
    stand_out = mechanism.scores(tally) > threshold(mechanism, spurious)
    edge = dict(zip(mechanism.pairs, stand_out & mechanism.possible, strict=True))
    found = np.arange(mechanism.k)[:, None]  # beginnings of strings, as codes of n-grams
    for at in range(1, mechanism.positions):
        fits = [edge[before, at][found[:, before]] for before in range(at)]
        old, new = np.nonzero(np.logical_and.reduce(fits))
        if len(old) > limit:
            got = f"{len(old)} beginnings of {at + 1} n-grams at spurious = {spurious:g}"
            rule = f"spurious must leave at most limit = {limit} candidates"
            raise ValueError(f"{rule}, got {got}: lower it, or ask more people")
        found = np.column_stack([found[old], new])
    strings = []
    for row in found.tolist():
        padded = "".join(mechanism.grams[code] for code in row)
        strings.append(padded.rstrip(mechanism.alphabet[0]))
    return strings


def discover(
    tally: Tally,
    *,
    spurious: float = 1.0,
    limit: int = 10_000,
    control: Control = "fdr",
    alarm: float = 0.05,
) -> Decoded:
    """Find strings, estimate their shares, and test which of them are real.

    It is a `dictionary`, then `decode`.  Candidates come from the reports on n-grams, shares and
    tests from those on whole strings.  The coins of both are independent, so estimates and
    p-values are right in spite of the choice of candidates; only if there are so many that a Lasso
    has to choose again, from the reports on whole strings, are p-values too small.

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
    items = dictionary(tally, spurious=spurious, limit=limit)
    mechanism = cast(Unknown, tally.mechanism)
    if items:
        return decode(mechanism.strings(tally), items, control=control, alarm=alarm)
    nothing = np.zeros(0)
    none = np.zeros(0, np.bool_)
    return Decoded((), nothing, nothing, nothing, none, none, none, rank=0, cells=0)
