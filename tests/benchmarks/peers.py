"""The oracles of other libraries, measured like ours; run by oracles.py in an environment that holds those libraries.

A library is a function of k and ε that returns, for each oracle by our name for it, a client (list of items to list
of reports), a server (list of reports to k estimates), and a note on what differs from ours.  They handle one person
at a time, so both are loops, written as each library's own documentation does.

usage: python peers.py n k epsilon repetitions   (prints one JSON object)
"""

import json
import sys
from importlib.metadata import version

from timing import Cores, client_and_server, people


def pure_ldp(k, epsilon):
    """Return what pure-ldp has; its estimates are linear, like ours."""
    from pure_ldp.frequency_oracles import direct_encoding, hadamard_mechanism, hadamard_response
    from pure_ldp.frequency_oracles import local_hashing as lh
    from pure_ldp.frequency_oracles import unary_encoding as ue

    items, same = range(k), {"epsilon": epsilon, "d": k, "index_mapper": lambda item: item}

    def pair(client, server, note="", wrap=lambda report: report):
        def perturb(values):
            return [wrap(client.privatise(value)) for value in values]

        def estimate(reports):
            server.reset()
            server.aggregate_all(reports)
            return server.estimate_all(items, suppress_warnings=True)

        return perturb, estimate, note

    response = hadamard_response.HadamardResponseServer(**same)
    return {
        "k-RR": pair(direct_encoding.DEClient(**same), direct_encoding.DEServer(**same)),
        "SUE": pair(ue.UEClient(**same), ue.UEServer(**same)),
        "OUE": pair(ue.UEClient(**same, use_oue=True), ue.UEServer(**same, use_oue=True)),
        "OLH": pair(lh.LHClient(**same, use_olh=True), lh.LHServer(**same, use_olh=True)),
        "Hadamard response": pair(
            hadamard_response.HadamardResponseClient(**same, hash_funcs=response.get_hash_funcs()),
            response,
            "decodes by an O(k^2) loop up to k = 128, by a fast transform above",
        ),
        "one-bit Hadamard": pair(
            hadamard_mechanism.HadamardMechClient(**same, t=1),
            hadamard_mechanism.HadamardMechServer(**same, t=1),
            "its Hadamard mechanism with t = 1",
            list,  # some reports are iterators, which a server can read only once
        ),
        "S-Hist": pair(lh.LHClient(**same, g=2), lh.LHServer(**same, g=2), "its binary local hashing: also one bit"),
    }


def multi_freq_ldpy(k, epsilon):
    """Return what multi-freq-ldpy has; its estimates are clipped and normalised."""
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE

    def pair(client, server, note="", **options):
        def perturb(values):
            return [client(value, k, epsilon, **options) for value in values]

        def estimate(reports):
            return server(reports, epsilon=epsilon, **options)

        return perturb, estimate, note

    def sized(server):
        return lambda reports, **options: server(reports, k=k, **options)

    return {
        "k-RR": pair(GRR.GRR_Client, sized(GRR.GRR_Aggregator_MI)),
        "SUE": pair(UE.UE_Client, UE.UE_Aggregator_MI, optimal=False),
        "OUE": pair(UE.UE_Client, UE.UE_Aggregator_MI, optimal=True),
        "OLH": pair(LH.LH_Client, sized(LH.LH_Aggregator_MI), optimal=True),
        "k-Subset": pair(SS.SS_Client, sized(SS.SS_Aggregator_MI)),
        "S-Hist": pair(
            LH.LH_Client, sized(LH.LH_Aggregator_MI), "its binary local hashing: also one bit", optimal=False
        ),
    }


LIBRARIES = {"pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}


def measure(libraries, *, n, k, epsilon, repetitions):
    """Rows of the table, and what was left out with the reason: an error is the library's, and no row is better."""
    rows, left_out, values = [], {}, people(n, k).tolist()
    for library, oracles in libraries.items():
        try:
            found = oracles(k, epsilon)
        except ImportError as error:
            left_out[library] = str(error)
            continue
        for oracle, (client, server, note) in found.items():
            about = {"oracle": oracle, "library": library, "n": n, "k": k, "epsilon": epsilon, "note": note}
            try:
                times = client_and_server(client, server, values, repetitions)
            except Exception as error:
                left_out[f"{library}: {oracle}"] = f"{type(error).__name__}: {error}"
                continue
            rows += [{**about, "what": what, "nanoseconds": nanoseconds} for what, nanoseconds in times.items()]
    return rows, left_out


if __name__ == "__main__":
    n, k, epsilon, repetitions = map(float, sys.argv[1:])
    cores = Cores()
    rows, left_out = measure(LIBRARIES, n=int(n), k=int(k), epsilon=epsilon, repetitions=int(repetitions))
    versions = {library: version(library) for library in LIBRARIES if library not in left_out}
    print(json.dumps({"rows": rows, "left out": left_out, "versions": versions, "cores": cores.used}))
