"""The example of a service with a drawn survey: real clients, a real server, and what is asked of whom."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ldpnb import SystemRandom, laws, worst
from ldpnb.chance import odds
from ldpnb.survey import BudgetError

FOLDER = Path(__file__).resolve().parent.parent / "book" / "examples" / "service"
LOCAL = ("question", "client", "server")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The three modules of a copy in which the drawn survey has the place of the single question."""
    folder = tmp_path_factory.mktemp("service")
    for name in LOCAL:
        shutil.copyfile(FOLDER / f"{name}.py", folder / f"{name}.py")
    shutil.copyfile(FOLDER / "drawn" / "question.py", folder / "question.py")
    kept = {name: sys.modules.pop(name) for name in LOCAL if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield folder, *(__import__(name) for name in LOCAL)
    finally:
        sys.path.remove(str(folder))
        for name in LOCAL:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


def test_clients_draw_a_question_and_the_server_counts_each_by_itself(service, tmp_path):
    """The tally is that of the messages.  A question has 60 or no answers with a probability of 1e-10."""
    _, question, client, server = service
    home = tmp_path / "collected"
    home.mkdir()
    values = dict(zip(question.QUESTIONS, (1, 4, 7), strict=True))
    asked, reports = Counter(), []
    collector = server.Collector(home, batch=20)
    try:
        for person in range(60):
            device = client.Device(tmp_path / str(person))
            told = question.asked(device.account)
            asked[told] += 1
            device.answer(values[told])
            reports.append(question.unpack(device.waiting()[0].read_bytes())[1])
            device.send(collector.address)
    finally:
        assert collector.close() == 0
    tally, mechanism = server.read(home), question.MECHANISM
    assert np.array_equal(tally.counts, mechanism.tally(np.array(reports, mechanism.dtype)).counts)
    numbers = mechanism.numbers_asked(tally).reshape(3, 10)[:, 0].tolist()
    assert numbers == [asked[one] for one in question.QUESTIONS] and sum(numbers) == 60
    assert all(0 < n < 60 for n in numbers)
    lines = list(question.printed(tally))
    assert len(lines) == 33 and lines[0] == f"how was your week?  {numbers[0]} answers"


def test_a_draw_survives_a_crash_a_second_start_and_a_refusal(service, tmp_path):
    _, question, client, _ = service
    device = client.Device(tmp_path / "ana")
    told = question.asked(device.account)
    for _ in range(20):  # a new draw would be the same with probability 3e-10
        with pytest.raises(ValueError, match="values must be"):
            client.Device(tmp_path / "ana").answer(10)
        assert question.asked(client.Device(tmp_path / "ana").account) == told
    assert device.account.spent == 0.0
    device.answer(7)
    report = question.unpack(device.waiting()[0].read_bytes())[1]
    assert question.QUESTIONS[report[0]] == told and device.account.spent == 2.0
    device.waiting()[0].unlink()
    with pytest.raises(BudgetError):
        device.answer(7)


def test_the_bytes_of_a_drawn_survey_have_the_epsilon_of_one_report(service):
    _, question, _, _ = service
    whole = worst(laws(lambda value, rng: question.draw(value, bytes(16), rng), range(10)))
    assert whole.ratio <= odds(2.0) and whole.epsilon == pytest.approx(2.0)
    assert {len(question.draw(value, bytes(16), SystemRandom())) for value in range(10)} == {27}


def test_messages_that_answer_no_question_are_refused(service):
    _, question, _, _ = service
    good = question.pack((2, 15, 1), bytes(16))
    assert question.unpack(good) == (bytes(16), (2, 15, 1))
    for wrong in (good[:-3] + bytes([3, 0, 0]), good[:-3] + bytes([0, 16, 0]), good[:-3] + bytes([0, 0, 2])):
        with pytest.raises(ValueError, match="no report of this mechanism"):
            question.unpack(wrong)
    for wrong, words in ((good[:-1], "27 bytes"), (bytes(8) + good[8:], "another survey")):
        with pytest.raises(ValueError, match=words):
            question.unpack(wrong)


def test_the_program_says_what_a_person_is_asked(service, tmp_path):
    folder, question, client, _ = service
    command = [sys.executable, str(folder / "client.py"), "127.0.0.1:1", str(tmp_path / "ana"), "--asked"]
    told = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert told == {question.asked(client.Device(tmp_path / "ana").account) + "\n"}
