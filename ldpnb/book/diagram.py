"""Flow diagrams in one look: boxes, frames, arrows and borders on axes without an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]
Paint = tuple[str, str]  # the colours of the ground and of the edge

SKY: Paint = ("#D6E6F2", "#0072B2")  # what goes in and what comes out
SAND: Paint = ("#FBE8C8", "#E69F00")  # where chance comes in
PLAIN: Paint = ("#F4F4F4", "black")
BORDER = "#D55E00"


def board(ax: Axes, x: Point = (0, 1), y: Point = (0, 1)) -> None:
    """Clear axes for a diagram: the limits are `x` and `y`; no ticks, no grid, no frame."""
    ax.set(xlim=x, ylim=y, xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def box(ax: Axes, x: float, y: float, text: str, paint: Paint, size: float = 12) -> None:
    """Draw a text in a rounded box around it, both centred at (x, y); `size` is that of the letters, in points."""
    look = {"boxstyle": "round", "facecolor": paint[0], "edgecolor": paint[1]}
    ax.text(x, y, text, ha="center", va="center", fontsize=size, bbox=look)


def frame(ax: Axes, x: float, y: float, width: float, height: float, paint: Paint) -> None:
    """Draw a rectangle whose lower left corner is (x, y)."""
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((x, y), width, height, facecolor=paint[0], edgecolor=paint[1], linewidth=1))


def arrow(ax: Axes, start: Point, end: Point) -> None:
    """Draw an arrow whose tip is at `end`."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0})


def border(ax: Axes, x: float, low: float, high: float, left: str = "", right: str = "") -> None:
    """Draw a dashed line at x between two heights, and over it what lies on either side."""
    ax.plot([x, x], [low, high], color=BORDER, linestyle="--", marker="")
    for side, text, align in ((-0.012, left, "right"), (0.012, right, "left")):
        ax.text(x + side, 0.99, text, ha=align, va="top", color=BORDER, fontsize=11)
