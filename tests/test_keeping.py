"""What outlives a process: tallies, kept states and accounts of ε come back whole, or are refused."""

import json
import os
import random
import stat
import subprocess
import sys
import time
from hashlib import sha256
from math import nextafter

import numpy as np
import pytest

from ldpnb import GRR, OUE, RAPPOR, SystemRandom, WheelKV
from ldpnb.core import Kept, Records, Tally
from ldpnb.serve.keeping import (
    FORM,
    Account,
    BudgetError,
    load_state,
    load_tally,
    save_state,
    save_tally,
)

COLOUR = GRR(k=3, epsilon=1.0)
HARMLESS = [("items", None), ("form", True), ("shape", None), ("shape", -1), ("marginal", True)]  # the same estimate
URLS = RAPPOR(bits=16, hashes=2, cohorts=4, f=0.5, p=0.25, q=0.75)
RNG = np.random.default_rng


def tallies():
    wheel = WheelKV(epsilon=1.0, m=2)
    people = Records.of(*[{0: 1.0, 1: -0.5}, {1: 0.25}, {}] * 5)
    yield COLOUR.tally([0, 2, 2])
    yield OUE(k=11, epsilon=1.0).tally(OUE(k=11, epsilon=1.0).perturb([3, 4], rng=RNG(0)))
    yield wheel.tally(wheel.perturb(people, rng=RNG(0)), [0, "a", 5])
    yield COLOUR.simulate(np.array([5, 6, 7]), trials=4, rng=RNG(0))


def test_tallies_come_back(tmp_path):
    for tally in tallies():
        for _ in range(2):  # in place of an older one
            save_tally(tally, tmp_path / "a", label="monday")
        found = load_tally(tmp_path / "a", tally.mechanism, label="monday")
        assert (found.n, found.items, found.marginal) == (tally.n, tally.items, tally.marginal)
        assert found.counts.dtype == np.int64 and np.array_equal(found.counts, tally.counts)
        assert (found + tally).n == 2 * tally.n
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
        assert os.listdir(tmp_path) == ["a"]


def test_the_form_of_a_file_is_what_the_module_says(tmp_path):
    save_tally(COLOUR.tally([0, 2, 2]), tmp_path / "a")
    data = (tmp_path / "a").read_bytes()
    head, rest = data.split(b"\n", 1)
    assert json.loads(head) == {
        "ldpnb": "tally",
        "form": FORM,
        "mechanism": "GRR(k=3, epsilon=1.0)",
        "label": "",
        "n": 3,
        "shape": [3],
        "items": None,
        "marginal": False,
    }
    assert rest[:-32] == np.array([1, 0, 2], "<i8").tobytes() and rest[-32:] == sha256(data[:-32]).digest()


def test_a_damaged_file_is_refused(tmp_path):
    save_tally(COLOUR.tally([0, 2, 2]), tmp_path / "a")
    save_state(URLS.memoise(["a"], rng=RNG(0)), tmp_path / "b")
    Account(tmp_path / "c", limit=1.0)
    for name, load in (
        ("a", lambda path: load_tally(path, COLOUR)),
        ("b", lambda path: load_state(path, URLS)),
        ("c", lambda path: Account(path, limit=1.0)),
    ):
        whole = (tmp_path / name).read_bytes()
        load(tmp_path / name)
        changed = [whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in range(len(whole))]
        for other in [*changed, *(whole[:i] for i in range(0, len(whole), 7)), whole + b"x"]:
            (tmp_path / name).write_bytes(other)
            with pytest.raises(ValueError, match=f"path must be a whole file of '.*', got '{tmp_path / name}': "):
                load(tmp_path / name)


@pytest.mark.parametrize("value", [None, -1, 1.5, True, "x", [1], {"a": 1}], ids=repr)
@pytest.mark.parametrize("name", ["ldpnb", "form", "mechanism", "label", "n", "shape", "items", "marginal", ""])
def test_a_forged_head_is_refused_or_does_no_harm(name, value, tmp_path):
    """The checksum is right, and what it says is not."""
    tally = COLOUR.tally([0, 2, 2])
    save_tally(tally, tmp_path / "a")
    head, rest = (tmp_path / "a").read_bytes().split(b"\n", 1)
    head = json.dumps(json.loads(head) | {name: value} if name else value).encode() + b"\n"
    (tmp_path / "a").write_bytes(head + rest[:-32] + sha256(head + rest[:-32]).digest())
    if (name, value) in HARMLESS:
        assert COLOUR.estimate(load_tally(tmp_path / "a", COLOUR)).tolist() == COLOUR.estimate(tally).tolist()
    else:
        with pytest.raises(ValueError, match="must"):
            COLOUR.estimate(load_tally(tmp_path / "a", COLOUR))


def test_what_another_wrote_is_refused(tmp_path):
    save_tally(COLOUR.tally([0, 2, 2]), tmp_path / "a", label="x")
    with pytest.raises(ValueError, match=r"its mechanism is 'GRR\(k=3, epsilon=1.0\)', not 'GRR\(k=4, epsilon=1.0\)'"):
        load_tally(tmp_path / "a", GRR(k=4, epsilon=1.0), label="x")
    with pytest.raises(ValueError, match="its label is 'x', not ''"):
        load_tally(tmp_path / "a", COLOUR)
    with pytest.raises(ValueError, match="it holds 'tally'"):
        load_state(tmp_path / "a", COLOUR)
    with pytest.raises(ValueError, match="items must be integers or strings to be written"):
        save_tally(Tally(COLOUR, 1, np.zeros(1, np.int64), ((1, 2),)), tmp_path / "a")


def test_states_come_back_for_their_mechanism_and_their_owner_alone(tmp_path):
    kept = URLS.memoise(["a", "b"], rng=RNG(0))
    save_state(kept, tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    found = load_state(tmp_path / "a", URLS)
    assert isinstance(found, Kept) and np.array_equal(found.rows, kept.rows)
    assert np.array_equal(URLS.respond(found, rng=RNG(1)), URLS.respond(kept, rng=RNG(1)))
    other = RAPPOR(bits=16, hashes=2, cohorts=4, f=0.01, p=0.25, q=0.75)
    with pytest.raises(ValueError, match="its mechanism is"):
        load_state(tmp_path / "a", other)


# ------------------------------------------------------------------------------------------------------- accounts


def test_an_account_spends_and_refuses_what_would_exceed(tmp_path):
    account = Account(tmp_path / "a", limit=2.5)
    assert (account.spent, account.left, account.history) == (0.0, 2.5, [])
    for times in (1, 2):
        assert account.report(COLOUR, [2], rng=RNG(times), label="colour").shape == (1,)
        assert (account.spent, account.left) == (times, 2.5 - times)
    for _ in range(2):
        words = r"a report of GRR\(k=3, epsilon=1.0\) must cost at most the 0.5 that is left"
        with pytest.raises(BudgetError, match=words):
            account.report(COLOUR, [2], rng=RNG(0), label="another question")
        assert account.spent == 2.0
    account.report(GRR(k=2, epsilon=0.5), [1], rng=SystemRandom())  # to the last
    assert account.left == 0.0
    [first, second] = Account(tmp_path / "a", limit=2.5).history  # of another process, say
    assert (first["label"], first["reports"], first["epsilon"]) == ("colour", 2, 2.0)
    assert (second["mechanism"], second["reports"]) == ("GRR(k=2, epsilon=0.5)", 1)
    assert first["first"] <= first["last"] and first["first"].endswith("+00:00")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_costs_are_added_without_rounding_down(tmp_path):
    """Ten times 0.1, as a float, is more than one: 0.1 is, and so the tenth report is refused."""
    tenth = GRR(k=2, epsilon=0.1)
    account = Account(tmp_path / "a", limit=1.0)
    for _ in range(9):
        account.report(tenth, [0], rng=RNG(0))
    with pytest.raises(BudgetError):
        account.report(tenth, [0], rng=RNG(0))
    enough = Account(tmp_path / "b", limit=nextafter(1.0, 2))
    for _ in range(10):
        enough.report(tenth, [0], rng=RNG(0))
    assert enough.spent == nextafter(1.0, 2) and enough.left == 0


def test_a_kept_state_costs_what_its_reports_reveal_together(tmp_path):
    account = Account(tmp_path / "a", limit=URLS.exposure(5) + 1e-9)
    bits = [account.report(URLS, ["a.org"], rng=RNG(i), label="start page") for i in range(5)]
    assert account.spent == URLS.exposure(5) < 5 * URLS.epsilon
    assert len({int(one["cohort"][0]) for one in bits}) == 1  # one state; a fresh one would draw another cohort
    with pytest.raises(BudgetError):
        account.report(URLS, ["b.org"], rng=RNG(0), label="start page")  # a new value is a new state
    assert account.spent == URLS.exposure(5)


def test_a_new_value_is_a_new_state(tmp_path):
    account = Account(tmp_path / "a", limit=100.0)
    for value in ("a", "b", "a", "b"):
        account.report(URLS, [value], rng=RNG(0))
    assert account.spent == pytest.approx(2 * URLS.exposure(2))
    assert len(account.history) == 2


@pytest.mark.parametrize("values", [[], [0, 1], [7], ["x"]])
def test_nothing_is_paid_for_a_value_that_is_refused(values, tmp_path):
    account = Account(tmp_path / "a", limit=2.0)
    with pytest.raises(ValueError, match="values must"):
        account.report(COLOUR, values, rng=RNG(0))
    assert account.spent == 0


def test_an_account_is_not_opened_anew_with_another_limit(tmp_path):
    Account(tmp_path / "a", limit=2.0)
    with pytest.raises(ValueError, match="its limit is 2.0, not 3.0"):
        Account(tmp_path / "a", limit=3.0)
    for limit in (0, -1, float("inf"), float("nan"), None, "1"):
        with pytest.raises(ValueError, match="limit must be a positive number"):
            Account(tmp_path / "b", limit=limit)


SPENDER = """
import sys
from ldpnb import GRR, SystemRandom
from ldpnb.serve import Account
account = Account(sys.argv[1], limit=1e6)
for _ in range(int(sys.argv[2])):
    account.report(GRR(k=2, epsilon=1.0), [0], rng=SystemRandom())
    print("sent", flush=True)
"""


@pytest.mark.slow
def test_an_account_survives_a_crash_without_forgetting(tmp_path):
    """Killed at random moments, it is never damaged, and has paid for all that was sent."""
    chance, sent = random.Random(5), 0
    for _ in range(6):
        command = [sys.executable, "-c", SPENDER, tmp_path / "a", "1000000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as one:
            one.stdout.readline()
            sent += 1
            time.sleep(chance.uniform(0, 0.2))
            one.kill()
            sent += one.stdout.read().count(b"sent")
        spent = Account(tmp_path / "a", limit=1e6).spent
        assert sent <= spent <= sent + 6  # at most one a time that was paid for and not sent
    assert sent > 10


@pytest.mark.slow
def test_processes_share_an_account(tmp_path):
    Account(tmp_path / "a", limit=1e6)
    several = [subprocess.Popen([sys.executable, "-c", SPENDER, tmp_path / "a", "30"], stdout=-3) for _ in range(3)]
    assert [one.wait() for one in several] == [0, 0, 0]
    assert Account(tmp_path / "a", limit=1e6).spent == 90
