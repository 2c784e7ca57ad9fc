"""A request as a double received it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from doubles.signals import Signal


@dataclass
class ReceivedRequest:
    """One request as it was received."""

    number: int
    path: str
    headers: Mapping[str, str]  # lower-case names, without the key: use `key_is`
    body: dict[str, Any]
    key_hash: bytes = b""
    model: str = ""
    system_text: str = ""
    user_text: str = ""
    tool_names: tuple[str, ...] = ()
    # The conversation in Gemini's form, for scripts that answer on every wire.
    contents: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    tool_choice: Literal["free", "never", "must"] = "free"  # whether tools may or must be called
    refusal: str | None = None  # the error message, when a strict check refused the request
    raw: bytes = field(default=b"", repr=False)  # the unparsed body
    billed: dict[str, Any] = field(default_factory=dict)  # the usage up to what was sent last, as the wire names it
    disconnected: Signal = field(default_factory=Signal)  # set when the client left before the end
    finished: Signal = field(default_factory=Signal)  # set when the answer was sent completely, or the request refused

    def key_is(self, key: str) -> bool:
        """Return whether the request carried this key; "" checks for no key."""
        return self.key_hash == hash_key(key)


def hash_key(key: str) -> bytes:
    """Return the SHA-256 of a key, by which keys are compared; b"" for none."""
    return hashlib.sha256(key.encode()).digest() if key else b""
