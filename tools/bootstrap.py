# For a notebook that was downloaded by itself: where the book's package is missing, this cell installs it.
from importlib.util import find_spec

if find_spec("ldpnb") is None:
    import importlib
    import subprocess
    import sys
    from pathlib import Path

    BOOK = LOCK = ""  # filled in where the notebook was published
    wheels = [path.resolve().as_uri() for path in sorted(Path().glob("ldpnb-*.whl"))]
    if not wheels and not BOOK:
        raise ModuleNotFoundError(
            "no package ldpnb here: put its file ldpnb-….whl, from the archive of all chapters, beside this notebook"
        )
    print("Installing what this chapter needs; it takes a minute or two.")
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    pins = "requirements.txt" if wheels and Path("requirements.txt").is_file() else LOCK
    if pins:  # other packages, each of the file that the outputs were made with, by its SHA-256
        subprocess.run([*install, "--no-deps", "--require-hashes", "-r", pins], check=True)
    package, rest = ("ldpnb", ["--no-deps"]) if pins else ("ldpnb[chapters]", [])
    subprocess.run([*install, f"{package} @ {(wheels or [BOOK])[-1]}", *rest], check=True)
    importlib.invalidate_caches()
