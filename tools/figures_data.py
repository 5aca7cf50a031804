"""Write the numbers behind the figures of the chapters: _build/figures-data/<page>/<figure>.csv, a file a figure.

A stored notebook has its figures as images.  So the pages are executed once more, in kernels of their own that leave
the stored notebooks alone, and what a figure draws is read off matplotlib at the moment it is shown.

usage: python tools/figures_data.py [page ...]

A page is named by its path or its stem; without names, all pages are run, which takes as long as all notebooks.
A file is named after the figure's label, or figure-3 if the third of its page has none.  Its columns:

panel, title, x_label, y_label   the panel, counted from 1, and what is written at it
kind      line, points, bar, segment (error bars and rules from (x, y) to (x2, y2)), area (its outline), image, level
series    the name of the line or colour, by its label, its legend, or the text at its end; empty if there is none;
          of an image made of colours, the colour
x, y      where it is, in the numbers of the axes; empty where it spans the whole panel, as a rule does
x2, y2    the other corner of a bar or a cell, the other end of a segment
x_name, y_name   what the axis calls this place, where it has names instead of numbers
value     of a cell of an image, of a level

Diagrams, whose axes are switched off or have no ticks, have no numbers: they get no file and are listed.
"""

import argparse
import csv
import json
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path

import run_notebooks

MIME = "application/vnd.ldpnb.figure+json"
OUT = run_notebooks.ROOT / "_build" / "figures-data"
COLUMNS = "panel title x_label y_label kind series x y x2 y2 x_name y_name value".split()
INSTALL = "import sys; sys.path.insert(0, {tools!r}); import figures_data; figures_data.install()"


# ----------------------------------------------------------------------------------------------- within the kernel


def install():
    """Let this notebook store, beside each figure's image, what the figure draws."""
    from IPython import get_ipython
    from matplotlib.figure import Figure

    formatter = get_ipython().display_formatter.mimebundle_formatter
    formatter.for_type(Figure, lambda figure: {MIME: rows(figure)})


def rows(figure):
    """Return what a figure draws, a dict a point; nothing for a diagram."""
    panels = [ax for ax in figure.axes if ax.get_visible() and ax.get_label() != "<colorbar>" and _has_numbers(ax)]
    return [row for i, ax in enumerate(panels, 1) for row in _panel(ax, i, Names(figure, ax))]


def _has_numbers(ax):
    return ax.axison and bool(len(ax.get_xticks()) or len(ax.get_yticks()))


class Names:
    """Names of what is drawn in a panel: by label, by legend, by the text at the end of a line."""

    def __init__(self, figure, ax):
        from matplotlib.container import ErrorbarContainer
        from matplotlib.text import Annotation

        self.of_artist, self.caps = {}, set()
        for box in ax.containers:
            self.caps |= {id(cap) for cap in box.lines[1]} if isinstance(box, ErrorbarContainer) else set()
            label = str(box.get_label())
            for child in box.get_children():
                if child is not None and not label.startswith("_"):
                    self.of_artist[id(child)] = label
        self.looks = {}  # (colour, style) -> name; (colour, None) too
        for other in figure.axes:
            legend = other.get_legend()
            for old in [legend] if legend else []:
                self._of_legend(old)
            ends = {tuple(t.xy): t.get_text() for t in other.texts if isinstance(t, Annotation)}
            for line in other.lines:
                for point in map(tuple, _points(line).tolist()):
                    if point in ends:
                        self._add(line, ends[point])
                label = str(line.get_label())
                if not label.startswith("_"):
                    self._add(line, label)
        for old in figure.legends:
            self._of_legend(old)

    def _of_legend(self, legend):
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            self._add(handle, text.get_text())

    def _add(self, artist, name):
        for look in {_look(artist), (_look(artist)[0], None)}:
            self.looks.setdefault(look, set()).add(name)

    def of(self, artist):
        """Return the name of what is drawn, or ""."""
        label = str(artist.get_label())
        if name := self.of_artist.get(id(artist)):
            return name
        return label if not label.startswith("_") else self.seen(*_look(artist))

    def seen(self, color, style=None):
        """Return the one name that has this colour, or this colour and style."""
        for look in ((color, None), (color, style)):
            if len(found := self.looks.get(look, ())) == 1:
                return next(iter(found))
        return ""


def _look(artist):
    """Colour and style of a line, a patch or a collection."""
    from matplotlib.colors import to_hex

    if hasattr(artist, "get_xydata"):
        return to_hex(artist.get_color()), (str(artist.get_linestyle()), str(artist.get_marker()))
    for read in ("get_facecolor", "get_edgecolor", "get_color"):
        color = getattr(artist, read, lambda: ())()
        if len(color) and not isinstance(color, str):
            color = color[0] if hasattr(color[0], "__len__") else color
            if len(color) == 4 and color[3] > 0:
                return to_hex(color), ("patch", "")
    return "", ("", "")


def _points(line):
    import numpy as np

    return np.column_stack([np.asarray(part, float) for part in line.get_data(orig=False)]).reshape(-1, 2)


def _panel(ax, number, names):
    """Rows of one panel."""
    head = dict(panel=number, title=ax.get_title(), x_label=ax.get_xlabel(), y_label=ax.get_ylabel())
    named = [_categories(axis) for axis in (ax.xaxis, ax.yaxis)]
    found = [row for read in (_lines, _collections, _patches, _images) for row in read(ax, names)]
    for row in found:
        for what, places in zip("xy", named, strict=True):
            middle = (
                (row[what] + row[f"{what}2"]) / 2 if row["kind"] in ("bar", "image") and row[what] != "" else row[what]
            )
            near = min(places, key=lambda at: abs(at - middle), default=None) if middle != "" else None
            row[f"{what}_name"] = places[near] if near is not None and abs(near - middle) < 0.25 else ""
    return [{column: _plain((head | row).get(column, "")) for column in COLUMNS} for row in found]


def _plain(value):
    """Return a number that JSON can hold: nothing for what is not finite."""
    if isinstance(value, str | int):
        return value
    return float(value) if abs(float(value)) < float("inf") else ""


def _categories(axis):
    """Places of an axis that have names, unless the names are numbers."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    if not isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter | StrCategoryFormatter):
        return {}
    places = axis.get_majorticklocs()
    labels = axis.get_major_formatter().format_ticks(places)
    return {float(at): text for at, text in zip(places, labels, strict=True) if text and not _is_number(text)}


def _is_number(text):
    try:
        float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return False
    return True


def _row(kind, series, x, y, x2="", y2="", value=""):
    return dict(kind=kind, series=series, x=x, y=y, x2=x2, y2=y2, value=value)


def _lines(ax, names):
    for line in ax.lines:
        bare = str(line.get_linestyle()) in ("None", " ", "")
        if not line.get_visible() or id(line) in names.caps or (bare and str(line.get_marker()) in ("None", " ", "")):
            continue
        inside = line.get_transform().contains_branch_seperately(ax.transData)  # matplotlib's spelling
        if not any(inside) or (points := _points(line)).size == 0:
            continue
        if not all(inside):  # a rule across the panel
            points = points[:1]
        for x, y in points.tolist():
            yield _row("points" if bare else "line", names.of(line), x if inside[0] else "", y if inside[1] else "")


def _collections(ax, names):
    import numpy as np
    from matplotlib.collections import LineCollection, PathCollection, QuadMesh
    from matplotlib.contour import ContourSet

    for drawn in ax.collections:
        if not drawn.get_visible():
            continue
        if isinstance(drawn, QuadMesh):
            corners = np.asarray(drawn.get_coordinates())
            values = np.ma.filled(np.ma.asarray(drawn.get_array(), float), np.nan).reshape(
                np.array(corners.shape[:2]) - 1
            )
            colors = drawn.to_rgba(values)
            for i, j in np.ndindex(values.shape):
                (x, y), (x2, y2) = corners[i, j].tolist(), corners[i + 1, j + 1].tolist()
                yield _row("image", _color_name(names, colors[i, j]), x, y, x2, y2, value=values[i, j])
        elif isinstance(drawn, ContourSet):
            for level, path in zip(drawn.levels, drawn.get_paths(), strict=False):
                for x, y in path.vertices.tolist():
                    yield _row("level", names.of(drawn), x, y, value=level)
        elif isinstance(drawn, LineCollection):
            for segment in drawn.get_segments():
                for (x, y), (x2, y2) in zip(segment.tolist(), segment[1:].tolist(), strict=False):
                    yield _row("segment", names.of(drawn), x, y, x2, y2)
        elif isinstance(drawn, PathCollection):
            colors = drawn.get_facecolors()
            for i, (x, y) in enumerate(np.ma.filled(drawn.get_offsets(), np.nan).tolist()):
                own = _color_name(names, colors[i]) if len(colors) > i and len(colors) > 1 else names.of(drawn)
                yield _row("points", own, x, y)
        else:
            for path in drawn.get_paths():
                for x, y in path.vertices.tolist():
                    yield _row("area", names.of(drawn), x, y)


def _color_name(names, color):
    from matplotlib.colors import to_hex

    return names.seen(to_hex(color))


def _patches(ax, names):
    import numpy as np
    from matplotlib.patches import Rectangle, StepPatch

    for patch in ax.patches:
        if not patch.get_visible() or not patch.get_transform().contains_branch(ax.transData):
            continue
        if isinstance(patch, StepPatch):
            values, edges, base = patch.get_data()
            lows = np.broadcast_to(0.0 if base is None else base, np.shape(values)).tolist()
            for i, (low, value) in enumerate(zip(lows, values, strict=True)):
                yield _row("bar", names.of(patch), edges[i], low, edges[i + 1], value)
        elif isinstance(patch, Rectangle):
            x, y = map(float, patch.get_xy())
            yield _row("bar", names.of(patch), x, y, x + patch.get_width(), y + patch.get_height())
        else:
            path = patch.get_patch_transform().transform_path(patch.get_path())
            for x, y in path.vertices.tolist():
                yield _row("area", names.of(patch), x, y)


def _images(ax, names):
    import numpy as np
    from matplotlib.colors import to_hex

    for image in ax.images:
        left, right, bottom, top = image.get_extent()
        values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
        if image.origin == "upper":
            bottom, top = top, bottom
        colors = image.to_rgba(values) if values.ndim == 2 else values  # or it is made of colours, which are named
        rows, columns = values.shape[:2]
        x, y = np.linspace(left, right, columns + 1), np.linspace(bottom, top, rows + 1)
        for i, j in np.ndindex(rows, columns):
            name = _color_name(names, colors[i, j]) or ("" if values.ndim == 2 else to_hex(colors[i, j]))
            value = values[i, j] if values.ndim == 2 else ""
            yield _row("image", name, x[j], y[i], x[j + 1], y[i + 1], value)


# ------------------------------------------------------------------------------------------------ outside of it


def run(py, out=OUT):
    """Execute one page and write its files; return success and lines to print."""
    import jupytext
    import nbformat
    from nbclient import NotebookClient
    from traitlets.config import Config

    page = jupytext.read(py)
    page.cells.insert(0, nbformat.v4.new_code_cell(INSTALL.format(tools=str(Path(__file__).resolve().parent))))
    try:
        with tempfile.TemporaryDirectory() as sockets:
            NotebookClient(
                page,
                timeout=run_notebooks.TIMEOUT,
                kernel_name="python3",
                config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
                resources={"metadata": {"path": str(py.parent)}},
            ).execute()
    except Exception as error:  # whatever stops a page is reported, and the next one runs
        last = re.sub(r"\x1b\[[\d;]*m", "", str(error)).strip().splitlines()[-1]
        return False, f"{py.stem}  FAILED: {last}"
    return True, write(page, py.stem, out)


def figures(page):
    """Label and rows of each figure of an executed page."""
    found = []
    for cell in page.cells:
        shown = [data[MIME] for o in cell.get("outputs", []) if MIME in (data := o.get("data", {}))]
        name = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        for i, one in enumerate(shown, 1):
            label = name or f"figure-{len(found) + 1}"
            found.append((label if len(shown) == 1 or not name else f"{label}-{i}", one))
    return found


def write(page, stem, out):
    """Write a file a figure of an executed page; return what to print."""
    folder, told, bare = Path(out) / stem, [], []
    for old in folder.glob("*.csv"):  # of figures that are gone
        old.unlink()
    for label, drawn in figures(page):
        drawn = json.loads(drawn) if isinstance(drawn, str) else drawn
        if not drawn:
            bare.append(label)
            continue
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{label}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(drawn)
        told.append(f"{label} ({len(drawn):,} rows)")
    lines = f"{stem}  {len(told)} files" + (f": {', '.join(told)}" if told else "")
    return lines + (f"\n{stem}  no numbers in {', '.join(bare)}" if bare else "")


def main(arguments):
    """Run the pages named, or all, two at a time; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", nargs="*")
    options = parser.parse_args(arguments)
    try:
        wanted = run_notebooks.chapters(options.page)
    except ValueError as error:
        parser.error(str(error))
    run_notebooks.pin()
    failed = 0
    with ProcessPoolExecutor(2) as pool:
        for done in as_completed([pool.submit(partial(run, py)) for py in wanted]):
            good, lines = done.result()
            failed += not good
            print(lines, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
