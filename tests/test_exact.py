"""What runs one person's client exactly does so without numpy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
BLOCKED = """import sys
for name in ("numpy", "scipy", "numba"):
    sys.modules[name] = None
"""


def program(*words):
    """The program of the README that contains these words, and what the README prints below it."""
    (found,) = [text for text in PROGRAMS if all(word in text for word in words)]
    printed = re.search(re.escape(f"```python\n{found}```") + r"\n\n```text\n(.*?)```", README, re.DOTALL)
    return found, printed.group(1)


def run(code):
    """What a fresh process prints in which numpy, scipy and numba cannot be imported."""
    return subprocess.run([sys.executable, "-c", BLOCKED + code], capture_output=True, text=True, check=False)


def test_the_law_of_the_readme_needs_no_numpy():
    code, printed = program("found = worst(laws(reply, COLOURS))")
    done = run(code)
    assert done.stderr == "" and done.stdout == printed


def test_the_proof_of_the_readme_needs_no_numpy():
    code, printed = program("print(prove(honest, COLOURS))")
    done = run(code + "print(prove(honest, COLOURS).laws.certificate)")
    assert done.stderr == "" and done.stdout.startswith(printed + "# for all pairs of inputs and all reports")


ALONE = """
from ldpnb.exact import SystemRandom, odds, pick, prove, toss

def krr(x, items, epsilon, rng):
    e = odds(epsilon)
    return x if toss((e - 1) / (e + items.k - 1), rng) else items.pick(rng)

found = prove(krr)
print(found.holds, found.tight, len(found.certificates))
print({toss(0.5, SystemRandom()) for _ in range(100)}, {pick("ab", SystemRandom()) for _ in range(100)} == {*"ab"})
"""


def test_any_number_of_items_and_real_coins_need_no_numpy():
    assert run(ALONE).stdout == "True True 1\n{False, True} True\n"


def test_numpy_would_be_missed():
    """The control."""
    assert (
        "No module named 'numpy'" in run("import ldpnb.chance").stderr or "numpy" in run("import ldpnb.chance").stderr
    )


@pytest.mark.parametrize("first", ["numpy as np", "ldpnb.exact"])
def test_arrays_and_generators_are_known_once_numpy_is_loaded(first):
    code = f"""
import {first}
import numpy as np
from ldpnb.exact import form, law, toss
print(toss(1, np.random.default_rng(0)), law(lambda rng: np.array([1, 2]) if toss(0.5, rng) else np.array([3, 4])))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True {(1, 2): Fraction(1, 2), (3, 4): Fraction(1, 2)}\n"
