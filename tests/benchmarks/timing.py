"""How a measurement is taken, the same way for every library; needs numpy alone, so that any environment can run it."""

import time

import numpy as np

FAVOURITE = 3  # the item of about half the people: whoever calls a library wrongly will not find it


def people(n, k):
    """Items of n people: half of them hold `FAVOURITE`, the others any item."""
    rng = np.random.default_rng(0)  # not the seed of any client: their draws would follow the items
    return np.where(np.arange(n) % 2, FAVOURITE, rng.integers(0, k, n))


def median(work, repetitions):
    """Nanoseconds of processor time that `work` takes, the median after one run that does not count.

    Processor time, because other programs on the machine stretch the time on the wall, and threads shorten it.
    """
    work()
    taken = []
    for _ in range(repetitions):
        began = time.process_time_ns()
        work()
        taken.append(time.process_time_ns() - began)
    return float(np.median(taken))


def client_and_server(client, server, values, repetitions):
    """Nanoseconds a person for both, by name: reports are drawn from values, and an estimate from reports."""
    reports = client(values)
    found = int(np.argmax(server(reports)))
    if found != FAVOURITE:
        raise ValueError(f"the estimate must be largest at item {FAVOURITE}, got {found}: is it called correctly?")
    times = {
        "client": median(lambda: client(values), repetitions),
        "server": median(lambda: server(reports), repetitions),
    }
    return {what: nanoseconds / len(values) for what, nanoseconds in times.items()}


class Cores:
    """Processor time over wall time since it was made: 1 for one thread that nothing interrupts."""

    def __init__(self):
        self.began = time.process_time(), time.perf_counter()

    @property
    def used(self):
        """How many cores this process kept busy."""
        return round((time.process_time() - self.began[0]) / (time.perf_counter() - self.began[1]), 2)
