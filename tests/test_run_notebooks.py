"""The tool that executes chapters knows what is stale, says what failed, and repeats itself to the byte."""

import ast
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
import run_notebooks as tool
import sources

FILES = {
    "requirements.txt": "numpy==2.4.6\n",
    "ldpnb/__init__.py": '''"""The front door."""
from importlib import import_module

WHERE = {"Coin": "oracles.coins", "Bent": "oracles.coins", "Die": "oracles.dice", "f": "low", "catalogue": "core"}


def __getattr__(name):
    if name not in WHERE:
        raise AttributeError(name)
    return getattr(import_module(f"ldpnb.{WHERE[name]}"), name)
''',
    "ldpnb/core.py": '''"""Core."""
from importlib import import_module
from pkgutil import walk_packages

import ldpnb


class Mechanism:
    """A mechanism."""

    most = 1000

    def perturb(self, value: int) -> int:
        """Report."""
        return min(self._perturb(value) + 1, self.most)  # of all


def catalogue():
    for module in walk_packages(ldpnb.__path__, "ldpnb."):
        import_module(module.name)
    kinds = [Mechanism]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return sorted((kind.__name__, kind().perturb(5)) for kind in kinds[1:])
''',
    "ldpnb/oracles/__init__.py": "from ldpnb.low import f as first\n",
    "ldpnb/oracles/coins.py": """from ldpnb.core import Mechanism

HEADS = 3


class Coin(Mechanism):
    def _perturb(self, value):
        return value * HEADS


class Bent(Coin):  # the interpreter enters nothing of its own
    most = 11
""",
    "ldpnb/oracles/dice.py": """from ..core import Mechanism

SIDES = 6
FACES = [side + 1 for side in range(SIDES)]


class Die(Mechanism):
    faces = FACES

    def _perturb(self, value):
        return sum(self.faces) + value
""",
    "ldpnb/low.py": '''"""Low."""
from math import floor as whole

ONE = 1


def f():
    """Return one."""
    return whole(ONE + 0.5)  # one
''',
    "ldpnb/high.py": """def g(*names):
    from .low import f

    return f()


def by_name(name):
    from ldpnb import other

    return getattr(other, name)
""",
    "ldpnb/other.py": "ONE = 10\nx = 4\n",
    # Like numba, it makes something of the function's code, so that the interpreter never enters the function itself.
    "ldpnb/kernels.py": """from functools import cache
from marshal import dumps, loads
from types import FunctionType


def _twice(x):
    return 2 * x


def _loop(x):
    return _twice(x) + 7


@cache
def _compiled():
    return FunctionType(loads(dumps(_loop.__code__)), globals())


def count(x):
    return _compiled()(x)
""",
    "ldpnb/work.py": "STEP = 8\n\n\ndef work(x):\n    return x + STEP\n",
    "book/claims/ye2018.yml": "claims:\n- {id: ye2018.x, place: §1}\n- {id: ye2018.xy, place: §2}\n",
    "book/recorded/ye2018.fig5.json": "[1, 2]\n",
    "ldpnb/spare.py": "TIRE = 5\n",
    "book/ldpnb_book/__init__.py": """from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldpnb_book.studies import study as study


def __getattr__(name):
    return getattr(import_module("ldpnb_book.studies"), name)
""",
    "book/ldpnb_book/studies.py": """from ldpnb import f

GROUPS = 4


def study():
    return f() + GROUPS
""",
    "book/recorded/asked.json": '["from ldpnb import spare\\nprint(spare.TIRE)"]\n',
}
CHAPTERS = {
    "01_lazy": 'from ldpnb import high\n\nprint(high.g("ye2018.x", "ye2018.fig5"))',
    "02_coin": "from ldpnb import Coin\n\nprint(Coin().perturb(2))",
    "03_bent": "from ldpnb.oracles.coins import Bent as Made\n\nprint(Made().perturb(4))",
    "04_die": "import ldpnb\n\nprint(ldpnb.Die().perturb(1))",
    "05_kernel": "from ldpnb import kernels as k\n\nprint(k.count(3))",
    "06_pool": """from multiprocessing import get_context

from ldpnb.work import work

with get_context("fork").Pool(1) as pool:
    print(pool.map(work, [1]))""",
    "07_process": """import subprocess, sys

code = "from ldpnb import work as w; print(w.work(2))"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)""",
    "08_catalogue": "from ldpnb import catalogue\n\nprint(catalogue())",
    "09_words": "print(9)",
    "10_shown": "from inspect import getsource\n\nfrom ldpnb import f\n\nprint(getsource(f))",
    "11_by_name": 'from ldpnb.high import by_name\n\nprint(by_name("x"))',
    "12_recorded": 'import json\n\nexec(json.load(open("book/recorded/%s.json" % "asked"))[0], {})',
    "13_workshop": "from ldpnb_book import study\n\nprint(study())",
}
MECHANISMS = ["02_coin", "03_bent", "04_die", "08_catalogue"]


def make(root, patch):
    """Make a project with a package whose front door is lazy, and chapters that use it in all ways."""
    files = FILES | {f"notebooks/{name}.py": f"# %%\n{source}\n" for name, source in CHAPTERS.items()}
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).write_text(text, "utf-8")
    patch.setattr(tool, "ROOT", root)
    patch.setattr(tool, "NOTEBOOKS", root / "notebooks")
    return root


@pytest.fixture
def project(tmp_path, monkeypatch):
    return make(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return state(make(tmp_path_factory.mktemp("before"), patch))


RUN = """
import contextlib, io, json, runpy, sys
told = {}
for chapter in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(chapter)
    told[chapter[10:-3]] = out.getvalue()
print(json.dumps(told))
"""


def state(root):
    """Fingerprints of all chapters and what they print, run anew."""
    prints = {py.stem: tool.fingerprint(py) for py in tool.chapters([])}
    names = [f"notebooks/{stem}.py" for stem in prints]
    path = os.pathsep.join([str(root), str(root / "book")])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *names], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return prints, json.loads(done.stdout)


def differ(old, new):
    return [name for name in old if old[name] != new[name]]


def edit(root, *edits):
    """Replace the first occurrence of an old text by a new one in each file; an empty old text stands for the end."""
    for file, old, new in edits:
        path = root / file
        path.parent.mkdir(exist_ok=True, parents=True)
        text = path.read_text("utf-8") if path.is_file() else ""
        assert old in text
        path.write_text(text.replace(old, new, 1) if old else text + new, "utf-8")


NEW = "\n\nclass New(Mechanism):\n    def _perturb(self, value):\n        return 17\n"
COIN = FILES["ldpnb/oracles/coins.py"].partition("\n\n\nclass Bent")[0].partition("HEADS")[2]
LAZY = ("ldpnb/high.py", "from .low import f", "from .other import f")


@pytest.mark.parametrize(
    ("edits", "stale", "others"),
    [
        # a definition that nobody names, and one more mechanism, in modules that all others use
        ([("ldpnb/core.py", "", "\n\nclass Unrelated:\n    most = 5\n")], [], []),
        ([("ldpnb/low.py", "", "\n\ndef unrelated():\n    return f() + ONE\n")], [], []),
        (
            [
                ("ldpnb/oracles/new.py", "", f"from ldpnb.core import Mechanism{NEW}"),
                ("ldpnb/__init__.py", '"f"', '"New": "oracles.new", "f"'),
            ],
            ["08_catalogue"],
            [],
        ),
        # a probability: a constant, one that another is computed from, an attribute of a class; a method; the template
        ([("ldpnb/oracles/coins.py", "HEADS = 3", "HEADS = 2")], ["02_coin", "03_bent", "08_catalogue"], []),
        ([("ldpnb/oracles/dice.py", "SIDES = 6", "SIDES = 5")], ["04_die", "08_catalogue"], []),
        ([("ldpnb/oracles/coins.py", "most = 11", "most = 10")], ["03_bent", "08_catalogue"], []),
        ([("ldpnb/oracles/dice.py", "+ value", "- value")], ["04_die", "08_catalogue"], []),
        ([("ldpnb/core.py", "+ 1", "+ 2")], ["02_coin", "04_die", "08_catalogue"], ["03_bent"]),
        # what an import means: within a function, of a name, and of another name
        ([("ldpnb/low.py", "ONE + 0.5", "ONE + 1.5")], ["01_lazy", "10_shown", "13_workshop"], []),
        ([("ldpnb/low.py", "ONE = 1", "ONE = 2")], ["01_lazy", "13_workshop"], ["10_shown"]),
        ([("ldpnb/low.py", "floor as whole", "ceil as whole")], ["01_lazy", "13_workshop"], ["10_shown"]),
        # a name that is not written down, a kernel and what it calls, other processes
        ([("ldpnb/other.py", "x = 4", "x = 5")], ["11_by_name"], []),
        ([("ldpnb/kernels.py", "+ 7", "+ 8")], ["05_kernel"], []),
        ([("ldpnb/kernels.py", "2 * x", "3 * x")], ["05_kernel"], []),
        ([("ldpnb/work.py", "x + STEP", "x - STEP")], ["06_pool", "07_process"], []),
        ([("ldpnb/work.py", "STEP = 8", "STEP = 9")], ["06_pool", "07_process"], []),
        # a constant of the workshop, which lies in a folder of its own
        ([("book/ldpnb_book/studies.py", "GROUPS = 4", "GROUPS = 5")], ["13_workshop"], []),
        # a program of the record, which the chapter runs
        ([("ldpnb/spare.py", "TIRE = 5", "TIRE = 6")], ["12_recorded"], []),
        # another module: alone or with what it names; where its names mean something else
        (
            [
                ("ldpnb/oracles/coins.py", f"HEADS{COIN}", "from ldpnb.bits.coin import Coin"),
                ("ldpnb/bits/coin.py", "", f"from ldpnb import core\nfrom ldpnb.core import Mechanism\n\nHEADS{COIN}"),
                ("ldpnb/__init__.py", "oracles.coins", "bits.coin"),
            ],
            [],
            [],
        ),
        (
            [
                LAZY,
                ("ldpnb/other.py", "", "\nfrom ldpnb.low import ONE\nfrom math import floor as whole\n"),
                ("ldpnb/other.py", "ONE = 10\n", ""),
                ("ldpnb/other.py", "", 'def f():\n    """Return one."""\n    return whole(ONE + 0.5)  # one\n'),
                ("ldpnb/low.py", "def f", "def _f"),
                ("ldpnb/oracles/__init__.py", "low", "other"),
                ("ldpnb/__init__.py", '"f": "low"', '"f": "other"'),
            ],
            [],
            ["10_shown", "11_by_name"],
        ),
        (
            [
                LAZY,
                ("ldpnb/other.py", "", "from math import floor as whole\n\n\ndef f():\n    return whole(ONE + 0.5)\n"),
            ],
            ["01_lazy"],
            ["10_shown", "11_by_name", "13_workshop"],
        ),
        # what nobody executes, unless somebody shows it
        ([("ldpnb/low.py", "Return one.", "Return the number one,\n    as an integer.\n    ")], ["10_shown"], []),
        ([("ldpnb/low.py", "# one", "# the number one")], ["10_shown"], []),
        ([("ldpnb/low.py", '"""Low."""\n', "")], [], []),
        ([("ldpnb/core.py", "Report.", "Report a value."), ("ldpnb/core.py", "  # of all", "")], [], []),
        ([("ldpnb/core.py", "value: int) -> int", "value: float) -> float")], [], []),
        # a statement that may do anything, as this one does
        (
            [("ldpnb/core.py", "", "\n\nMechanism.most = 3\n")],
            ["02_coin", "04_die", "08_catalogue"],
            sorted(CHAPTERS.keys() - {"02_coin", "04_die", "08_catalogue"}),
        ),
        # all that a chapter reads besides
        ([("notebooks/01_lazy.py", "# %%", "# %% [markdown]\n# Words.\n\n# %%")], [], ["01_lazy"]),
        ([("requirements.txt", "2.4.6", "2.4.7")], [], sorted(CHAPTERS)),
        ([("book/claims/ye2018.yml", "§1", "§3")], [], ["01_lazy"]),
        ([("book/claims/ye2018.yml", "§2", "§3")], [], []),
        ([("book/recorded/ye2018.fig5.json", "2", "3")], [], ["01_lazy"]),
    ],
)
def test_what_makes_a_chapter_stale(project, before, edits, stale, others):
    # `stale` print something else, and so must be stale; `others` may not be known to print the same
    prints, told = before
    edit(project, *edits)
    new_prints, new_told = state(project)
    assert differ(told, new_told) == stale
    assert differ(prints, new_prints) == sorted(stale + others)


@pytest.mark.slow
def test_no_number_of_the_package_escapes(project):
    # every number in it, one more, whoever uses it; the control finds a module by a name that nobody wrote down
    edit(
        project, ("notebooks/14_control.py", "", 'import sys, ldpnb.low\n\nprint(sys.modules["ldpnb" + ".low"].ONE)\n')
    )
    prints, told = state(project)
    caught, escaped = set(), set()
    for file in [name for name in FILES if name.endswith(".py")]:
        text = FILES[file]
        for number in re.finditer(r"\b\d+\b", text):
            (project / file).write_text(f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}", "utf-8")
            new_prints, new_told = state(project)
            changed, stale = set(differ(told, new_told)), set(differ(prints, new_prints))
            caught |= changed & stale
            escaped |= changed - stale
        (project / file).write_text(text, "utf-8")
    assert caught == CHAPTERS.keys() - {"09_words"}
    assert escaped == {"14_control"}


@pytest.mark.parametrize("text", [None, "<<<<<<< ours\n{}\n", "{}", '{"metadata": {"ldpnb": {"fingerprint": "old"}}}'])
def test_a_notebook_that_is_missing_torn_or_old_is_stale(project, text):
    py = project / "notebooks" / "01_lazy.py"
    if text is not None:
        py.with_suffix(".ipynb").write_text(text, "utf-8")
    assert tool.stale(py)


@pytest.mark.parametrize(
    ("source", "definitions"),
    [
        ("import ldpnb.low\nldpnb.low.f()", ["ONE", "f"]),
        ("from ldpnb.low import *\nf()", ["ONE", "f"]),
        ("from ldpnb import low\nlow.ONE.real", ["ONE"]),
        ("from ldpnb import low\nprint(low)", ["ONE", "f"]),
        ("from importlib import import_module\nimport_module('ldpnb.low')", ["ONE", "f"]),
        ("'a text of ldpnb with a low f'", []),
        ("from ldpnb.oracles import first\nfirst()", ["ONE", "f"]),
        ("from numpy import f\nf()", []),
    ],
)
def test_ways_to_name_a_definition(source, definitions):
    files = tuple((name, text) for name, text in FILES.items() if name.endswith(".py"))
    assert sorted(piece.name for piece in tool.package(files).behind(source) if piece.name) == definitions


def test_a_tree_reads_the_same_whatever_its_layout():
    def shape(text):
        return sources.shape(sources.bare(ast.parse(text)))

    assert shape("def f(x: int, /) -> int:\n  'a'\n  return (x +\n   1)") == shape("def f(x, /): return x + 1 # b")
    assert shape("@register\ndef f(x: int): return x") != shape("@register\ndef f(x: str): return x")
    assert shape("class A:\n x: int") != shape("class A:\n x: str")
    assert shape("x = 'a  # b'") != shape("x = 'a'")
    assert shape("from numpy import f") != shape("from scipy import f")
    assert shape("from ldpnb.low import f") == shape("from .high import f") != shape("from .high import f as g")


def test_a_torn_module_is_named(project):
    edit(project, ("ldpnb/low.py", "ONE = 1", "ONE = = 1"))
    with pytest.raises(SyntaxError) as raised:
        tool.fingerprint(project / "notebooks" / "01_lazy.py")
    assert raised.value.filename == "ldpnb/low.py"


def test_unknown_chapter_is_refused(project):
    with pytest.raises(ValueError, match="chapter must be one of 01_lazy, 02_coin, .*, got 12_none"):
        tool.chapters(["notebooks/01_lazy.py", "12_none"])


def test_ids_stay_with_their_cells():
    def ids(*sources):
        cells = [nbformat.v4.new_code_cell(s) for s in sources]
        tool.identify(cells)
        return [c["id"] for c in cells]

    first = ids("x", "y", "x")
    assert len(set(first)) == 3
    assert ids("new", "x", "y", "x")[1:] == first


def test_outputs_are_compared_with_the_old_ones():
    def notebook(*outputs):
        cells = [nbformat.v4.new_code_cell("x", outputs=[o] if o else []) for o in outputs]
        return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("Words."), *cells]))

    def shown(data, count=1):
        return nbformat.v4.new_output("execute_result", data=data, execution_count=count)

    text, figure, other = shown({"text/plain": "1"}), shown({"image/png": "aGk="}), shown({"image/png": "aGo="})
    old = notebook(text, figure)
    assert tool.compared(old, notebook(None, shown({"text/plain": "1"}, 2), figure)) == ", outputs the same"
    assert tool.compared(old, notebook(text, None, other)) == ", outputs changed in code cells 3"
    assert tool.compared(old, notebook(text)) == ", outputs changed"
    assert tool.compared("<<<<<<< ours", old) == tool.compared("", old) == ""


GOOD = "# %% [markdown]\n# # Title\n\n# %%\nx = 2\nprint(x)\n"


@pytest.mark.slow
def test_a_chapter_repeats_itself_to_the_byte(project):
    py = project / "notebooks" / "01_lazy.py"
    py.write_text(GOOD, "utf-8")
    good, line = tool.run(py)
    assert good and line.startswith("01_lazy  ") and line.endswith("written")
    first = py.with_suffix(".ipynb").read_bytes()
    assert tool.run(py)[1].endswith("unchanged")
    assert py.with_suffix(".ipynb").read_bytes() == first
    assert not tool.stale(py)
    notebook = nbformat.read(py.with_suffix(".ipynb"), as_version=4)
    assert [c.outputs[0].text for c in notebook.cells if c.cell_type == "code"] == ["2\n"]
    edit(project, ("requirements.txt", "2.4.6", "2.4.7"))
    assert tool.run(py)[1].endswith("written, outputs the same")
    edit(project, ("notebooks/01_lazy.py", "x = 2", "x = 3"))
    assert tool.run(py)[1].endswith("written, outputs changed in code cells 1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        (
            "y = [\n    1 / 0,\n]\n",
            "code cell 2, line 2, 01_lazy.py:10: `1 / 0,` raised ZeroDivisionError: division by zero",
        ),
        ("import os\nos._exit(1)\n", "code cell 2: DeadKernelError: Kernel died"),
        ("y = = 1\n", "01_lazy.py, line 9: invalid syntax"),
    ],
    ids=["exception", "dead kernel", "syntax"],
)
def test_a_failed_chapter_is_named_and_keeps_its_notebook(project, cell, complaint):
    py = project / "notebooks" / "01_lazy.py"
    py.write_text(GOOD + "\n# %%\n" + cell, "utf-8")
    py.with_suffix(".ipynb").write_text("as it was", "utf-8")
    assert tool.run(py) == (False, f"01_lazy  FAILED in {complaint}")
    assert py.with_suffix(".ipynb").read_text("utf-8") == "as it was"
