"""One-report clients of other packages, drawn from in a process of their own; run by wild.py.

A client is built by a function without arguments, which returns the client, value -> report, and the ε that it states:
the package's own answer where it has one.

usage: python clients.py <folder of one release> <case> <runs> <samples>   (prints one JSON object)
"""

import json
import platform
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from math import log
from pathlib import Path
from typing import Any, NamedTuple

Built = tuple[Callable[[Any], Any], float]


class Case(NamedTuple):
    """What is audited.

    Attributes
    ----------
    case : str
        What went wrong in a word or two; the same for a broken client and for its control.
    package, version : str
    broken : bool
    client : str
        The call, in words.
    build : callable () -> (client, stated ε)
    inputs : list
        Two values that the client takes.
    samples : int
    features : str
        Which features of wild.py the audit is given; "" for none.
    missed : bool
        Whether the audit is known to see nothing of a broken client.
    """

    case: str
    package: str
    version: str
    broken: bool
    client: str
    build: Callable[[], Built]
    inputs: list[Any]
    samples: int = 10_000
    features: str = ""
    missed: bool = False


def bits() -> Built:
    """OpenDP: randomized response on the bits of a vector."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    answer = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5)
    return answer, answer.map(1)


def coin(p: float) -> Callable[[], Built]:
    """OpenDP before 0.6: randomized response on yes or no."""

    def build() -> Built:
        import numpy as np

        np.bool8 = np.bool_  # a name that numpy had then
        from opendp.meas import make_randomized_response_bool
        from opendp.mod import enable_features

        enable_features("contrib")
        answer, stated = make_randomized_response_bool(prob=p), log(p / (1 - p))
        if hasattr(answer, "map"):
            return answer, answer.map(1)
        if not answer.check(1, stated + 1e-9) or (stated and answer.check(1, stated - 1e-9)):
            raise ValueError(f"this release states another ε than {stated}")
        return answer, stated

    return build


def choice() -> Built:
    """OpenDP: randomized response on four categories."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    answer = dp.m.make_randomized_response(list(range(4)), 0.5)
    return answer, answer.map(1)


def integers() -> Built:
    """OpenDP: Laplace noise, drawn in whole numbers."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    answer = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0)
    return (lambda value: answer(float(value))), answer.map(1.0)


def unary(epsilon: float, optimal: bool) -> Callable[[], Built]:
    """pure-ldp: unary encoding of sixteen items."""

    def build() -> Built:
        from pure_ldp.frequency_oracles.unary_encoding import UEClient

        client = UEClient(epsilon, 16, use_oue=optimal, index_mapper=lambda item: item)
        return client.privatise, epsilon

    return build


def floats() -> Built:
    """diffprivlib: Laplace noise, in floating-point numbers."""
    from diffprivlib.mechanisms import Laplace

    noisy = Laplace(epsilon=1.0, delta=0.0, sensitivity=1.0)
    return (lambda value: noisy.randomise(float(value))), 1.0


def binary() -> Built:
    """diffprivlib: randomized response on two words."""
    from diffprivlib.mechanisms import Binary

    return Binary(epsilon=1.0, value0="no", value1="yes").randomise, 1.0


def multi_freq(module: str, **options: Any) -> Callable[[], Built]:
    """multi-freq-ldpy: frequency oracles on sixteen items."""

    def build() -> Built:
        oracles = import_module(f"multi_freq_ldpy.pure_frequency_oracles.{module}")
        client = getattr(oracles, f"{module}_Client")
        return (lambda value: client(value, 16, 1.0, **options)), 1.0

    return build


BITS = "make_randomized_response_bitvec, f = 0.5"
BYTE, BYTES = [b"\x01", b"\x80"], [b"\x01" + bytes(15), bytes(15) + b"\x80"]


def pair(case: str, package: str, releases: list[str], *rest: Any) -> list[Case]:
    """Return the same call to the broken release and to the one that mended it."""
    return [Case(case, package, release, release == releases[0], *rest) for release in releases]


CASES = [
    *pair("one coin too few", "opendp", ["0.14.2", "0.15.0"], f"{BITS}, one byte", bits, BYTE),
    *pair("one coin too few", "opendp", ["0.14.2", "0.15.0"], f"{BITS}, 16 bytes", bits, BYTES),
    *(
        case
        for p in (0.5, 0.75, 0.9)
        for case in pair(
            "a lie that may be the truth",
            "opendp",
            ["0.4.0", "0.5.0"],
            f"make_randomized_response_bool, p = {p}",
            coin(p),
            [False, True],
        )
    ),
    Case("length", "opendp", "0.16.0", True, f"{BITS}, one byte and two", bits, [b"\x01", b"\x01\x00"], 4000),
    Case("length", "opendp", "0.16.0", False, f"{BITS}, two bytes each", bits, [b"\x01\x00", b"\x00\x80"], 4000),
    *(
        case
        for epsilon in (1.0, 0.1)
        for optimal, name in ((True, "OUE"), (False, "SUE"))
        for case in pair(
            "a bit set twice",
            "pure-ldp",
            ["1.1.2", "1.2.0"],
            f"UEClient, {name}, d = 16, ε = {epsilon:g}",
            unary(epsilon, optimal),
            [0, 15],
        )
    ),
    Case("digits", "diffprivlib", "0.6.6", True, "Laplace", floats, [0, 1], 20_000, "digits"),
    Case("digits", "opendp", "0.16.0", False, "make_laplace", integers, [0, 1], 20_000, "digits"),
    Case("digits", "diffprivlib", "0.6.6", True, "Laplace", floats, [0, 1], 20_000, missed=True),
    Case("right", "opendp", "0.16.0", False, "make_randomized_response, k = 4, p = 0.5", choice, [0, 3]),
    Case("right", "diffprivlib", "0.6.6", False, "Binary", binary, ["no", "yes"]),
    *(
        Case("right", "multi-freq-ldpy", "0.2.5", False, f"{name}, k = 16", multi_freq(module, **options), [0, 15])
        for name, module, options in (
            ("GRR", "GRR", {}),
            ("SUE", "UE", {"optimal": False}),
            ("OUE", "UE", {"optimal": True}),
        )
    ),
]


def plain(report: Any) -> Any:
    """Return what JSON knows and `read` understands."""
    if isinstance(report, bytes | bytearray):
        return {"bytes": bytes(report).hex()}
    return plain(report.tolist()) if hasattr(report, "tolist") else report


def read(text: str) -> Any:
    """Return what was printed, with bytes as they were."""

    def restored(found: dict[str, Any]) -> Any:
        return bytes.fromhex(found["bytes"]) if found.keys() == {"bytes"} else found

    return json.loads(text, object_hook=restored)


def draw(case: Case, runs: int, samples: int) -> dict[str, Any]:
    """Draw reports of every input, in each run; what can be seeded is."""
    import numpy as np

    client, stated = case.build()
    began, drawn = time.perf_counter(), []
    for run in range(runs):
        random.seed(run)
        np.random.seed(run)  # noqa: NPY002 (what those packages draw from)
        drawn.append([[plain(client(value)) for _ in range(samples)] for value in case.inputs])
    return {"stated": float(stated), "reports": drawn, "seconds": time.perf_counter() - began}


def main() -> None:
    """Draw from one case in the release of one folder."""
    folder, at, runs, samples = Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:])
    case = CASES[at]
    sys.path.insert(0, str(folder))
    answer = draw(case, runs, samples)
    module = import_module(case.package.replace("-", "_"))
    if version(case.package) != case.version or not Path(module.__file__ or "").resolve().is_relative_to(folder):
        raise ValueError(f"{case.package} {version(case.package)} from {module.__file__}, not {case.version}")
    print(json.dumps(answer | {"python": platform.python_version()}))


if __name__ == "__main__":
    main()
