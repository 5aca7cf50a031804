"""Run tests as somebody without a home, on an installation that cannot be written to.

The checkout is copied and made read-only.  Two folders can be written to, one for temporary files, and ``.cache``, in
which the tests let IPython and matplotlib keep what is theirs.  Run by root, the tests belong to the user nobody, who
may still read what root may, such as an interpreter in root's home.

usage: python tools/homeless.py [argument of pytest ...]
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
READING = "dac_read_search"  # the capability to read every file; nobody keeps it, and no other

# Made anew by whoever needs it, or large, or of no use in a copy
LEFT_OUT = shutil.ignore_patterns(".*", "_build", "build", "__pycache__", "*.egg-info")


class CannotTry(Exception):
    """Root cannot become another user on this machine."""


def copy(source: Path, target: Path) -> None:
    """Copy a folder without what is made anew, and make it read-only, with all that it holds."""
    shutil.copytree(source, target, ignore=LEFT_OUT)
    for name in (".github", ".ci", ".gitignore", ".gitattributes"):
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        elif (source / name).is_file():
            shutil.copy(source / name, target / name)
    lock(target)


def lock(folder: Path) -> None:
    """Let nobody write into a folder, nor into what it holds."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def unlock(folder: Path) -> None:
    """Let the owner of a locked folder remove it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


def user(number: int = NOBODY) -> list[str]:
    """Give the start of a command that is to run as somebody who may write nothing of ours.

    For root, that is another user, by its number; everybody else is held by the permissions of a locked folder.

    Raises
    ------
    CannotTry
        If root may not change its user and keep the right to read.
    """
    if os.geteuid() != 0:
        return []
    command = [
        "setpriv",
        f"--reuid={number}",
        f"--regid={number}",
        "--clear-groups",
        f"--inh-caps=+{READING}",
        f"--ambient-caps=+{READING}",
    ]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as refused:
        raise CannotTry(f"setpriv (util-linux) cannot make root the user {number}: {refused}") from None
    return command


def environment(package: Path, locked: Path, temporary: Path | None = None) -> dict[str, str]:
    """Give the variables of somebody without a home.

    Parameters
    ----------
    package : Path
        The folder that modules are imported from.
    locked : Path
        A locked folder.  It stands for the home of whoever is not root: without ``HOME``, the system's list of users
        would name a real one.
    temporary : Path, optional
        Where temporary files go.
    """
    found = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    if os.geteuid() != 0:
        found["HOME"] = str(locked)
    if temporary:
        found["TMPDIR"] = str(temporary)
    return found


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments in a locked copy of the checkout; give its exit code."""
    # The place is read by somebody else, so that it must not lie in a folder that is only ours.
    folder = Path(tempfile.mkdtemp(prefix="homeless-"))
    folder.chmod(0o755)
    locked, temporary = folder / "checkout", folder / "temporary"
    try:
        copy(ROOT, locked)
        locked.chmod(0o755)
        for path in (temporary, locked / ".cache"):
            path.mkdir()
            path.chmod(0o777)
        locked.chmod(0o555)
        command = [*user(), sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=locked, env=environment(locked, locked, temporary)).returncode
    finally:
        unlock(locked)
        shutil.rmtree(folder)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CannotTry as why:
        sys.exit(str(why))
