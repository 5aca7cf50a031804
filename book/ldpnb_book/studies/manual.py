"""Measurements of the manual: a hundred million reports written and counted, and what a report costs a server."""

from __future__ import annotations

import io
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from ldpnb import GRR, OLH, OUE, HadamardBit, HadamardResponse, Records, Wheel
from ldpnb.core import Floats, Ints, Mechanism, Reports
from ldpnb.hashing import digest
from ldpnb.collecting.partitions import GROUP, collect, read, save

SERVERS = {"k-RR": GRR, "Hadamard bit": HadamardBit, "OLH": OLH}
LISTED: dict[str, Callable[..., Any]] = {
    "k-RR": GRR,
    "OUE": partial(OUE, packed=True),
    "OLH": OLH,
    "Hadamard bit": HadamardBit,
    "Hadamard response": HadamardResponse,
}
SCALE = {"n": 10**8, "partitions": 4, "k": 1024, "eps": 1.0, "seed": 52}  # of the recorded run
COUNTING = {"eps": 1.0, "seed": 52, "repetitions": 5}


def zipf(k: int) -> Floats:
    """Shares of k items after Zipf's law."""
    shares: Floats = 1 / np.arange(1, k + 1) / np.sum(1 / np.arange(1, k + 1))
    return shares


def memory() -> float:
    """Largest memory that this process has had so far, MB (of Linux)."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def processor() -> str:
    """Name of the processor."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.is_file() else []
    named = (text.split(":", 1)[1].strip() for text in lines if text.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def make(mechanism: Any, size: int, path: str, seed: Any) -> tuple[Ints, float, float]:
    """Draw and write a partition: people with each item, and processor seconds of the client and of writing."""
    stream, held = np.random.default_rng(seed), np.zeros(mechanism.k, np.int64)
    spent = {"people": 0.0, "client": 0.0}

    def blocks() -> Iterator[Reports]:
        for start in range(0, size, 10**6):
            times = [time.process_time()]
            values = stream.choice(mechanism.k, min(10**6, size - start), p=zipf(mechanism.k))
            held[:] += np.bincount(values, minlength=mechanism.k)
            times.append(time.process_time())
            reports = mechanism.perturb(values, rng=stream)
            times.append(time.process_time())
            for what, seconds in zip(spent, np.diff(times), strict=True):
                spent[what] += seconds
            yield reports

    began = time.process_time()
    save(blocks(), path, mechanism)
    return held, spent["client"], time.process_time() - began - sum(spent.values())


def count_here(mechanism: Mechanism, paths: Sequence[str]) -> tuple[Any, float, float, float]:
    """Count in the process that is called: the tally, wall and processor seconds, and largest memory."""
    began = time.perf_counter(), time.process_time()
    found = collect(mechanism, paths)
    return found.tally, time.perf_counter() - began[0], time.process_time() - began[1], memory()


def count_at_once(mechanism: Mechanism, paths: Sequence[str]) -> float:
    """Largest memory of a process that has all reports in one array before it counts them."""
    mechanism.tally(np.concatenate([block for path in paths for block in read(path, mechanism)]))
    return memory()


def at_scale(n: int, partitions: int, k: int, eps: float, seed: int) -> dict[str, Any]:
    """Make and count n reports of each mechanism, and a tenth of them; each step has two new worker processes."""
    import distributed

    Client: Any = distributed.Client
    workers: Any = partial(distributed.LocalCluster, n_workers=2, threads_per_worker=1, dashboard_address=":0")
    rows: list[dict[str, Any]] = []
    for size in (n // 10, n):
        for i, (name, kind) in enumerate(SERVERS.items()):
            mechanism: Any = kind(k=k, epsilon=eps)
            memories: dict[str, float] = {}
            with tempfile.TemporaryDirectory() as folder:
                paths = [os.path.join(folder, f"{j}.parquet") for j in range(partitions)]
                make(mechanism, 1000, few := os.path.join(folder, "few"), seed)
                with workers() as cluster, Client(cluster) as client:
                    seeds = [[seed, i, size, j] for j in range(partitions)]
                    made = client.gather(client.map(partial(make, mechanism, size // partitions), paths, seeds))
                    held, drawing, writing = (sum(part) for part in zip(*made, strict=True))
                    memories["making"] = max(client.run(memory).values())
                with workers() as cluster, Client(cluster) as client:
                    client.run(count_here, mechanism, [few])  # imports and compiled code, before the clock runs
                    before = sum(client.run(time.process_time).values())
                    began = time.perf_counter()
                    with redirect_stderr(io.StringIO()) as shown:
                        two: Any = collect(mechanism, paths, scheduler=client, progress=True)
                    wall = time.perf_counter() - began
                    busy = sum(client.run(time.process_time).values()) - before
                    memories["counting on two"] = max(client.run(memory).values())
                with workers() as cluster, Client(cluster) as client:
                    client.run(count_here, mechanism, [few])
                    counted = client.submit(count_here, mechanism, paths).result()
                    one, wall_of_one, counting_one, memories["counting on one"] = counted
                if size < n:
                    with workers() as cluster, Client(cluster) as client:
                        memories["all at once"] = client.submit(count_at_once, mechanism, paths).result()
            error = mechanism.estimate(two.tally) - held / size
            rows.append(
                {
                    "mechanism": name,
                    "n": two.reports,
                    "partitions": len(two.partitions),
                    "bytes": two.bytes / size,
                    "client ns": 1e9 * drawing / size,
                    "write ns": 1e9 * writing / size,
                    "count ns": 1e9 * counting_one / size,
                    "two a second": size / wall,
                    "one a second": size / wall_of_one,
                    "two: cores": busy / wall,
                    "one: cores": counting_one / wall_of_one,
                    "memory": memories,
                    "error": sqrt(np.mean(error**2)),
                    "same": np.array_equal(one.counts, two.tally.counts) and one.n == two.reports == held.sum(),
                    "bar": shown.getvalue().replace("\r", "\n").strip().splitlines()[-1],
                }
            )
    return {"rows": rows, "processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def counting(eps: float, seed: int, repetitions: int) -> dict[str, Any]:
    """Nanoseconds of a processor to read a report from a partition and to count it, and of how many."""
    rows, stream = [], np.random.default_rng(seed)
    for name, kind in LISTED.items():
        for k in (2**10, 2**20, *((2**24,) if name == "Hadamard bit" else ())):
            mechanism = kind(k=k, epsilon=eps)
            at_a_time = GROUP // mechanism.perturb(np.array([0]), rng=stream).nbytes
            n = min(at_a_time, 2**28 // k) if name == "OLH" else at_a_time  # OLH tries all k for each report
            reports = mechanism.perturb(stream.integers(0, k, at_a_time), rng=stream)
            rows.append({"mechanism": name, "k": k, "n": n, **clock(mechanism, reports, n, None, repetitions)})
    strings, n = [f"string {i}" for i in range(10**5)], 2**16
    wheel = Wheel(epsilon=eps, m=1)
    values = Records.from_arrays(np.arange(8 * n), digest(strings)[stream.integers(0, len(strings), 8 * n)])
    taken = clock(wheel, wheel.perturb(values, rng=stream), n, strings, repetitions)
    rows.append({"mechanism": "Wheel, m = 1", "k": len(strings), "n": n, **taken})
    return {"rows": rows, "processor": processor()}


def clock(mechanism: Any, reports: Reports, n: int, items: Any, repetitions: int) -> dict[str, float]:
    """Nanoseconds of a processor to read each report, and to count each of the first n; medians after a first time."""

    def median(work: Callable[[], Any]) -> float:
        taken = []
        for _ in range(repetitions + 1):
            began = time.process_time_ns()
            work()
            taken.append(time.process_time_ns() - began)
        return float(np.median(taken[1:]))

    with tempfile.TemporaryDirectory() as folder:
        save(reports, path := Path(folder) / "some", mechanism)
        reading = median(lambda: sum(len(block) for block in read(path, mechanism)))
    listed = () if items is None else (items,)
    whole, counted = mechanism.tally(reports[:0], *listed).counts.copy(), reports[:n]
    return {
        "read ns": reading / len(reports),
        "count ns": median(lambda: np.add(whole, mechanism.tally(counted, *listed).counts, out=whole)) / n,
    }
