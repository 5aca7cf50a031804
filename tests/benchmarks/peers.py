"""The oracles of other libraries, measured like ours; run by speed.py in an environment that holds those libraries.

A library is a function of k and ε that returns an `Oracle` for each oracle that it has, by our name for it.  They
handle one person at a time, so both sides are loops, written as each library's own documentation does.

usage: python peers.py n k epsilon repetitions   (prints one JSON object)
"""

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from math import exp
from typing import Any, NamedTuple

import numpy as np
from timing import Cores, client_and_server, people

BINARY = ("GRR",)  # what is also compared at two items, as a report of yes or no


class Oracle(NamedTuple):
    """Another library's oracle.

    Attributes
    ----------
    client : callable, list of items -> list of reports
    server : callable, list of reports -> k numbers
        Estimates, or counts of which the largest is the favourite's.
    note : str
        What differs from ours.
    served : bool
        Whether the server is the library's; otherwise it only checks the client.
    """

    client: Callable[[list[int]], list[Any]]
    server: Callable[[list[Any]], Any]
    note: str = ""
    served: bool = True


def pure_ldp(k, epsilon):
    """Return what pure-ldp has; its estimates are linear, like ours."""
    from pure_ldp.frequency_oracles import (
        direct_encoding,
        hadamard_mechanism,
        hadamard_response,
        local_hashing as lh,
        unary_encoding as ue,
    )

    items, same = range(k), {"epsilon": epsilon, "d": k, "index_mapper": lambda item: item}

    def oracle(client, server, note="", wrap=lambda report: report):
        def perturb(values):
            return [wrap(client.privatise(value)) for value in values]

        def estimate(reports):
            server.reset()
            server.aggregate_all(reports)
            return server.estimate_all(items, suppress_warnings=True)

        return Oracle(perturb, estimate, note)

    response = hadamard_response.HadamardResponseServer(**same)
    return {
        "GRR": oracle(direct_encoding.DEClient(**same), direct_encoding.DEServer(**same)),
        "SUE": oracle(ue.UEClient(**same), ue.UEServer(**same)),
        "OUE": oracle(ue.UEClient(**same, use_oue=True), ue.UEServer(**same, use_oue=True)),
        "OLH": oracle(lh.LHClient(**same, use_olh=True), lh.LHServer(**same, use_olh=True)),
        "HadamardResponse": oracle(
            hadamard_response.HadamardResponseClient(**same, hash_funcs=response.get_hash_funcs()),
            response,
        ),
        "HadamardBit": oracle(
            hadamard_mechanism.HadamardMechClient(**same, t=1),
            hadamard_mechanism.HadamardMechServer(**same, t=1),
            "its Hadamard mechanism with t = 1",
            list,  # some reports are iterators, which a server can read only once
        ),
        "SHist": oracle(lh.LHClient(**same, g=2), lh.LHServer(**same, g=2), "its binary local hashing: also one bit"),
    }


def multi_freq_ldpy(k, epsilon):
    """Return what multi-freq-ldpy has; its estimates are clipped and normalised."""
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE

    def oracle(client, server, note="", **options):
        def perturb(values):
            return [client(value, k, epsilon, **options) for value in values]

        def estimate(reports):
            return server(reports, epsilon=epsilon, **options)

        return Oracle(perturb, estimate, note)

    def sized(server):
        return lambda reports, **options: server(reports, k=k, **options)

    return {
        "GRR": oracle(GRR.GRR_Client, sized(GRR.GRR_Aggregator_MI)),
        "SUE": oracle(UE.UE_Client, UE.UE_Aggregator_MI, optimal=False),
        "OUE": oracle(UE.UE_Client, UE.UE_Aggregator_MI, optimal=True),
        "OLH": oracle(LH.LH_Client, sized(LH.LH_Aggregator_MI), optimal=True),
        "SubsetSelection": oracle(SS.SS_Client, sized(SS.SS_Aggregator_MI)),
        "SHist": oracle(
            LH.LH_Client, sized(LH.LH_Aggregator_MI), "its binary local hashing: also one bit", optimal=False
        ),
    }


def opendp(k, epsilon):
    """Return what OpenDP has: randomized response, with secure random numbers, and a server for vectors of bits."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    secure = "random numbers fit for cryptography"

    def each(client):
        return lambda values: [client(value) for value in values]

    def counted(reports):
        return np.bincount(np.asarray(reports, np.int64), minlength=k)

    keep = exp(epsilon) / (exp(epsilon) + k - 1)
    if k == 2:
        answer = dp.m.make_randomized_response_bool(keep)
        return {"GRR": Oracle(lambda values: [answer(value == 1) for value in values], counted, secure, served=False)}
    flip = 2 / (1 + exp(epsilon / 2))  # its f: a bit is flipped with half of it
    bits = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=flip)
    hot = [row.tobytes() for row in np.packbits(np.eye(k, dtype=np.uint8), axis=1, bitorder="little")]
    return {
        "GRR": Oracle(each(dp.m.make_randomized_response(list(range(k)), keep)), counted, secure, served=False),
        "SUE": Oracle(
            lambda values: [bits(hot[value]) for value in values],
            lambda reports: dp.m.debias_randomized_response_bitvec(reports, flip),
            f"{secure}; its randomized response on a vector of bits",
        ),
    }


LIBRARIES = {"pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy, "opendp": opendp}


def _offered(oracles, k, epsilon):
    """Size, name and oracle of all that a library has at k items, and of `BINARY` at two."""
    found = [(k, name, oracle) for name, oracle in oracles(k, epsilon).items()]
    return found + [(2, name, oracle) for name, oracle in oracles(2, epsilon).items() if name in BINARY]


def measure(libraries, *, n, k, epsilon, repetitions):
    """Rows of the table, and what was left out with the reason: an error is the library's, and no row is better."""
    rows, left_out = [], {}
    for library, oracles in libraries.items():
        try:
            offered = _offered(oracles, k, epsilon)
        except ImportError as error:
            left_out[library] = str(error)
            continue
        for size, name, (client, server, note, served) in offered:
            about = {"mechanism": name, "library": library, "n": n, "size": size, "epsilon": epsilon, "note": note}
            try:
                times = client_and_server(client, server, people(n, size).tolist(), repetitions, served)
            except Exception as error:
                left_out[f"{library}: {name}, k = {size}"] = f"{type(error).__name__}: {error}"
                continue
            rows += [{**about, "what": what, "value": value, "unit": "ns a person"} for what, value in times.items()]
    return rows, left_out


if __name__ == "__main__":
    n, k, epsilon, repetitions = map(float, sys.argv[1:])
    cores = Cores()
    rows, left_out = measure(LIBRARIES, n=int(n), k=int(k), epsilon=epsilon, repetitions=int(repetitions))
    versions = {library: version(library) for library in LIBRARIES if library not in left_out}
    print(json.dumps({"rows": rows, "left out": left_out, "versions": versions, "cores": cores.used}))
