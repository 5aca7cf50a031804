# For a notebook that was downloaded by itself: where the book's packages are missing, this cell installs them.
from importlib.util import find_spec

if find_spec("ldpnb_book") is None:
    import importlib
    import subprocess
    import sys
    import tempfile
    import zipfile
    from pathlib import Path

    BOOK = LOCK = ""  # filled in where the notebook was published
    archive = Path("ldpnb-notebooks.zip")  # of all chapters, with what they need
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    with tempfile.TemporaryDirectory() as unpacked:
        here = Path()
        if archive.is_file():
            zipfile.ZipFile(archive).extractall(unpacked)
            here = Path(unpacked, archive.stem)
        wheels = [path for name in ("ldpnb", "ldpnb_book") for path in sorted(here.glob(f"{name}-*.whl"))[-1:]]
        pins = here / "requirements.txt"
        if len(wheels) < 2 or not pins.is_file():
            wheels, pins = [BOOK, f"{BOOK}#subdirectory=book"], LOCK
        if not pins:
            raise ModuleNotFoundError(
                "no package ldpnb_book here: download the archive of all chapters, ldpnb-notebooks.zip, which each "
                "page of the book offers beside this notebook, into the folder of this notebook; "
                "then run this cell again"
            )
        print("Installing what this chapter needs; it takes a minute or two.")
        # other packages, each of the file that the outputs were made with, by its SHA-256
        subprocess.run([*install, "--no-deps", "--require-hashes", "-r", pins], check=True)
        subprocess.run([*install, "--no-deps", *wheels], check=True)
    importlib.invalidate_caches()
