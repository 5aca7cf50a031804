"""The example of a service: real clients and a real server on this machine, and messages that are not right."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from math import exp, log, sqrt
from pathlib import Path
from threading import Condition, Event, Lock, Thread

import numpy as np
import pytest

from ldpnb import HadamardBit, SystemRandom, laws, worst
from ldpnb.chance import odds
from ldpnb.survey import BudgetError

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book" / "examples" / "service"
LOCAL = ("question", "client", "server")
KILLS = int(os.environ.get("LDPNB_KILLS", "5"))  # 30 take half a minute
MINUTE = 60  # seconds after which a test gives up, where a server that is right needs a moment


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


@contextmanager
def program(folder, *options):
    """A server in a process of its own, and its address; it is killed at the end if it still runs."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    start = [sys.executable, str(FOLDER / "server.py"), str(folder), *options]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def outbox(device):
    """The one message that waits."""
    [found] = device.waiting()
    return found


def stop(process):
    """What a server says when it is asked to stop; an error if it does not stop."""
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=MINUTE)


def tokens(server, folder):
    """Those that count."""
    return server.read_tokens(folder / "tokens", server.read(folder).n, 100)


def tallied(question, messages):
    """Counts of these messages, each once."""
    reports = [question.unpack(one)[1] for one in messages]
    return question.MECHANISM.tally(np.array(reports, question.MECHANISM.dtype)).counts


def test_a_hundred_clients_and_a_server_in_another_process(service, tmp_path):
    """Everybody has value 3.  The tally on disk is that of the messages, and the estimate is near the truth."""
    question, client, server = service
    folder = tmp_path / "collected"
    folder.mkdir()
    devices = [client.Device(tmp_path / f"person{i}") for i in range(100)]
    with program(folder) as (process, address), ThreadPoolExecutor(8) as pool:
        for device in devices:
            device.answer(3)
        kept = [outbox(device).read_bytes() for device in devices]
        first = list(pool.map(lambda device: device.send(address), devices))
        assert first.count(True) == 1  # the last of the batch; the others keep their messages
        assert [bool(device.waiting()) for device in devices] == [not arrived for arrived in first]
        assert all(pool.map(lambda device: device.send(address), devices))
        assert not any(device.waiting() for device in devices)
        assert [client.post(address, one) for one in kept] == [(200, "received")] * 100
        assert client.post(address, kept[0][:-1] + b"\2") == (400, "no report of this mechanism")
        assert stop(process) == ("stopped; 0 messages waited, and their senders keep them\n", "")
    assert [device.account.spent for device in devices] == [2.0] * 100
    tally = server.read(folder)
    assert tally.n == 100 and np.array_equal(tally.counts, tallied(question, kept))
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
        kept = outbox(device).read_bytes()
        assert not device.send(address) and outbox(device).read_bytes() == kept
        with pytest.raises(ValueError, match="still waits"):
            device.answer(7)
    device = client.Device(tmp_path / "ana")  # the phone starts again
    assert outbox(device).read_bytes() == kept and device.account.spent == 2.0
    outbox(device).unlink()
    with pytest.raises(BudgetError):
        device.answer(7)
    assert not device.waiting() and device.account.spent == 2.0
    other = client.Device(tmp_path / "ben")
    with pytest.raises(ValueError, match="values"):
        other.answer(10)
    assert other.account.spent == 0.0 and not other.waiting()


class Login(BaseHTTPRequestHandler):
    """A network in between, which answers for the server."""

    def do_POST(self):
        self.rfile.read(26)
        self.send_response(self.server.status)
        self.end_headers()
        with suppress(OSError):  # the client has read enough
            self.wfile.write(self.server.text)

    def log_message(self, *_):
        pass


@pytest.fixture
def login():
    with HTTPServer(("127.0.0.1", 0), Login) as found:
        thread = Thread(target=found.serve_forever, args=(0.01,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def test_only_the_server_says_received(service, tmp_path, login):
    """The message is kept whatever others say; only a refusal is an error."""
    _, client, _ = service
    address, device = f"127.0.0.1:{login.server_port}", client.Device(tmp_path / "ana")
    device.answer(7)
    path = outbox(device)
    answers = [(200, b"<html>please log in"), (200, b"received" * 10**6), (503, b"\xff\xfe"), (204, b"")]
    for login.status, login.text in [*answers, (302, b""), (404, b""), (408, b""), (429, b"slow"), (502, b"received")]:
        assert not device.send(address) and device.waiting()
    login.status, login.text = 400, b"another version"
    with pytest.raises(RuntimeError, match=r"refuses the message \(400: another version\)"):
        device.send(address)
    assert device.waiting()
    login.status, login.text = 200, b"received"
    assert device.send(address) and not device.waiting()  # the control
    path.write_bytes(bytes(26))
    post = client.post
    client.post = lambda *_: (path.unlink(), (200, "received"))[1]  # a second process was faster
    try:
        assert device.send(address)
    finally:
        client.post = post


def test_of_two_processes_neither_deletes_what_the_other_has_not_sent(service, tmp_path, monkeypatch):
    """The second sends the message of the first, answers again, and only then the first hears "received"."""
    _, client, server = service
    first, second = (client.Device(tmp_path / "ana", limit=4.0) for _ in range(2))
    first.answer(3)
    post = client.post

    def slow(address, *rest):
        monkeypatch.setattr(client, "post", post)
        told = post(address, *rest)
        assert second.send(address)
        second.answer(4)
        return told

    (tmp_path / "collected").mkdir()
    with running(server.Collector, tmp_path / "collected", batch=1) as collector:
        monkeypatch.setattr(client, "post", slow)
        assert first.send(collector.address) and first.account.spent == 4.0
        assert len(second.waiting()) == 1
        assert second.send(collector.address) and collector.total.n == 2


def test_a_message_that_another_process_has_sent_needs_no_sending(service, tmp_path):
    _, client, _ = service
    device = client.Device(tmp_path)
    device.answer(3)
    [path] = device.waiting()
    device.waiting = lambda: (path.unlink(), [path])[1]
    assert device.send("127.0.0.1:1")


@pytest.mark.parametrize(
    "value, status, said",
    [("99", 200, r"nothing sent: values must be .*99"), ("7", 400, r"kept: .*refuses the message \(400: no\)")],
)
def test_the_client_says_in_a_line_what_is_wrong(service, tmp_path, monkeypatch, login, value, status, said):
    _, client, _ = service
    login.status, login.text = status, b"no"
    monkeypatch.setattr(sys, "argv", ["client.py", f"127.0.0.1:{login.server_port}", str(tmp_path / "ana"), value])
    with pytest.raises(SystemExit, match=said):
        client.main()


@pytest.mark.parametrize("port", ["65536", "-1", "x", "9" * 5000, "\u0667"])
def test_a_port_that_is_none_is_refused(service, tmp_path, monkeypatch, capsys, port):
    _, _, server = service
    monkeypatch.setattr(sys, "argv", ["server.py", str(tmp_path), f"--port={port}"])
    with pytest.raises(SystemExit) as ended:
        server.main()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "port must be an integer below 65536, got" in said and len(said) < 600


def test_a_message_of_a_survey_that_is_over_does_not_stop_the_next(service, tmp_path, monkeypatch):
    question, client, server = service
    old = client.Device(tmp_path / "ana", limit=4.0)
    old.answer(3)
    for module in service:
        if hasattr(module, "SURVEY"):
            monkeypatch.setattr(module, "SURVEY", "how was your week, version 2")
    new = client.Device(tmp_path / "ana", limit=4.0)  # an update
    new.answer(4)
    (tmp_path / "collected").mkdir()
    with running(server.Collector, tmp_path / "collected", batch=1) as collector:
        assert new.send(collector.address)
    assert old.waiting() and new.account.spent == 4.0


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1", "127.0.0.1:x", "a:65536", "a:0", "a b:80", "a..b:80", "h" * 64 + ":80"]
)
def test_a_wrong_address_costs_nothing(service, tmp_path, monkeypatch, capsys, address):
    _, client, _ = service
    monkeypatch.setattr(sys, "argv", ["client.py", address, str(tmp_path / "ana"), "7"])
    with pytest.raises(SystemExit) as ended:
        client.main()
    assert ended.value.code == 2 and f"HOST:PORT, as 127.0.0.1:40123, got {address!r}" in capsys.readouterr().err
    assert not (tmp_path / "ana").exists()
    assert [client.address(one) for one in ("a-b.c_d:1", "[::1]:65535")] == ["a-b.c_d:1", "[::1]:65535"]  # the control


def spoken(address, sent, *headers):
    """The status that a server says to these bytes on a bare connection."""
    host, port = address.split(":")
    head = "\r\n".join(["POST / HTTP/1.0", *headers, "", ""])
    with socket.create_connection((host, int(port)), timeout=MINUTE) as bare:
        bare.sendall(head.encode() + sent)
        bare.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: bare.recv(4096), b""))
    return int(answer.split()[1])


def test_wrong_messages_are_refused_and_not_counted(service, tmp_path, capfd):
    question, client, server = service
    with running(server.Collector, tmp_path) as collector:
        address, good = collector.address, message(question)
        assert client.post(address, good)[0] == 202
        fresh = good[:8] + os.urandom(16)
        other = question.named(HadamardBit(k=10, epsilon=3.0)) + os.urandom(16) + good[24:]
        wrong = {
            "short": good[:-1],
            "long": good + b"\0",
            "epsilon 3": other,
            "row 16": fresh + bytes([16, 0]),
            "bit 2": fresh + bytes([0, 2]),
        }
        assert {what: client.post(address, sent)[0] for what, sent in wrong.items()} == dict.fromkeys(wrong, 400)
        right = fresh + good[24:]
        assert spoken(address, right[:13], "Content-Length: 26") == 400  # cut off in the middle
        assert list(collector.waiting) == [good[8:24]]
        assert spoken(address, right, "Content-Length: 26") == 202  # the control
        assert list(collector.waiting) == [good[8:24], right[8:24]]
        waiting = dict(collector.waiting)
        assert client.post(address, good[:24] + bytes([(good[24] + 1) % 16, 0]))[0] == 202
        assert collector.waiting == waiting  # of two reports with one token, the first
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "headers",
    [
        ["Content-Length: 26", "Content-Length: 0"],
        ["Content-Length: 0", "Content-Length: 26"],
        ["Content-Length: 26", "content-length: 26"],
        ["Content-Length: 26, 26"],
        ["Content-Length: +26"],
        ["Content-Length: 026"],
        ["Content-Length: 10000000000"],
        [],
        ["Content-Length: 26", "Transfer-Encoding: chunked"],
        ["Content-Length: 26", "Transfer-Encoding : chunked"],
        ["Content-Length: 26", "no header", "Transfer-Encoding: chunked"],
        ["Content-Length: 26", " folded"],
        ["Host: a", "Host: b", "Content-Length: 26"],
        ["Host: a", "Host: a", "Content-Length: 26"],
        ["From x Transfer-Encoding: chunked", "Content-Length: 26"],
        ["Content-Length: 26", "From x"],
        ["Content-Length: 26", "X: a\r folded"],
        ["X: a\rContent-Length: 26"],
        ["Content-Length: 26", "X: a\r\rTransfer-Encoding: chunked"],
        ["Content-Length: 26", "X: a\nTransfer-Encoding: chunked"],
        ["Content-Length: 26", "X: \0"],
    ],
    ids=" | ".join,
)
def test_headers_that_can_be_read_in_two_ways_are_refused(service, tmp_path, headers):
    """A proxy in front may have read the other one."""
    question, _, server = service
    with running(server.Collector, tmp_path) as collector:
        assert spoken(collector.address, message(question), *headers) == 400
        assert not collector.waiting
        assert spoken(collector.address, message(question), "Host: a", "Content-Length: 26") == 202  # the control


def test_headers_are_read_up_to_a_limit(service, tmp_path):
    """The answer comes where they go on, and would fill the memory."""
    question, _, server = service
    with running(server.Collector, tmp_path, deadline=3600) as collector:
        for line in (b"a:\r" * 10, b"a:\r\n"):
            with socket.create_connection(collector.server_address, timeout=MINUTE) as endless:
                endless.sendall((b"POST / HTTP/1.0\r\n" + line * 2**15)[: 2**14])
                assert endless.recv(12) == b"HTTP/1.0 400"
        almost = "X: " + "a" * (2**14 - 45)
        assert spoken(collector.address, message(question), "Content-Length: 26", almost) == 202  # the control


def message(question):
    return question.draw(3, os.urandom(16), SystemRandom())


def test_what_is_received_survives_a_restart_and_counts_once(service, tmp_path):
    question, _, server = service
    sent = [message(question) for _ in range(29)]
    with running(server.Collector, tmp_path, batch=10) as collector:
        told = [collector.accept(one)[0] for one in sent]
        assert told == ([202] * 9 + [200]) * 2 + [202] * 9
        assert [collector.accept(one)[0] for one in sent] == [200] * 20 + [202] * 9
    assert collector.close() == 9
    with running(server.Collector, tmp_path, batch=10) as collector:
        assert [collector.accept(one)[0] for one in sent] == [200] * 20 + [202] * 9
        assert collector.accept(sent[0][:-1] + b"\0") == (200, "received")  # another report, the same token
        assert collector.accept(message(question))[0] == 200  # the last of a batch
        assert [collector.accept(one)[0] for one in sent] == [200] * 29
    tally = server.read(tmp_path)
    assert tally.n == 30 and {one[8:24] for one in sent} < tokens(server, tmp_path)


def test_the_order_in_a_batch_is_not_kept(service, tmp_path):
    question, _, server = service
    sent = [message(question) for _ in range(30)]
    with running(server.Collector, tmp_path, batch=30) as collector:
        for one in sent:
            collector.accept(one)
    came = [one[8:24] for one in sent]
    assert (tmp_path / "tokens").read_bytes() == b"".join(sorted(came)) != b"".join(came)


@pytest.mark.parametrize("written", [False, True])
def test_a_disk_that_fails(service, tmp_path, monkeypatch, written):
    """The error comes before the tally is there, or when it is; nothing is received until the disk is right again."""
    question, _, server = service
    save = server.save_tally

    def full(tally, path, *, label):
        assert (tmp_path / "tokens").read_bytes() == b"".join(sorted(one[8:24] for one in sent[:10]))  # come first
        if written:
            save(tally, path, label=label)
        raise OSError("no space left on this disk")

    sent = [message(question) for _ in range(12)]
    refused = (503, "cannot be written now, keep your message")
    with running(server.Collector, tmp_path, batch=10) as collector:
        with monkeypatch.context() as patched:
            patched.setattr(server, "save_tally", full)
            assert [collector.accept(one)[0] for one in sent[:9]] == [202] * 9
            assert [collector.accept(one) for one in sent[9:]] == [refused] * 3
        assert len(tokens(server, tmp_path)) == (10 if written else 0)
        assert [collector.accept(one)[0] for one in sent] == [200] * 10 + [202] * 2
    tally = server.read(tmp_path)
    assert tally.n == 10 and np.array_equal(tally.counts, tallied(question, sent[:10]))


def test_messages_count_once_where_memory_is_short(service, tmp_path):
    """Memory fails when the tally is on the disk, and the tokens are not yet among those that count."""
    question, _, server = service

    class Short(set):
        fails = 2

        def update(self, tokens):
            if self.fails:
                self.fails -= 1
                self.add(tokens[0])
                raise MemoryError
            super().update(tokens)

    sent = [message(question) for _ in range(4)]
    with running(server.Collector, tmp_path, batch=2) as collector:
        collector.tokens = Short(collector.tokens)
        assert [collector.accept(one)[0] for one in sent[:3]] == [202, 503, 503]
        assert [collector.accept(one)[0] for one in sent] == [200, 200, 202, 200]
    assert server.read(tmp_path).n == 4 and tokens(server, tmp_path) == {one[8:24] for one in sent}


def test_no_thread_is_started_once_the_server_listens(service, tmp_path, monkeypatch):
    """Where memory is short, one may never come, and who starts it would wait for ever."""
    question, client, server = service

    def no_memory(thread):
        raise RuntimeError("can't start new thread")

    with running(server.Collector, tmp_path, most=3) as collector:
        monkeypatch.setattr(Thread, "start", no_memory)
        assert [client.post(collector.address, message(question))[0] for _ in range(9)] == [202] * 9
        monkeypatch.undo()


def test_a_connection_that_comes_as_the_server_stops(service, tmp_path, monkeypatch):
    """Its thread was called and has not come yet, so that it cannot be called a second time."""
    _, _, server = service

    class Late:
        """A lock whose owner comes late."""

        def __init__(self):
            self.lock = Lock()
            self.release = self.lock.release

        def acquire(self):
            time.sleep(0.2)
            self.lock.acquire()

    class Sleepy(server.Seat):
        def __init__(self):
            super().__init__()
            self.called = Late()
            self.called.acquire()

    monkeypatch.setattr(server, "Seat", Sleepy)
    for _ in range(3):
        collector = server.Collector(tmp_path, most=2)
        with socket.create_connection(collector.server_address):
            while all(seat.connection is None for seat in collector.seats):
                time.sleep(0.001)
            closing = Thread(target=collector.close, daemon=True)
            closing.start()
            closing.join(MINUTE)
        assert not closing.is_alive() and not any(seat.thread.is_alive() for seat in collector.seats)


def test_a_server_whose_threads_do_not_start_releases_its_folder(service, tmp_path, monkeypatch):
    _, _, server = service
    start, left = Thread.start, [4]

    def no_memory(thread):
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as patched:
        patched.setattr(Thread, "start", no_memory)
        with pytest.raises(RuntimeError, match="can't start"):
            server.Collector(tmp_path)
    server.Collector(tmp_path).close()


def test_a_lack_of_memory_costs_a_connection_and_no_more(service, tmp_path, monkeypatch):
    """It fails while a message is read, while its answer is made, and while a connection is taken."""
    question, client, server = service
    failing = []

    def sometimes(kind, name):
        real = getattr(kind, name)

        def patched(*given):
            if name in failing:
                failing.remove(name)
                raise MemoryError
            return real(*given)

        monkeypatch.setattr(kind, name, patched)

    sometimes(server, "announces_a_message")
    sometimes(server, "HTTPStatus")
    sometimes(server.Collector, "cut_oldest")
    with running(server.Collector, tmp_path, most=1) as collector:
        told = {}
        for name in ("announces_a_message", "HTTPStatus", "cut_oldest"):
            failing.append(name)
            told[name] = client.post(collector.address, message(question), tries=1)[0]
            assert client.post(collector.address, message(question))[0] == 202
    assert told == {"announces_a_message": 503, "HTTPStatus": 0, "cut_oldest": 202}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are Linux's")
def test_a_server_without_further_memory_receives_and_stops(service, tmp_path):
    """It gets none from now on: in 1.0.0, the first thread that did not start made it deaf."""
    import resource

    question, client, server = service
    with program(tmp_path, "--batch", "1") as (process, address):
        assert client.post(address, message(question))[0] == 200
        size = int(Path(f"/proc/{process.pid}/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _, most = resource.prlimit(process.pid, resource.RLIMIT_AS)
        resource.prlimit(process.pid, resource.RLIMIT_AS, (size, most))
        assert {client.post(address, message(question))[0] for _ in range(5)} <= {200, 503}
        resource.prlimit(process.pid, resource.RLIMIT_AS, (most, most))
        assert client.post(address, message(question))[0] == 200
        resource.prlimit(process.pid, resource.RLIMIT_AS, (size, most))
        assert stop(process)[0].startswith("stopped; 0 messages waited")


def test_who_waits_too_long_for_the_disk_keeps_the_message(service, tmp_path):
    question, _, server = service
    with running(server.Collector, tmp_path, deadline=0.05) as collector:
        with ThreadPoolExecutor(1) as pool, collector.counting:  # as one has it who writes
            told = pool.submit(collector.accept, message(question)).result(timeout=MINUTE)
            assert told == (503, "cannot be written now, keep your message")
        assert collector.accept(message(question))[0] == 202  # the control


@pytest.mark.skipif(os.name == "nt", reason="a file that is open cannot be removed here")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_server_whose_lock_was_removed_receives_nothing(service, tmp_path, replaced):
    """Another may have started, and would lose what this one writes."""
    question, _, server = service
    with running(server.Collector, tmp_path, batch=1) as collector:
        assert collector.accept(message(question))[0] == 200
        (tmp_path / "lock").unlink()
        if replaced:
            with running(server.Collector, tmp_path, batch=1) as other:
                assert other.accept(message(question))[0] == 200
                assert collector.accept(message(question))[0] == 503
        assert collector.accept(message(question))[0] == 503
    assert server.read(tmp_path).n == 1 + replaced


def test_tokens_beyond_the_tally_do_not_count(service, tmp_path):
    """A server that is killed between its two files leaves them."""
    question, _, server = service
    sent = [message(question) for _ in range(4)]
    with running(server.Collector, tmp_path, batch=2) as collector:
        for one in sent[:2]:
            collector.accept(one)
    with (tmp_path / "tokens").open("ab") as file:
        file.write(sent[2][8:24] + sent[3][8:24] + b"half a token"[:7])
    with running(server.Collector, tmp_path, batch=2) as collector:
        assert [collector.accept(one)[0] for one in [*sent, *sent]] == [200, 200, 202, 200] + [200] * 4
    assert server.read(tmp_path).n == 4 and tokens(server, tmp_path) == {one[8:24] for one in sent}


def test_folders_that_are_refused(service, tmp_path):
    question, _, server = service
    with (
        pytest.raises(ValueError, match=r"batch must be at least 1, got 0"),
        running(server.Collector, tmp_path, batch=0),
    ):
        pass
    with running(server.Collector, tmp_path, batch=1) as collector:
        assert collector.accept(message(question))[0] == 200
        with (
            pytest.raises(RuntimeError, match=r"folder must be that of one server.*stop that one"),
            running(server.Collector, tmp_path),
        ):
            pass
    wrong = {
        (0, 100): r"tokens must be those of 1 reports .*, got 0 .*add both tallies",
        (12, 10): r"tokens must be those of 1 reports and at most one batch, got 12 .*newest tally, or .*--batch 11",
    }
    for (count, batch), words in wrong.items():
        (tmp_path / "tokens").write_bytes(bytes(16 * count))
        with pytest.raises(ValueError, match=words), running(server.Collector, tmp_path, batch=batch):
            pass
    with running(server.Collector, tmp_path, batch=11) as collector:
        assert collector.total.n == 1  # the control, and no lock is left
    with (
        pytest.raises(ValueError, match=r"folder must be there, got '.*none': make it first"),
        running(server.Collector, tmp_path / "none"),
    ):
        pass


def test_a_server_that_does_not_start_releases_its_folder(service, tmp_path):
    _, _, server = service
    with socket.create_server(("127.0.0.1", 0)) as taken:
        try:
            server.Collector(tmp_path, taken.getsockname()[1])
        except OSError as error:
            assert error.__traceback__  # it has all that the server had until then
            server.Collector(tmp_path).close()
        else:
            pytest.fail("two servers at one port")
    assert os.name == "nt" or {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}


def test_a_server_that_cannot_say_its_address_ends(service, tmp_path):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    start = [sys.executable, str(FOLDER / "server.py"), str(tmp_path)]
    heard, said = os.pipe()
    os.close(heard)  # whoever started it has gone
    with subprocess.Popen(start, stdout=said, stderr=subprocess.DEVNULL, env=env) as process:
        os.close(said)
        try:
            assert process.wait(MINUTE) != 0
        finally:
            process.kill()


def test_a_crowd_is_counted_once_each(service, tmp_path):
    """Eight senders at once, and batches that are written between them."""
    question, _, server = service
    sent = [message(question) for _ in range(400)]
    with running(server.Collector, tmp_path, batch=16) as collector:
        with ThreadPoolExecutor(8) as pool:
            told = list(pool.map(lambda one: collector.accept(one)[0], sent * 2))
        assert set(told) == {200, 202}
        assert [collector.accept(one)[0] for one in sent] == [200] * 400
    assert np.array_equal(server.read(tmp_path).counts, tallied(question, sent))


class Sender(Thread):
    """Sends messages until it is stopped: new ones, and again those that the server has not received."""

    def __init__(self, question, client, seed):
        super().__init__(daemon=True)
        self.question, self.client, self.rng = question, client, random.Random(seed)
        self.address, self.stopped, self.heard = "", Event(), Condition()
        self.sent, self.received, self.kept = [], [], []

    def run(self):
        while not self.stopped.is_set():
            again = self.kept and self.rng.random() < 0.5
            one = self.kept.pop(self.rng.randrange(len(self.kept))) if again else message(self.question)
            if not again:
                self.sent.append(one)
            status, _ = self.client.post(self.address, one, tries=1)
            with self.heard:
                (self.received if status == 200 else self.kept).append(one)
                self.heard.notify()
            if status == 0:
                time.sleep(0.02)  # until there is a server again


@pytest.mark.slow
def test_a_server_that_is_killed_keeps_what_it_has_received(service, tmp_path):
    """Four senders at full speed; KILLS times, at a random moment, the server is killed, and its folder looked at.

    All that it received is there, and the tally is that of the messages whose tokens are there, each once.
    """
    question, client, server = service
    rng = random.Random(int.from_bytes(os.urandom(4)))
    senders = [Sender(question, client, rng.random()) for _ in range(4)]
    try:
        for i in range(KILLS):
            with program(tmp_path, "--batch", "7") as (process, address):
                before = [len(one.received) for one in senders]
                for one in senders:
                    one.address = address
                    if i == 0:
                        one.start()
                for one, count in zip(senders, before, strict=True):
                    with one.heard:
                        assert one.heard.wait_for(lambda one=one, count=count: len(one.received) > count, MINUTE)
                time.sleep(rng.random() / 4)
                process.kill()
                process.wait()
            received = {message[8:24] for one in senders for message in tuple(one.received)}
            sent = {message[8:24]: message for one in senders for message in tuple(one.sent)}
            found = tokens(server, tmp_path)
            assert received <= found
            assert np.array_equal(server.read(tmp_path).counts, tallied(question, [sent[token] for token in found]))
    finally:
        for one in senders:
            one.stopped.set()
    for one in senders:
        one.join(MINUTE)
    everybody = [message for one in senders for message in one.sent]
    left = len(everybody) - len(found)
    with running(server.Collector, tmp_path, batch=max(left, 1)) as collector:
        told = [collector.accept(one)[0] for one in [*everybody, *everybody]]
    assert told[-len(everybody) :] == [200] * len(everybody)  # nobody counts twice who sends again
    assert np.array_equal(server.read(tmp_path).counts, tallied(question, everybody))


def drip(address, until):
    """Send a header that does not end, a byte now and then, and return when the server hangs up."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=0.1) as bare:
        bare.sendall(b"POST / HTTP/1.0\r\nX: ")
        while not until.is_set():
            try:
                bare.sendall(b"a")
                if bare.recv(1) == b"":
                    return "cut"
            except TimeoutError:
                continue
            except OSError:
                return "cut"
    return "open"


def test_a_connection_has_a_deadline(service, tmp_path):
    """It is for the whole connection: a byte now and then does not move it."""
    _, _, server = service
    late = Event()
    with running(server.Collector, tmp_path, deadline=0.3) as collector, ThreadPoolExecutor(1) as pool:
        try:
            assert pool.submit(drip, collector.address, late).result(timeout=MINUTE) == "cut"
        finally:
            late.set()


def test_a_slow_client_does_not_keep_the_server_from_stopping(service, tmp_path):
    """What was received is on the disk while it still drips, and the server stops long before its deadline."""
    question, client, server = service
    late = Event()
    sent = [message(question) for _ in range(30)]
    with program(tmp_path, "--batch", "10") as (process, address), ThreadPoolExecutor(1) as pool:
        dripping = pool.submit(drip, address, late)
        try:
            assert [client.post(address, one)[0] for one in sent] == ([202] * 9 + [200]) * 3
            assert np.array_equal(server.read(tmp_path).counts, tallied(question, sent))
            process.send_signal(signal.SIGTERM)
            assert stop(process) == ("stopped; 0 messages waited, and their senders keep them\n", "")  # asked twice
            assert dripping.result(timeout=MINUTE) == "cut"
        finally:
            late.set()


def test_a_silent_crowd_is_cut_for_others(service, tmp_path):
    """Ten silent connections where three have room: the oldest are cut, and an honest message is heard."""
    question, client, server = service
    with running(server.Collector, tmp_path, deadline=3600, most=3) as collector:
        address = collector.server_address
        silent = [socket.create_connection(address, timeout=MINUTE) for _ in range(10)]
        try:
            assert client.post(collector.address, message(question))[0] == 202
            assert [one.recv(1) for one in silent[:8]] == [b""] * 8
            for one in silent[8:]:  # the control: the others are still heard
                one.sendall(b"POST / HTTP/1.0\r\nContent-Length: 26\r\n\r\n" + message(question))
                assert one.recv(4096).split()[1] == b"202"
        finally:
            for one in silent:
                one.close()
        late = time.monotonic() + MINUTE
        while any(seat.connection for seat in collector.seats) and time.monotonic() < late:
            time.sleep(0.01)
        assert not any(seat.connection for seat in collector.seats)  # who has left takes no room


def test_the_programs_from_the_command_line(service, tmp_path):
    """A client in a process of its own, twice; and estimates of a folder."""
    question, _, server = service
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)], capture_output=True, text=True, env=env, timeout=60
        )
        return done.returncode, done.stdout, done.stderr

    with running(server.Collector, tmp_path, batch=1) as collector:
        ask = FOLDER / "client.py", collector.address, tmp_path / "ana", 7
        assert run(*ask) == (0, "received\nspent ε = 2.0 of 2.0\n", "")
        code, _, error = run(*ask)
        assert code == 1 and error == "nothing drawn, nothing sent: ε = 2.0 of 2.0 is spent\n"
    tally = server.read(tmp_path)
    code, printed, _ = run(FOLDER / "server.py", tmp_path, "--estimate")
    assert code == 0 and tally.n == 1
    shares = [float(line.split()[1]) for line in printed.splitlines()]
    for folder in (tmp_path / "none", tmp_path / "ana"):
        code, _, error = run(FOLDER / "server.py", folder, "--estimate")
        assert code == 1 and error == f"folder must have a tally, got {str(folder)!r}: collect a batch first\n"
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "tally").write_bytes((tmp_path / "tally").read_bytes()[:-5])
    code, _, error = run(FOLDER / "server.py", damaged, "--estimate")
    assert code == 1 and error.startswith("not estimated: ") and error.count("\n") == 1
    code, _, error = run(FOLDER / "server.py", tmp_path / "none")
    assert code == 1 and error == f"not started: folder must be there, got {str(tmp_path / 'none')!r}: make it first\n"
    np.testing.assert_allclose(shares, question.MECHANISM.estimate(tally), atol=6e-4)
