"""Build the package, and the workshop of the book, each as a wheel and as a source archive (sdist).

usage: python tools/dist.py FOLDER

A file is the same, byte for byte, whenever what it is made of is the same.  A source archive holds what its wheel is
built from and no more; tests and pages are in the repository.  Nothing but setuptools is used, as locked.
"""

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EPOCH = 1767225600  # the time of every file inside
FILES = "pyproject.toml", "setup.py", "README.md", "LICENSE"
PARTS = "pyproject.toml", "ldpnb_book", "claims", "recorded"  # of the workshop, in ./book


def build(folder: Path, book: bool = False, sdist: bool = False) -> Path:
    """Build the package, or the workshop of the book, into `folder`, as a wheel or as a source archive."""
    what = "sdist" if sdist else "wheel"
    parts = [ROOT / name for name in (*FILES, "ldpnb")]
    if book:
        parts = [ROOT / "LICENSE", *(ROOT / "book" / name for name in PARTS)]
    with tempfile.TemporaryDirectory() as clean:  # in the project, an old build would leave its files in the wheel
        for part in parts:
            if part.is_dir():
                shutil.copytree(part, Path(clean, part.name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(part, clean)
        for path in Path(clean).rglob("*"):  # a wheel keeps permissions, which follow the umask of who checked out
            path.chmod(0o755 if path.is_dir() else 0o644)
        program = f"import sys; from setuptools.build_meta import build_{what} as build; print(build(sys.argv[1]))"
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder.resolve())],
            cwd=clean,
            env=os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)},
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise RuntimeError(f"the {what} was not built:\n{done.stdout}{done.stderr}")
    made = folder / done.stdout.split()[-1]
    if sdist:
        timeless(made)
    return made


def timeless(archive: Path) -> None:
    """Write a source archive again without the times and people of this build, which setuptools leaves in it."""
    packed = io.BytesIO()
    with tarfile.open(archive) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted((member for member in old if member.isfile()), key=lambda member: member.name):
            entry = tarfile.TarInfo(member.name)  # of nobody, rights 0644
            entry.size, entry.mtime = member.size, EPOCH
            new.addfile(entry, old.extractfile(member))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=EPOCH))


def main(folder: Path) -> None:
    """Build all four, and say what they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for book in (False, True):
        for sdist in (False, True):
            made = build(folder, book, sdist)
            print(f"{made.name}: {made.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
