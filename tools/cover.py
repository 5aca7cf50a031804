"""Compute the pictures of the preface: the cover, and all that one person's client may do.

usage: python tools/cover.py

The cover shows what a server sees of a secret picture, by the number of people and by ε.
Each person holds one point of a grid; together the points make a letter. Everybody's point goes through the package's
optimised unary encoding. Each square is its estimate of all shares from so many people's reports, unclipped and
unsmoothed; the squares at the left are what a single person sends.
Writes book/images/cover.png and book/images/branches.png.
"""

import io
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from numpy.typing import NDArray
from PIL import Image

from ldpnb.chance import toss
from ldpnb.oracles.unary import OUE
from ldpnb_book import diagram, style

IMAGES = Path(__file__).resolve().parent.parent / "book" / "images"
COVER, BRANCHES = IMAGES / "cover.png", IMAGES / "branches.png"
SEED = 2026
SIDE = 32  # points on a side of the grid
PEOPLE = (1, 10_000, 100_000, 1_000_000)
BUDGETS = (1.0, 3.0)
SIZE = (1200, 630)  # pixels, the shape that links to a page are shown in
GROUND, INK = "#0b1a2e", "#f2ead2"


def letter() -> NDArray[np.float64]:
    """Return the share of people at each point, (SIDE, SIDE): how much of its square the letter ε covers."""
    shape = TextPath((0, 0), "ε", size=1, prop={"family": "DejaVu Sans", "weight": "bold"})
    box, fine = shape.get_extents(), 8 * SIDE
    grid = (np.arange(fine) + 0.5) / fine - 0.5
    scale = 1.3 * max(box.width, box.height)
    x, y = np.meshgrid(grid * scale + (box.x0 + box.x1) / 2, -grid * scale + (box.y0 + box.y1) / 2)
    inside = Outline(shape.vertices, shape.codes).contains_points(np.column_stack([x.ravel(), y.ravel()]))
    covered = inside.reshape(SIDE, 8, SIDE, 8).mean((1, 3))
    return covered / covered.sum()


def population(shares: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Return how many of n people hold each item, (k,): the shares to within one person."""
    return np.diff(np.floor(np.concatenate([[0], np.cumsum(shares.ravel() / shares.sum())]) * n + 0.5).astype(np.int64))


def squares() -> list[list[NDArray[np.float64]]]:
    """Return, for each ε and number of people, what the server sees of each point: 0 is nothing, 1 the most there is.

    For one person that is the report itself, for more the estimated share over the largest true one.
    """
    rng, shares, k = np.random.default_rng(SEED), letter(), SIDE * SIDE
    someone = np.flatnonzero(shares == shares.max())[:1]
    seen = []
    for epsilon in BUDGETS:
        oracle, row = OUE(k=k, epsilon=epsilon), []
        for n in PEOPLE:
            if n == 1:
                values = oracle.perturb(someone, rng=rng)[0].astype(float)
            else:
                tally = oracle.simulate(population(shares, n), trials=1, rng=rng)
                values = oracle.estimate(tally)[0] / shares.max()
            row.append(values.reshape(SIDE, SIDE))
        seen.append(row)
    return seen


def draw() -> Image.Image:
    """Return the cover."""
    with matplotlib.rc_context(matplotlib.rcParamsDefault):
        figure = Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100, facecolor=GROUND)
        FigureCanvasAgg(figure)
        cell, gap, left, top = 264, 18, 66, 62
        for i, (epsilon, row) in enumerate(zip(BUDGETS, squares(), strict=True)):
            for j, (n, values) in enumerate(zip(PEOPLE, row, strict=True)):
                x, y = left + j * (cell + gap), top + i * (cell + gap)
                place = (x / SIZE[0], 1 - (y + cell) / SIZE[1], cell / SIZE[0], cell / SIZE[1])
                axes = figure.add_axes(place)
                axes.imshow(values, cmap="cividis", vmin=-0.25, vmax=1.25, interpolation="nearest")
                axes.set_axis_off()
                if i == 0:
                    head = "1 person" if n == 1 else f"{n:,}".replace(",", "\u202f")
                    axes.set_title(head, color=INK, fontsize=24, pad=9)
            middle = 1 - (top + i * (cell + gap) + cell / 2) / SIZE[1]
            words = {"color": INK, "fontsize": 24, "rotation": 90, "ha": "center", "va": "center"}
            figure.text(34 / SIZE[0], middle, f"ε = {epsilon:g}", **words)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", facecolor=GROUND)
    return Image.open(drawn).convert("RGB").quantize(48, dither=Image.Dither.NONE)


def reply(truth: str, rng: np.random.Generator) -> str:
    """Return one person's answer: heads, the truth; tails, what a second coin says."""
    if toss(0.5, rng):
        return truth
    return "yes" if toss(0.5, rng) else "no"


def branches() -> Image.Image:
    """Return the tree of the client above."""
    with matplotlib.rc_context(matplotlib.rcParamsDefault):
        style()
        faces = [["heads", "tails"]] * 2
        axes = diagram.tree(reply, "yes", steps=["first coin", "second coin"], options=faces, head="truth")
        drawn = io.BytesIO()
        axes.get_figure().savefig(drawn, format="png", dpi=200)
    return Image.open(drawn).convert("RGB").quantize(48, dither=Image.Dither.NONE)


if __name__ == "__main__":
    for path, picture in ((COVER, draw()), (BRANCHES, branches())):
        picture.save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
