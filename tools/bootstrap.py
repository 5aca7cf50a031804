# For a notebook that was downloaded by itself: where the book's package is missing, this cell installs it.
from importlib.util import find_spec

if find_spec("ldpnb") is None:
    import importlib
    import subprocess
    import sys
    from pathlib import Path

    BOOK = ""  # filled in where the notebook was published
    wheels = [path.resolve().as_uri() for path in sorted(Path().glob("ldpnb-*.whl"))]
    if not wheels and not BOOK:
        raise ModuleNotFoundError(
            "no package ldpnb here: put its file ldpnb-….whl, from the archive of all chapters, beside this notebook"
        )
    print("Installing what this chapter needs; it takes a minute or two.")
    pins = ["-c", "constraints.txt"] if wheels and Path("constraints.txt").is_file() else []
    install = [sys.executable, "-m", "pip", "install", "--quiet", f"ldpnb[chapters] @ {(wheels or [BOOK])[-1]}", *pins]
    subprocess.run(install, check=True)
    importlib.invalidate_caches()
