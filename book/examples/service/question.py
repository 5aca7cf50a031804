"""What client and server agree on before anybody is asked: the question, the mechanism, and the bytes of a message.

Both programs carry this file.  A client that took its parameters from a server would have the ε that the server likes.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from math import sqrt
from typing import Any

from ldpnb import Account, HadamardBit, SystemRandom, Tally
from ldpnb.chance import Randomness
from ldpnb.core import Mechanism

SURVEY = "how was your week, from 0 to 9, version 1"  # change it with the question or the layout of a message
MECHANISM = HadamardBit(k=10, epsilon=2.0)
NAME, TOKEN = 8, 16  # bytes
LENGTH = NAME + TOKEN + 2
RECEIVED = "received"  # what the server says of a message that the client may forget


def named(mechanism: Mechanism = MECHANISM) -> bytes:
    """Return eight bytes that stand for the survey and for a mechanism with all its parameters."""
    return blake2b(f"{SURVEY}: {mechanism!r}".encode(), digest_size=NAME).digest()


def asked(account: Account) -> str:
    """Return what the owner of an account is asked."""
    return SURVEY


def answered(account: Account, value: int) -> Any:
    """Return a report of a value, which the account has paid for."""
    return account.report(MECHANISM, [value], rng=SystemRandom(), label=SURVEY)[0]


def pack(report: Any, token: bytes) -> bytes:
    """Return the message of one report: name, token, row, bit."""
    if len(token) != TOKEN:
        raise ValueError(f"token must have {TOKEN} bytes, got {len(token)}: draw it with secrets.token_bytes({TOKEN})")
    return named() + token + bytes([int(report["row"]), int(report["bit"])])


def unpack(message: bytes) -> tuple[bytes, tuple[int, int]]:
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
    row, bit = message[-2:]
    if row >= MECHANISM.m or bit > 1:
        raise ValueError("no report of this mechanism")
    return message[NAME:-2], (row, bit)


def draw(value: int, token: bytes, rng: Randomness) -> bytes:
    """Return a message for a value; `laws` of this function has the ε of all bytes that leave a device."""
    return pack(MECHANISM.perturb([value], rng=rng)[0], token)


def printed(tally: Tally) -> Iterator[str]:
    """Write the shares as lines, each with its standard error."""
    shares, variance = MECHANISM.estimate(tally), MECHANISM.variance([0])[0, 1]  # of an item that nobody has
    for item, share in enumerate(shares):
        yield f"{item}  {share:7.3f} ± {sqrt(variance / tally.n):.3f}"
