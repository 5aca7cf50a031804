"""Three questions, of which each person answers one: copy this file over `question.py`.

Both programs carry it.  Which question a person answers is drawn on the person's device, before any answer is known,
and is kept with the account.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from ldpnb import Account, DrawnAttributes, HadamardBit, SystemRandom, Tally
from ldpnb.chance import Randomness
from ldpnb.core import Mechanism

SURVEY = "week, food and boss, from 0 to 9, version 1"  # change it with a question or the layout of a message
QUESTIONS = "how was your week?", "how was the food?", "how was your boss?"
ORACLE = HadamardBit(k=10, epsilon=2.0)  # for the answer to the question that was drawn
MECHANISM = DrawnAttributes(sizes=(10,) * len(QUESTIONS), oracle=ORACLE)  # counts answers to all questions
NAME, TOKEN = 8, 16  # bytes
LENGTH = NAME + TOKEN + 3
RECEIVED = "received"  # what the server says of a message that the client may forget

Report = tuple[int, int, int]  # question, row, bit


def named(mechanism: Mechanism = MECHANISM) -> bytes:
    """Return eight bytes that stand for the survey and for a mechanism with all its parameters."""
    text = f"{SURVEY}: {QUESTIONS}: {mechanism!r}"
    return blake2b(text.encode(), digest_size=NAME).digest()


def asked(account: Account) -> str:
    """Return what the owner of an account is asked: it is drawn at the first call, and kept."""
    return account.drawn(named().hex(), QUESTIONS, 1, label=SURVEY, rng=SystemRandom())[0]


def answered(account: Account, value: int) -> Report:
    """Return a report of a value that answers the question drawn, which the account has paid for."""
    question = asked(account)
    report = account.report(ORACLE, [value], rng=SystemRandom(), label=f"{SURVEY}: {question}")[0]
    return QUESTIONS.index(question), int(report["row"]), int(report["bit"])


def pack(report: Any, token: bytes) -> bytes:
    """Return the message of one report: name, token, question, row, bit."""
    if len(token) != TOKEN:
        raise ValueError(f"token must have {TOKEN} bytes, got {len(token)}: draw it with secrets.token_bytes({TOKEN})")
    return named() + token + bytes(map(int, report))


def unpack(message: bytes) -> tuple[bytes, Report]:
    """Return token and report of a message.

    Raises
    ------
    ValueError
        If it is not one of this survey; the text says why, and nothing about the sender.
    """
    if len(message) != LENGTH:
        raise ValueError(f"a message has {LENGTH} bytes")
    if message[:NAME] != named():
        raise ValueError("another survey, mechanism or version")
    question, row, bit = message[-3:]
    if question >= len(QUESTIONS) or row >= ORACLE.m or bit > 1:
        raise ValueError("no report of this mechanism")
    return message[NAME:-3], (question, row, bit)


def draw(value: int, token: bytes, rng: Randomness) -> bytes:
    """Return a message for a value, a question drawn included, as for a new account."""
    return pack(MECHANISM.perturb([[value] * len(QUESTIONS)], rng=rng)[0], token)


def printed(tally: Tally) -> Iterator[str]:
    """Write the shares of each question as lines, each with its standard error."""
    shares, errors = MECHANISM.estimate_of_asked(tally), MECHANISM.standard_error_of_asked(tally)
    numbers = MECHANISM.numbers_asked(tally)
    for place, question in enumerate(QUESTIONS):
        first = place * ORACLE.k
        yield f"{question}  {numbers[first]} answers"
        for item in range(ORACLE.k):
            yield f"{item}  {shares[first + item]:7.3f} ± {errors[first + item]:.3f}"
