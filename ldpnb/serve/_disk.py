"""What differs between systems where files outlive a process: locks, names that reach the disk, files that are in use.

Linux and macOS lock with ``fcntl``, Windows with ``msvcrt``.  On Windows a folder cannot be opened, so that its names
reach the disk when the system likes, and a file cannot be replaced while somebody reads it.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

PAUSE = 0.01  # seconds between two tries
TRIES = 100  # for a file that is in use
HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what msvcrt says of a lock that another has
OTHERS: dict[str, Callable[[int], bool]] = {
    "a folder": stat.S_ISDIR,
    "a pipe": stat.S_ISFIFO,
    "a socket": stat.S_ISSOCK,
    "a device": lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode),
}


def resolved(path: str | os.PathLike[str]) -> Path:
    """Return the one absolute path of a file without links in it; refuse what is there and is no file.

    Opening a pipe would wait for whoever writes into it, and replacing a device would remove it.
    """
    found = Path(os.path.realpath(path))
    try:
        mode = os.stat(found).st_mode
    except FileNotFoundError:
        return found
    if not stat.S_ISREG(mode):
        text = os.fspath(path)
        kind = next((name for name, is_one in OTHERS.items() if is_one(mode)), "no file")
        cure = f"name a file in it, as {os.path.join(text, 'account')!r}" if kind == "a folder" else "name a file"
        raise ValueError(f"path must be that of a file, or new, got {text!r}, which is {kind}: {cure}")
    return found


def lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file, given its descriptor, until it is closed.

    Parameters
    ----------
    file : int
        On Windows one byte of it is locked, the one at its position, which need not exist.
    shared : bool
        Whether others may lock it so, too; Windows has no such lock and takes the other one.
    wait : bool
        Whether to wait as long as another has it.

    Raises
    ------
    OSError
        If another has it, unless `wait`, or if the file system fails or has no locks.
    """
    if os.name == "nt":
        import msvcrt

        windows: Any = msvcrt  # of which type checkers know nothing elsewhere
        while True:
            try:
                windows.locking(file, windows.LK_NBLCK, 1)
                return
            except OSError as error:
                if not wait or error.errno not in HELD:
                    raise
            time.sleep(PAUSE)
    import fcntl

    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def _mark(path: Path) -> str:
    return sha256(os.fsencode(path.name)).hexdigest()[:16]


def beside(path: Path) -> Path:
    """Return a new name in the folder of a file for what is to replace it, not longer than a name may be."""
    return path.with_name(f"{_mark(path)}-{secrets.token_hex(8)}.partial")


def tidy(path: Path, *, alone: bool) -> None:
    """Remove what writers of this file that were killed have left `beside` it.

    Parameters
    ----------
    path : Path
    alone : bool
        Whether nobody else can be writing the file now.  If not, what is locked stays, and what is empty, since a
        writer may be about to lock it; on Windows, all stays.
    """
    for left in path.parent.glob(f"{_mark(path)}-*.partial"):
        with suppress(OSError):  # another has removed it, or has locked it
            if alone:
                left.unlink()
            elif os.name != "nt":
                file = os.open(left, os.O_RDONLY)
                try:
                    lock(file)
                    if os.fstat(file).st_size:
                        left.unlink()
                finally:
                    os.close(file)


@contextmanager
def placing(temporary: Path) -> Iterator[None]:
    """Remove a temporary file at the end, when what was in it has another name in its folder, which reaches the disk.

    A folder that cannot be read cannot be brought to the disk, and is refused at the beginning.
    """
    folder = None if os.name == "nt" else os.open(temporary.parent, os.O_RDONLY)
    try:
        yield
        if folder is not None:
            os.fsync(folder)
    finally:
        temporary.unlink(missing_ok=True)
        if folder is not None:
            os.close(folder)


def patiently(call: Callable[[], T]) -> T:
    """Do something to a file that, on Windows, may be in use for a moment."""
    for _ in range(TRIES if os.name == "nt" else 0):
        try:
            return call()
        except PermissionError:
            time.sleep(PAUSE)
    return call()


def put(path: Path, data: bytes, *, alone: bool) -> None:
    """Replace a file as a whole, readable by its owner alone, and `tidy` up before.

    The temporary file is locked until it has its name, so that nobody takes it for a leftover.
    """
    tidy(path, alone=alone)
    temporary = beside(path)
    with placing(temporary):
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            if os.name != "nt":
                with suppress(OSError):  # some file systems have no locks
                    lock(file.fileno(), wait=True)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if os.name != "nt":
                os.replace(temporary, path)
        if os.name == "nt":  # where a file that is open keeps its name
            patiently(lambda: os.replace(temporary, path))
