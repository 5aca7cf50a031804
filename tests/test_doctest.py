"""Every example of the package runs, and every class at the front door has one."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import ldpnb

ROOT = Path(__file__).resolve().parent.parent
SHOWN = [path for path in sorted((ROOT / "ldpnb").rglob("*.py")) if ">>> " in path.read_text("utf-8")]
CLASSES = [name for name in ldpnb.__all__ if inspect.isclass(getattr(ldpnb, name))]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_examples_run(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    failed, attempted = doctest.testmod(import_module(name))
    assert failed == 0 < attempted


def test_a_wrong_example_is_found():
    def wrong():
        """
        >>> 1 + 1
        3
        """

    runner = doctest.DocTestRunner(verbose=False)
    for example in doctest.DocTestFinder().find(wrong, "wrong", globs={}):
        runner.run(example, out=lambda text: None)
    assert runner.failures == 1


@pytest.mark.parametrize("name", CLASSES)
def test_class_has_an_example(name):
    kind = getattr(ldpnb, name)
    own = [kind, *(part for part in vars(kind).values() if callable(part) or isinstance(part, classmethod))]
    assert any(">>> " in (getattr(part, "__doc__", None) or "") for part in own)
