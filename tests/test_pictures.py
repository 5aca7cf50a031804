"""Pictures of mechanisms show what they are told, and what the client's own code does; all of it can be read."""

from fractions import Fraction
from io import BytesIO
from itertools import combinations
from math import exp, log

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")
import matplotlib.pyplot as plt
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle
from PIL import Image

from ldpnb import GRR
from ldpnb.chance import law, pick, toss
from ldpnb_book import diagram, style


def reply(truth, rng):
    return truth if toss(0.5, rng) else toss(0.5, rng)


def unfair(truth, rng):
    return truth if toss(0.625, rng) else toss(0.5, rng)


def state_encoding(value, rng):
    """k-RR over three states, ε = ln 2, of the sign of a value."""
    state = 2 if toss((1 + value) / 2, rng) else 0
    if toss(exp(log(2)) / (exp(log(2)) + 2), rng):
        return state
    return pick([other for other in (0, 1, 2) if other != state], rng)


def bits(value, rng):
    return "".join(str(int(toss(0.75 if i == value else 0.25, rng))) for i in range(4))


def fraction(above, below):
    return rf"$\frac{{{above}}}{{{below}}}$"


STATES = {0: "−", 1: "absent", 2: "+"}
PRIVKV = [
    ["$p_1p_2$", "$1-p_1$", "$p_1(1-p_2)$"],
    [fraction("1-p_1", 2), "$p_1$", fraction("1-p_1", 2)],
    ["$p_1(1-p_2)$", "$1-p_1$", "$p_1p_2$"],
]
UNEVEN = [[f"{(4 * x + y) / 100:.2f}" for y in range(4)] for x in range(4)]


def krr(k):
    kept, other = fraction(r"e^\varepsilon", rf"e^\varepsilon+{k - 1}"), fraction(1, rf"e^\varepsilon+{k - 1}")
    return [[kept if x == y else other for y in range(k)] for x in range(k)]


ONE_WAY = [
    ("phone", "value 0.5"),
    ("phone", "sign"),
    ("phone", "state"),
    ("phone", "k-RR"),
    ("server", "counts", "report"),
    ("server", "estimate"),
]
RAPPOR = [
    ("phone", "home page"),
    ("phone", "Bloom filter", "hash"),
    ("phone", "permanent bits", "once"),
    ("phone", "today's bits", "daily"),
    ("server", "counts of bits", "report"),
    ("server", "decoded pages"),
]
TWO_PHASES = [
    ("first half", "items of a person"),
    ("first half", "draw one, perturb"),
    ("server", "candidates", "report"),
    ("second half", "items of a person", None),
    ("second half", "keep the candidates"),
    ("second half", "draw one, perturb"),
    ("server", "counts", "report"),
    ("server", "top $k$"),
]
ROUNDS = [
    ("phone", "key and value"),
    ("phone", "fill in what is absent"),
    ("phone", "perturb"),
    ("server", "counts", "report"),
    ("server", r"mean $\hat m$"),
]
SONGS = {"old song": [(0, 9)], "summer hit": [(3, 12), (20, 24)], "new song": [(10, None)], "podcast": [(0, None)]}
BATCHES = {7: "batch 1", 14: "batch 2", 20: "batch 3"}
GALLERY = {
    "two states": lambda: diagram.states([["3/4", "1/4"], ["1/4", "3/4"]], names=["no", "yes"]),
    "SE": lambda: diagram.states(krr(3), list(STATES.values()), ["state 0", "state 1", "state 2"]),
    "PrivKV": lambda: diagram.states(PRIVKV, list(STATES.values())),
    "three states": lambda: diagram.states([["0.5", "0.3", "0.2"], ["", "0.9", "0.1"], ["0.1", "0.2", "0.7"]]),
    "four states": lambda: diagram.states(krr(4), ["0−", "0+", "1−", "1+"]),
    "four uneven states": lambda: diagram.states(UNEVEN, ["red", "green", "blue", "none"], ["a note"] * 4),
    "reply": lambda: diagram.tree(
        reply,
        True,
        steps=["first coin", "second coin"],
        options=[["truth", "random"], ["yes", "no"]],
        names={False: "no", True: "yes"},
        root="yes",
        head="truth",
    ),
    "Ana": lambda: diagram.tree(
        state_encoding,
        0.5,
        steps=["sign", "keep or move?", "where to?"],
        options=[["+", "−"], ["keep", "move"], ["", ""]],
        names=STATES,
    ),
    "a mechanism": lambda: diagram.tree(GRR(k=3, epsilon=1.0), 0),
    "sixteen leaves": lambda: diagram.tree(bits, 2, steps=[f"bit {i}" for i in range(4)]),
    "no choice": lambda: diagram.tree(lambda value, rng: value, "as it is"),
    "one way": lambda: diagram.flow(ONE_WAY, chance=["sign", "k-RR"]),
    "RAPPOR": lambda: diagram.flow(RAPPOR, chance=["permanent bits", "today's bits"]),
    "two phases": lambda: diagram.flow(
        TWO_PHASES, arrows=[(2, 4, "list")], chance=["draw one, perturb"], private=["first half", "second half"]
    ),
    "rounds": lambda: diagram.flow(ROUNDS, arrows=[(4, 1, r"broadcast $\hat m$, next round")], chance=["perturb"]),
    "loops": lambda: diagram.flow(ONE_WAY, arrows=[(3, 1, "again"), (2, 0, "once more"), (5, 4, "next")]),
    "batches": lambda: diagram.timeline(SONGS, batches=BATCHES, unit="day"),
    "no batches": lambda: diagram.timeline({"A": [(0.5, 2)], "B": [(1, 2.5)]}),
    "bits": lambda: diagram.cells({"Bloom filter": np.arange(32) == 3, "today": np.arange(32) % 3 == 0}),
    "letters": lambda: diagram.cells({"state": [0, 1, 0], "report": ["", "x", "y"]}, numbers=["−", "absent", "+"]),
    "histogram": lambda: diagram.cells({"counts": [12, 4, 0, 31, 7]}),
}


@pytest.fixture(autouse=True)
def styled():
    with mpl.rc_context():
        style()
        yield
    plt.close("all")


def texts(ax):
    return [text for text in ax.texts if text.get_text()]


def faults(ax):
    """What cannot be read of a picture: texts cut, too small, or one upon another."""
    figure = ax.figure
    figure.canvas.draw()
    boxes = {text: text.get_window_extent() for text in texts(ax)}
    found = [f"{text.get_text()} is small" for text in boxes if text.get_fontsize() < 10]
    for text, place in boxes.items():
        if not (0 <= place.x0 and place.x1 <= figure.bbox.x1 and 0 <= place.y0 and place.y1 <= figure.bbox.y1):
            found.append(f"{text.get_text()} is cut")
    for (a, one), (b, other) in combinations(boxes.items(), 2):
        if one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1:
            found.append(f"{a.get_text()} and {b.get_text()} overlap")
    return found


@pytest.mark.parametrize("name", GALLERY)
def test_every_text_of_a_picture_can_be_read(name):
    ax = GALLERY[name]()
    assert faults(ax) == [] and ax.get_title() == ""
    assert ax.figure.get_size_inches()[0] == 6.4 and 0.5 < ax.figure.get_size_inches()[1] < 7.5


def test_what_cannot_be_read_is_found():
    """The control."""
    ax = GALLERY["reply"]()
    ax.text(0.3, 0.33, "upon truth", fontsize=12)
    ax.text(6.2, 0, "cut off", fontsize=12)
    ax.text(3, -0.3, "x", fontsize=9)
    found = " ".join(faults(ax))
    assert all(words in found for words in ("truth and upon truth overlap", "cut off is cut", "x is small"))


def test_the_picture_fits_a_plot_style_that_is_not_the_books():
    mpl.rcdefaults()
    assert faults(GALLERY["two phases"]()) == []


# the filter of custom.css: inverted, and the hues turned back
TURN = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])


def luminance(rgb):
    rgb = np.asarray(rgb, float)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def contrast(a, b):
    light, dark = sorted([luminance(a) + 0.05, luminance(b) + 0.05], reverse=True)
    return light / dark


def test_letters_stand_out_from_every_colour_in_the_light_and_in_the_dark():
    def dark(colour):
        return np.clip(TURN @ (np.array(to_rgb(colour)) * (1 - 2 * 0.93) + 0.93), 0, 1)

    grounds = [*diagram.FILLS, "white", *(paint[0] for paint in (diagram.SKY, diagram.SAND, diagram.PLAIN))]
    assert all(contrast(to_rgb(diagram.INK), to_rgb(ground)) > 7 for ground in grounds)
    assert all(contrast(dark(diagram.INK), dark(ground)) > 4.5 for ground in grounds)
    assert contrast(dark(diagram.INK), dark("#56B4E9")) < 4.5  # a full colour would not do


def test_a_picture_is_opaque_and_white_around():
    drawn = BytesIO()
    GALLERY["one way"]().figure.savefig(drawn, format="png")
    assert Image.open(drawn).convert("RGBA").getpixel((1, 1)) == (255, 255, 255, 255)


# ----------------------------------------------------------------------------------------------------- states


def test_states_bear_their_labels_and_keep_thickly():
    ax = GALLERY["three states"]()
    labels = sorted(text.get_text() for text in texts(ax))
    assert labels == sorted(["0", "1", "2", "0.5", "0.3", "0.2", "0.9", "0.1", "0.1", "0.2", "0.7"])
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert sorted(arrow.get_linewidth() for arrow in arrows) == [1.3] * 5 + [2.6] * 3  # none from 1 to 0
    circles = [patch for patch in ax.patches if isinstance(patch, Circle)]
    assert len({patch.get_facecolor() for patch in circles}) == 3


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_label_is_nearer_to_the_arrow_of_its_direction(n):
    """Of each arrow: it ends at the circle that it leads to, and its label lies on it."""
    labels = [[f"{x}→{y}" for y in range(n)] for x in range(n)]
    ax = diagram.states(labels)
    ax.figure.canvas.draw()
    centres = [patch.center for patch in ax.patches if isinstance(patch, Circle)]
    places = {text.get_text(): np.array(text.get_position()) for text in texts(ax)}
    seen = 0
    for arrow in ax.patches:
        if isinstance(arrow, FancyArrowPatch) and arrow.get_linewidth() < 2:
            start, middle, end = arrow.get_path().vertices[:3]  # then comes its head
            t = np.linspace(0, 1, 50)[:, None]
            curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end
            x, y = (min(range(n), key=lambda z, end=end: np.hypot(*(centres[z] - end))) for end in curve[[0, -1]])
            nearest = min(places, key=lambda text, on=curve: np.hypot(*(on - places[text]).T).min())
            seen += nearest == f"{x}→{y}"
    assert seen == n * (n - 1)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (([["1"]],), "labels must be 2, 3 or 4 rows"),
        (([["1", "0"], ["1"]],), "labels must be 2, 3 or 4 rows"),
        ((["ab", "cd"],), "labels must be 2, 3 or 4 rows"),
        ((krr(3), ["a", "b"]), "names must be 3 texts"),
        ((krr(3), None, "abc"), "notes must be 3 texts"),
        ((krr(2), ["a", "a state with a very long name"]), "names and notes must fit into circles"),
        (([["a" * 40] * 2] * 2,), "texts must"),
    ],
)
def test_states_refuse(arguments, words):
    before = plt.get_fignums()
    with pytest.raises(ValueError, match=words):
        diagram.states(*arguments)
    assert plt.get_fignums() == before


# ------------------------------------------------------------------------------------------------------- tree


def column(ax, head):
    """Texts under a heading, from above."""
    heads = {text.get_text(): text.get_position()[0] for text in texts(ax)}
    below = [
        text for text in texts(ax) if text.get_position()[0] == pytest.approx(heads[head]) and text.get_text() != head
    ]
    return [text.get_text() for text in sorted(below, key=lambda text: -text.get_position()[1])]


def told(ax):
    """The law that a tree shows: for each report the sum of its leaves."""
    found = {}
    for report, share in zip(column(ax, "report"), column(ax, "chance"), strict=True):
        found[report] = found.get(report, 0) + Fraction(share)
    return found


def exact(client, value, names=None):
    return {names[said] if names else str(said): p for said, p in law(lambda rng: client(value, rng)).items()}


def test_a_tree_tells_the_exact_law_of_its_client():
    ax = GALLERY["Ana"]()
    assert (
        told(ax)
        == exact(state_encoding, 0.5, STATES)
        == {"+": Fraction(7, 16), "absent": Fraction(1, 4), "−": Fraction(5, 16)}
    )
    assert column(ax, "chance") == ["3/8", "3/16", "3/16", "1/8", "1/16", "1/16"]
    assert told(GALLERY["sixteen leaves"]()) == exact(bits, 2)


def test_the_tree_of_another_client_tells_another_law():
    """The control."""
    trees = [diagram.tree(client, True) for client in (reply, unfair)]
    assert told(trees[0]) == exact(reply, True) != told(trees[1]) == exact(unfair, True)
    assert told(diagram.tree(state_encoding, 0.25)) != exact(state_encoding, 0.5)


def test_equal_reports_have_one_colour_and_branches_the_width_of_their_probability():
    ax = GALLERY["Ana"]()
    grounds = {}
    pills = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    for text in texts(ax):
        for pill in pills:
            if pill.get_bbox().contains(*text.get_position()):
                grounds.setdefault(text.get_text(), []).append(pill.get_facecolor())
    assert {name: len(found) for name, found in grounds.items()} == {"0.5": 1, "+": 2, "−": 2, "absent": 2}
    assert (
        all(len(set(found)) == 1 for found in grounds.values()) and len({found[0] for found in grounds.values()}) == 4
    )
    circles = [patch for patch in GALLERY["SE"]().patches if isinstance(patch, Circle)]
    for name, circle in zip(STATES.values(), circles, strict=True):
        assert same_color(grounds[name][0], circle.get_facecolor())
    widths = [line.get_linewidth() for line in ax.lines if line.get_linestyle() == "-"]
    assert max(widths) == pytest.approx(0.9 + 5 * 3 / 4) and min(widths) == pytest.approx(0.9 + 5 / 16)


def test_reports_beyond_the_colours_are_white_rather_than_wrongly_equal():
    pills = [patch for patch in GALLERY["sixteen leaves"]().patches if isinstance(patch, FancyBboxPatch)]
    assert len(pills) == 17 and all(same_color(pill.get_facecolor(), "white") for pill in pills)


def test_coins_that_are_no_simple_fraction_are_decimals():
    p = exp(1) / (exp(1) + 1)
    shares = column(diagram.tree(lambda value, rng: toss(p, rng), 0), "chance")
    assert shares == ["0.731", "0.269"]
    assert column(diagram.tree(lambda value, rng: toss(2 / 3, rng), 0), "chance") == ["2/3", "1/3"]


@pytest.mark.parametrize(
    "client, changes, words",
    [
        (lambda value, rng: [toss(0.5, rng) for _ in range(5)], {}, "client must have at most 16 branches"),
        (lambda value, rng: pick(range(17), rng), {}, "client must have at most 16 branches"),
        (reply, {"steps": ["one"]}, "steps must be 2, one for each choice in a row, got"),
        (reply, {"steps": "ab"}, "steps must be 2"),
        (reply, {"options": [["a", "b"]]}, "options must be 2"),
        (reply, {"options": [["a"], ["b", "c"]]}, "options must name all 2 options of choice 0"),
        (reply, {"names": {True: "yes"}}, "names must have a text for every report, got none for False"),
        (reply, {"steps": ["a very long heading indeed", "and another long heading here"]}, "texts must leave 0.45"),
        (lambda value, rng: 1 if toss(0.5, rng) else True, {}, "a program must return equal outputs in one form"),
        (lambda value, rng: rng.integers(2), {}, "Paths has no 'integers'"),
    ],
)
def test_tree_refuses(client, changes, words):
    with pytest.raises((ValueError, AttributeError), match=words):
        diagram.tree(client, True, **changes)
    assert plt.get_fignums() == []


# ------------------------------------------------------------------------------------------------------- flow


def borders(ax):
    return [line.get_ydata()[0] for line in ax.lines if same_color(line.get_color(), diagram.BORDER)]


def height(ax, text):
    return next(t.get_position()[1] for t in texts(ax) if t.get_text().replace("\n", " ") == text)


def test_a_flow_parts_private_from_public():
    ax = GALLERY["one way"]()
    (line,) = borders(ax)
    assert all(height(ax, text) > line for text in ("value 0.5", "sign", "state", "k-RR"))
    assert all(height(ax, text) < line for text in ("counts", "estimate"))
    upper, lower = borders(GALLERY["two phases"]())
    assert upper > height(GALLERY["two phases"](), "candidates") > lower
    assert borders(diagram.flow(ONE_WAY, private=["phone", "server"])) == []


def test_a_flow_has_an_arrow_for_every_step_and_a_die_where_chance_is():
    ax = GALLERY["two phases"]()
    heads = [text for text in ax.texts if not text.get_text()]
    assert len(heads) == 7  # six steps with an arrow from the one before, and one more
    assert sum(text.get_text() == diagram.DIE for text in ax.texts) == 2
    xs = [
        text.get_position()[0]
        for _, name in ONE_WAY[:4]
        for text in GALLERY["one way"]().texts
        if text.get_text() == name
    ]
    assert xs == sorted(xs)


@pytest.mark.parametrize("name", ["one way", "RAPPOR", "two phases", "rounds", "loops"])
def test_no_arrow_of_a_flow_passes_through_a_box(name):
    ax = GALLERY[name]()
    ax.figure.canvas.draw()
    boxes = [patch.get_bbox().padded(-0.02) for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    paths = [line.get_xydata() for line in ax.lines if same_color(line.get_color(), "black")]
    paths += [[text.arrow_patch._posA_posB[0], text.xy] for text in ax.texts if getattr(text, "arrow_patch", None)]
    points = np.concatenate([np.linspace(a, b, 50) for path in paths for a, b in zip(path, path[1:], strict=False)])
    assert len(points) > 100 and not any(box.contains(*point) for box in boxes for point in points)


@pytest.mark.parametrize(
    "steps, changes, words",
    [
        ([], {}, "steps must be pairs"),
        (["phone"], {}, "steps must be pairs"),
        ([("phone", "a", "b", "c")], {}, "steps must be pairs"),
        (ONE_WAY, {"chance": ["dice"]}, "chance must name what stands in steps, got 'dice'"),
        (ONE_WAY, {"private": ["home"]}, "private must name what stands in steps, got 'home'"),
        (ONE_WAY, {"arrows": [(0, 6, "")]}, r"arrows must join two of the steps 0 to 5, got \(0, 6, ''\)"),
        (ONE_WAY, {"arrows": [(2, 2, "")]}, "arrows must join two"),
        ([("phone", "a" * 12)] * 8, {}, "steps must fit into 6.4 inches, they are .* wider"),
        (TWO_PHASES, {"arrows": [(7, 2, "back")]}, "arrows must pass between the boxes, none can from 'top"),
    ],
)
def test_flow_refuses(steps, changes, words):
    with pytest.raises(ValueError, match=words):
        diagram.flow(steps, **changes)
    assert plt.get_fignums() == []


# ------------------------------------------------------------------------------------------- timeline and cells


def test_a_timeline_marks_what_exists_at_each_batch():
    ax = GALLERY["batches"]()
    ticks = {text.get_text(): text.get_position()[0] for text in texts(ax)}
    day = (ticks["24"] - ticks["0"]) / 24
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    spans = [((bar.get_x() - ticks["0"]) / day, (bar.get_x() + bar.get_width() - ticks["0"]) / day) for bar in bars]
    assert (
        spans[0] == pytest.approx((0, 9)) and spans[1] == pytest.approx((3, 12)) and spans[2] == pytest.approx((20, 24))
    )
    assert all(end > 24 for _, end in spans[3:])
    rows = [height(ax, name) for name in SONGS]
    dots = {
        (round((x - ticks["0"]) / day), rows.index(y))
        for line in ax.lines
        if line.get_marker() == "o"
        for x, y in line.get_xydata()
    }
    # an interval has its start and not its end
    assert dots == {(7, 0), (7, 1), (20, 1), (14, 2), (20, 2), (7, 3), (14, 3), (20, 3)}
    ended = diagram.timeline({"A": [(0, 7)]}, batches={7: "batch"})
    assert [len(line.get_xdata()) for line in ended.lines if line.get_marker() == "o"] == [0]


def test_cells_are_filled_where_entries_are_true():
    ax = diagram.cells({"true": [False, True, False], "report": np.array([True, True, False])})
    squares = sorted((p.get_y(), p.get_x(), same_color(p.get_facecolor(), "white")) for p in ax.patches)
    assert [white for *_, white in squares] == [False, False, True, True, False, True]  # the lower row first
    assert [text.get_text() for text in texts(ax)] == ["true", "report", "0", "1", "2"]
    assert [text.get_text() for text in texts(GALLERY["histogram"]())][1:6] == ["12", "4", "0", "31", "7"]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: diagram.timeline({}), "rows must have intervals"),
        (lambda: diagram.timeline({"A": [(2, 2)]}), "rows must have intervals that end after they start"),
        (lambda: diagram.cells({}), "rows must be of one length, at least 1"),
        (lambda: diagram.cells({"A": [True], "B": []}), r"rows must be of one length, at least 1, got \[1, 0\]"),
        (lambda: diagram.cells({"A": [True]}, numbers=[1, 2]), "numbers must be 1, one for each column, got 2"),
        (lambda: diagram.cells({"A": [True] * 90}), "rows must have fewer or smaller entries: 90 cells"),
        (lambda: diagram.cells({"A": [1000] * 20}), "rows must have fewer or smaller entries"),
    ],
)
def test_timeline_and_cells_refuse(call, words):
    with pytest.raises(ValueError, match=words):
        call()
    assert plt.get_fignums() == []
