"""Lessons at other ε: which value is changed, and planted lessons with what must be noticed."""

import jupytext
import other_epsilon
import pytest
from other_epsilon import changed, run, settings
from run_notebooks import NOTEBOOKS, pin

LESSON = """# %%
from ldpnb_book import check

EPS, K = 1.0, 3

# %%
wanted = {wanted}
check("Twice", "ε twice", 2 * EPS == wanted, control="another ε", caught=EPS != 5)

# %%
print(sizes)
"""


def test_every_lesson_sets_its_epsilon_once():
    def number(py):
        return sum(len(settings(cell.source)) for cell in jupytext.read(py).cells if cell.cell_type == "code")

    assert {py.stem: number(py) for py in NOTEBOOKS.glob("*.py") if number(py) != 1} == {}


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("EPS = 1.0", "EPS = 0.8 * (1.0)"),
        ("n, EPS = 10, log(2)  # ε", "n, EPS = 10, 0.8 * (log(2))  # ε"),
        ("É = 'ε'; EPS = 1 if É else 2", "É = 'ε'; EPS = 0.8 * (1 if É else 2)"),
        (
            "BUDGETS = EPS, 2\nEPSILON = 1\ndef f():\n    EPS = 1\n",
            "BUDGETS = EPS, 2\nEPSILON = 1\ndef f():\n    EPS = 1\n",
        ),
    ],
)
def test_one_value_is_changed(source, after):
    assert changed(source, 0.8) == after


def test_a_value_of_two_lines_is_refused():
    with pytest.raises(ValueError, match="one line"):
        changed("EPS = log(\n    2\n)", 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "complaints"),
    [("2 * EPS", []), ("2.0", ['code cell 2, line 2, planted.py:8: `check("Twice", "ε twice"'])],
)
def test_a_check_that_holds_at_one_epsilon_alone_is_noticed_and_the_rest_runs(tmp_path, wanted, complaints):
    pin()
    (tmp_path / "planted.py").write_text(LESSON.format(wanted=wanted), "utf-8")
    found = run(tmp_path / "planted.py", 1.5)
    assert all(complaint.startswith("planted at 1.5 ε: ") for complaint in found)
    assert len(found) == len(complaints) + 1 and "NameError" in found[-1]
    assert all(part in complaint for part, complaint in zip(complaints, found, strict=False))


def test_a_lesson_without_its_epsilon_is_noticed(tmp_path):
    (tmp_path / "planted.py").write_text("# %%\nepsilon = 1.0\n", "utf-8")
    assert run(tmp_path / "planted.py", 2) == ["planted: EPS must be set once, and is set 0 times"]


def test_unknown_names_are_refused():
    with pytest.raises(SystemExit):
        other_epsilon.main(["99_nothing"])
