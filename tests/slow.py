"""Mechanisms that count slowly, or kill who counts; apart from the tests, for each worker of a cluster imports them."""

import os
import signal
import threading
import time
from dataclasses import dataclass

from ldpnb.oracles.grr import GRR


class Slow(GRR):
    """Counts slowly enough for something to happen meanwhile."""

    def tally(self, reports):
        time.sleep(0.02)
        return super().tally(reports)


@dataclass(frozen=True, kw_only=True)
class Slower(GRR):
    """Takes 15 seconds for 150 partitions on two workers, who count in threads of their own, and none to write them."""

    def tally(self, reports):
        time.sleep(0.2 * (threading.current_thread() is not threading.main_thread()))
        return super().tally(reports)


@dataclass(frozen=True, kw_only=True)
class Fatal(GRR):
    """Kills every process that counts, but this one."""

    home: int

    def tally(self, reports):
        if os.getpid() != self.home:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().tally(reports)
