"""How a measurement is taken, the same way for every library; needs numpy alone, so that any environment can run it."""

import time

import numpy as np

FAVOURITE = 1  # the item of about half the people: whoever calls a library wrongly will not find it
ENOUGH = 1_000_000  # nanoseconds that a measurement lasts: of shorter work, so many calls are one


def people(n, k):
    """Items of n people: half of them hold `FAVOURITE`, the others any item."""
    rng = np.random.default_rng(0)  # not the seed of any client: their draws would follow the items
    return np.where(np.arange(n) % 2, FAVOURITE, rng.integers(0, k, n))


def least(work, repetitions):
    """Nanoseconds of processor time that `work` takes, the least of several runs after one that does not count.

    Processor time, because other programs on the machine stretch the time on the wall, and threads shorten it.  The
    least, because whatever shares caches and cores with us, unseen on a rented machine, only makes a run longer.
    """
    calls, taken = -(-ENOUGH // max(1, _taken(work, 1))), []
    for _ in range(repetitions):
        taken.append(_taken(work, calls) / calls)
    return float(min(taken))


def _taken(work, calls):
    began = time.process_time_ns()
    for _ in range(calls):
        work()
    return time.process_time_ns() - began


def client_and_server(client, server, values, repetitions, served=True):
    """Nanoseconds a person for both, by name: reports are drawn from values, and an estimate from reports.

    A server that is not `served` only says whether the client is called correctly.
    """
    reports = client(values)
    found = int(np.argmax(server(reports)))
    if found != FAVOURITE:
        raise ValueError(f"the estimate must be largest at item {FAVOURITE}, got {found}: is it called correctly?")
    times = {"client": least(lambda: client(values), repetitions)}
    if served:
        times["server"] = least(lambda: server(reports), repetitions)
    return {what: nanoseconds / len(values) for what, nanoseconds in times.items()}


class Cores:
    """Processor time over wall time since it was made: 1 for one thread that nothing interrupts."""

    def __init__(self):
        self.began = time.process_time(), time.perf_counter()

    @property
    def used(self):
        """How many cores this process kept busy."""
        return round((time.process_time() - self.began[0]) / (time.perf_counter() - self.began[1]), 2)
