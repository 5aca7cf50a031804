"""How figures and tables of the book look."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    from IPython.display import HTML
    from matplotlib.figure import Figure

# Okabe and Ito's colours, ordered so that neighbours differ in lightness; yellow is left out (too pale on white).
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (6, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 0.8)))


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


def style() -> None:
    """Set the book's plot style: one size, colours that survive colour-blindness and grey print, a light grid.

    The lines of a plot differ by colour and dash; `line` and `dots` add markers and pair theory with simulation.
    With seaborn give ``style=`` beside ``hue=``.  (Markers are not in the cycle: seaborn would draw them and leave them
    out of its legend.)
    The background is white and opaque; the book's dark mode inverts the picture and keeps the hues.
    """
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
