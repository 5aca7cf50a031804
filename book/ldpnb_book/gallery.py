"""Clients with one mistake each, of the kinds that real code makes, each beside its right version.

They are written as a stranger would write them: one person's value in, one report out, a few lines.  `examine` puts
every tool of this package to work on one of them; `overview` shows what each tool catches, and what it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from math import exp, inf, tanh
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from scipy.stats import norm

from ldpnb import verify
from ldpnb.chance import TooManyBranches, bernoulli, odds, pick, round_down, toss, uniform
from ldpnb.verify._audit import audit

Client = Callable[[Any, Any], Any]
Score = Callable[[Any], Sequence[float]]

TOLERANCE = 1e-9  # of an exact ε or bias: far above the rounding of floats, far below any of the mistakes
FALSE_ALARM = 1e-6  # of one comparison of histograms


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A client or a server with one mistake.

    Attributes
    ----------
    name, mistake : str
        One word, and a few.
    client, right : callable (value, rng) -> report
        The broken client and the right one; they are the same where the mistake is in the server.
    score, right_score : callable report -> sequence of float
        The server's estimate from one report; estimates are means of scores.
    target : callable value -> sequence of float
        What a person contributes to the truth: the right score in expectation.
    inputs : tuple
        Values to try, among them a worst pair.
    epsilon : float
        The ε that is claimed.
    """

    name: str
    mistake: str
    client: Client
    right: Client
    score: Score
    right_score: Score
    expected: Score
    inputs: tuple[Any, ...]
    epsilon: float = 1.0

    def proved(self) -> verify.Proof:
        """Return what `prove` finds for every ε, of a client whose coins are computed from its argument e = e^ε."""

        def client(value: Any, epsilon: Any, rng: Any) -> Any:
            return self.client(value, rng, e=odds(epsilon))  # type: ignore[call-arg]

        return verify.prove(client, self.inputs, rounded=False)

    def mended(self) -> Broken:
        """Return the right version, to be examined by the same tools."""
        return replace(self, client=self.right, score=self.right_score)


# -------------------------------------------------------------------------------- one item of k: k-RR, one-bit, unary

K = 4
E = exp(1.0)
ROOT = exp(0.5)  # e^(ε/2): half the budget for each of two bits, or two items


def one_hot(x: int, k: int = K) -> list[int]:
    """Return what a person with item x contributes to the histogram."""
    return [int(v == x) for v in range(k)]


def histogram(report: int, k: int = K, e: float = E) -> list[float]:
    """Score of k-RR at ε = ln e."""
    p, q = e / (e + k - 1), 1 / (e + k - 1)
    return [(hit - q) / (p - q) for hit in one_hot(report, k)]


def krr(x: int, rng: Any, k: int = K, e: float = E) -> int:
    """k-RR at ε = ln e: keep the truth, or draw blindly from all items, the truth among them."""
    return x if toss((e - 1) / (e + k - 1), rng) else pick(range(k), rng)


def truth_in_the_draw(x: int, rng: Any, e: float = E) -> int:
    """Keep with the probability of telling the truth, but draw from all items."""
    return x if toss(e / (e + K - 1), rng) else pick(range(K), rng)


def truth_not_in_the_draw(x: int, rng: Any, e: float = E) -> int:
    """Keep as if the draw could hit the truth, but draw from the others."""
    return x if toss((e - 1) / (e + K - 1), rng) else pick([v for v in range(K) if v != x], rng)


def short_range(x: int, rng: Any, e: float = E) -> int:
    """Draw from 0 to k−2, as if the bound of `uniform` were not excluded."""
    return x if toss((e - 1) / (e + K - 1), rng) else int(uniform(K - 1, (), rng))


def die(x: int, rng: Any) -> int:
    """k-RR with six items."""
    return krr(x, rng, 6)


def loaded_die(x: int, rng: Any, e: float = E) -> int:
    """Draw a byte modulo six: 256 = 42 · 6 + 4, so the last two items come up less often."""
    return x if toss((e - 1) / (e + 5), rng) else int(uniform(256, (), rng)) % 6


def sign(row: int, x: int) -> int:
    """Entry of Sylvester's Hadamard matrix."""
    return -1 if (row & x).bit_count() % 2 else 1


def onebit(x: int, rng: Any) -> tuple[int, int]:
    """Report a row and the sign of one's item in it, perturbed."""
    row = pick(range(K), rng)
    z = sign(row, x)
    return row, z if toss(E / (E + 1), rng) else -z


def gray_rows(x: int, rng: Any, e: float = E) -> tuple[int, int]:
    """One-bit client that numbers the rows in Gray code; the server does not."""
    row = pick(range(K), rng)
    z = sign(row ^ (row >> 1), x)
    return row, z if toss(e / (e + 1), rng) else -z


def by_rows(report: tuple[int, int]) -> list[float]:
    """Score of the one-bit client."""
    row, z = report
    return [(E + 1) / (E - 1) * z * sign(row, v) for v in range(K)]


def unary(x: int, rng: Any, e: float = ROOT) -> tuple[int, ...]:
    """Flip each of three bits, one of which is set, with a coin of its own: ε/2 = ln e for each."""
    flips = bernoulli(1 / (e + 1), (3,), rng)
    return tuple(int(bit ^ flip) for bit, flip in zip(one_hot(x, 3), flips, strict=True))


def epsilon_a_bit(x: int, rng: Any, e: float = E) -> tuple[int, ...]:
    """Spend ε on each bit, although two of them depend on the value."""
    return unary(x, rng, e)


def one_coin(x: int, rng: Any, e: float = ROOT) -> tuple[int, ...]:
    """Flip all bits or none: one coin where an array of coins was meant."""
    flip = toss(1 / (e + 1), rng)
    return tuple(bit ^ flip for bit in one_hot(x, 3))


def fixed_seed(x: int, rng: Any) -> tuple[int, ...]:
    """Make a generator of its own, so that runs can be repeated."""
    return unary(x, np.random.default_rng(2024))


def bits(report: Sequence[int], epsilon: float = 0.5) -> list[float]:
    """Score of bits with ε each."""
    p, q = exp(epsilon) / (exp(epsilon) + 1), 1 / (exp(epsilon) + 1)
    return [(bit - q) / (p - q) for bit in report]


# ------------------------------------------------------------------------------------------- one bit, one number


def reply(x: int, rng: Any, e: float = E) -> int:
    """Randomized response."""
    return x if toss(e / (e + 1), rng) else 1 - x


def rounded_to_one(x: int, rng: Any) -> int:
    """Randomized response at ε = 37, with a probability that is 1 in floats."""
    return x if toss(exp(37) / (1 + exp(37)), rng) else 1 - x


BELOW_ONE = round_down(odds(37) / (1 + odds(37)))  # toward privacy


def rounded_down(x: int, rng: Any) -> int:
    """Randomized response at ε = 37, with a probability that is less than 1."""
    return x if toss(BELOW_ONE, rng) else 1 - x


def float_noise(x: int, rng: Any) -> float:
    """Add Laplace noise in floats: the last digits of the sum tell what the noise was added to."""
    return float(x + rng.laplace(scale=1.0))


def everybody(person: tuple[int, int], rng: Any) -> int:
    """Randomized response; a person is an id and a value."""
    return reply(person[1], rng)


def exempt(person: tuple[int, int], rng: Any, e: float = E) -> int:
    """Leave out the noise for every tenth id, once a group of testers."""
    user, x = person
    return x if user % 10 == 0 else reply(x, rng, e)


def kept(x: int, rng: Any) -> tuple[int, ...]:
    """Draw the permanent response once and report it on four days."""
    return (reply(x, rng),) * 4


def forgotten(x: int, rng: Any, e: float = E) -> tuple[int, ...]:
    """Draw a new permanent response each day, because the old one was not stored."""
    return tuple(reply(x, rng, e) for _ in range(4))


def unclamped(x: float, rng: Any) -> int:
    """Round a number at random to one perturbed sign, and trust that it is in [−1, 1]."""
    return 1 if toss((1 + x * tanh(0.5)) / 2, rng) else -1


def clamped(x: float, rng: Any) -> int:
    """Clamp a number to [−1, 1] first."""
    return unclamped(min(max(x, -1.0), 1.0), rng)


# ------------------------------------------------------------------------------------ sets of at most two items of two

ITEMS = LENGTH = 2
SETS = ((), (0,), (1,), (0, 1))
AMPLIFIED = 1 + LENGTH * (exp(0.8) - 1)  # e^ε' of the one item that is sampled, for ε = 0.8 of the set


def own_dummies(items: tuple[int, ...], rng: Any) -> int:
    """Pad a set with different dummies, sample one of its members, and perturb that."""
    full = [*items, ITEMS, ITEMS + 1][:LENGTH]
    return krr(pick(full, rng), rng, ITEMS + 2, AMPLIFIED)


def shared_dummy(items: tuple[int, ...], rng: Any, e: float = exp(0.8)) -> int:
    """Pad with one and the same dummy: an empty set samples it for sure, a full one never."""
    full = [*items, ITEMS, ITEMS][:LENGTH]
    return krr(pick(full, rng), rng, ITEMS + 1, 1 + LENGTH * (e - 1))


def from_sample(report: int, k: int) -> list[float]:
    """Score of a sampled item."""
    return [LENGTH * s for s in histogram(report, k, AMPLIFIED)[:ITEMS]]


def padded(items: tuple[int, ...], rng: Any) -> tuple[int, ...]:
    """Send two items with half the budget each, a dummy where there is none."""
    return tuple(krr(y, rng, ITEMS + 1, ROOT) for y in [*items, ITEMS, ITEMS][:LENGTH])


def own_length(items: tuple[int, ...], rng: Any, e: float = ROOT) -> tuple[int, ...]:
    """Send as many items as there are."""
    return tuple(krr(y, rng, ITEMS + 1, e) for y in items)


def summed(report: tuple[int, ...]) -> list[float]:
    """Score of the items sent."""
    return [sum(histogram(y, ITEMS + 1, ROOT)[v] for y in report) for v in range(ITEMS)]


def members(items: tuple[int, ...]) -> list[int]:
    """Return what a person contributes to the counts of items."""
    return [int(v in items) for v in range(ITEMS)]


# --------------------------------------------------------------------------------------------------- the gallery


def _broken(name: str, mistake: str, client: Client, right: Client, inputs: Sequence[Any], score: Score,
            expected: Score, right_score: Score | None = None, epsilon: float = 1.0) -> Broken:  # fmt: skip
    return Broken(name=name, mistake=mistake, client=client, right=right, inputs=tuple(inputs), score=score,
                  right_score=right_score or score, expected=expected, epsilon=epsilon)  # fmt: skip


def _one(x: float) -> list[float]:
    return [x]


GALLERY: tuple[Broken, ...] = (
    _broken("refill", "truth kept as if not in the blind draw", truth_in_the_draw, krr, range(K), histogram, one_hot),
    _broken("exclusion", "truth left out of the blind draw", truth_not_in_the_draw, krr, range(K), histogram, one_hot),
    _broken("range", "blind draw misses the last item", short_range, krr, range(K), histogram, one_hot),
    _broken("modulo", "blind draw is a byte modulo 6", loaded_die, die, range(6),
            lambda y: histogram(y, 6), lambda x: one_hot(x, 6)),
    _broken("server", "server estimates with ε = 2", krr, krr, range(K),
            lambda y: histogram(y, K, exp(2.0)), one_hot, histogram),
    _broken("rows", "client and server number rows differently", gray_rows, onebit, range(K), by_rows, one_hot),
    _broken("half", "ε for each bit, not ε/2", epsilon_a_bit, unary, range(3),
            lambda y: bits(y, 1.0), lambda x: one_hot(x, 3), bits),
    _broken("coin", "one coin for all bits", one_coin, unary, range(3), bits, lambda x: one_hot(x, 3)),
    _broken("seed", "fixed seed", fixed_seed, unary, range(3), bits, lambda x: one_hot(x, 3)),
    _broken("threshold", "probability rounds to 1", rounded_to_one, rounded_down, (0, 1), _one, _one, epsilon=37.0),
    _broken("float", "Laplace noise in floats", float_noise, reply, (0, 1), _one, _one, lambda y: bits([y], 1.0)),
    _broken("exempt", "no noise for every tenth user", exempt, everybody, ((3, 0), (3, 1), (10, 0), (10, 1)),
            lambda y: bits([y], 1.0), lambda person: [person[1]]),
    _broken("state", "new permanent response each day", forgotten, kept, (0, 1),
            lambda y: [float(np.mean(bits(y, 1.0)))], _one),
    _broken("clamp", "number not clamped", unclamped, clamped, (-1.0, 0.0, 1.5),
            lambda y: [y / tanh(0.5)], lambda x: [min(x, 1.0)]),
    _broken("dummy", "one dummy for all padding", shared_dummy, own_dummies, SETS,
            lambda y: from_sample(y, ITEMS + 1), members, lambda y: from_sample(y, ITEMS + 2), epsilon=0.8),
    _broken("length", "as many items sent as owned", own_length, padded, SETS, summed, members),
)  # fmt: skip


# ------------------------------------------------------------------------------------------------------ the tools


def formulas() -> pd.DataFrame:
    """Return a ratio that is too large at some ε, for each mistake in coins that are functions of e^ε."""
    rows = []
    for broken in GALLERY:
        if "e" in signature(broken.client).parameters and (proof := broken.proved()).holds is False:
            ratio = "∞" if proof.ratio is None else str(proof.ratio)
            rows.append({"mistake": broken.mistake, "a ratio": ratio})
    return pd.DataFrame(rows)


def bias(broken: Broken) -> float:
    """Largest exact bias of a score, over inputs and coordinates."""
    found = 0.0
    for x, one in zip(broken.inputs, verify.laws(broken.client, broken.inputs), strict=True):
        mean = sum(float(p) * np.asarray(broken.score(y)) for y, p in one.items())
        found = max(found, float(np.abs(mean - np.asarray(broken.expected(x))).max()))
    return found


def off(broken: Broken, shares: Sequence[float], *, people: int, rng: np.random.Generator) -> bool:
    """Whether the estimates from a population miss the truth: the test that everybody writes.

    `shares` are those of the inputs among the people.  Estimates of a right version are off with a probability of
    about `FALSE_ALARM`.
    """
    which = rng.choice(len(shares), people, p=shares)
    targets = np.array([broken.expected(x) for x in broken.inputs])
    error = np.array([broken.score(broken.client(broken.inputs[i], rng)) for i in which]) - targets[which]
    allowed = norm.isf(FALSE_ALARM / 2 / error.shape[1]) * error.std(0) / np.sqrt(people)
    return bool(np.any(np.abs(error.mean(0)) > allowed + TOLERANCE))


def examine(broken: Broken, *, rng: np.random.Generator, samples: int) -> dict[str, Any]:
    """Put every tool to work on one client.

    Parameters
    ----------
    broken : Broken
        Of the gallery, or its `mended` version.
    rng : numpy.random.Generator
    samples : int
        Reports of each input for the audit; as many in all for each histogram.

    Returns
    -------
    dict
        ``epsilon`` and ``bias``, exact, and ``same``: whether the client has the law of the right one; or the words
        with which the tool refuses.  ``bound`` and ``flagged``: of the audit.  ``even`` and ``skewed``: whether
        estimates are off in a population with all inputs alike, or each half as frequent as the one before.
        ``caught``: the tools that see the mistake, among refusal, ε, bias, law, audit, even, skewed.
    """
    exact: dict[str, Callable[[], Any]] = {
        "epsilon": lambda: verify.epsilon(verify.laws(broken.client, broken.inputs)),
        "bias": lambda: bias(broken),
        "same": lambda: verify.same_law(broken.client, broken.right, broken.inputs),
    }
    found: dict[str, Any] = {}
    for tool, run in exact.items():
        try:
            found[tool] = run()
        except (AttributeError, ValueError) as refusal:
            if "chance" not in str(refusal) and not isinstance(refusal, TooManyBranches):
                raise  # the client itself is at fault: that is no catch of the tool's
            found[tool] = f"refused: {refusal}"
    heard = audit(broken.client, broken.inputs, samples=samples, rng=rng, claimed=broken.epsilon)
    found |= {"bound": heard.bound, "flagged": heard.flagged}
    for name, ratio in (("even", 1.0), ("skewed", 0.5)):
        weights = ratio ** np.arange(len(broken.inputs))
        found[name] = off(broken, weights / weights.sum(), people=samples * len(weights), rng=rng)
    seen = {
        "refusal": isinstance(found["epsilon"], str),
        "ε": isinstance(found["epsilon"], float) and found["epsilon"] > broken.epsilon + TOLERANCE,
        "bias": isinstance(found["bias"], float) and found["bias"] > TOLERANCE,
        "law": found["same"] is False,
        "audit": found["flagged"],
        "even": found["even"],
        "skewed": found["skewed"],
    }
    return found | {"caught": tuple(tool for tool, sees in seen.items() if sees)}


def overview(*, rng: np.random.Generator, samples: int) -> pd.DataFrame:
    """Examine the whole gallery: one row a mistake, in short strings; parameters as for `examine`."""

    def short(x: float | str) -> str:
        return "refused" if isinstance(x, str) else "∞" if x == inf else f"{x:.3f}" if x > TOLERANCE else "0"

    rows = []
    for broken in GALLERY:
        found = examine(broken, rng=rng, samples=samples)
        exact, heard = f"{short(found['epsilon'])} ({broken.epsilon:g})", f"≥\N{NO-BREAK SPACE}{found['bound']:.2f}"
        row = (exact, short(found["bias"]), heard)
        rows.append((broken.mistake, *row, ", ".join(found["caught"]) or "nothing"))
    return pd.DataFrame(rows, columns=["mistake", "exact ε (claimed)", "bias", "audit", "caught by"])
