"""One person's device: from a value to a paid report that has arrived.

usage: python client.py HOST:PORT HOME [VALUE]
       python client.py HOST:PORT HOME --asked    prints the question, and sends nothing

HOME is a folder that survives restarts and updates and is in no backup that others can read.  Without a VALUE, or if a
message is still waiting, what waits is sent again.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from secrets import token_bytes

from question import RECEIVED, TOKEN, answered, asked, named, pack

from ldpnb.survey import Account, BudgetError

DONE = 200, RECEIVED  # on the server's disk; a network that asks for a login says 200 to everything, too
REFUSED = 400  # after any other answer, or none, the message waits for another day
ADDRESS = re.compile(r"(\[[0-9a-f:.]+\]|[\w-]{1,63}(\.[\w-]{1,63})*):([0-9]{1,5})", re.ASCII | re.IGNORECASE)


class Device:
    """A person's account, and the message that waits until the server has it.

    Parameters
    ----------
    home : path
        Folder of the account and the message; made if it is not there.  The message is named after its survey, so that
        one that has not arrived when its survey is over does not stand in the way of the next, and after its token, so
        that a process which deletes what it has sent never deletes what another has written meanwhile.
    limit : float
        ε of all that this person ever reports; an account that is there must have the same.
    """

    def __init__(self, home: str | os.PathLike[str], limit: float = 2.0) -> None:
        self.home = Path(home)
        self.home.mkdir(parents=True, exist_ok=True)
        self.account, self.name = Account(self.home / "account", limit=limit), f"message-{named().hex()}"

    def waiting(self) -> list[Path]:
        """Return the messages of this survey that wait: one, or several if several processes answered at once."""
        return [path for path in sorted(self.home.glob(f"{self.name}*")) if path.suffix != ".partial"]

    def answer(self, value: int) -> None:
        """Draw a report, pay for it, and keep its bytes.

        A crash in between loses a report that was paid for; no report leaves unpaid.

        Raises
        ------
        BudgetError
            If the account does not have enough left: the person has answered.
        ValueError
            If the value is none of the question's, or a message still waits.
        """
        if waiting := self.waiting():
            raise ValueError(f"a message still waits in {waiting[0]}: send it first")
        report = answered(self.account, value)
        token = token_bytes(TOKEN)
        message = self.home / f"{self.name}-{token.hex()}"
        partial = message.with_suffix(".partial")
        with partial.open("wb") as file:
            file.write(pack(report, token))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(message)

    def send(self, address: str, tries: int = 3) -> bool:
        """Send what waits, the same bytes at every try; return whether the server has it.

        Raises
        ------
        RuntimeError
            If the server refuses the message; it is kept, and says which survey it is for.
        """
        return all([self._arrived(path, address, tries) for path in self.waiting()])

    def _arrived(self, path: Path, address: str, tries: int) -> bool:
        """Send one message, and delete it if the server has it."""
        try:
            message = path.read_bytes()
        except FileNotFoundError:  # another process has sent it
            return True
        status, reason = post(address, message, tries)
        if (status, reason) == DONE:
            path.unlink(missing_ok=True)  # by another process, with the same answer
        elif status == REFUSED:
            raise RuntimeError(f"the server at {address} refuses the message ({status}: {reason}): check the versions")
        return (status, reason) == DONE


def post(address: str, message: bytes, tries: int = 3) -> tuple[int, str]:
    """Post a message until there is an answer; return its status and reason, or 0."""
    for _ in range(tries):
        with closing(HTTPConnection(address, timeout=60)) as connection:
            try:
                connection.request("POST", "/", body=message)
                answer = connection.getresponse()
                return answer.status, answer.read(1000).decode(errors="replace")
            except (OSError, HTTPException):
                continue
    return 0, "no answer"


def address(text: str) -> str:
    """Return HOST:PORT if it can be one."""
    found = ADDRESS.fullmatch(text)
    if not found or not 0 < int(found[3]) < 2**16:
        raise argparse.ArgumentTypeError(f"address must be HOST:PORT, as 127.0.0.1:40123, got {text!r}")
    return text


def main() -> None:
    """Answer and send."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", metavar="HOST:PORT", type=address)  # a wrong one costs nothing
    parser.add_argument("home")
    parser.add_argument("value", nargs="?", type=int)
    parser.add_argument("--asked", action="store_true")
    given = parser.parse_args()
    try:
        device = Device(given.home)
        if given.asked:
            print(asked(device.account))
            return
        if given.value is not None and not device.waiting():
            device.answer(given.value)
    except BudgetError:
        sys.exit(f"nothing drawn, nothing sent: ε = {device.account.spent} of {device.account.limit} is spent")
    except (ValueError, RuntimeError, OSError) as error:
        sys.exit(f"nothing sent: {error}")
    try:
        print("received" if device.send(given.address) else "kept for another day")
    except RuntimeError as error:
        sys.exit(f"kept: {error}")
    print(f"spent ε = {device.account.spent} of {device.account.limit}")


if __name__ == "__main__":
    main()
