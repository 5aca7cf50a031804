"""Pictures in one look: states, trees of choices, decisions, flows, timelines, cells; and the pieces to draw others.

A lesson draws each by one call that says what there is, not where: the picture is as wide as the page, all letters have
10 points or more, and what does not fit is an error.  Colours are Okabe and Ito's, lightened to carry black letters;
each goes with a word or a sign, so that a picture can be read in grey, and in the book's dark mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.ticker import MaxNLocator

from ldpnb.chance import Outputs, TooManyBranches, walk
from ldpnb.checks import apart
from ldpnb.verify import one_person

Point = tuple[float, float]
Paint = tuple[str, str]  # the colours of the ground and of the edge

SKY: Paint = ("#D6E6F2", "#0072B2")  # what goes in and what comes out
SAND: Paint = ("#FBE8C8", "#E69F00")  # where chance comes in
PLAIN: Paint = ("#F4F4F4", "black")
BORDER = "#D55E00"

# ------------------------------------------------------------------------------------------- pieces, on axes of yours


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
    ax.add_patch(Rectangle((x, y), width, height, facecolor=paint[0], edgecolor=paint[1], linewidth=1))


def arrow(ax: Axes, start: Point, end: Point) -> None:
    """Draw an arrow whose tip is at `end`."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0})


def border(ax: Axes, x: float, low: float, high: float, left: str = "", right: str = "") -> None:
    """Draw a dashed line at x between two heights, and over it what lies on either side."""
    ax.plot([x, x], [low, high], color=BORDER, linestyle="--", marker="")
    for side, text, align in ((-0.012, left, "right"), (0.012, right, "left")):
        ax.text(x + side, 0.99, text, ha=align, va="top", color=BORDER, fontsize=11)


# ------------------------------------------------------- what the pictures below share; a unit of theirs is one inch

WIDTH = 6.4
LEAVES = 16
INK, GREY = "#222222", "#5A5A5A"
DIE = "⚄"
FILLS = ("#F6C65B", "#D9D9D9", "#7FC0E8", "#8ED1B2", "#F2A97E", "#E3B3CF", "#F3EA8A")


def _sheet() -> Axes:
    """Axes that fill a figure of their own; `_cut` gives it its height at the end."""
    ax = plt.figure(figsize=(WIDTH, 1), facecolor="white", layout="none").add_axes((0, 0, 1, 1))
    board(ax, (0, WIDTH))
    return ax


def _cut(ax: Axes, low: float, high: float) -> Axes:
    """Give a picture its height; refuse it if a text is cut, or lies upon another."""
    figure = plt.figure(ax.figure.number)  # type: ignore[union-attr]
    figure.set_size_inches(WIDTH, high - low)
    ax.set_ylim(low, high)
    placed = [(text.get_text(), text.get_window_extent()) for text in ax.texts if text.get_text()]
    for i, (text, here) in enumerate(placed):
        if min(here.x0, here.y0, figure.bbox.x1 - here.x1, figure.bbox.y1 - here.y1) < 0:
            raise _refused(ax, f"texts must fit into a picture {WIDTH} inches wide, {text!r} does not: shorten them")
        for other, there in placed[:i]:
            if here.overlaps(there):
                raise _refused(ax, f"texts must not overlap, {other!r} and {text!r} do: shorten them")
    return ax


def _refused(ax: Axes, reason: str) -> ValueError:
    """Return an error, and leave no half of a picture to be shown."""
    plt.close(ax.figure)  # type: ignore[arg-type]
    return ValueError(reason)


def _write(ax: Axes, x: float, y: float, text: str, size: float = 11, **look: Any) -> None:
    shown: Any = {"ha": "center", "va": "center", "fontsize": size, "color": INK, "zorder": 5} | look
    ax.text(x, y, text, **shown)


def _over(ax: Axes, x: float, y: float, text: str, size: float = 11) -> None:
    """Write upon a line, which makes room."""
    _write(ax, x, y, text, size, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})


def _measure(ax: Axes, text: str, size: float = 11) -> Point:
    """Width and height of a text."""
    drawn = ax.text(0, 0, text or " ", fontsize=size)
    found, dpi = drawn.get_window_extent(), ax.figure.dpi
    drawn.remove()
    return (found.width / dpi if text else 0.0), found.height / dpi


def _widest(ax: Axes, texts: Iterable[str], size: float = 11) -> float:
    return max((_measure(ax, text, size)[0] for text in texts), default=0.0)


def _fills(n: int) -> Sequence[str]:
    """Colours of so many states or reports: of two none is grey; of more than there are colours all are white."""
    return (FILLS[0], FILLS[2]) if n == 2 else FILLS[:n] if n <= len(FILLS) else ("white",) * n


# --------------------------------------------------------------------------------------------------------- states


def states(
    labels: Sequence[Sequence[str]], names: Sequence[str] | None = None, notes: Sequence[str] | None = None
) -> Axes:
    """Draw a mechanism as states with the probabilities of going from each to each; thick where a state is kept.

    Parameters
    ----------
    labels : sequence of sequences of str
        ``labels[x][y]`` is written on the arrow from state x to state y; no arrow for "".  Two, three or four states.
    names : sequence of str, optional
        Of the states, in their circles; else their numbers.
    notes : sequence of str, optional
        What stands under each name.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ldpnb_book import diagram
    >>> ax = diagram.states([["3/4", "1/4"], ["1/4", "3/4"]], names=["no", "yes"])
    """
    n = len(labels)
    if n not in (2, 3, 4) or any(isinstance(row, str) or len(row) != n for row in labels):
        raise ValueError(f"labels must be 2, 3 or 4 rows of as many texts, got {labels!r}")
    names = [str(x) for x in range(n)] if names is None else names
    notes = [""] * n if notes is None else notes
    for what, given in (("names", names), ("notes", notes)):
        if isinstance(given, str) or len(given) != n:
            raise ValueError(f"{what} must be {n} texts, one for each state, got {given!r}")
    ax, square, short = _sheet(), n == 4, max(map(len, names)) < 4
    sizes = [17 if short or len(name) < 2 else 12 for name in names]
    room = max(_widest(ax, notes, 10), *(_measure(ax, *named)[0] for named in zip(names, sizes, strict=True)))
    radius = max(0.46, room / 2 + 0.1)
    if radius > 0.8:
        most, got = apart(1.4, room, 2)
        raise _refused(ax, f"names and notes must fit into circles {most} inches wide, got one of {got}")
    left, rim = max(0.75, radius + 0.1), radius + 0.05
    right = WIDTH - left
    row = [(1.4, 0.0), (5.0, 0.0)] if n == 2 else [(left, 0.0), (WIDTH / 2, 0.0), (right, 0.0)]
    at = [(left, 1.1), (right, 1.1), (left, -1.1), (right, -1.1)] if square else row
    circles = [
        Circle(middle, radius, facecolor=paint, edgecolor=INK, zorder=3)
        for middle, paint in zip(at, _fills(n), strict=True)
    ]

    def bow(x: int, y: int, bend: float, where: float = 0.5, heads: str = "-|>") -> None:
        """Arrow from x to y, bent to its left by a share of its length; the label stands at a share of the way."""
        (x0, y0), (x1, y1) = at[x], at[y]
        ends: Any = {"patchA": circles[x], "patchB": circles[y], "shrinkA": 4, "shrinkB": 4}
        bent(at[x], at[y], bend, 1.3, GREY, arrowstyle=heads, **ends)
        lift = 2 * where * (1 - where) * bend
        middle = x0 + where * (x1 - x0) - lift * (y1 - y0), y0 + where * (y1 - y0) + lift * (x1 - x0)
        _over(ax, *middle, labels[x][y], 15)

    def bent(start: Point, end: Point, bend: float, width: float, color: str, **more: Any) -> None:
        look: Any = {"connectionstyle": f"arc3,rad={-bend}", "arrowstyle": "-|>", "mutation_scale": 15} | more
        ax.add_patch(FancyArrowPatch(start, end, linewidth=width, color=color, **look))

    for x, (across, y) in enumerate(at):
        ax.add_patch(circles[x])
        _write(ax, across, y + (0.1 if notes[x] else -0.01), names[x], sizes[x])
        _write(ax, across, y - 0.2, notes[x], 10)
        if labels[x][x]:
            up = -1 if y < 0 else 1
            foot = y + up * 0.87 * rim
            bent((across - rim / 2, foot), (across + rim / 2, foot), 1.1 * up / rim, 2.6, INK)
            _write(ax, across, foot + up * 0.82, labels[x][x], 15)
    for x, z in combinations(range(n), 2):
        far = not square and z - x == 2
        if labels[x][z] and labels[x][z] == labels[z][x] and (far or square):
            bow(x, z, -0.55 if far else 0, 0.31 if square and x + z == 3 else 0.5, "<|-|>")
            continue
        bend = 0.3 if not square else 0.25 if z - x == 2 else 0.06
        for there, back, bent_by in ((x, z, -0.5 if far else bend), (z, x, 0.75 if far else bend)):
            if labels[there][back]:
                bow(there, back, bent_by, 0.31 if square and x + z == 3 else 0.36 if square else 0.5)
    high = at[0][1] + 0.87 * rim + 1.08
    down, again = (labels[0][2], labels[2][0]) if n == 3 else ("", "")
    depth = (0.55 if down == again else 0.75 if again else 0.5) * bool(down or again)
    return _cut(ax, -high if square else -max(radius + 0.3, 0.85, depth / 2 * (right - left) + 0.28), high)


# ----------------------------------------------------------------------------------------------------------- tree


def _share(p: Fraction) -> str:
    """Write a probability as a fraction, which a coin of 53 bits misses by less than can be seen; else a decimal."""
    near = p.limit_denominator(9999)
    return str(near) if abs(near - p) <= Fraction(1, 2**50) else f"{float(p):.3g}"


def tree(
    client: Any,
    value: Any,
    *,
    steps: Sequence[str] = (),
    options: Sequence[Sequence[str]] = (),
    names: Mapping[Any, str] | None = None,
    root: str | None = None,
    head: str = "value",
) -> Axes:
    """Draw all that one person's client may do: a fork for each of its random choices, found by replaying its code.

    A branch is as thick as it is probable, and bears its probability; a leaf is a report, with the probability of all
    choices that lead there.  Equal reports have one colour.  Coins are rounded up to 53 bits; a probability that close
    to a fraction is written as that, others as decimals.

    Parameters
    ----------
    client : Mechanism or callable (value, rng) -> report
    value : object
        What the person has; as for `ldpnb.verify.laws`.
    steps : sequence of str, optional
        What is chosen, first choice first.
    options : sequence of sequences of str, optional
        For each choice the names of its options; of a coin heads come first.
    names : dict, optional
        The text of every report, in the order of their colours, which are those of `states`; else ``str``.
    root : str, optional
        Text at the root, else the value; `head` stands above it.
    head : str

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ldpnb_book import diagram
    >>> from ldpnb.chance import toss
    >>> def reply(truth, rng):
    ...     return truth if toss(0.5, rng) else toss(0.5, rng)
    >>> ax = diagram.tree(reply, True, steps=["first coin", "second coin"], names={False: "no", True: "yes"})
    """
    one, outputs = one_person(client), Outputs()
    try:
        branches = walk(lambda rng: one(deepcopy(value), rng), limit=LEAVES)
        walked = [(paths.taken, outputs.key(said)) for paths, said in branches]
    except TooManyBranches:
        raise ValueError(f"client must have at most {LEAVES} branches to be drawn, it has more at {value!r}") from None
    deep = max(len(taken) for taken, _ in walked)
    steps, options = steps or ("",) * deep, options or ((),) * deep
    for what, given in (("steps", steps), ("options", options)):
        if isinstance(given, str) or len(given) != deep:
            raise ValueError(f"{what} must be {deep}, one for each choice in a row, got {given!r}")
    if names is not None and (lost := [said for _, said in walked if said not in names]):
        raise ValueError(f"names must have a text for every report, got none for {lost[0]!r}")
    called = {said: str(said) if names is None else names[said] for _, said in walked}
    texts = list(dict.fromkeys(called.values() if names is None else names.values()))
    paint = dict(zip(texts, _fills(len(texts)), strict=True))

    paths = [tuple(option for option, _ in taken) for taken, _ in walked]
    chance: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    label: dict[tuple[int, ...], str] = {}
    height = {path: -0.4 * i for i, path in enumerate(paths)}
    for (taken, _), path in zip(walked, paths, strict=True):
        for j, (option, weights) in enumerate(taken):
            if options[j] and option >= len(options[j]):
                raise ValueError(f"options must name all {len(weights)} options of choice {j}, got {options[j]!r}")
            part, name = Fraction(weights[option], sum(weights)), options[j][option] if options[j] else ""
            chance[path[: j + 1]], label[path[: j + 1]] = chance[path[:j]] * part, f"{name}  {_share(part)}".strip()
    for node in sorted(chance.keys() - height.keys(), key=len, reverse=True):
        below = [y for path, y in height.items() if path[:-1] == node and len(path) == len(node) + 1]
        height[node] = sum(below) / len(below)

    ax, root = _sheet(), str(value) if root is None else root
    first, last = _widest(ax, [root, head]) + 0.2, max(_widest(ax, texts) + 0.3, 0.55)
    sums = [_share(chance[path]) for path in paths]
    wide = [
        max(_widest(ax, [text for node, text in label.items() if len(node) == j + 1]), _measure(ax, steps[j])[0] - 0.2)
        for j in range(deep)
    ]
    end = WIDTH - max(_widest(ax, [*sums, "chance"]), 0.5) - 0.25
    spare = (end - last - 0.1 - first - 0.1 - sum(wide)) / max(deep, 1)
    if deep and spare < 0.45:
        least, got = apart(0.45, spare, 2)
        raise _refused(ax, f"texts must leave {least} inches for each fork, they leave {got}: shorten them")
    starts = [0.1 + first + j * spare + sum(wide[:j]) for j in range(deep + 1)]
    _pill(ax, 0.1 + first / 2, height[()], first - 0.02, root, "white")
    for node, text in label.items():
        x0, x1, y0, y1 = starts[len(node) - 1], starts[len(node)], height[node[:-1]], height[node]
        bent = x0 + min(0.3, 0.4 * spare)
        bends = [(x0, y0), (bent, y1), (end - last if len(node) == deep else x1, y1)]
        _path(ax, bends, GREY, 0.9 + 5 * float(chance[node]))
        _over(ax, (bent + x1) / 2, y1, text)
    for path, total, (_, said) in zip(paths, sums, walked, strict=True):
        _path(ax, [(starts[len(path)], height[path]), (end - last, height[path])], GREY, 1.2, ":")
        _pill(ax, end - last / 2, height[path], last - 0.02, called[said], paint[called[said]])
        _write(ax, (end + WIDTH) / 2, height[path], total)
    middles = [(x + min(0.3, 0.4 * spare) + x1) / 2 for x, x1 in pairwise(starts)]
    middles = [0.1 + first / 2, *middles, end - last / 2, (end + WIDTH) / 2]
    for x, text in zip(middles, [head, *steps, "report", "chance"], strict=True):
        _write(ax, x, 0.33, text, color=GREY, va="baseline")
    return _cut(ax, height[paths[-1]] - 0.25, 0.6)


def _pill(ax: Axes, x: float, y: float, width: float, text: str, ground: str) -> None:
    _round(ax, (x - width / 2, y - 0.15), width, 0.3, (ground, INK), 0.13)
    _write(ax, x, y - 0.01, text)


def _round(ax: Axes, corner: Point, width: float, height: float, paint: Paint, radius: float) -> None:
    shape = f"round,pad=0,rounding_size={radius}"
    ax.add_patch(FancyBboxPatch(corner, width, height, shape, facecolor=paint[0], edgecolor=paint[1], zorder=3))


# ------------------------------------------------------------------------------------------------------ decisions


def decisions(tree: Mapping[str, Any]) -> Axes:
    """Draw questions from left to right, an arrow for each answer, and at the right where the answers lead.

    Parameters
    ----------
    tree : dict
        One question, with a dict of its answers.  An answer leads to a text, or to another such dict.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ldpnb_book import diagram
    >>> ax = diagram.decisions({"A list?": {"no": "wheel", "yes": {"Items?": {"few": "k-RR", "many": "OUE"}}}})
    """
    ends: list[tuple[str, int, float]] = []  # text, depth and height of what stands at the right
    asked: list[tuple[str, int, float]] = []  # the same of questions
    links: list[tuple[str, int, float, float, bool]] = []  # answer, depth, height of its question and its own, last?

    def place(node: Any, deep: int) -> float:
        if isinstance(node, str):
            ends.append((node, deep, -0.42 * len(ends)))
            return ends[-1][2]
        if not isinstance(node, Mapping) or len(node) != 1 or not all(isinstance(x, Mapping) for x in node.values()):
            raise ValueError(f"tree must be one question with a dict of its answers, got {node!r}")
        ((question, answers),) = node.items()
        if len(answers) < 2:
            raise ValueError(f"tree must have two answers or more to a question, got {answers!r} to {question!r}")
        below = [(answer, place(rest, deep + 1), isinstance(rest, str)) for answer, rest in answers.items()]
        middle = (below[0][1] + below[-1][1]) / 2
        asked.append((fill(question, 12, break_long_words=False), deep, middle))
        links.extend((answer, deep, middle, y, last) for answer, y, last in below)
        return middle

    if isinstance(tree, str):
        raise ValueError(f"tree must be one question with a dict of its answers, got {tree!r}")
    place(tree, 0)
    ax, columns = _sheet(), range(max(deep for _, deep, _ in asked) + 1)
    boxes = [_widest(ax, [text for text, deep, _ in asked if deep == c]) + 0.2 for c in columns]
    words = [_widest(ax, [text for text, deep, *_ in links if deep == c], 10) + 0.1 for c in columns]
    last = _widest(ax, [text for text, *_ in ends]) + 0.3
    spare = (WIDTH - 0.2 - sum(boxes) - sum(words) - last) / (2 * len(columns))
    if spare < 0.15:
        least, got = apart(0.15, spare, 2)
        raise _refused(ax, f"texts must leave {least} inches for each arrow, they leave {got}: shorten them")
    starts = [0.1 + sum(boxes[:c]) + sum(words[:c]) + 2 * c * spare for c in (*columns, len(columns))]
    for text, deep, y in asked:
        middle, tall = starts[deep] + boxes[deep] / 2, _measure(ax, text)[1] + 0.16
        _round(ax, (starts[deep], y - tall / 2), boxes[deep], tall, SAND, 0.08)
        _write(ax, middle, y, text)
    for text, deep, y0, y1, leads in links:
        start, bend = starts[deep] + boxes[deep], starts[deep] + boxes[deep] + spare
        tip = starts[-1] if leads else starts[deep + 1]
        _path(ax, [(start, y0), (bend, y1), (tip - 0.05, y1)], GREY, 1)
        arrow(ax, (tip - 0.1, y1), (tip, y1))
        _over(ax, bend + words[deep] / 2, y1, text, 10)
    for text, _, y in ends:
        _pill(ax, starts[-1] + last / 2, y, last, text, SKY[0])
    return _cut(ax, ends[-1][2] - 0.3, 0.3)


# ----------------------------------------------------------------------------------------------------------- flow


def flow(
    steps: Sequence[tuple[str, str] | tuple[str, str, str | None]],
    *,
    arrows: Sequence[tuple[int, int, str]] = (),
    chance: Sequence[str] = (),
    private: Sequence[str] | None = None,
) -> Axes:
    """Draw who does what in which order: a lane for each side, boxes from left to right, the privacy border between.

    Parameters
    ----------
    steps : sequence of (lane, text) or (lane, text, label)
        In order; an arrow leads to each step from the one before, with this label, and none where the label is None.
        Lanes lie below each other in the order in which they are first named.  Long texts are broken into lines, unless
        they have line breaks of their own.
    arrows : sequence of (from, to, label)
        More arrows, between steps given by their numbers from 0.
    chance : sequence of str
        Texts of the steps that draw at random: they get a die.
    private : sequence of str, optional
        Lanes that lie within the border; else the first.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ldpnb_book import diagram
    >>> steps = [("phone", "answer"), ("phone", "k-RR"), ("server", "counts", "report"), ("server", "estimate")]
    >>> ax = diagram.flow(steps, chance=["k-RR"])
    """
    if not steps or any(isinstance(step, str) or len(step) not in (2, 3) for step in steps):
        raise ValueError(f"steps must be pairs (lane, text) or triples (lane, text, label), got {steps!r}")
    lanes, texts = list(dict.fromkeys(step[0] for step in steps)), [step[1] for step in steps]
    private = lanes[:1] if private is None else private
    for what, given, known in (("chance", chance, texts), ("private", private, lanes)):
        if strange := [text for text in given if text not in known]:
            raise ValueError(f"{what} must name what stands in steps, got {strange[0]!r}")
    if astray := [pair for pair in arrows if not {*pair[:2]} <= {*range(len(steps))} or pair[0] == pair[1]]:
        raise ValueError(f"arrows must join two of the steps 0 to {len(steps) - 1}, got {astray[0]!r}")
    labels = ["" if len(step) == 2 else step[2] for step in steps]
    links = [(i, i + 1, label) for i, label in enumerate(labels[1:]) if label is not None] + list(arrows)
    begins = [i for i, label in enumerate(labels) if not i or label is None]

    ax = _sheet()
    for size, letters in ((11, 20), (11, 14), (11, 10), (10, 12), (10, 8)):  # the longest lines that fit
        told = [text if "\n" in text or "$" in text else fill(text, letters, break_long_words=False) for text in texts]
        cards = [_Card(t, lanes.index(s[0]), *_measure(ax, t, size)) for s, t in zip(steps, told, strict=True)]
        columns = _place(cards, begins)
        wide, gaps = [max(card.w for card in cards if card.column == c) for c in range(columns)], [0.3] * (columns - 1)
        for i, j, label in links:
            c, width = cards[j].column, _measure(ax, label, 10)[0]
            if cards[i].row != cards[j].row:
                wide[c] = max(wide[c], width)
            elif cards[i].column == c - 1:
                gaps[c - 1] = max(gaps[c - 1], width + 0.16)
        spare = WIDTH - 0.72 - sum(wide) - sum(gaps)
        if spare >= 0:
            break
    else:
        raise _refused(ax, f"steps must fit into {WIDTH} inches, they are {-spare:.2g} wider: shorten texts or labels")

    bands = [
        max(0.9, _measure(ax, lane)[0] + 0.3, *(card.h + 0.35 for card in cards if card.row == row))
        for row, lane in enumerate(lanes)
    ]
    tops = [-sum(bands[:row]) - 0.5 * row for row in range(len(lanes) + 1)]
    for row, lane in enumerate(lanes):
        middle = tops[row] - bands[row] / 2
        frame(ax, 0.06, tops[row] - bands[row], WIDTH - 0.12, bands[row], ("#FAFAFA", "#CFCFCF"))
        _write(ax, 0.2, middle, lane, rotation=90, fontweight="bold")
        _write(ax, 0.4, middle, "private" if lane in private else "public", 10, color=GREY, rotation=90)
        if row and (lane in private) != (lanes[row - 1] in private):
            _path(ax, [(0.06, tops[row] + 0.25), (WIDTH - 0.06, tops[row] + 0.25)], BORDER, 1.8, "--")
    for i, (card, text) in enumerate(zip(cards, texts, strict=True)):
        c, paint = card.column, SAND if text in chance else SKY if i in {*begins, len(cards) - 1} else PLAIN
        card.x = 0.58 + sum(wide[:c]) + sum(gaps[:c]) + wide[c] / 2 + spare * (c + 0.5) / columns
        card.y = tops[card.row] - bands[card.row] / 2
        _round(ax, card.side(-1, -1), card.w, card.h, paint, 0.08)
        _write(ax, card.x, card.y, card.text, size)
        if text in chance:
            _write(ax, card.x - card.w / 2 + 0.13, card.y + card.h / 2 + 0.02, DIE, 13)
    runs = {1: 0.0, -1: 0.0}
    for i, j, label in links:
        a, b, side = cards[i], cards[j], 1 if cards[i].row == 0 else -1
        run = runs[side] + 0.25 if side > 0 else tops[-1] + 0.5 - runs[side] - 0.25
        free = [path for path in _routes(a, b, run, side) if not any(card.hit(path) for card in cards)]
        if not free:
            raise _refused(ax, f"arrows must pass between the boxes, none can from {texts[i]!r} to {texts[j]!r}")
        _path(ax, free[0][:-1], "black", 1)
        arrow(ax, *free[0][-2:])
        outside = free[0][1][1] == run
        runs[side] += 0.3 * outside
        if label and (outside or a.row == b.row):
            (x0, y), (x1, _) = free[0][1:3] if outside else free[0]
            _over(ax, (x0 + x1) / 2, y if outside else y + 0.14, label, 10)
        elif label:
            _over(ax, free[0][-1][0], tops[max(a.row, b.row)] + 0.25, label, 10)
    return _cut(ax, tops[-1] + 0.44 - runs[-1] - 0.1 * (runs[-1] > 0), 0.06 + runs[1] + 0.1 * (runs[1] > 0))


def _path(ax: Axes, points: Sequence[Point], color: str, width: float, dash: str = "-") -> None:
    ax.plot(*zip(*points, strict=True), color=color, linewidth=width, linestyle=dash, marker="", zorder=2)


@dataclass
class _Card:
    """A step: its text, lane and size, then where it stands."""

    text: str
    row: int
    w: float
    h: float
    column: int = 0
    x: float = 0.0
    y: float = 0.0

    def __post_init__(self) -> None:
        self.w, self.h = self.w + 0.2, self.h + 0.2

    def side(self, right: int, up: int) -> Point:
        return self.x + right * self.w / 2, self.y + up * self.h / 2

    def hit(self, path: Sequence[Point]) -> bool:
        """Whether a path of level and upright lines passes through."""
        near_x, near_y = self.w / 2 - 0.01, self.h / 2 - 0.01
        return any(
            min(x0, x1) < self.x + near_x
            and max(x0, x1) > self.x - near_x
            and min(y0, y1) < self.y + near_y
            and max(y0, y1) > self.y - near_y
            for (x0, y0), (x1, y1) in pairwise(path)
        )


def _place(cards: Sequence[_Card], begins: Sequence[int]) -> int:
    """Give each step the first column that lies after all it must follow, and return how many columns there are.

    A step that changes the lane stays in its column if that is free, in the lanes that are passed as well.
    """
    used: dict[int, int] = {}
    for i, card in enumerate(cards):
        card.column = used.get(card.row, -1) + 1
        if i not in begins:
            last = cards[i - 1]
            passed = [
                row
                for row in range(min(card.row, last.row), max(card.row, last.row))
                if row not in (card.row, last.row)
            ]
            card.column = max(card.column, last.column, *(used.get(row, -1) + 1 for row in passed))
        used[card.row] = card.column
    return max(used.values()) + 1


def _routes(a: _Card, b: _Card, run: float, side: int) -> list[list[Point]]:
    """Ways from one box to another, best first: straight, round one corner, around outside at height `run`."""
    ahead, up = (1 if b.x > a.x else -1), (1 if b.y > a.y else -1)
    outer = [a.side(0, side), (a.x, run), (b.x, run), b.side(0, side)]
    if a.row == b.row:
        return [[a.side(ahead, 0), b.side(-ahead, 0)], outer]
    if a.x == b.x:
        return [[a.side(0, up), b.side(0, -up)], outer]
    return [[a.side(ahead, 0), (b.x, a.y), b.side(0, -up)], [a.side(0, up), (a.x, b.y), b.side(-ahead, 0)], outer]


# ------------------------------------------------------------------------------------------------ timeline, cells


def timeline(
    rows: Mapping[str, Sequence[tuple[float, float | None]]],
    *,
    batches: Mapping[float, str] | None = None,
    unit: str = "",
) -> Axes:
    """Draw when each of several things exists, and moments at which somebody looks; a dot where one is seen.

    Parameters
    ----------
    rows : dict of str to sequence of (start, end)
        For each row its intervals, with their starts and without their ends; an end that is None is not yet known.
    batches : dict of float to str, optional
        The moments, and what is written over them.
    unit : str
        What the axis counts.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ldpnb_book import diagram
    >>> ax = diagram.timeline({"old song": [(0, 3)], "hit": [(1, None)]}, batches={2: "first batch"}, unit="day")
    """
    spans = [span for row in rows.values() for span in row]
    if not spans or any(end is not None and not start < end for start, end in spans):
        raise ValueError(f"rows must have intervals that end after they start, got {dict(rows)!r}")
    batches = batches or {}
    ends = [time for span in spans for time in span if time is not None]
    first, last = min([*ends, *batches]), max([*ends, *batches])
    ax, pitch = _sheet(), 0.42
    left, right = _widest(ax, rows) + 0.3, WIDTH - 0.35
    scale = (right - left - 0.3 * (None in (end for _, end in spans))) / ((last - first) or 1)
    floor = -pitch * len(rows) + pitch / 2

    def at(time: float) -> float:
        return left + (time - first) * scale

    for time, text in batches.items():
        _path(ax, [(at(time), floor), (at(time), pitch * 0.7)], BORDER, 1.6, "--")
        _write(ax, at(time), pitch * 0.7 + 0.05, text, va="bottom")
    for i, (name, row) in enumerate(rows.items()):
        y = -pitch * i
        _write(ax, left - 0.15, y, name, ha="right")
        for start, end in row:
            x0, x1 = at(start), right if end is None else at(end)
            frame(ax, x0, y - 0.12, x1 - x0, 0.24, (FILLS[2], INK))
            if end is None:
                _path(ax, [(x1, y - 0.13), (x1, y + 0.13)], "white", 3)
                arrow(ax, (x1, y), (x1 + 0.25, y))
            seen = [at(time) for time in batches if start <= time and (end is None or time < end)]
            ax.plot(seen, [y] * len(seen), color=INK, marker="o", markersize=7, linestyle="none", zorder=4)
    arrow(ax, (left - 0.1, floor), (WIDTH - 0.08, floor))
    for tick in MaxNLocator(8, integer=True).tick_values(first, last):
        if first <= tick <= last:
            _path(ax, [(at(tick), floor), (at(tick), floor - 0.06)], INK, 1)
            _write(ax, at(tick), floor - 0.1, f"{tick:g}", 10, va="top")
    _write(ax, left - 0.15, floor - 0.1, unit, 10, va="top", ha="right", color=GREY)
    return _cut(ax, floor - 0.36, pitch * 0.7 + (0.35 if batches else 0))


def cells(rows: Mapping[str, Sequence[Any]], *, numbers: Sequence[Any] | None = None) -> Axes:
    """Draw rows of little squares: vectors of bits, histograms.

    Parameters
    ----------
    rows : dict of str to sequence
        What stands left of each row, and its entries: a truth value is drawn as a filled or an empty square, anything
        else is written into it as well, and fills it unless it is 0 or "".
    numbers : sequence, optional
        What stands under the columns, else 0, 1, …; not under each where there is no room.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ldpnb_book import diagram
    >>> ax = diagram.cells({"true bits": [False, True, False], "report": [True, True, False]})
    """
    n = max((len(row) for row in rows.values()), default=0)
    if not n or any(len(row) != n for row in rows.values()):
        raise ValueError(f"rows must be of one length, at least 1, got {[len(row) for row in rows.values()]}")
    under = [str(number) for number in (range(n) if numbers is None else numbers)]
    if len(under) != n:
        raise ValueError(f"numbers must be {n}, one for each column, got {len(under)}")
    ax = _sheet()
    texts = [["" if isinstance(x, bool | np.bool_) else str(x) for x in row] for row in rows.values()]
    left, inside, below = (
        _widest(ax, rows) + 0.25,
        _widest(ax, sum(texts, []), 10) + 0.04,
        _widest(ax, under, 10) + 0.06,
    )
    wide = min(max(0.4, inside, 0 if numbers is None else below), (WIDTH - left - 0.1) / n)
    if wide < max(0.08, inside):
        raise _refused(ax, f"rows must have fewer or smaller entries: {n} cells are {wide:.2f} inches wide")
    tall, left = min(wide, 0.4), left + (WIDTH - left - 0.1 - n * wide) / 2
    every = next(e for e in (1, 2, 4, 5, 8, 10, 16, 20, n) if e * wide >= below or e == n)
    for i, (name, row) in enumerate(rows.items()):
        y = -(tall + 0.14) * i
        _write(ax, left - 0.12, y + tall / 2, name, ha="right")
        for j, (x, text) in enumerate(zip(row, texts[i], strict=True)):
            frame(ax, left + j * wide, y, wide, tall, (FILLS[2] if x else "white", INK))
            _write(ax, left + (j + 0.5) * wide, y + tall / 2 - 0.01, text, 11 if inside < wide - 0.1 else 10)
    for j in range(0, n, every):
        _write(ax, left + (j + 0.5) * wide, y - 0.06, under[j], 10, va="top", color=GREY)
    return _cut(ax, y - 0.3, max(tall + 0.06, tall / 2 + 0.16))
