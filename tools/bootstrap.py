# For a notebook that was downloaded by itself: where the book's package is missing, this cell installs it.
from importlib.util import find_spec

if find_spec("ldpnb") is None:
    import importlib
    import subprocess
    import sys
    from pathlib import Path

    BOOK = LOCK = ""  # filled in where the notebook was published
    names = {"ldpnb": "ldpnb-*.whl", "ldpnb-records": "ldpnb_records-*.whl"}  # the package; claims and recorded results
    found = {name: path.resolve().as_uri() for name in names for path in sorted(Path().glob(names[name]))}
    if "ldpnb" not in found and not BOOK:
        raise ModuleNotFoundError(
            "no package ldpnb here: download the archive of all chapters, which each page of the book offers beside "
            "this notebook, and put its two files ldpnb-….whl and ldpnb_records-….whl into the folder of this "
            "notebook, or open the notebook that lies in the archive; then run this cell again"
        )
    print("Installing what this chapter needs; it takes a minute or two.")
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    pins = "requirements.txt" if "ldpnb" in found and Path("requirements.txt").is_file() else LOCK
    if pins:  # other packages, each of the file that the outputs were made with, by its SHA-256
        subprocess.run([*install, "--no-deps", "--require-hashes", "-r", pins], check=True)
    if "ldpnb" not in found:
        found = {"ldpnb": BOOK, "ldpnb-records": f"{BOOK}#subdirectory=book"}
    package, rest = ("ldpnb", ["--no-deps"]) if pins else ("ldpnb[chapters]", [])
    wanted = [f"{package if name == 'ldpnb' else name} @ {place}" for name, place in found.items()]
    subprocess.run([*install, *wanted, *rest], check=True)
    importlib.invalidate_caches()
