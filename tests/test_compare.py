"""The tool that compares stored outputs sees one digit and one pixel, and looks past names, folders and new cells."""

import base64
import json
import subprocess
from io import BytesIO

import compare as tool
import pytest
from PIL import Image

SETUP = "from ldpnb.keyvalue import SE\n\nrng = default_rng(1)"


def picture(*spots, size=(40, 30)):
    """A white PNG, base64 as notebooks store it, with a value in the red channel at some places."""
    image, drawn = Image.new("RGB", size, "white"), BytesIO()
    for x, y, red in spots:
        image.putpixel((x, y), (red, 255, 255))
    image.save(drawn, "png")
    return base64.b64encode(drawn.getvalue()).decode()


def code(source, *outputs):
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs)}


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def data(**kinds):
    return {"output_type": "display_data", "data": {kind.replace("_", "/"): text for kind, text in kinds.items()}}


def chapter():
    return [
        {"cell_type": "markdown", "source": ["# Chapter\n"]},
        code(SETUP),
        code("print(found)", stream("two lines\nε = 1.000, error of SE 0.25\n")),
        code("show(rows)", data(text_plain="<HTML>", text_html=["<td>SE</td>\n", "<td>0.5</td>\n"])),
        code("plot()", data(text_plain="<Figure>", image_png=picture((3, 4, 100)))),
        code("print(noise)", stream("name  error\nSE    0.125\n")),
    ]


def text(cells):
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository with two chapters, which are one and the same."""
    (tmp_path / "notebooks").mkdir()
    for name in ("01_a", "02_b"):
        (tmp_path / "notebooks" / f"{name}.ipynb").write_text(text(chapter()), "utf-8")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for command in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "First")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    return tmp_path


def change(root, old, new, name="01_a"):
    path = root / "notebooks" / f"{name}.ipynb"
    stored = path.read_text("utf-8")
    old, new = (json.dumps(part)[1:-1] for part in (old, new))
    assert old in stored
    path.write_text(stored.replace(old, new), "utf-8")


def rewrite(root, edit, name="01_a"):
    cells = chapter()
    edit(cells)
    (root / "notebooks" / f"{name}.ipynb").write_text(text(cells), "utf-8")


def test_nothing_differs(root):
    found, compared = tool.compare("HEAD", [])
    assert found == []
    assert compared == {"chapters": 2, "texts": 10, "figures": 2}


# ----------------------------------------------------------------------------------------------- what is reported


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("1.000", "1.001", "cell 2  stdout line 2: 'ε = 1.000, error of SE 0.25' is now 'ε = 1.001, error of SE 0.25'"),
        ("<td>0.5", "<td>0.6", "cell 3  text/html line 2: '<td>0.5</td>' is now '<td>0.6</td>'"),
        ("<HTML>", "<XML>", "cell 3  text/plain line 1: '<HTML>' is now '<XML>'"),
        (">SE<", ">SUE<", "cell 3  text/html line 1: '<td>SE</td>' is now '<td>SUE</td>'"),
        (">SE<", ">SEMI<", "cell 3  text/html line 1: '<td>SE</td>' is now '<td>SEMI</td>'"),
        ("two lines", "two  lines", "cell 2  stdout line 1: 'two lines' is now 'two  lines'"),  # SE is as it was
        ("0.25\n", "0.25", "cell 2  stdout line 3: '' is now nothing"),
        (picture((3, 4, 100)), picture((3, 4, 101)), "cell 4  image/png 1 of 1,200 pixels differ, by up to 1 of 255"),
        (
            picture((3, 4, 100)),
            picture((3, 4, 100), (9, 9, 0)),
            "cell 4  image/png 1 of 1,200 pixels differ, by up to 255 of 255",
        ),
        (
            picture((3, 4, 100)),
            picture((3, 4, 100), size=(40, 31)),
            "cell 4  image/png 40 × 30 pixels are now 40 × 31",
        ),
    ],
)
def test_a_difference_is_one_line(root, old, new, line):
    change(root, old, new)
    assert tool.compare("HEAD", [])[0] == [f"01_a  {line}"]


def test_outputs_that_come_and_go(root):
    def edit(cells):
        cells[2]["outputs"] = []
        cells[4] = code("plot(k=4)", stream("warning\n"), *cells[4]["outputs"])
        cells.insert(3, code("print(1)", stream("1\n")))

    rewrite(root, edit)
    assert tool.compare("HEAD", [])[0] == [
        "01_a  cell 2  stdout is gone: 'two lines'",
        "01_a  cell 3  stdout is new: '1'",
        "01_a  cell 5  image/png is now stdout",
        "01_a  cell 5  text/plain is now image/png",
        "01_a  cell 5  text/plain is new: '<Figure>'",
    ]


def test_a_lost_cell_is_reported(root):
    rewrite(root, lambda cells: cells.pop(4))
    assert tool.compare("HEAD", [])[0] == [
        "01_a  cell 4 of before  image/png is gone",
        "01_a  cell 4 of before  text/plain is gone: '<Figure>'",
    ]


def test_chapters_that_come_and_go(root):
    folder = root / "notebooks"
    (folder / "02_b.ipynb").rename(folder / "03_c.ipynb")
    assert tool.compare("HEAD", [])[0] == ["02_b  is gone", "03_c  is new"]
    assert tool.compare("HEAD", ["01_a"])[0] == []


def test_long_lines_are_cut_around_what_differs():
    found = tool.text_difference("a" * 500 + "1" + "b" * 500, "a" * 500 + "2" + "b" * 500)
    assert "a1b" in found and "a2b" in found and len(found) < 200
    assert tool.text_difference("a" * 500, "a" * 500 + "!").endswith("aa!'")


# -------------------------------------------------------------------------------------------- what is looked past


def test_names_of_the_table_are_equal(root):
    change(root, "SE</td>", "StateEncoding</td>")
    change(root, "error of SE", "error of StateEncoding")
    change(root, "name  error", "name           error")
    change(root, "SE    0.125", "StateEncoding  0.125")  # columns move
    assert tool.compare("HEAD", [])[0] == []
    change(root, "0.125", "0.126")
    assert tool.compare("HEAD", [])[0] == [
        "01_a  cell 5  stdout line 2: 'SE    0.125' is now 'StateEncoding  0.126'",
    ]


def test_a_chapter_may_move(root):
    (root / "notebooks" / "papers").mkdir()
    (root / "notebooks" / "01_a.ipynb").rename(root / "notebooks" / "papers" / "01_a.ipynb")
    assert tool.compare("HEAD", [])[0] == []
    change(root, "1.000", "1.001", name="papers/01_a")
    assert [line[:12] for line in tool.compare("HEAD", [])[0]] == ["01_a  cell 2"]


def test_a_chapter_may_have_another_name(root):
    (root / "notebooks" / "01_a.ipynb").rename(root / "notebooks" / "07_g.ipynb")
    assert tool.compare("HEAD", ["01_a=07_g"])[0] == []
    change(root, "1.000", "1.001", name="07_g")
    assert [line[:12] for line in tool.compare("HEAD", ["01_a=07_g"])[0]] == ["07_g  cell 2"]


def test_cells_without_outputs_may_come_and_go(root):
    def edit(cells):
        cells[1:2] = [code("import a"), code("import b"), code(SETUP + "\nmore = 1")]
        cells[4] = code("from c import print\nprint(found)", *cells[4]["outputs"])

    rewrite(root, edit)
    assert tool.compare("HEAD", [])[0] == []


def test_a_difference_after_a_new_cell_is_that_of_its_own_cell(root):
    rewrite(root, lambda cells: cells.insert(1, code("import a")))
    change(root, "0.125", "0.126")
    assert [line.split("  ")[1] for line in tool.compare("HEAD", [])[0]] == ["cell 6"]


def test_bytes_of_equal_pictures_may_differ(root):
    drawn = BytesIO()
    Image.open(BytesIO(base64.b64decode(picture((3, 4, 100))))).save(drawn, "png", compress_level=0)
    change(root, picture((3, 4, 100)), base64.b64encode(drawn.getvalue()).decode())
    assert tool.compare("HEAD", [])[0] == []


# ---------------------------------------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("arguments", "code", "last"),
    [
        (["HEAD"], 1, "2 chapters, 10 texts, 2 figures compared with HEAD: 1 difference"),
        (["HEAD", "01_a"], 1, "1 chapters, 5 texts, 1 figures compared with HEAD: 1 difference"),
        (["HEAD", "notebooks/02_b.py"], 0, "1 chapters, 5 texts, 1 figures compared with HEAD: no differences"),
    ],
)
def test_the_exit_code_and_the_last_line(root, monkeypatch, capsys, arguments, code, last):
    change(root, "1.000", "1.001")
    monkeypatch.setattr("sys.argv", ["compare.py", *arguments])
    assert tool.main() == code
    assert capsys.readouterr().out.splitlines()[-1] == last


@pytest.mark.parametrize(
    ("arguments", "words"), [(["HEAD", "9_x"], "no such chapter: 9_x"), (["nowhere"], "Not a valid object name")]
)
def test_what_is_not_there_is_named(root, monkeypatch, capsys, arguments, words):
    monkeypatch.setattr("sys.argv", ["compare.py", *arguments])
    with pytest.raises(SystemExit):
        tool.main()
    assert words in capsys.readouterr().err
