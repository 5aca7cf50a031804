"""What the manual measures: one partition made and counted, and one clock read; the recorded runs are larger."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from ldpnb import GRR, ORR
from ldpnb_book.studies import manual as study


def test_a_partition_is_made_and_counted(tmp_path):
    oracle, path = GRR(k=8, epsilon=30.0), str(tmp_path / "part")  # 500 reports hold a lie with probability 3e-10
    held, client, writing = study.make(oracle, 500, path, seed=[1, 2])
    tally, wall, processor, memory = study.count_here(oracle, [path])
    assert tally.n == held.sum() == 500 and tally.counts.tolist() == held.tolist()
    assert held[0] > held[7] and min(client, writing, wall, processor) >= 0 and memory > 10
    assert study.count_at_once(oracle, [path]) >= memory


def test_a_clock_reads_for_items_and_for_lists():
    rng = np.random.default_rng(3)
    for mechanism, values, items in (
        (GRR(k=8, epsilon=1.0), [1, 2, 3], None),
        (ORR(k=4, cohorts=1, epsilon=1.0), ["a", "b", "c"], ["a", "b"]),
    ):
        taken = study.clock(mechanism, mechanism.perturb(values, rng=rng), 2, items, 1)
        assert set(taken) == {"read ns", "count ns"} and min(taken.values()) >= 0


def test_shares_are_zipfs():
    assert study.zipf(3) == pytest.approx([6 / 11, 3 / 11, 2 / 11])
