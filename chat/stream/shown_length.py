"""How much text of a step viewers have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

_DELTAS = (b'{"type":"text-delta"', b'{"type":"reasoning-delta"')
_BEGINS = (b'{"type":"start-step"', b'{"type":"reset-step"')


@dataclass(slots=True)
class ShownLength:
    """The characters of a step's text and thoughts."""

    text: int = 0
    reasoning: int = 0

    def add(self, kind: str, text: str) -> None:
        if kind == "text":
            self.text += len(text)
        else:
            self.reasoning += len(text)

    def read(self, chunks: Iterable[bytes]) -> None:
        """Add what these chunks of the event log show; one that begins a step starts the count again."""
        for chunk in chunks:
            if chunk.startswith(_DELTAS):
                delta = orjson.loads(chunk)
                self.add(delta["type"].partition("-")[0], delta["delta"])
            elif chunk.startswith(_BEGINS):
                self.text = self.reasoning = 0

    def or_longer(self, other: ShownLength) -> ShownLength:
        return ShownLength(max(self.text, other.text), max(self.reasoning, other.reasoning))

    def has_passed(self, other: ShownLength) -> bool:
        """Return whether this can replace `other` and nobody sees text become shorter. Where there is text, thoughts do not count."""
        if other.text:
            return self.text >= other.text
        return self.text > 0 or self.reasoning >= other.reasoning
