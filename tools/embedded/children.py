"""Child processes as the supervisor sees them: how to start, stop and restart one."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

MAX_QUICK_RESTARTS = 5
RESTART_WINDOW_S = 300
MIN_BACKOFF_S = 0.2
MAX_BACKOFF_S = 5.0
LONG_PAUSE_S = 30.0


@dataclass
class Child:
    """One child process."""

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    wait_ready: Callable[[subprocess.Popen[bytes]], None]
    log: Path
    stop_rank: int  # order of stopping: rank 0 first, and each rank waits for the one before
    grace_s: float  # how long it may take to stop before it is killed
    stop_signal: signal.Signals = signal.SIGTERM
    kill_signal: signal.Signals = signal.SIGKILL
    clean_up: Callable[[], None] | None = None  # runs after a death, before the next start
    process: subprocess.Popen[bytes] | None = None
    exits: list[float] = field(default_factory=list)  # times of recent deaths, on the monotonic clock
    restart_at: float | None = None

    def launch(self) -> None:
        self.restart_at = None
        self.process = self.start()

    def ready(self) -> None:
        """Wait until the child serves. Raises StartError when it dies or takes too long."""
        if self.process:
            self.wait_ready(self.process)

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def keeps_stopping(self) -> bool:
        return len(self.exits) >= MAX_QUICK_RESTARTS

    def send(self, signum: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signum)

    def plan_restart(self) -> float:
        """Record a death and return the pause in seconds before the next start, which grows each time.

        No child is given up: the others serve without it, and what ends it, such as a full disk, may pass.
        """
        now = time.monotonic()
        self.exits = [death for death in self.exits if death > now - RESTART_WINDOW_S]
        pause_s = LONG_PAUSE_S if self.keeps_stopping else min(MIN_BACKOFF_S * 2.0 ** len(self.exits), MAX_BACKOFF_S)
        self.exits.append(now)
        self.restart_at = now + pause_s
        return pause_s
