"""The pieces of a flow diagram lie where the chapter says, and look as the book's do."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")
import matplotlib.pyplot as plt
from matplotlib.colors import same_color

from ldpnb_book import diagram


@pytest.fixture
def ax():
    ax = plt.figure().add_subplot()
    diagram.board(ax)
    yield ax
    plt.close("all")


def corners(ax, artist):
    """Left, low, right, high of what is drawn, in the units of the axes."""
    ax.figure.canvas.draw()
    return artist.get_window_extent().transformed(ax.transData.inverted()).extents


def test_a_board_is_empty_and_has_the_limits_asked_for(ax):
    ax.figure.canvas.draw()
    before = np.asarray(ax.figure.canvas.buffer_rgba())
    assert (before == 255).all() and (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (0, 1))
    diagram.board(ax, (-5, 27), (-1, 4))
    assert (ax.get_xlim(), ax.get_ylim()) == ((-5, 27), (-1, 4))
    ax.spines[:].set_visible(True)  # what a board takes away would be seen
    ax.figure.canvas.draw()
    assert (np.asarray(ax.figure.canvas.buffer_rgba()) < 255).any()


def test_a_box_is_centred_around_its_text(ax):
    for size in (9, 12):
        diagram.box(ax, 0.3, 0.6, "perturb", diagram.SAND, size)
    small, large = ax.texts
    for text in (small, large):
        left, low, right, high = corners(ax, text.get_bbox_patch())
        assert ((left + right) / 2, (low + high) / 2) == pytest.approx((0.3, 0.6), abs=0.01)
        inner = corners(ax, text)
        assert left < inner[0] and low < inner[1] and right > inner[2] and high > inner[3]
        assert same_color(text.get_bbox_patch().get_facecolor(), diagram.SAND[0])
        assert same_color(text.get_bbox_patch().get_edgecolor(), diagram.SAND[1])
    assert np.ptp(corners(ax, large)[[0, 2]]) > 1.2 * np.ptp(corners(ax, small)[[0, 2]])


def test_a_frame_begins_at_its_lower_left_corner(ax):
    diagram.frame(ax, 0.1, 0.2, 0.5, 0.3, diagram.SKY)
    (drawn,) = ax.patches
    assert drawn.get_bbox().extents == pytest.approx([0.1, 0.2, 0.6, 0.5])
    assert same_color(drawn.get_facecolor(), diagram.SKY[0]) and same_color(drawn.get_edgecolor(), diagram.SKY[1])


@pytest.mark.parametrize("start, end", [((0.2, 0.5), (0.8, 0.5)), ((0.8, 0.5), (0.2, 0.5))])
def test_an_arrow_points_to_its_end(ax, start, end):
    diagram.arrow(ax, start, end)
    left, _, right, _ = corners(ax, ax.texts[0].arrow_patch)
    assert (left, right) == pytest.approx((0.2, 0.8), abs=0.01)
    ax.figure.canvas.draw()
    dark = (np.asarray(ax.figure.canvas.buffer_rgba())[..., :3].sum(-1) < 300).sum(0)
    inked = np.flatnonzero(dark)
    tip, tail = (inked[-20:], inked[:20]) if end[0] > start[0] else (inked[:20], inked[-20:])
    assert dark[tip].max() > 3 * dark[tail].max()  # the head is thick, the shaft is not


def test_a_border_stands_between_what_it_parts(ax):
    diagram.border(ax, 0.4, 0.1, 0.9, "private", "public")
    (line,) = ax.lines
    assert line.get_xydata().tolist() == [[0.4, 0.1], [0.4, 0.9]]
    left, right = (corners(ax, text) for text in ax.texts)
    assert [text.get_text() for text in ax.texts] == ["private", "public"]
    assert left[2] < 0.4 < right[0] and min(left[1], right[1]) > 0.9 and max(left[3], right[3]) <= 1


# --- decisions

TREE = {"A list?": {"no": "wheel", "yes": {"How many items?": {"few": "k-RR", "many": "OUE"}}}}


def written(axes):
    """Where each text stands, by the text on one line."""
    return {text.get_text().replace("\n", " "): text.get_position() for text in axes.texts if text.get_text()}


def test_decisions_lead_from_left_to_right_to_ends_in_one_column():
    axes = diagram.decisions(TREE)
    at = written(axes)
    assert {*at} == {"A list?", "no", "yes", "How many items?", "few", "many", "wheel", "k-RR", "OUE"}
    assert len({at[end][0] for end in ("wheel", "k-RR", "OUE")}) == 1
    assert at["A list?"][0] < at["yes"][0] < at["How many items?"][0] < at["few"][0] < at["k-RR"][0]
    assert at["wheel"][1] > at["k-RR"][1] > at["OUE"][1]  # in the order given, a pill's text a little below its middle
    assert at["few"][1] == pytest.approx(at["k-RR"][1], abs=0.02)
    assert at["How many items?"][1] == pytest.approx((at["few"][1] + at["many"][1]) / 2)
    assert len(axes.patches) == 5  # three ends and two questions
    plt.close("all")


@pytest.mark.parametrize(
    ("tree", "complaint"),
    [
        ("wheel", "tree must be one question"),
        ({"A?": {"no": "x", "yes": "y"}, "B?": {}}, "tree must be one question"),
        ({"A?": "x"}, "tree must be one question"),
        ({"A?": {"no": "x", "yes": 3}}, "got 3"),
        ({"A?": {"no": "x"}}, "two answers or more"),
        ({"A?": {"no": "x" * 60, "yes": "y"}}, "shorten them"),
    ],
)
def test_what_is_no_tree_of_decisions_is_refused(tree, complaint):
    with pytest.raises(ValueError, match=complaint):
        diagram.decisions(tree)
    plt.close("all")
