"""How a measurement is taken, the same way for every library; needs numpy alone, so that any environment can run it."""

import time

import numpy as np

FAVOURITE = 1  # the item of about half the people: whoever calls a library wrongly will not find it
ENOUGH = 1_000_000  # nanoseconds that a run lasts: of shorter work, so many calls are one
LONG = 200_000_000  # nanoseconds that all runs of all works last together: of shorter work, there are more of them


def people(n, k):
    """Items of n people: half of them hold `FAVOURITE`, the others any item."""
    rng = np.random.default_rng(0)  # not the seed of any client: their draws would follow the items
    return np.where(np.arange(n) % 2, FAVOURITE, rng.integers(0, k, n))


def least(repetitions, *works):
    """Nanoseconds of processor time that each of the works takes, the least of so many runs or more after a first one.

    Processor time, because other programs on the machine stretch the time on the wall, and threads shorten it.  The
    least, because whatever shares caches and cores with us, unseen on a rented machine, only makes a run longer.  The
    works take turns, equally many, so that what is compared met the same neighbours and had the same chances.
    """
    calls, first = zip(*map(_enough, works), strict=True)
    turns = [first]
    while len(turns) < repetitions or sum(map(sum, turns)) < LONG:
        turns.append(tuple(_taken(work, many) for work, many in zip(works, calls, strict=True)))
    return [min(taken) / many for taken, many in zip(zip(*turns, strict=True), calls, strict=True)]


def _enough(work):
    """How many calls make a run, and how long that run took, after a first call that does not count."""
    _taken(work, 1)  # it compiles and fills caches, hence says nothing about the others
    calls = 1
    while (taken := _taken(work, calls)) < ENOUGH:
        calls *= 2
    return calls, taken


def _taken(work, calls):
    began = time.process_time_ns()
    for _ in range(calls):
        work()
    return time.process_time_ns() - began


def client_and_server(client, server, values, repetitions, served=True):
    """Nanoseconds a person for both, by name: reports are drawn from values, and an estimate from reports.

    A server that is not `served` only says whether the client is called correctly.
    """
    reports, estimate = [], []

    def draw():
        reports[:] = client(values)

    def serve():
        estimate[:] = server(reports)

    works = {"client": draw} | ({"server": serve} if served else {})
    taken = least(repetitions, *works.values())
    if not served:
        serve()
    found = int(np.argmax(estimate))
    if found != FAVOURITE:
        raise ValueError(f"the estimate must be largest at item {FAVOURITE}, got {found}: is it called correctly?")
    return {what: nanoseconds / len(values) for what, nanoseconds in zip(works, taken, strict=True)}


class Cores:
    """Processor time over wall time since it was made: 1 for one thread that nothing interrupts."""

    def __init__(self):
        self.began = time.process_time(), time.perf_counter()

    @property
    def used(self):
        """How many cores this process kept busy."""
        return round((time.process_time() - self.began[0]) / (time.perf_counter() - self.began[1]), 2)
