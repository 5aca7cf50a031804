"""The wheels hold what they should, and the package alone does what README shows where nothing else is installed."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from importlib.metadata import distribution
from pathlib import Path

import dist
import pytest
import quickstart
import yaml
from dist import ROOT

import ldpnb
import ldpnb_book

CORE = ("numpy", "scipy", "numba", "llvmlite")
REPOSITORY = "https://github.com/a/b"


@pytest.fixture(scope="module", autouse=True)
def nowhere():
    """The address of the repository is not known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LDPNB_REPOSITORY", raising=False)
        yield


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return dist.build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The package's sdist."""
    return dist.build(tmp_path_factory.mktemp("sdist"), sdist=True)


def inside(built):
    """Files of a wheel or of an sdist, without what installers need."""
    if built.suffix == ".whl":
        with zipfile.ZipFile(built) as packed:
            return {name for name in packed.namelist() if ".dist-info/" not in name}
    with tarfile.open(built) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    return {name for name in names if ".egg-info/" not in name} - {"PKG-INFO", "setup.cfg"}


def metadata(wheel):
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(packed.read(name))


# ------------------------------------------------------------------------------------------------ the wheels


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    there = [path for path in (ROOT / "ldpnb").rglob("*.*") if path.suffix in (".py", ".typed")]
    assert inside(wheel) == {path.relative_to(ROOT).as_posix() for path in there}
    assert wheel.stat().st_size < 650_000


def workshop():
    """Files of the book's workshop, from ./book: its code, and the claims and records."""
    book = ROOT / "book"
    code = {path.relative_to(book).as_posix() for path in (book / "ldpnb_book").rglob("*.py")}
    return code, {f"{folder}/{path.name}" for folder in ("claims", "recorded") for path in (book / folder).iterdir()}


def test_the_workshop_of_the_book_is_a_wheel_of_its_own_with_claims_and_records(tmp_path):
    code, data = workshop()
    made = dist.build(tmp_path, book=True)
    assert inside(made) == code | {f"ldpnb_book/{name}" for name in data}
    said = metadata(made)
    assert (said["Name"], said["Version"]) == ("ldpnb-book", ldpnb.__version__)
    assert said.get_all("Requires-Dist") == [f"ldpnb[chapters]=={ldpnb.__version__}"]
    assert said["License-File"] == "LICENSE"


def test_a_wheel_is_the_same_byte_for_byte(wheel, tmp_path):
    assert dist.build(tmp_path).read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_a_wheel_does_not_tell_who_may_write_the_checkout(wheel, tmp_path, monkeypatch):
    """Permissions follow the builder's umask, or are those of a read-only installation."""
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "ldpnb", checkout / "ldpnb", ignore=shutil.ignore_patterns("__pycache__"))
    for name in dist.FILES:
        shutil.copy(ROOT / name, checkout)
    for path in checkout.rglob("*.*"):
        path.chmod(0o440)
    monkeypatch.setattr(dist, "ROOT", checkout)
    assert dist.build(tmp_path).read_bytes() == wheel.read_bytes()


def test_the_metadata_are_complete(wheel):
    said, cited = metadata(wheel), yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert said["Author"] == ", ".join(author["name"] for author in cited["authors"])
    assert {*cited["keywords"]} - {"executable book"} <= {*said["Keywords"].split(",")}
    assert said["Version"] == str(cited["version"]) and said["License-Expression"] in cited["license"]
    kinds = said.get_all("Classifier")
    assert "Typing :: Typed" in kinds and any(kind.startswith("Topic :: ") for kind in kinds)
    assert [kind.split(" :: ")[-1] for kind in kinds if re.search(r":: 3\.\d+$", kind)] == PYTHONS
    assert said["Requires-Python"] == f">={PYTHONS[0]}"
    assert "Project-URL" not in said and "Home-page" not in said  # none is known


def test_the_description_is_the_readme_without_what_leads_into_the_repository(wheel):
    said = metadata(wheel)
    text, readme = said.get_payload(decode=True).decode(), ROOT.joinpath("README.md").read_text("utf-8")
    assert said["Description-Content-Type"] == "text/markdown"
    assert quickstart.programs(text) == quickstart.programs(readme)
    assert re.findall(r"^#+ .*", text, flags=re.M) == re.findall(r"^#+ .*", readme, flags=re.M)
    leads = re.compile(r"\]\((?!https://)|<img|src=|!\[")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    assert not leads.search(prose) and leads.search(readme)


def test_the_address_of_the_repository_is_in_the_metadata_where_it_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("LDPNB_REPOSITORY", f"{REPOSITORY}/")
    assert metadata(dist.build(tmp_path)).get_all("Project-URL") == [f"Source, {REPOSITORY}"]


# ------------------------------------------------------------------------------------------------- the archives


def test_a_source_archive_holds_what_its_wheel_is_built_from(archive, wheel, tmp_path):
    assert inside(archive) == inside(wheel) | {*dist.FILES}
    code, data = workshop()
    assert inside(dist.build(tmp_path, book=True, sdist=True)) == code | data | {"pyproject.toml", "LICENSE"}


@pytest.mark.slow
def test_a_source_archive_is_the_same_byte_for_byte(archive, tmp_path):
    assert dist.build(tmp_path, sdist=True).read_bytes() == archive.read_bytes()


@pytest.mark.slow
def test_a_source_archive_makes_the_same_wheel_where_nothing_else_is_installed(rebuilt, wheel):
    assert (rebuilt.name, rebuilt.read_bytes()) == (wheel.name, wheel.read_bytes())


# --------------------------------------------------------------------------------------- the plain environment


def environment(folder, names):
    """Make an environment with these packages and nothing else; give its interpreter, and pip for it.

    They are linked from this environment, so that no network is asked.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (python,) = (path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    there = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()
    for name in names:
        found = distribution(name)
        for top in {file.parts[0] for file in found.files} - {".."}:
            (Path(there) / top).symlink_to(found.locate_file(top))
    return python, [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]


@pytest.fixture(scope="module")
def rebuilt(archive, tmp_path_factory):
    """The wheel that the sdist makes in an environment with setuptools and nothing else."""
    folder = tmp_path_factory.mktemp("builder")
    _, pip = environment(folder / "environment", ["setuptools"])
    command = [*pip, "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    here = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*command, archive], check=True, cwd=folder, env=here | {"SOURCE_DATE_EPOCH": str(dist.EPOCH)})
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(rebuilt, tmp_path_factory):
    """The interpreter of a fresh environment with the wheel, numpy, scipy and numba, and nothing else.

    The wheel comes from the sdist, and pip looks whether what is there suffices for it.
    """
    python, pip = environment(tmp_path_factory.mktemp("plain"), CORE)
    subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-compile", rebuilt], check=True)
    return python


def run(python, *arguments, cwd):
    return subprocess.run([python, "-I", *arguments], cwd=cwd, capture_output=True, text=True, encoding="utf-8")


def test_the_package_alone_does_what_the_readme_shows(python, tmp_path):
    found = run(python, ROOT / "tests" / "quickstart.py", cwd=tmp_path)
    assert found.stderr == "" and found.stdout.startswith(f"ldpnb {ldpnb.__version__}: "), found.stderr


ASKED = """
import json
import sys
from importlib import import_module

sys.path.append(sys.argv[1])
found = {}
for name in ("ldpnb_book", "ldpnb_book.datasets", "ldpnb_book.gallery", "ldpnb_book.experiment"):
    try:
        import_module(name)
    except ImportError as error:
        found[name] = str(error)
import ldpnb
from ldpnb.attributes import lopub

oracle = ldpnb.GRR(k=2, epsilon=1.0)
for name, given in {"collect": (oracle, ["a"]), "save": (oracle.tally([0]).counts, "a", oracle)}.items():
    try:
        getattr(ldpnb, name)(*given)
    except ImportError as error:
        found[name] = str(error)

for name in ("triangulated", "junction_tree"):
    try:
        getattr(lopub, name)([(0, 1)], 2)
    except ImportError as error:
        found[name] = str(error)
print(json.dumps(found))
"""


def test_what_needs_an_extra_says_which(python, tmp_path):
    asked = run(python, "-c", ASKED, str(ROOT / "book"), cwd=tmp_path)
    found = json.loads(asked.stdout or "{}")
    assert len(found) == 8, asked.stderr
    for name in [name for name in found if name.startswith("ldpnb_book")]:
        assert re.fullmatch(r"ldpnb_book needs IPython, .*, pandas, .*: pip install 'ldpnb\[chapters\]'", found[name])
    for name in ("collect", "save"):
        assert found[name] == f"ldpnb.{name} needs pyarrow: pip install 'ldpnb[scale]'"
    for name in ("triangulated", "junction_tree"):
        assert found[name] == f"{name} needs networkx: pip install 'ldpnb[chapters]'"


LOOKED = """
import pydoc
from importlib import import_module

for name in ("ldpnb", "ldpnb.attributes", "ldpnb.choose", "ldpnb.collecting", "ldpnb.survey", "ldpnb.serve"):
    package, names = import_module(name), {}
    exec(f"from {name} import *", names)
    missing = {*package.__all__} - {*names}
    text = pydoc.plain(pydoc.render_doc(package))
    lost = [one for one in dir(package) if one not in text or not getattr(package, one).__doc__]
    print(name, sorted(missing), lost)
"""


def test_help_and_star_imports_need_no_extra(python, tmp_path):
    """`help` reads every name, so one that fails on import leaves nothing of it."""
    found = run(python, "-c", LOOKED, cwd=tmp_path)
    assert found.stdout == "".join(f"{name} [] []\n" for name in ("ldpnb", "ldpnb.attributes", "ldpnb.choose", "ldpnb.collecting", "ldpnb.survey", "ldpnb.serve"))


def test_the_door_of_the_book_asks_for_all_that_is_imported_behind_it():
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "book" / "ldpnb_book").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    outside = {name.split(".")[0] for name in names} - {*sys.stdlib_module_names, *CORE, "ldpnb", "ldpnb_book"}
    assert "pandas" in outside and outside - {"cycler"} <= {*ldpnb_book.NEEDED.split()}  # cycler is matplotlib's


# --------------------------------------------------------------------------------------------- another system

# What Windows does otherwise, as its documentation has it: no fcntl, locks of bytes, folders that nobody can open, and
# files that cannot be replaced while somebody reads them.
WINDOWS = """
import errno, fcntl, os, subprocess, sys, types  # subprocess takes msvcrt for Windows itself

def locking(file, kind, count, flock=fcntl.flock, how=fcntl.LOCK_EX | fcntl.LOCK_NB):
    assert (kind, count) == (2, 1)
    try:
        flock(file, how)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None

def opened(path, *rest, real=os.open):
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))
    return real(path, *rest)

def replace(old, new, real=os.replace, busy=[1, 1]):
    if busy:
        busy.pop()
        raise PermissionError(errno.EACCES, "Access is denied", str(new))
    real(old, new)

os.open, os.replace = opened, replace
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)
sys.modules["fcntl"] = None
import ldpnb.collecting._disk as disk
disk.os = types.SimpleNamespace(**{**vars(os), "name": "nt"})
"""
TRIED = """
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import quickstart
quickstart.SPENDER = sys.argv[2] + quickstart.SPENDER
getattr(quickstart, sys.argv[3])(Path(sys.argv[4]))
print("done")
"""


@pytest.mark.parametrize("what, windows", [("kept", True), ("kept", False), ("collected", True), ("collected", False)])
def test_files_are_kept_where_the_system_is_windows(what, windows, python, tmp_path):
    """Simulated; the control has the refusals of that system, and is not told that it is there."""
    system = WINDOWS if windows else WINDOWS.replace('"name": "nt"', '"name": "posix"')
    program, named = system + TRIED, [ROOT / "tests", system, what, tmp_path]
    if what == "kept":
        found = run(python, "-c", program, *named, cwd=tmp_path)
    else:  # needs pyarrow
        found = subprocess.run([sys.executable, "-c", program, *named], cwd=ROOT, capture_output=True, text=True)
    assert (found.stdout == "done\n") == windows, found.stderr
    assert windows or "PermissionError" in found.stderr


# ------------------------------------------------------------------------------------------------ the workflow

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "install.yml").read_text("utf-8"))
(JOB,) = WORKFLOW["jobs"].values()
PYTHONS = JOB["strategy"]["matrix"]["python"]


def test_the_workflow_does_the_same_everywhere():
    assert [system.split("-")[0] for system in JOB["strategy"]["matrix"]["system"]] == ["ubuntu", "macos", "windows"]
    assert PYTHONS == ["3.11", "3.12", "3.13", "3.14"]
    assert "python -I tests/quickstart.py" in [step.get("run") for step in JOB["steps"]]
