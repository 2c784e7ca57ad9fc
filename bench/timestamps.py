"""Tokens that carry the time at which the double sent them.

A scripted token is the four characters PLACEHOLDER (one token, as the double counts); the double puts the time in when it sends the
bytes. All processes of a machine share the monotonic clock. The unit is 10 µs, so a stamp repeats after 168 s.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable

PLACEHOLDER = "@@@@"
LENGTH = len(PLACEHOLDER)
UNIT_NS = 10_000
UNITS = 1 << 24  # what three bytes hold: four characters of base64

# What is written at once where tokens come fast: about four kilobytes of events, three segments of an Ethernet, as a fast provider's stream
# brings them in one read. The strict double's server wrote as much between two turns of its event loop.
BLOCK_TOKENS = 16


def stamp_now() -> bytes:
    return base64.urlsafe_b64encode((time.monotonic_ns() // UNIT_NS % UNITS).to_bytes(3, "big"))


def ages_ms(text: str, now_ns: int) -> Iterable[float]:
    """How long ago each token of `text` was sent, in milliseconds, oldest first."""
    now, times = now_ns // UNIT_NS, base64.urlsafe_b64decode(text)
    for start in range(0, len(times), 3):
        yield (now - int.from_bytes(times[start : start + 3], "big")) % UNITS * UNIT_NS / 1e6
