"""The example of a service: real clients and a real server on this machine, and messages that are not right."""

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
import pytest

from ldpnb import HadamardBit, SystemRandom, laws, worst
from ldpnb.chance import odds
from ldpnb.serve import BudgetError

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book" / "examples" / "service"
LOCAL = ("question", "client", "server")


@pytest.fixture(scope="module")
def service():
    """The three modules, by the names that they have for each other."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield tuple(__import__(name) for name in LOCAL)
    finally:
        sys.path.remove(str(FOLDER))
        for name in LOCAL:
            sys.modules.pop(name, None)


@contextmanager
def running(kind, folder, **options):
    collector = kind(folder, **options)
    try:
        yield collector
    finally:
        collector.close()


def test_a_hundred_clients_and_a_server_in_another_process(service, tmp_path):
    """Everybody has value 3.  The tally on disk is that of the messages, and the estimate is near the truth."""
    question, client, server = service
    (tmp_path / "collected").mkdir()
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    start = [sys.executable, str(FOLDER / "server.py"), str(tmp_path / "collected")]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            address = process.stdout.readline().strip()

            def person(i):
                device = client.Device(tmp_path / f"person{i}")
                device.answer(3)
                kept = device.outbox.read_bytes()
                arrived = device.send(address)
                return kept, arrived, device.outbox.exists(), client.post(address, kept)[0], device.account.spent

            with ThreadPoolExecutor(8) as pool:
                told = list(pool.map(person, range(100)))
            broken = client.post(address, told[0][0][:-1] + b"\2")
        finally:
            process.send_signal(signal.SIGTERM)
            said, errors = process.communicate(timeout=30)
    assert [one[1:] for one in told] == [(True, False, 409, 2.0)] * 100
    assert broken == (400, "no report of this mechanism")
    assert said == "stopped; 0 reports were too few to be written\n" and errors == ""
    tally = server.read(tmp_path / "collected")
    reports = np.array([question.unpack(one[0])[1] for one in told], question.MECHANISM.dtype)
    assert tally.n == 100 and np.array_equal(tally.counts, question.MECHANISM.tally(reports).counts)
    # shares are means of scores ±c, so by Hoeffding one of ten is further off with probability 1e-7 at most
    c = (exp(2) + 1) / (exp(2) - 1)
    bound = c * sqrt(2 / 100 * log(2 * 10 / 1e-7))
    truth, found = np.eye(10)[3], question.MECHANISM.estimate(tally)
    assert np.abs(found - truth).max() < bound
    assert np.abs(found - np.roll(truth, 1)).max() > 1 - bound  # the control: another item is not estimated near 1
    # in half of the rows an item has another sign than 3, and there 3 is reported with 0.88: by Chernoff, one of nine
    # items is not below 3 with probability 9 × 0.825¹⁰⁰ < 5e-8
    assert found.argmax() == 3


def test_the_bytes_have_the_epsilon_of_the_report(service):
    question, _, _ = service

    def leaky(value, rng):
        return question.draw(value, bytes(15) + bytes([value]), rng)

    whole = worst(laws(lambda value, rng: question.draw(value, bytes(16), rng), range(10)))
    assert whole.ratio <= odds(2.0) and whole.epsilon == pytest.approx(2.0)
    assert worst(laws(leaky, range(10))).ratio is None  # the control: a number for debugging in the token
    assert {len(question.draw(value, bytes(16), SystemRandom())) for value in range(10)} == {26}


def test_an_account_is_paid_once_and_a_message_kept(service, tmp_path):
    _, client, _ = service
    with socket.socket() as closed:  # a port at which nobody listens
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        device = client.Device(tmp_path / "ana")
        device.answer(7)
        kept = device.outbox.read_bytes()
        assert not device.send(address) and device.outbox.read_bytes() == kept
        with pytest.raises(ValueError, match="still waits"):
            device.answer(7)
    device = client.Device(tmp_path / "ana")  # the phone starts again
    assert device.outbox.read_bytes() == kept and device.account.spent == 2.0
    device.outbox.unlink()
    with pytest.raises(BudgetError):
        device.answer(7)
    assert not device.outbox.exists() and device.account.spent == 2.0
    other = client.Device(tmp_path / "ben")
    with pytest.raises(ValueError, match="values"):
        other.answer(10)
    assert other.account.spent == 0.0 and not other.outbox.exists()


def spoken(address, sent, length=26, header=""):
    """What the server says to these bytes on a bare connection."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as bare:
        bare.sendall(f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n{header}\r\n".encode() + sent)
        bare.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: bare.recv(4096), b""))
    return int(answer.split()[1])


def test_wrong_messages_are_refused_and_not_counted(service, tmp_path, capfd):
    question, client, server = service
    with running(server.Collector, tmp_path) as collector:
        address, good = collector.address, question.draw(3, os.urandom(16), SystemRandom())
        assert client.post(address, good) == (200, "received")
        fresh = good[:8] + os.urandom(16)
        other = question.named(HadamardBit(k=10, epsilon=3.0)) + os.urandom(16) + good[24:]
        wrong = {
            "short": (good[:-1], 400),
            "long": (good + b"\0", 400),
            "epsilon 3": (other, 400),
            "row 16": (fresh + bytes([16, 0]), 400),
            "bit 2": (fresh + bytes([0, 2]), 400),
            "again": (good, 409),
            "another report, the same token": (good[:24] + bytes([(good[24] + 1) % 16, 0]), 409),
        }
        assert {what: client.post(address, sent)[0] for what, (sent, _) in wrong.items()} == {
            what: status for what, (_, status) in wrong.items()
        }
        right = fresh + good[24:]
        assert spoken(address, b"", length=10**10) == 400
        assert spoken(address, right, header="Transfer-Encoding: chunked\r\n") == 400
        assert spoken(address, right[:13]) == 400  # cut off in the middle
        assert len(collector.waiting) == 1
        assert client.post(address, right) == (200, "received")  # the control, sent in the same way
        assert len(collector.waiting) == 2
    assert capfd.readouterr() == ("", "")


def message(question):
    return question.draw(3, os.urandom(16), SystemRandom())


def test_the_tally_survives_a_restart_and_a_full_disk(service, tmp_path, monkeypatch):
    question, _, server = service
    save = server.save_tally

    def full(tally, path, *, label):
        save(tally, path, label=label)
        raise OSError("the folder cannot be brought to the disk")

    with running(server.Collector, tmp_path, batch=20, least=10) as collector:
        assert [collector.accept(message(question))[0] for _ in range(30)] == [200] * 30
        assert not collector.path.exists()
        with monkeypatch.context() as patched:
            patched.setattr(server, "save_tally", full)  # fails after the file is there
            assert collector.accept(message(question)) == (503, "the disk fails, keep your message")
        assert server.read(tmp_path).n == 20
        assert collector.accept(message(question))[0] == 200
        assert server.read(tmp_path).n == 20 and len(collector.waiting) == 11  # the same 20, not twice
    assert server.read(tmp_path).n == 31
    with running(server.Collector, tmp_path, batch=20, least=10) as collector:
        for _ in range(9):
            collector.accept(message(question))
    assert collector.close() == 9 and server.read(tmp_path).n == 31  # fewer than `least` are given up


def test_a_crowd_is_counted_once_each(service, tmp_path):
    """Eight senders at once, and batches that are written between them."""
    question, _, server = service
    sent = [message(question) for _ in range(400)]
    with running(server.Collector, tmp_path, batch=30, least=10) as collector:
        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(lambda one: collector.accept(one)[0], sent * 2))
    assert statuses.count(200) == statuses.count(409) == 400
    reports = np.array([question.unpack(one)[1] for one in sent], question.MECHANISM.dtype)
    assert np.array_equal(server.read(tmp_path).counts, question.MECHANISM.tally(reports).counts)


def test_the_programs_from_the_command_line(service, tmp_path):
    """A client in a process of its own, twice; and estimates of a folder."""
    question, _, server = service
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)], capture_output=True, text=True, env=env, timeout=60
        )
        return done.returncode, done.stdout, done.stderr

    with running(server.Collector, tmp_path, least=1) as collector:
        ask = FOLDER / "client.py", collector.address, tmp_path / "ana", 7
        assert run(*ask) == (0, "received\nspent ε = 2.0 of 2.0\n", "")
        code, _, error = run(*ask)
        assert code == 1 and error == "nothing drawn, nothing sent: ε = 2.0 of 2.0 is spent\n"
    tally = server.read(tmp_path)
    code, printed, _ = run(FOLDER / "server.py", tmp_path, "--estimate")
    assert code == 0 and tally.n == 1
    shares = [float(line.split()[1]) for line in printed.splitlines()]
    np.testing.assert_allclose(shares, question.MECHANISM.estimate(tally), atol=6e-4)
