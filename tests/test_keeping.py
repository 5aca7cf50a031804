"""What outlives a process: tallies, kept states and accounts of ε come back whole, or are refused."""

import json
import os
import random
import socket
import stat
import subprocess
import sys
import time
from hashlib import sha256
from math import nextafter
from pathlib import Path

import numpy as np
import pytest

from ldpnb import GRR, OUE, RAPPOR, SystemRandom, WheelKV
from ldpnb.core import Kept, Tally
from ldpnb.records import Records
from ldpnb.collecting._disk import beside, lock, resolved
from ldpnb.collecting.files import FORM, load_state, load_tally, save_state, save_tally
from ldpnb.survey.accounts import Account, BudgetError

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


def test_a_tally_is_written_under_a_label_by_which_it_is_found(tmp_path):
    whole = PAIR.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # the cure
    for label in (PAIR, PAIR[0]):
        with pytest.raises(ValueError, match=r"label must be a text without surrogates.*: write label.encode"):
            save_tally(COLOUR.tally([1]), tmp_path / "a", label=label)
    save_tally(COLOUR.tally([1]), tmp_path / "a", label=whole)
    assert whole == "\N{GRINNING FACE}" and load_tally(tmp_path / "a", COLOUR, label=whole).n == 1


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


def test_ten_tenths_fit_a_limit_of_one(tmp_path):
    """Ten times the float 0.1 is more than one, by less than the slack."""
    tenth = GRR(k=2, epsilon=0.1)
    account = Account(tmp_path / "a", limit=1.0)
    for _ in range(10):
        account.report(tenth, [0], rng=RNG(0))
    assert account.spent == nextafter(1.0, 2) and account.left == 0
    with pytest.raises(BudgetError, match="at most the 0 that is left, got 0.1: ask less"):
        account.report(tenth, [0], rng=RNG(0))


@pytest.mark.parametrize(("more", "fits"), [(2.0**-41, True), (2.0**-39, False)])
def test_a_sum_may_pass_the_limit_by_a_stated_part_of_it(more, fits, tmp_path):
    account = Account(tmp_path / "a", limit=1.0)
    account.report(GRR(k=2, epsilon=0.5), [0], rng=RNG(0))
    last = GRR(k=2, epsilon=0.5 + more)
    if fits:
        account.report(last, [0], rng=RNG(0))
        assert account.spent > 1.0 and account.left == 0
    else:  # both print as 0.5, and so their difference is printed
        with pytest.raises(BudgetError, match="at most the 0.5 that is left, got 0.5, which is 1.8e-12 more"):
            account.report(last, [0], rng=RNG(0))
        assert account.spent == 0.5


def test_a_kept_state_costs_what_its_reports_reveal_together(tmp_path):
    account = Account(tmp_path / "a", limit=URLS.exposure(5) + 1e-9)
    bits = [account.report(URLS, ["a.org"], rng=RNG(i), label="start page") for i in range(5)]
    assert account.spent == URLS.exposure(5) < 5 * URLS.epsilon
    assert len({int(one["cohort"][0]) for one in bits}) == 1  # one state; a fresh one would draw another cohort
    with pytest.raises(BudgetError):
        account.report(URLS, ["a.org"], rng=RNG(0), label="start page")
    assert account.spent == URLS.exposure(5)


def test_a_new_value_is_answered_from_the_state_of_the_first(tmp_path):
    """Neither a new state nor a refusal: both would tell that the value has changed."""
    sharp = RAPPOR(bits=64, hashes=1, cohorts=4, f=1e-9, p=0, q=1)  # sends the state, which is the filter
    account, constant = (Account(tmp_path / name, limit=1000.0) for name in "ab")
    for i, value in enumerate(("a", "b", "a", "b")):
        report = account.report(sharp, [value], rng=RNG(0), label="week 48")
        assert report == constant.report(sharp, ["a"], rng=RNG(0), label="week 48")
        assert account.spent == constant.spent == sharp.exposure(i + 1)
    [entry] = account.history
    assert (entry["reports"], entry["label"]) == (4, "week 48")
    assert account.report(sharp, ["b"], rng=RNG(0), label="week 49") != report, "a new period has a new state"
    assert account.spent == pytest.approx(sharp.exposure(4) + sharp.exposure(1))


def test_values_are_not_kept(tmp_path):
    account = Account(tmp_path / "a", limit=100.0)
    account.report(URLS, ["secret.org"], rng=RNG(0), label="start page")
    assert b"secret" not in (tmp_path / "a").read_bytes()


def test_what_an_account_prints(tmp_path):
    account = Account(tmp_path / "a", limit=8.0)
    account.report(COLOUR, [2], rng=RNG(0), label="colour")
    for value in ("a.org", "b.org"):
        account.report(URLS, [value], rng=RNG(0), label="start page, week 48")
    first, colour, page, condition, last = str(account).split("\n")
    total = 1 + URLS.exposure(2)
    assert first == f"ε = {total:.6g} spent of limit = 8, and {8 - total:.6g} left"
    assert colour == "'colour': ε = 1, 1 report by GRR(k=3, epsilon=1.0)"
    assert page.startswith(f"'start page, week 48': ε = {URLS.exposure(2):.6g}, 2 reports by RAPPOR(bits=16")
    assert page.endswith(", from one state: of the value at the first")
    what = "labels, mechanisms, number and times of reports"
    assert condition == f"The sum holds if {what} do not depend on the person's values,"
    assert last == "and no state is lost."


def of_1_0_0(path, values, limit=100.0):
    """An account file as 1.0.0 has left it: its entries name the value, and there is one for each."""
    when, kept = "2026-11-28T08:00:00+00:00", URLS.memoise(list(values), rng=RNG(1))
    name = "RAPPOR(bits=16, hashes=2, cohorts=4, f=0.5, p=0.25, q=0.75)"
    entries = [
        {"mechanism": name, "label": "start page", "value": value, "reports": 1, "epsilon": URLS.exposure(1)}
        | {"first": when, "last": when, "state": row.tobytes().hex()}
        for value, row in zip(values, kept.rows, strict=True)
    ]
    head = json.dumps({"ldpnb": "account", "form": 1, "limit": limit, "entries": entries}).encode() + b"\n"
    path.write_bytes(head + sha256(head).digest())
    return kept


def test_a_label_of_1_0_0_with_one_state_goes_on(tmp_path):
    kept = of_1_0_0(tmp_path / "a", ["a.org"])
    account = Account(tmp_path / "a", limit=100.0)
    report = account.report(URLS, ["b.org"], rng=RNG(0), label="start page")
    assert report["cohort"] == kept.rows["cohort"]
    assert account.spent == URLS.exposure(2) and len(account.history) == 1


def test_a_label_of_1_0_0_with_several_states_is_refused(tmp_path):
    of_1_0_0(tmp_path / "a", ["a.org", "b.org"])
    account = Account(tmp_path / "a", limit=100.0)
    assert account.spent == pytest.approx(2 * URLS.exposure(1)) and len(account.history) == 2
    why = (
        "label must be one with one kept state, got 'start page' with 2: version 1.0.0 kept one for each value, which "
    )
    why += "tells when the value changed, and may charge too little: take a new label, with the period in it"
    with pytest.raises(ValueError, match=why):
        account.report(URLS, ["a.org"], rng=RNG(0), label="start page")
    assert account.spent == pytest.approx(2 * URLS.exposure(1)), "nothing is paid"
    assert "'start page' has 2 states of RAPPOR(bits=16" in str(account)
    account.report(URLS, ["a.org"], rng=RNG(0), label="start page, week 48")


def test_several_reports_are_paid_all_or_none(tmp_path):
    account = Account(tmp_path / "a", limit=3.5)
    asked = [(COLOUR, [2], "colour"), (URLS, ["a.org"], "page"), (COLOUR, [1], "colour")]
    with pytest.raises(BudgetError, match="3 reports must cost at most the 3.5 that is left, got 4.0433"):
        account.reports(asked, rng=RNG(0))
    assert account.spent == 0 and account.history == []
    for wrong in ([*asked[:1], (COLOUR, [7], "colour")], [*asked[:1], (COLOUR, [1, 2], "")]):
        with pytest.raises(ValueError, match="values must"):
            account.reports(wrong, rng=RNG(0))
        assert account.spent == 0
    colour, page = account.reports(asked[:2], rng=RNG(0))
    assert colour.shape == (1,) and page["bits"].shape == (1, 16)
    assert account.spent == 1 + URLS.exposure(1)
    assert account.reports([], rng=RNG(0)) == []


def test_reports_of_one_state_in_one_payment(tmp_path):
    account = Account(tmp_path / "a", limit=10.0)
    found = account.reports([(URLS, [value], "page") for value in ("a", "b", "c")], rng=RNG(0))
    assert len({int(report["cohort"][0]) for report in found}) == 1
    assert account.spent == URLS.exposure(3)


PAIR = "\ud83d\ude00"  # JSON joins them to one character, so that the label that is read is another


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["colour"], r"asked must be tuples \(mechanism, values, label\), got str"),
        ([(COLOUR, [1])], r"asked must be tuples \(mechanism, values, label\), got tuple"),
        ([("GRR", [1], "a")], r"mechanism must be a Mechanism, as GRR\(k=3, epsilon=1.0\), .*got 'GRR'"),
        ([(COLOUR, 1, "a")], r"values must be those of one person, as \[x\], got int"),
        ([(COLOUR, [1], {"a": 1})], r"label must be a text, got {'a': 1}: write str\(label\)"),
        ([(COLOUR, [1], None)], "label must be a text, got None"),
        ([(COLOUR, [1], PAIR)], r"label must be a text without surrogates.*got '\\ud83d\\ude00': write label.encode"),
        ([(COLOUR, [1], "a" + PAIR[0])], r"label must be a text without surrogates.*got 'a\\ud83d': write"),
        (None, r"asked must be a list of tuples \(mechanism, values, label\), got None"),
    ],
    ids=repr,
)
def test_what_is_no_report_is_refused(asked, words, tmp_path):
    account = Account(tmp_path / "a", limit=10.0)
    with pytest.raises(ValueError, match=words):
        account.reports(asked, rng=RNG(0))
    assert account.spent == 0


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
    for limit in (0, -1, float("inf"), float("nan"), None, "1", 10**400):
        with pytest.raises(ValueError, match="limit must be a positive number"):
            Account(tmp_path / "b", limit=limit)


def in_folder(path, name, monkeypatch):
    monkeypatch.chdir(path.parent)
    return name


NAMES = {
    "a link": lambda path, _: path.with_name("b").symlink_to(path) or path.with_name("b"),
    "a link to a link": lambda path, _: [
        path.with_name("b").symlink_to("a"),
        path.with_name("c").symlink_to("b"),
        path.with_name("c"),
    ][-1],
    "relative": lambda path, patch: in_folder(path, "a", patch),
    "with a detour": lambda path, _: f"{path.parent}/../{path.parent.name}/./a",
    "a linked folder": lambda path, _: (
        path.parent.with_name("other").symlink_to(path.parent) or path.parent.with_name("other") / "a"
    ),
}


@pytest.mark.parametrize("opened", ["by its name first", "by the other first"])
@pytest.mark.parametrize("kind", NAMES)
def test_an_account_by_two_names_is_one_account_with_one_lock(kind, opened, tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    names = [folder / "a", NAMES[kind](folder / "a", monkeypatch)]
    first, second = (Account(name, limit=1.0) for name in (names if opened.startswith("by its") else names[::-1]))
    monkeypatch.chdir(tmp_path)  # a relative name stays that of the same file
    first.report(COLOUR, [0], rng=RNG(0))
    assert second.spent == 1.0
    with pytest.raises(BudgetError):
        second.report(COLOUR, [0], rng=RNG(0))
    assert sorted(path.name for path in folder.iterdir() if not path.is_symlink()) == ["a", "a.lock"]


def test_an_account_of_two_names_that_are_no_links_is_refused(tmp_path):
    """A payment replaces the file under one of them, and the other would be a second account."""
    account = Account(tmp_path / "a", limit=1.0)
    os.link(tmp_path / "a", tmp_path / "b")
    words = "path must be the only name of an account, got '.*' of 2: a payment would reach one of them: delete all but"
    for use in (lambda: account.report(COLOUR, [0], rng=RNG(0)), lambda: Account(tmp_path / "b", limit=1.0)):
        with pytest.raises(ValueError, match=words):
            use()
    (tmp_path / "a").unlink()
    assert Account(tmp_path / "b", limit=1.0).spent == 0


FILES = {
    "tally": (lambda path: save_tally(COLOUR.tally([0]), path), lambda path: load_tally(path, COLOUR)),
    "state": (lambda path: save_state(URLS.memoise(["a"], rng=RNG(0)), path), lambda path: load_state(path, URLS)),
    "account": (lambda path: Account(path, limit=1.0),) * 2,
}


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket"])
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_file_is_refused(name, kind, tmp_path):
    """Opening a pipe would wait for a writer, for ever."""
    path = str(tmp_path / "b")
    with socket.socket(socket.AF_UNIX) as one:
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            os.mkdir(path)
        else:
            one.bind(path)
        cure = f"name a file in it, as '{path}/account'" if kind == "folder" else "name a file"
        words = f"path must be that of a file, or new, got '{path}', which is a {kind}: {cure}$"
        for use in FILES[name]:
            with pytest.raises(ValueError, match=words):
                use(path)
    assert os.listdir(tmp_path) == ["b"], "nor is a lock made beside it"


def test_a_device_is_refused():
    """Nothing here may write: code that does not refuse it would replace the machine's own device."""
    for read in (resolved, lambda path: load_tally(path, COLOUR), lambda path: load_state(path, URLS)):
        with pytest.raises(ValueError, match="path must be that of a file, or new, got '/dev/null', which is a device"):
            read("/dev/null")


@pytest.mark.parametrize("name", FILES)
def test_what_a_killed_writer_left_is_passed_over_and_removed(name, tmp_path, monkeypatch):
    write, read = FILES[name]
    write(tmp_path / "a")
    with monkeypatch.context() as killed:  # before its file has its name, and without a chance to tidy up
        killed.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        killed.setattr(Path, "unlink", lambda *_, **__: None)
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                if name == "account":
                    Account(tmp_path / "a", limit=1.0)._store([], lambda: None)
                write(tmp_path / "a")
    strange = tmp_path / f"{'0' * 16}-{'0' * 16}.partial"
    strange.write_bytes(b"of another file")
    assert len(list(tmp_path.glob("*.partial"))) == 4
    read(tmp_path / "a")
    write(tmp_path / "a")
    assert list(tmp_path.glob("*.partial")) == [strange]


def test_what_another_is_writing_is_not_removed(tmp_path):
    """A tally has no lock of its own; its temporary file is locked while it is written."""
    save_tally(COLOUR.tally([0]), tmp_path / "a")
    writing = beside(tmp_path / "a")
    with open(writing, "wb") as file:
        lock(file.fileno())
        file.write(b"half")
        file.flush()
        save_tally(COLOUR.tally([0]), tmp_path / "a")
        assert writing.exists()
    save_tally(COLOUR.tally([0]), tmp_path / "a")
    assert not writing.exists()


SPENDER = """
import sys
from ldpnb import GRR, SystemRandom
from ldpnb.survey import Account
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


PAIRS = """
import sys
from ldpnb import GRR, SystemRandom
from ldpnb.survey import Account, BudgetError
account = Account(sys.argv[1], limit=float(sys.argv[2]))
asked = [(GRR(k=2, epsilon=1.0), [0], "a"), (GRR(k=2, epsilon=2.0), [0], "b")]
print("ready", flush=True)
sys.stdin.readline()
try:
    while True:
        account.reports(asked, rng=SystemRandom())
        print("paid", flush=True)
except BudgetError:
    pass
"""


@pytest.mark.slow
def test_processes_pay_for_several_reports_at_once_or_not_at_all(tmp_path):
    """Three at once: 10 is enough for three payments of 3, and what is left buys none and no part of one."""
    command = [sys.executable, "-c", PAIRS, tmp_path / "a", "10"]
    several = [subprocess.Popen(command, stdin=-1, stdout=-1, text=True) for _ in range(3)]
    assert [one.stdout.readline() for one in several] == ["ready\n"] * 3
    said = []
    for one in several:
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in several:
        said.append(one.communicate()[0].count("paid"))
    account = Account(tmp_path / "a", limit=10.0)
    assert sum(said) == 3 and account.spent == 9.0
    assert [(entry["label"], entry["reports"]) for entry in account.history] == [("a", 3), ("b", 3)]
    with pytest.raises(BudgetError):  # the control: one by one, half of a fourth is paid
        for mechanism in (GRR(k=2, epsilon=1.0), GRR(k=2, epsilon=2.0)):
            account.report(mechanism, [0], rng=RNG(0), label="a")
    assert account.spent == 10.0


@pytest.mark.slow
def test_a_killed_client_has_paid_for_all_or_none(tmp_path):
    chance = random.Random(6)
    for _ in range(6):
        command = [sys.executable, "-c", PAIRS, tmp_path / "a", "1000000"]
        with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as one:
            one.stdin.write("go\n")
            one.stdin.flush()
            assert [one.stdout.readline() for _ in range(2)] == ["ready\n", "paid\n"]
            time.sleep(chance.uniform(0, 0.1))
            one.kill()
        first, second = Account(tmp_path / "a", limit=1e6).history
        assert first["reports"] == second["reports"] > 0
    assert sorted(os.listdir(tmp_path)) == ["a", "a.lock"], "what they left is removed"
