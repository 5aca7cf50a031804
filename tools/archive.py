"""Pack a folder into a ZIP archive that is the same, byte for byte, whenever its files are the same.

usage: python tools/archive.py FOLDER ARCHIVE.zip

Names are sorted, times and rights are fixed. All files stand in one folder, which is called like the archive.
"""

import sys
import zipfile
from pathlib import Path

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest time that a ZIP archive can state


def pack(folder: Path, archive: Path, leave_out: tuple[str, ...] = ()) -> None:
    """Write the archive; `leave_out` are patterns, as of `Path.match`, of files that stay behind."""
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    names = sorted((name for name in files if not any(map(name.match, leave_out))), key=lambda name: name.parts)
    if not names:
        raise ValueError(f"folder must hold at least one file, got {folder}")
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as packed:
        for name in names:
            entry = zipfile.ZipInfo((archive.stem / name).as_posix(), FIRST_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, on every system, or the rights would be read otherwise
            entry.external_attr = 0o100644 << 16
            packed.writestr(entry, files[name].read_bytes(), compresslevel=9)
    print(f"{archive.name}: {len(names)} files, {archive.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]), leave_out=(".buildinfo*",))
