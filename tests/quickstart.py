"""What a new user does first, with the installed package alone: README's programs, a tally on disk, an account of ε.

usage: python -I tests/quickstart.py

Needs nothing but the plain install; where the extra `scale` is there, reports go to the disk, too.  `-I` keeps the
repository's own `ldpnb` out of sight.  It stops at the first thing that is not as README shows it.
"""

import contextlib
import io
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
SPENDER = """
import sys
from ldpnb import GRR, SystemRandom
from ldpnb.survey import Account

account = Account(sys.argv[1], limit=10.0)
for _ in range(4):
    account.report(GRR(k=2, epsilon=1.0), [0], rng=SystemRandom())
"""


def programs(text):
    """README's programs, each with what is shown under it."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.M | re.S)
    of = {kind: [block for name, block in blocks if name == kind] for kind in ("python", "text")}
    return list(zip(of["python"], of["text"], strict=True))


def printed(program):
    """What a program prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(program, README.name, "exec"), {})
    return said.getvalue()


def kept(folder):
    """Save a tally and read it again; let two processes spend from one account, all of it and no more."""
    from ldpnb import GRR, SystemRandom
    from ldpnb.collecting import load_tally, save_tally
    from ldpnb.survey import Account, BudgetError

    oracle = GRR(k=3, epsilon=1.0)
    for reports in ([0, 2, 2], [1]):  # the second in place of the first
        save_tally(oracle.tally(reports), folder / "tally")
    assert load_tally(folder / "tally", oracle).counts.tolist() == [0, 1, 0]
    command = [sys.executable, "-I", "-c", SPENDER, str(folder / "account")]
    assert [one.wait() for one in [subprocess.Popen(command), subprocess.Popen(command)]] == [0, 0]
    account = Account(folder / "account", limit=10.0)
    assert account.spent == 8.0
    try:
        account.report(GRR(k=2, epsilon=3.0), [0], rng=SystemRandom())
    except BudgetError:
        return
    raise AssertionError("an account paid more than its limit")


def collected(folder):
    """Count reports on disk, beside what a writer left that was killed."""
    from ldpnb import GRR, SystemRandom, collect, save

    oracle = GRR(k=3, epsilon=1.0)
    for number in range(2):
        save(oracle.perturb([0, 1, 2], rng=SystemRandom()), folder / f"{number}.parquet", oracle)
    (folder / "2.partial").write_bytes(b"PAR1")
    assert collect(oracle, folder).reports == 6


def main():
    """Do all of it, and say so."""
    import ldpnb

    assert README.parent not in Path(ldpnb.__file__).resolve().parents, "this is the repository's ldpnb"
    for number, (program, shown) in enumerate(programs(README.read_text("utf-8")), 1):
        found = printed(program)
        assert found == shown, f"program {number} of README prints\n{found}\nnot\n{shown}"
    with tempfile.TemporaryDirectory() as folder:
        kept(Path(folder))
    more = find_spec("pyarrow") is not None
    if more:
        with tempfile.TemporaryDirectory() as folder:
            collected(Path(folder))
    files = "a tally, an account and partitions" if more else "a tally and an account"
    print(f"ldpnb {ldpnb.__version__}: {number} programs of README, {files} are as they should be")


if __name__ == "__main__":
    main()
