"""Figures drawn by seaborn look like the book's, pair theory with simulation by name, and say names at the lines."""

import warnings
from math import exp

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("agg")
import matplotlib.pyplot as plt
import seaborn as sns
import seaborn.objects as so
from matplotlib.colors import to_hex, to_rgb

from ldpnb_book import COLOURS, dots, label_lines, line, plain_ticks, simulation, style, theory

NAMES = ["PrivKV", "tight PrivKV", "SE"]


@pytest.fixture(autouse=True)
def styled():
    plt.close("all")  # what another test left open would be drawn on
    with mpl.rc_context():
        style()
        yield
    plt.close("all")


def frame(names=NAMES):
    """One row a point: curves that start apart and end almost together."""
    rows = [(name, x, exp(-x) * (i + 1) + 0.05) for i, name in enumerate(names) for x in np.arange(0, 5.1, 0.5)]
    return pd.DataFrame(rows, columns=["name", "ε", "error"])


def runs(names=NAMES, n=40):
    rng = np.random.default_rng(1)
    rows = [(name, x, rng.normal(0, i + 1)) for i, name in enumerate(names) for x in (1, 2) for _ in range(n)]
    return pd.DataFrame(rows, columns=["name", "ε", "estimate"])


# --------------------------------------------------------------------------------------------------- the theme


def test_lines_of_seaborn_have_the_colours_of_the_book_without_being_told():
    ax = sns.lineplot(frame(), x="ε", y="error", hue="name")
    assert [to_hex(drawn.get_color()).upper() for drawn in ax.lines[:3]] == list(COLOURS[:3])
    assert not ax.spines["top"].get_visible() and ax.get_xgridlines()[0].get_color() == "#DDDDDD"


def test_the_objects_interface_has_them_too():
    fig = plt.figure()
    so.Plot(frame(), x="ε", y="error", color="name").add(so.Line()).on(fig).plot()
    (ax,) = fig.axes
    assert [to_hex(drawn.get_color()).upper() for drawn in ax.lines] == list(COLOURS[:3])
    assert to_hex(ax.get_facecolor()) == "#ffffff" and not ax.spines["top"].get_visible()


def test_a_grid_of_seaborn_says_nothing_and_is_as_wide_as_the_page():
    table = pd.concat([frame().assign(panel=panel) for panel in "ab"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style()
        grid = sns.relplot(table, x="ε", y="error", col="panel", kind="line", height=3, **theory("name", NAMES))
        label_lines(grid.axes.flat)
    assert grid.figure.get_size_inches().tolist() == [6.4, 3] and grid.figure.legends == []
    assert [len(ax.texts) for ax in grid.axes.flat] == [0, 3]


# ----------------------------------------------------------------------------------------- theory and simulation


def look(drawn):
    return to_hex(drawn.get_color()), drawn._dash_pattern, drawn.get_marker()


@pytest.mark.parametrize("n", [1, 3, 7])
def test_theory_and_simulation_look_like_line_and_dots(n):
    names = [f"m{i}" for i in range(n)]
    left, middle, right = plt.figure().subplots(1, 3)
    sns.lineplot(frame(names), x="ε", y="error", ax=left, **theory("name", names))
    sns.lineplot(frame(names), x="ε", y="error", ax=middle, **simulation("name", names))
    for i in range(n):
        (curve,), (points,) = right.plot([0, 1], **line(i)), right.plot([0, 1], **dots(i))
        assert look(left.lines[i])[:2] == look(curve)[:2]
        mark = next(drawn for drawn in middle.lines if to_hex(drawn.get_color()) == to_hex(COLOURS[i]))
        assert (to_hex(mark.get_color()), mark.get_marker()) == (to_hex(points.get_color()), points.get_marker())
        assert mark.get_linestyle() == "None" and left.lines[i].get_marker() in ("", "None", None)


def test_a_name_keeps_its_look_where_others_are_missing():
    ax = sns.lineplot(frame(["SE"]), x="ε", y="error", **theory("name", NAMES))
    shown = [drawn for drawn in ax.lines if len(drawn.get_xdata())]
    assert [to_hex(drawn.get_color()).upper() for drawn in shown] == [COLOURS[2]]


@pytest.mark.parametrize("of", ["mean", "std", "var"])
def test_marks_and_bars_are_estimates_and_their_intervals(of):
    table = runs(["SE"], 400)
    ax = sns.lineplot(table, x="ε", y="estimate", **simulation("name", ["SE"], of=of))
    mark = next(drawn for drawn in ax.lines if drawn.get_marker() == "o")
    expected = table.groupby("ε")["estimate"].agg(of)
    assert mark.get_ydata() == pytest.approx(expected.to_numpy())
    low, high = ax.collections[0].get_segments()[0][:, 1]
    by_theory = {"mean": 1 / 20, "std": 1 / 20 / 2**0.5, "var": 2**0.5 / 20}[of]  # of normal values
    assert (high - low) / 2 == pytest.approx(1.96 * by_theory, rel=0.25)
    assert (high + low) / 2 == pytest.approx(expected[1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("of, true", [("std", 1.0), ("var", 1.0)])
@pytest.mark.parametrize("law", ["standard_normal", "standard_exponential"])
def test_intervals_cover_what_they_should(of, true, law):
    interval = simulation("name", ["SE"], of=of)["errorbar"]
    rng = np.random.default_rng(2)
    ends = np.array([interval(getattr(rng, law)(1000)) for _ in range(500)])
    assert 0.90 < np.mean((ends[:, 0] <= true) & (true <= ends[:, 1])) < 0.98
    half = ends.mean(1, keepdims=True) + (ends - ends.mean(1, keepdims=True)) / 2
    assert np.mean((half[:, 0] <= true) & (true <= half[:, 1])) < 0.8  # bars of half the length would be caught


def test_one_row_is_a_mark_without_a_bar_and_equal_rows_a_bar_of_no_length():
    ax = sns.lineplot(frame(), x="ε", y="error", **simulation("name", NAMES))
    assert not any(np.isfinite(part).any() for bars in ax.collections for part in bars.get_segments())
    assert simulation("name", NAMES, of="std")["errorbar"](pd.Series([2.0, 2.0])) == (0, 0)


@pytest.mark.parametrize("function", [theory, simulation])
@pytest.mark.parametrize("names", [[], "SE", ["SE", "SE"], list("abcdefgh")])
def test_names_are_refused(function, names):
    with pytest.raises(ValueError, match="names must be 1 to 7 different ones, got"):
        function("name", names)


def test_another_estimator_is_refused():
    with pytest.raises(ValueError, match="of must be one of mean, std, var, got 'median'"):
        simulation("name", NAMES, of="median")


# ------------------------------------------------------------------------------------------------ names at lines


def boxes(ax):
    ax.figure.canvas.draw()
    return {text.get_text(): mpl.text.Text.get_window_extent(text) for text in ax.texts}


def test_names_stand_at_the_ends_of_their_lines_apart_and_inside():
    ax = sns.lineplot(frame(), x="ε", y="error", **theory("name", NAMES))
    label_lines(ax)
    found = boxes(ax)
    assert ax.get_legend() is None and set(found) == set(NAMES)
    for name, box in found.items():
        drawn = ax.lines[NAMES.index(name)]
        end = ax.transData.transform(drawn.get_xydata()[-1])
        assert end[0] < box.x0 < end[0] + 60 and abs((box.y0 + box.y1) / 2 - end[1]) < 60
        assert box.x1 <= ax.figure.bbox.x1 and box.y0 > ax.bbox.y0 - 10
    # SE ends highest
    assert sorted(found, key=lambda name: -found[name].y0) == ["SE", "tight PrivKV", "PrivKV"]
    ordered = sorted(found.values(), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in zip(ordered, ordered[1:], strict=False))
    ends = [ax.transData.transform(drawn.get_xydata()[-1])[1] for drawn in ax.lines[:3]]
    assert max(ends) - min(ends) < 20  # at the ends themselves they would overlap


def test_a_line_that_only_one_panel_has_gets_its_name_there():
    figure, axes = plt.subplots(1, 2)
    for ax, names in zip(axes, (["PrivKV", "SE"], ["SE", "tight PrivKV"]), strict=True):
        sns.lineplot(frame(names), x="ε", y="error", ax=ax, **theory("name", NAMES))
    label_lines(axes)
    assert [{text.get_text() for text in ax.texts} for ax in axes] == [{"PrivKV"}, {"SE", "tight PrivKV"}]
    assert [ax.get_legend() for ax in axes] == [None, None]


def test_names_are_read_in_their_colours():
    ax = plt.figure().add_subplot()
    for i in range(7):
        ax.plot([0, 1], [0, i], label=f"m{i}", **line(i))
    ax.axhline(2)  # without a name
    label_lines(ax)
    assert [text.get_text() for text in ax.texts] == [f"m{i}" for i in range(7)]
    for i, text in enumerate(ax.texts):
        ink, colour = np.array(to_rgb(text.get_color())), np.array(to_rgb(COLOURS[i]))
        assert ink / max(ink.max(), 1e-9) == pytest.approx(colour / max(colour.max(), 1e-9), abs=0.02)
        linear = np.where(ink <= 0.04045, ink / 12.92, ((ink + 0.055) / 1.055) ** 2.4)
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.45


def test_a_name_stands_where_its_line_leaves_the_picture():
    ax = plt.figure().add_subplot()
    ax.plot([0, 1, 2, 3], [0, 1, 2, 9], label="steep", **line(0))
    ax.set(xlim=(0, 3), ylim=(0, 3))
    label_lines(ax)
    assert ax.texts[0].xy == pytest.approx((2, 2))


def test_lines_without_names_are_refused():
    ax = plt.figure().add_subplot()
    ax.plot([0, 1])
    with pytest.raises(ValueError, match="axes must show lines with labels"):
        label_lines(ax)


def test_ticks_of_decades_are_plain_numbers():
    ax = sns.lineplot(frame(), x="ε", y="error", **theory("name", NAMES))
    ax.set(yscale="log", ylim=(0.04, 4))
    plain_ticks(ax)
    ax.figure.canvas.draw()
    low, high = ax.get_ylim()
    shown = [t.label1.get_text() for t in ax.yaxis.get_major_ticks() if low <= t.get_loc() <= high]
    assert shown == ["0.05", "0.1", "0.2", "0.5", "1", "2"]
    assert ax.get_xscale() == "linear" and [t.get_text() for t in ax.get_xticklabels()][1] in ("0", "0.0")


# ------------------------------------------------------------------- the figure of a lesson, as short as it gets


def reports(eps):
    """For each mechanism the probabilities of −, absent and + about a key with f = 0.2 and m = 0.5, and the scores."""
    p = exp(eps / 2) / (1 + exp(eps / 2))
    rows = {
        "SE": np.array([exp(eps), 1, 1]) / (exp(eps) + 2),
        "PrivKV": np.array([p * p, p * (1 - p), (1 - p) / 2]),
        "tight PrivKV": np.array([exp(eps), 1, 1]) / (exp(eps) + 3),
    }
    for name, (a, b, c) in rows.items():
        minus, plus = np.array([0.05, 0.15]) @ [[a, b], [b, a]] + 0.8 * c
        yield name, np.array([minus, 1 - minus - plus, plus]), (np.array([1, 0, 1]) - 2 * c) / (a + b - 2 * c)


def test_the_figure_of_a_lesson_is_seven_lines():
    rng, n, exact, seen = np.random.default_rng(2021), 50_000, [], []
    for eps in np.arange(0.5, 4.1, 0.5):
        for name, share, score in reports(eps):
            spread = ((share @ score**2 - (share @ score) ** 2) / n) ** 0.5
            exact.append({"name": name, "ε": eps, "error": spread})
            seen += [{"name": name, "ε": eps, "f": f} for f in rng.multinomial(n, share, 200) @ score / n]
    exact, seen = pd.DataFrame(exact), pd.DataFrame(seen)

    ax = sns.lineplot(exact, x="ε", y="error", **theory("name", NAMES))
    sns.lineplot(seen, x="ε", y="f", ax=ax, **simulation("name", NAMES, of="std"))
    ax.set(yscale="log", xlabel="budget ε", ylabel="standard error of f")
    plain_ticks(ax)
    label_lines(ax)

    assert set(boxes(ax)) == set(NAMES)
    marks = [drawn for drawn in ax.lines if drawn.get_marker() in ("o", "s", "^") and drawn.get_linestyle() == "None"]
    for name, drawn in zip(NAMES, marks[:3], strict=True):
        curve = exact.loc[exact["name"] == name, "error"].to_numpy()
        assert np.abs(drawn.get_ydata() / curve - 1).max() < 0.2  # the marks lie on the line of their name
        other = exact.loc[exact["name"] == NAMES[NAMES.index(name) - 2], "error"].to_numpy()
        assert name == "tight PrivKV" or np.abs(drawn.get_ydata() / other - 1).max() > 0.2
