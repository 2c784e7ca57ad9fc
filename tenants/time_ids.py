"""Ids that begin with a time: UUIDs of version 7 (RFC 9562, section 5.7). Rows with such ids lie in partitions by month."""

from __future__ import annotations

import time
from secrets import randbits
from typing import Final
from uuid import UUID

_VERSION: Final = 7 << 76
_VARIANT: Final = 2 << 62


def time_id() -> UUID:
    """Return a new id of this moment, in milliseconds; the rest is random."""
    return time_id_of(time.time(), randbits(74))


def time_id_of(seconds: float, rest: int) -> UUID:
    """Return the id of a moment (seconds since 1970) with the lower 74 bits of `rest`: always the same one."""
    upper, lower = rest >> 62 & 0xFFF, rest & (1 << 62) - 1
    return UUID(int=(int(seconds * 1000) << 80) | _VERSION | (upper << 64) | _VARIANT | lower)
