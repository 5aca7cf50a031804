"""Experiments of the lesson on PCKV and the wheel: a ratio of estimates, mechanisms for many keys, and a ring."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.keyvalue.ternary import SignedTernary
from ldpnb.records import Records
from ldpnb_book._style import table

if TYPE_CHECKING:
    from IPython.display import HTML
    from matplotlib.axes import Axes

Server = Callable[..., tuple[float, float, float, float]]
Make = Callable[[int, float], SignedTernary]
Kinds = Mapping[str, Make]


def ratio(
    server: Server,
    answer: tuple[float, float, float, float],
    *,
    f: float,
    m: float,
    sizes: Iterable[float],
    rng: np.random.Generator,
    surveys: int = 2000,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate surveys about one key, and say how far the clipped mean is off beside the delta method.

    Returns
    -------
    exact, simulated : pandas.DataFrame
        For each size ``N`` the root mean square ``error`` and the ``bias``.  A share ``passed`` of the surveys has an f
        above three times its standard error if nobody had the key; ``bias if reliable`` is the bias of a hundred or
        more of these.  From ``exact.attrs["reliable"]`` reports on, they are half.
    """
    alpha, beta, gamma, _ = answer
    gain, blind = alpha + beta - 2 * gamma, 2 * gamma
    signs, tilt = blind + f * gain, f * m * (alpha - beta)
    shares = np.array([(signs - tilt) / 2, 1 - signs, (signs + tilt) / 2])
    bias = (m * signs * (1 - signs) / gain**2 - f * m * ((1 - blind) / gain - f)) / f**2
    exact, simulated = [], []
    for N in map(round, sizes):
        exact.append({"N": N, "error": server(N * shares, *answer)[3], "bias": bias / N})
        counts = rng.multinomial(N, shares, size=surveys)
        told = np.array([server(M, *answer)[:2] for M in counts])
        means = np.clip(told.prod(1) / np.maximum(told[:, 0], 1 / N), -1, 1)
        passed = told[:, 0] > 3 * np.sqrt(blind * (1 - blind) / N) / gain
        simulated.append({"N": N, "error": np.sqrt(np.mean((means - m) ** 2)), "bias": means.mean() - m})
        some = means[passed] if passed.sum() >= 100 else np.array(np.nan)
        simulated[-1] |= {"passed": passed.mean(), "bias if reliable": some.mean() - m}
    frame = pd.DataFrame(exact)
    frame.attrs["reliable"] = 9 * blind * (1 - blind) / (gain * f) ** 2
    return frame, pd.DataFrame(simulated)


def properties(kinds: Kinds, d: int, eps: float) -> HTML:
    """Show α, β, γ, w, the noises of a key that nobody has, and bits."""
    rows = []
    for name, make in kinds.items():
        mechanism = make(d, eps)
        alpha, beta, gamma = map(float, mechanism.answer)
        some = [] if mechanism.needs_list else [[0]]
        noise = mechanism.variance(Records.of({}), *some)[0, :, 0]
        numbers = {"α": alpha, "β": beta, "γ": gamma, "w": mechanism.w / mechanism.asked}
        row = {"": name} | {letter: f"{x:.3g}" for letter, x in numbers.items()}
        row |= {f"noise of {x}": f"{y:,.0f}" for x, y in zip("fs", noise, strict=True)}
        rows.append(row | {"bits": mechanism.report_bits})
    return table(pd.DataFrame(rows))


def mean_variance(mechanism: SignedTernary, d: int, held: int, which: int = 0) -> float:
    """Return n times the variance of a frequency (of a product if `which` is 1), in the mean over all d keys.

    People have `held` of them, of value 0, and every key is as frequent.  Where reports are asked about one key, the
    server divides by the number that were asked about it: this takes (d−1)f² off the variance of the mechanism's own
    estimator, which divides by n/d.
    """
    some = [] if mechanism.needs_list else [range(held + 1)]
    each = mechanism.variance(Records.of(dict.fromkeys(range(held), 0.0)), *some)[0, which]
    known = 0.0 if which else (1 / mechanism.asked - 1) * (held / d) ** 2
    return float(held * each[0] + (d - held) * each[held]) / d - known


def compare(kinds: Kinds, d: int, budgets: Iterable[float], *, held: int) -> pd.DataFrame:
    """Return the variances of frequencies, in the mean over d keys, as a ``ratio`` to those of the last kind.

    Each person has `held` of the keys, with value 0.
    """
    rows = []
    for eps in budgets:
        variance = {name: mean_variance(make(d, eps), d, held) for name, make in kinds.items()}
        base = [*variance.values()][-1]
        rows += [{"mechanism": name, "ε": eps, "ratio": x / base} for name, x in variance.items()]
    return pd.DataFrame(rows)


def ring(slots: int, covered: Collection[int], labels: Mapping[int, str]) -> Axes:
    """Draw a circle of slots, of which some are covered, and what they belong to."""
    import matplotlib.pyplot as plt

    ax = plt.subplots(figsize=(3.4, 3.4), subplot_kw={"projection": "polar"})[1]
    width = 2 * np.pi / slots
    for slot in range(slots):
        angle, own = np.pi / 2 - (slot + 0.5) * width, slot in covered
        ax.bar(angle, 0.45, 0.94 * width, 0.9, color="#0072B2" if own else "white", edgecolor="black", linewidth=1)
        ax.text(angle, 1.12, str(slot), ha="center", va="center", color="white" if own else "black")
        ax.text(angle, 1.62, labels.get(slot, ""), ha="center", va="center")
    ax.set(ylim=(0, 1.75))
    ax.set_axis_off()
    return ax
