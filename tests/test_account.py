"""An account under odd use: names that move, forks, signals, forged entries, and classes of a person's own."""

import errno
import json
import os
import signal
import threading
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from ldpnb import GRR, RAPPOR, SystemRandom
from ldpnb.collecting import _disk
from ldpnb.collecting.files import identity, save_tally
from ldpnb.survey.accounts import Account, CONDITIONS

COIN = GRR(k=2, epsilon=1.0)
PAGE = RAPPOR(bits=8, hashes=1, cohorts=4, f=0.5, p=0.25, q=0.75)
RNG = np.random.default_rng


class Meanwhile(SystemRandom):
    """A source of randomness that does something in the middle of a payment: when it is asked for the first time."""

    def __init__(self, act):
        super().__init__()
        self.act = act

    def __getattribute__(self, name):
        act = object.__getattribute__(self, "__dict__").pop("act", None)
        if act:
            act()
        return object.__getattribute__(self, name)


def pay(account, rng=None, label="q"):
    return account.report(COIN, [0], rng=rng or SystemRandom(), label=label)


class WaitsForEver(Exception):
    """No OSError, which some code passes over."""


@pytest.fixture
def in_time():
    """End a test that waits for itself."""

    def end(*_):
        raise WaitsForEver

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


# --------------------------------------------------------------------------------------------------- lock and name


def test_an_account_that_was_moved_and_linked_is_opened_again(tmp_path):
    """The old object has the lock of the old name."""
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    old = Account(tmp_path / "x" / "a", limit=1.0)
    (tmp_path / "x" / "a").rename(tmp_path / "y" / "a")
    (tmp_path / "x" / "a").symlink_to(tmp_path / "y" / "a")
    for use in (lambda: pay(old), lambda: old.spent):
        with pytest.raises(ValueError, match="path must lead .* which has become a link: open the account again"):
            use()
    new = Account(tmp_path / "x" / "a", limit=1.0)
    pay(new)
    assert new.spent == 1.0


def test_a_move_in_the_middle_of_a_payment_pays_nothing(tmp_path):
    (tmp_path / "y").mkdir()
    account = Account(tmp_path / "a", limit=1.0)

    def move():
        (tmp_path / "a").rename(tmp_path / "y" / "a")
        (tmp_path / "a").symlink_to(tmp_path / "y" / "a")

    with pytest.raises(ValueError, match="has become a link"):
        pay(account, Meanwhile(move))
    assert (tmp_path / "a").is_symlink() and Account(tmp_path / "a", limit=1.0).spent == 0


def test_a_lock_that_is_removed_in_the_middle_pays_nothing(tmp_path):
    """Another has locked a new file of that name, and paid."""
    first, second, sent = Account(tmp_path / "a", limit=1.0), Account(tmp_path / "a", limit=1.0), []

    def remove():
        (tmp_path / "a.lock").unlink()
        other = threading.Thread(target=lambda: sent.append(pay(second)))
        other.start()
        other.join()

    with pytest.raises(RuntimeError, match=r"a\.lock' was removed or replaced .* nothing is paid: try again"):
        pay(first, Meanwhile(remove))
    assert len(sent) == 1 and first.spent == 1.0
    assert os.listdir(tmp_path).count("a.lock") == 1 and not list(tmp_path.glob("*.partial"))


def test_who_waited_for_a_lock_that_was_removed_takes_the_new_one(tmp_path, monkeypatch):
    account, took = Account(tmp_path / "a", limit=9.0), []

    def remove(file, **how):
        took.append(os.fstat(file).st_ino)
        if len(took) == 1:
            (tmp_path / "a.lock").rename(tmp_path / "b")
        return real(file, **how)

    real = _disk.lock
    monkeypatch.setattr(_disk, "lock", remove)
    pay(account)
    assert took[0] != took[1] == (tmp_path / "a.lock").stat().st_ino
    assert account.spent == 1.0


def test_a_lock_that_is_always_another_is_not_waited_for(tmp_path, monkeypatch, in_time):
    """As on a file system that numbers files anew at each look."""
    account = Account(tmp_path / "a", limit=9.0)
    monkeypatch.setattr(os.path, "samestat", lambda *_: False)
    with pytest.raises(
        RuntimeError, match="a.lock' must keep its name while it is in use, got 100 other files: let it be"
    ):
        pay(account)


@pytest.mark.parametrize("name", ["a.lock", "a.partial", "a.LOCK"])
def test_the_name_of_a_lock_is_no_name_of_an_account(name, tmp_path):
    with pytest.raises(ValueError, match=r"path must not end in \.lock or \.partial, .*: choose another name"):
        Account(tmp_path / name, limit=1.0)
    assert os.listdir(tmp_path) == []


def test_a_payment_inside_a_payment_is_refused(tmp_path, in_time):
    """It would wait for itself; so would a signal handler that reports."""
    account = Account(tmp_path / "a", limit=9.0)
    (tmp_path / "other").symlink_to("a")
    for inner in (account, Account(tmp_path / "other", limit=9.0)):
        words = "must be over before the same thread begins the next: .* signal handler"
        with pytest.raises(RuntimeError, match=words):
            pay(account, Meanwhile(partial(pay, inner)))
    assert account.spent == 0
    pay(account)
    pay(account, Meanwhile(lambda: pay(Account(tmp_path / "b", limit=9.0))))  # another account is none of its business
    assert account.spent == 2.0


def test_a_child_of_a_fork_does_not_keep_the_lock(tmp_path, in_time):
    account, reading, writing = Account(tmp_path / "a", limit=9.0), threading.Event(), threading.Event()

    def wait():
        reading.set()
        writing.wait()

    payer = threading.Thread(target=lambda: pay(account, Meanwhile(wait)))
    payer.start()
    reading.wait()
    child = os.fork()
    if not child:
        signal.pause()
    try:
        writing.set()
        payer.join()
        pay(account)  # waited for the child before
        assert account.spent == 2.0
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_payment_that_is_forked_is_paid_once(tmp_path):
    account, parent, child = Account(tmp_path / "a", limit=9.0), os.getpid(), []
    read, write = os.pipe()
    try:
        pay(account, Meanwhile(lambda: child.append(os.fork())))
        os.write(write, b"r")
    except RuntimeError as error:
        os.write(write, b"f" if "fork" in str(error) else b"?")
    finally:
        if os.getpid() != parent:
            os._exit(0)
    os.waitpid(child[0], 0)
    assert sorted(os.read(read, 9)) == sorted(b"rf") and account.spent == 1.0


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_that_is_named_like_a_leftover_is_passed_over(linked, tmp_path, in_time):
    left, tally = _disk.beside(tmp_path / "a"), COIN.tally([0])
    if linked:
        os.mkfifo(tmp_path / "pipe")
        left.symlink_to("pipe")
    else:
        os.mkfifo(left)
    save_tally(tally, tmp_path / "a")
    assert os.path.lexists(left)


# ------------------------------------------------------------------------------------------- paths without an account


def missing(folder):
    return folder / "no" / "a", FileNotFoundError, "make its folder first"


def lock_is_a_folder(folder):
    (folder / "a.lock").mkdir()
    return folder / "a", IsADirectoryError, "remove it, or choose another name"


def a_loop(folder):
    (folder / "a").symlink_to("a")
    return folder / "a", OSError, "remove the link, which leads to itself"


def too_long(folder):
    return folder / ("x" * 252), OSError, "choose a shorter name"


def a_zero(folder):
    return f"{folder}/a\0b", ValueError, "path must be a name without NUL"


def no_text(folder):
    return 3, ValueError, "path must be a text or a Path, got 3"


def deleted(folder):
    (folder / "a").touch()
    file = os.open(folder / "a", os.O_RDONLY)
    (folder / "a").unlink()
    return f"/proc/self/fd/{file}", ValueError, "which has been deleted: name a file"


@pytest.mark.parametrize("case", [missing, lock_is_a_folder, a_loop, too_long, a_zero, no_text, deleted])
def test_a_path_that_cannot_be_used_is_named_with_its_cure(case, tmp_path):
    path, kind, words = case(tmp_path)
    if case is deleted and not os.path.isdir("/proc/self/fd"):
        pytest.skip("a system without /proc")
    before = os.listdir(tmp_path)
    with pytest.raises(kind, match="path must") as error:
        Account(path, limit=1.0)
    named = repr(str(path)[-200:])[1:]  # of a very long name its end
    assert words in str(error.value) and (named in str(error.value) or path == 3)
    assert os.listdir(tmp_path) == before


def test_a_path_of_bytes_is_that_of_its_text(tmp_path):
    pay(Account(os.fsencode(tmp_path / "a"), limit=1.0))
    assert Account(tmp_path / "a", limit=1.0).spent == 1.0


def test_an_account_that_was_deleted_says_so(tmp_path):
    account = Account(tmp_path / "a", limit=1.0)
    (tmp_path / "a").unlink()
    for use in (lambda: account.spent, lambda: pay(account)):
        with pytest.raises(FileNotFoundError, match="path must be a file of 'account', got '.*/a': there is none"):
            use()
    assert not (tmp_path / "a").exists()


def test_an_account_of_another_user_is_named(tmp_path, monkeypatch):
    Account(tmp_path / "a", limit=1.0)

    def refuse(path, *_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))

    monkeypatch.setattr(os, "open", refuse)
    words = f"path must .*{tmp_path}/a': Permission denied: .*: it must be your own"
    for use in (lambda: Account(tmp_path / "a", limit=1.0), lambda: save_tally(COIN.tally([0]), tmp_path / "a")):
        with pytest.raises(PermissionError, match=words):
            use()


def test_an_account_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    account, read_bytes = Account(tmp_path / "a", limit=1.0), Path.read_bytes

    def refuse(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    words = f"path must be one that can be used, got '{tmp_path}/a': Permission denied: .*: it must be your own"
    for use in (lambda: Account(tmp_path / "a", limit=1.0), lambda: account.spent, lambda: pay(account)):
        with pytest.raises(PermissionError, match=words):
            use()

    def vanish(path):
        data = read_bytes(path)
        path.unlink()
        return data

    monkeypatch.setattr(Path, "read_bytes", vanish)  # gone between the read and the look at its names
    with pytest.raises(FileNotFoundError, match=f"path must be one that can be used, got '{tmp_path}/a'"):
        print(account.spent)


# ---------------------------------------------------------------------------------------------------- forged entries

WHEN = "2026-11-28T08:00:00+00:00"
FRESH = {"mechanism": identity(COIN), "label": "q", "reports": 1, "epsilon": 1.0, "first": WHEN, "last": WHEN}
STATE = PAGE.memoise(["a"], rng=RNG(0)).rows.tobytes().hex()
KEPT = FRESH | {"mechanism": identity(PAGE), "epsilon": PAGE.exposure(1), "state": STATE}


def forge(path, entries):
    """An account whose checksum is right."""
    head = json.dumps({"ldpnb": "account", "form": 1, "limit": 100.0, "entries": entries}).encode() + b"\n"
    path.write_bytes(head + sha256(head).digest())


FORGED = {
    **{f"no {name}": [{key: x for key, x in FRESH.items() if key != name}] for name in FRESH},
    **{f"reports {x!r}": [FRESH | {"reports": x}] for x in (-5, -1, 0, 1.5, None, True, "x", float("inf"), 2**63)},
    **{f"epsilon {x!r}": [FRESH | {"epsilon": x}] for x in (float("nan"), float("inf"), -1, 0, True, "1", None)},
    "sums beyond floats": [FRESH | {"label": label, "epsilon": 1.7e308} for label in "ab"],
    "more than the limit": [FRESH | {"epsilon": 101.0}],
    "no text of a mechanism": [FRESH | {"mechanism": [1]}],
    "no text of a time": [FRESH | {"first": 3}],
    "a list of lists": [[1]],
    "a dict": {"a": 1},
    "none": None,
    "a text": "ab",
    "a state of numbers": [KEPT | {"state": 3}],
    "a state of letters": [KEPT | {"state": "zz"}],
}


@pytest.mark.parametrize("case", FORGED)
def test_an_entry_that_no_payment_writes_is_refused(case, tmp_path):
    forge(tmp_path / "a", FORGED[case])
    with pytest.raises(ValueError, match="path must be a whole file of 'account', got '.*': "):
        Account(tmp_path / "a", limit=100.0)


def test_a_file_of_brackets_is_refused(tmp_path):
    head = b"[" * 200_000 + b"\n"
    (tmp_path / "a").write_bytes(head + sha256(head).digest())
    with pytest.raises(ValueError, match="path must be a whole file of 'account'"):
        Account(tmp_path / "a", limit=1.0)


def test_honest_entries_are_read(tmp_path):
    """The control; 1.0.0 took labels of every kind, and wrote values of states."""
    forge(tmp_path / "a", [FRESH, KEPT | {"value": "a"}, FRESH | {"label": ["l"]}, FRESH | {"label": None}])
    account = Account(tmp_path / "a", limit=100.0)
    assert len(account.history) == 4 and account.spent == pytest.approx(3 + PAGE.exposure(1))
    assert account.report(PAGE, ["b"], rng=RNG(0), label="q").shape == (1,)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("", "a state of RAPPOR.* must have 16 bytes, got 0: the file is damaged"),
        (STATE + STATE, "must have 16 bytes, got 32"),
        ("63" + STATE[2:], "cohort"),
        (STATE[:-2] + "02", "permanent"),
    ],
)
def test_a_forged_state_is_refused_and_nothing_paid(state, words, tmp_path):
    forge(tmp_path / "a", [KEPT | {"state": state}])
    account = Account(tmp_path / "a", limit=100.0)
    with pytest.raises(ValueError, match=words):
        account.report(PAGE, ["a"], rng=RNG(0), label="q")
    assert account.spent == PAGE.exposure(1)


def test_a_state_that_was_read_often_is_read_at_once(tmp_path, in_time):
    forge(tmp_path / "a", [KEPT | {"reports": 10**7, "epsilon": PAGE.lifetime_epsilon}])
    account = Account(tmp_path / "a", limit=100.0)
    account.report(PAGE, ["a"], rng=RNG(0), label="q")
    assert account.spent == PAGE.lifetime_epsilon


# -------------------------------------------------------------------------------------------- labels as 1.0.0 took them


def test_fresh_coins_under_several_entries_are_charged_rightly(tmp_path):
    """1.0.0 wrote a new entry for each report under a label that was a tuple."""
    forge(tmp_path / "a", [FRESH | {"label": ["q"]}] * 2 + [FRESH] * 2)
    account = Account(tmp_path / "a", limit=100.0)
    assert "states" not in str(account)
    pay(account)
    assert account.spent == 5.0


def test_states_of_1_0_0_are_counted_and_refused(tmp_path):
    forge(tmp_path / "a", [KEPT | {"value": "a"}, KEPT | {"value": "b"}])
    account = Account(tmp_path / "a", limit=100.0)
    assert "'q' has 2 states of RAPPOR" in str(account) and "may cost more than is charged" in str(account)
    words = "label must be one with one kept state, got 'q' with 2: .* may charge too little"
    with pytest.raises(ValueError, match=words):
        account.report(PAGE, ["a"], rng=RNG(0), label="q")


# ------------------------------------------------------------------------------------------------------- own classes


def own(**changed):
    """A mechanism of a class of one's own, `Own`, that does some things otherwise than `RAPPOR`."""
    kind = dataclass(frozen=True, kw_only=True)(type("Own", (RAPPOR,), changed))
    return kind(bits=8, hashes=1, cohorts=4, f=0.5, p=0.25, q=0.75)


class Honest(GRR):
    """Draws whatever its ε is."""

    def perturb(self, values, *, rng):
        return np.zeros(1, np.int64)


def of_epsilon(value):
    found = Honest(k=2, epsilon=1.0)
    object.__setattr__(found, "epsilon", value)
    return found


@pytest.mark.parametrize("cost", [-5.0, 0.0, True, float("nan"), float("inf"), None, "1"], ids=repr)
@pytest.mark.parametrize("name", ["exposure", "epsilon"])
def test_a_cost_that_is_no_positive_number_is_refused(name, cost, tmp_path):
    account = Account(tmp_path / "a", limit=10.0)
    mechanism = own(exposure=lambda self, reports: cost) if name == "exposure" else of_epsilon(cost)
    with pytest.raises(ValueError, match=f"{name} must be a positive number"):
        account.report(mechanism, ["a"] if name == "exposure" else [0], rng=RNG(0), label="q")
    assert account.history == []


def test_a_cost_of_32_bits_is_its_float(tmp_path):
    account = Account(tmp_path / "a", limit=10.0)
    account.report(own(exposure=lambda self, reports: np.float32(0.1)), ["a"], rng=RNG(0), label="q")
    account.report(of_epsilon(np.float32(0.1)), [0], rng=RNG(0), label="q")
    assert account.spent == 2 * float(np.float32(0.1))


def changing(exposures):
    return own(exposure=lambda self, reports: exposures[reports - 1])


def test_a_payment_never_lowers_what_is_spent(tmp_path):
    account = Account(tmp_path / "a", limit=10.0)
    account.report(changing([5.0]), ["a"], rng=RNG(0), label="q")
    words = r"label must be a new one, got 'q': 1 report by Own\(.*cost 5, and 2 would cost 2.5 .* has changed"
    with pytest.raises(ValueError, match=words):
        account.report(changing([5.0, 2.5]), ["a"], rng=RNG(0), label="q")
    assert account.spent == 5.0
    account.report(changing([5.0, 5.0 * (1 - 2**-50)]), ["a"], rng=RNG(0), label="q")  # rounded otherwise
    assert account.spent == 5.0
    account.report(changing([0, 0, 6.0]), ["a"], rng=RNG(0), label="q")
    assert account.spent == 6.0


def test_fresh_coins_cost_at_least_what_they_cost_and_one_more(tmp_path):
    forge(tmp_path / "b", [FRESH | {"reports": 2, "epsilon": 4.0}])  # of a version whose reports cost 2 each
    account = Account(tmp_path / "b", limit=100.0)
    words = r"label must be a new one, got 'q': 2 reports by GRR.* cost 4, and 3 would cost 3 now that"
    with pytest.raises(ValueError, match=words):
        pay(account)
    assert account.spent == 4.0
    forge(tmp_path / "d", [FRESH | {"reports": 2, "epsilon": 2.5}])  # 3 are more than before, but not by one report
    account = Account(tmp_path / "d", limit=100.0)
    with pytest.raises(ValueError, match="2 reports by GRR.* cost 2.5, and 3 would cost 3 now that"):
        pay(account)
    assert account.spent == 2.5
    forge(tmp_path / "c", [FRESH | {"reports": 2, "epsilon": 1.0}])  # of one whose reports cost half as much
    account = Account(tmp_path / "c", limit=100.0)
    pay(account)
    assert account.spent == 3.0


@pytest.mark.parametrize(("entry", "mechanism", "value"), [(KEPT, PAGE, "a"), (FRESH, COIN, 0)], ids=["kept", "fresh"])
def test_a_class_that_gains_or_loses_a_state_needs_a_new_label(entry, mechanism, value, tmp_path):
    wrong = {key: x for key, x in entry.items() if key != "state"} if "state" in entry else entry | {"state": "00"}
    forge(tmp_path / "a", [wrong])
    account = Account(tmp_path / "a", limit=100.0)
    with pytest.raises(ValueError, match="label must be a new one, got 'q': .* (no state was|a state was) kept"):
        account.report(mechanism, [value], rng=RNG(0), label="q")
    assert account.spent == entry["epsilon"]
    account.report(mechanism, [value], rng=RNG(0), label="another")


def failing(*_, **__):
    raise RuntimeError("no answer")


def test_nothing_is_paid_if_a_report_cannot_be_drawn(tmp_path):
    account = Account(tmp_path / "a", limit=10.0)
    asked = [(COIN, [0], "coin"), (own(respond=failing), ["a"], "page")]
    with pytest.raises(RuntimeError, match="no answer"):
        account.reports(asked, rng=RNG(0))
    assert account.history == []


class Two(list):
    def __len__(self):
        return 1


class AsArray:
    def __len__(self):
        return 1

    def __array__(self, *_, **__):
        return np.array([0, 1, 1])


@pytest.mark.parametrize(
    ("mechanism", "values"),
    [
        (COIN, Two([0, 1, 1])),
        (COIN, AsArray()),
        (own(respond=lambda self, kept, rng: np.zeros(5)), ["a"]),
        (own(respond=lambda self, kept, rng: None), ["a"]),
        (own(memoise=lambda self, values, rng: PAGE.memoise(["a", "b"], rng=rng)), ["a"]),
        (own(memoise=lambda self, values, rng: np.zeros(1)), ["a"]),
    ],
    ids=["a list of three", "an array of three", "five reports", "no reports", "two states", "no Kept"],
)
def test_one_report_is_drawn_or_nothing_paid(mechanism, values, tmp_path):
    account = Account(tmp_path / "a", limit=10.0)
    with pytest.raises(ValueError, match="must draw one (report|state).*, got"):
        account.report(mechanism, values, rng=RNG(0))
    assert account.history == []


def test_the_sign_of_zero_makes_no_second_state(tmp_path):
    account = Account(tmp_path / "a", limit=100.0)
    two = [RAPPOR(bits=8, hashes=1, cohorts=10**6, f=0.5, p=p, q=1.0) for p in (0.0, -0.0)]
    cohorts = {int(account.report(one, ["a"], rng=SystemRandom(), label="q")["cohort"][0]) for one in two}
    assert two[0] == two[1] and identity(two[0]) == identity(two[1]) and len(cohorts) == 1


def test_the_conditions_name_the_mechanism():
    """Reports of GRR and of RAPPOR look different, whatever they cost."""
    assert CONDITIONS.startswith("The sum holds if labels, mechanisms, number and times of reports do not depend on")
