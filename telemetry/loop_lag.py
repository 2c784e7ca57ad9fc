"""How late an event loop is, and whether it still turns."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from telemetry.families import LOOP_LAG

LOOK_S: Final = 0.5


class LoopLag:
    """Looks at one loop every LOOK_S seconds. Other threads may ask how long ago it was."""

    def __init__(self) -> None:
        self._seen_s = time.monotonic()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look from now on; call it in the loop's thread."""
        self._arm(loop)

    def silent_s(self) -> float:
        """Return for how many seconds the loop has not turned."""
        return time.monotonic() - self._seen_s

    def _arm(self, loop: asyncio.AbstractEventLoop) -> None:
        due = loop.time() + LOOK_S
        loop.call_at(due, self._look, loop, due)

    def _look(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self._seen_s = time.monotonic()
        LOOP_LAG.observe(max(0.0, loop.time() - due))
        self._arm(loop)
