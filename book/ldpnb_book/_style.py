"""How figures and tables of the book look."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd  # type: ignore[import-untyped]
    from IPython.display import HTML
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

# Okabe and Ito's colours, ordered so that neighbours differ in lightness; yellow is left out (too pale on white).
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (6, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 0.8)))
PATTERNS = ("", (3.7, 1.6), (6.4, 1.6, 1, 1.6), (1, 1.65), (6, 1.5), (3, 1, 1, 1), (1, 0.8))  # the same, for seaborn


def line(i: int) -> dict[str, Any]:
    """Return the look of curve number i, for theory: ``ax.plot(x, y, **line(i))``.

    Parameters
    ----------
    i
        0 to 6; the same number gives the same colour in `line` and `dots`.
    """
    return {"color": COLOURS[_series(i)], "linestyle": DASHES[i], "marker": ""}


def dots(i: int) -> dict[str, Any]:
    """Return the look of points number i, for simulations: ``ax.errorbar(x, y, bars, **dots(i))``; i as in `line`."""
    return {"color": COLOURS[_series(i)], "linestyle": "none", "marker": MARKERS[i]}


def _series(i: int) -> int:
    if i not in range(len(COLOURS)):
        raise ValueError(f"i must be an integer from 0 to {len(COLOURS) - 1}, got {i!r}")
    return i


def theory(by: str, names: Sequence[Any]) -> dict[str, Any]:
    """Return what makes `seaborn.lineplot` draw theory: a curve for each name, with the looks of `line`.

    Parameters
    ----------
    by : str
        The column that holds the names.
    names : sequence
        At most seven; the same list gives a name the same colour in `theory` and `simulation`, in every figure.

    Examples
    --------
    >>> import pandas as pd, seaborn as sns
    >>> exact = pd.DataFrame({"ε": [1, 2, 1, 2], "variance": [4, 2, 3, 1], "name": ["k-RR", "k-RR", "SUE", "SUE"]})
    >>> ax = sns.lineplot(exact, x="ε", y="variance", **theory("name", ["k-RR", "SUE"]))
    >>> label_lines(ax)
    """
    return _by(by, names) | {"dashes": dict(zip(names, PATTERNS, strict=False)), "errorbar": None}


def simulation(by: str, names: Sequence[Any], *, of: str = "mean") -> dict[str, Any]:
    """Return what makes `seaborn.lineplot` draw simulations: marks with 95 % bars, with the looks of `dots`.

    Parameters
    ----------
    by, names
        As in `theory`.
    of : str
        What a mark shows of all rows that share its x: their "mean", standard deviation "std" or variance "var".  One
        row alone is a mark without a bar.

    Examples
    --------
    >>> import numpy as np, pandas as pd, seaborn as sns
    >>> runs = pd.DataFrame({"ε": [1] * 50, "estimate": np.random.default_rng(1).normal(size=50), "name": "k-RR"})
    >>> ax = sns.lineplot(runs, x="ε", y="estimate", **simulation("name", ["k-RR", "SUE"], of="std"))
    """
    bars: dict[str, Any] = {"mean": ("se", 1.96), "std": _interval(0.5), "var": _interval(1.0)}
    if of not in bars:
        raise ValueError(f"of must be one of {', '.join(bars)}, got {of!r}")
    look = {"markers": dict(zip(names, MARKERS, strict=False)), "dashes": False, "linestyle": "none", "legend": False}
    return _by(by, names) | look | {"estimator": of, "errorbar": bars[of], "err_style": "bars"}


def _by(by: str, names: Sequence[Any]) -> dict[str, Any]:
    if isinstance(names, str) or not 1 <= len(names) == len(set(names)) <= len(COLOURS):
        raise ValueError(f"names must be 1 to {len(COLOURS)} different ones, got {names!r}")
    order = list(names)
    palette = dict(zip(order, COLOURS, strict=False))
    return {"hue": by, "style": by, "hue_order": order, "style_order": order, "palette": palette}


def _interval(power: float) -> Callable[[NDArray[np.float64]], tuple[float, float]]:
    """95 % interval for a power of the variance, whatever the law of the values: by their fourth moment."""

    def interval(values: NDArray[np.float64]) -> tuple[float, float]:
        variance = values.var(ddof=1)
        spread = (((values - values.mean()) ** 2).var() / len(values)) ** 0.5
        half = 1.96 * power * variance ** (power - 1) * spread if variance else 0.0
        return variance**power - half, variance**power + half

    return interval


def label_lines(axes: Axes | Iterable[Axes]) -> None:
    """Write the name of each line at its right end, in its colour, instead of a legend.

    Names that would overlap are moved apart and tied to their lines.  Call it last: it measures where lines end.

    Parameters
    ----------
    axes : Axes or sequence of Axes
        Panels lose their legends, seaborn's grids too; of lines with one name that in the last panel bears it.

    Raises
    ------
    ValueError
        If no line has a name, by its own label or by a legend that shows its colour.
    """
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.colors import to_hex
    from matplotlib.lines import Line2D
    from scipy.optimize import isotonic_regression

    panels = [axes] if isinstance(axes, Axes) else list(axes)
    figure: Any = panels[-1].figure
    legends = [old for old in [*(panel.get_legend() for panel in panels), *figure.legends] if old]
    keys = [pair for old in legends for pair in zip(old.legend_handles, old.get_texts(), strict=True)]
    shown = {to_hex(key.get_color()): text.get_text() for key, text in keys if isinstance(key, Line2D)}
    found = {}  # for each name its last panel, the end of its line there, and its colour
    for ax in panels:
        for drawn in ax.lines:
            label, color = str(drawn.get_label()), to_hex(drawn.get_color())
            name = shown.get(color, "") if label.startswith("_") else label
            points = np.array(drawn.get_xydata(), float)
            points = points[[ax.viewLim.contains(*point) for point in points]]
            if name and len(points) and drawn.get_linestyle() != "None":
                found[name] = ax, points[points[:, 0].argmax()], color
    if not found:
        raise ValueError("axes must show lines with labels, or a legend of their colours, got none")
    for old in legends:
        old.remove()

    if not figure.get_constrained_layout():  # a grid of seaborn's, made wider than the page by its legend
        figure.set_layout_engine("constrained")
        figure.set_size_inches(6.4, figure.get_size_inches()[1])
    figure.draw_without_rendering()  # the layout decides where lines end
    look: Any = {"textcoords": "offset points", "va": "center", "fontsize": 11, "annotation_clip": False}
    for ax in panels:
        ends = [
            (ax.transData.transform(end)[1] * 72 / figure.dpi, name) for name, (on, end, _) in found.items() if on is ax
        ]
        ends.sort()
        steps = 14.0 * np.arange(len(ends))
        high = np.array([y for y, _ in ends])
        apart = isotonic_regression(high - steps).x + steps if ends else high  # the nearest that are 14 points apart
        apart += max(0.0, ax.bbox.y0 * 72 / figure.dpi + 5 - min(apart, default=np.inf))
        for (_, name), moved in zip(ends, apart - high, strict=True):
            _, end, color = found[name]
            tie = {"arrowstyle": "-", "color": color, "linewidth": 0.8, "shrinkA": 2, "shrinkB": 2, "relpos": (0, 0.5)}
            far = abs(moved) > 4
            ax.annotate(
                name, end, (18 if far else 6, moved), color=_ink(color), arrowprops=tie if far else None, **look
            )


def plain_ticks(ax: Axes) -> None:
    """Label logarithmic axes with plain numbers, at 1, 2 and 5 of each decade."""
    from matplotlib.ticker import LogLocator, NullFormatter

    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())


def _ink(color: str) -> str:
    """Return a colour, darkened until letters of it can be read on white: a contrast of 4.5 to 1."""
    import numpy as np
    from matplotlib.colors import to_hex, to_rgb

    rgb = np.array(to_rgb(color))
    while True:
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        if 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.5:
            return to_hex(tuple(rgb.tolist()))
        rgb = 0.95 * rgb


def style() -> None:
    """Set the book's plot style: one size, colours that survive colour-blindness and grey print, a light grid.

    Seaborn's functions follow it, too, and so does its objects interface if seaborn was imported before: a page without
    it must not wait for it.
    The lines of a plot differ by colour and dash; `line` and `dots` add markers and pair theory with simulation, and so
    do `theory` and `simulation` for seaborn.  (Markers are not in the cycle: seaborn would draw them and leave them
    out of its legend.)
    The background is white and opaque; the book's dark mode inverts the picture and keeps the hues.
    """
    import warnings

    import matplotlib as mpl
    from cycler import cycler

    mpl.rcdefaults()
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 4.0),
            "figure.dpi": 144,
            "savefig.dpi": 144,
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "figure.constrained_layout.use": True,
            "font.size": 12,
            "axes.labelsize": 12,
            "axes.titlesize": 12,
            "xtick.labelsize": 11,
            "ytick.labelsize": 11,
            "legend.fontsize": 11,
            "legend.frameon": False,
            "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=DASHES),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#DDDDDD",
            "grid.linewidth": 0.8,
            "lines.linewidth": 1.8,
            "lines.markersize": 6,
            "errorbar.capsize": 2,
        }
    )
    if "seaborn" in sys.modules:  # its functions read these; its objects have a theme of their own
        import seaborn.objects as so  # type: ignore[import-untyped]

        so.Plot.config.theme.update(mpl.rcParams)
        so.Plot.config.display["scaling"] = 1
    warnings.filterwarnings("ignore", "The figure layout has changed to tight")  # as every grid of seaborn's does
    _inline()


def _inline() -> None:
    """Make a notebook store small figures, if this is a notebook."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return
    import matplotlib_inline.backend_inline  # noqa: F401  (sets its own formatter when imported, so import it first)
    from matplotlib.figure import Figure

    shell.display_formatter.formatters["image/png"].for_type(Figure, _png)


def _png(figure: Figure) -> bytes:
    """Draw a figure as a PNG of 256 colours: a third of the size, and nothing in it that depends on versions."""
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas, packed = FigureCanvasAgg(figure), BytesIO()
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(packed, "png", compress_level=8)
    return packed.getvalue()


def table(frame: pd.DataFrame) -> HTML:
    """Show a table without row numbers and without cutting long texts.

    Parameters
    ----------
    frame
        One row a line of the table; texts and numbers that are already rounded.
    """
    import pandas as pd
    from IPython.display import HTML

    with pd.option_context("display.max_colwidth", None):
        return HTML(frame.to_html(index=False, border=0, justify="left", classes="words"))  # type: ignore[no-untyped-call]
