"""Text and reasoning while they are streamed: shown already, not yet entries."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agents.engine.messages import AssistantText, Entry, Reasoning
from chat.chunks import Chunk, duration_metadata
from chat.entries import StoredEntry

Kind = Literal["text", "reasoning"]


@dataclass(slots=True)
class OpenPart:
    """Text or reasoning that is being streamed and is no entry yet."""

    kind: Kind
    id: str
    started_at: float = field(default_factory=time.monotonic)
    pieces: list[str] = field(default_factory=list)
    duration_ms: int | None = None

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def start_chunk(self) -> Chunk:
        return {"type": f"{self.kind}-start", "id": self.id}

    def delta_chunk(self, delta: str) -> Chunk:
        return {"type": f"{self.kind}-delta", "id": self.id, "delta": delta}

    def end_chunk(self) -> Chunk:
        metadata = duration_metadata(self.duration_ms) if self.kind == "reasoning" else {}
        return {"type": f"{self.kind}-end", "id": self.id, **metadata}

    def end(self) -> None:
        self.duration_ms = round((time.monotonic() - self.started_at) * 1000)

    def as_entry(self, step: int) -> StoredEntry:
        """What is kept of it when the answer ends before its end mark."""
        entry_type = AssistantText if self.kind == "text" else Reasoning
        return StoredEntry(entry_type(self.text, partial=True), step, self.duration_ms)


class StreamedParts:
    """The parts of one response in the order of their deltas; the last one is open until `end`."""

    def __init__(self) -> None:
        self._parts: list[OpenPart] = []

    def __iter__(self) -> Iterator[OpenPart]:
        return iter(self._parts)

    def clear(self) -> None:
        self._parts = []

    def open_for(self, kind: Kind) -> OpenPart | None:
        """The open part when it is of this kind."""
        last = self._parts[-1] if self._parts else None
        return last if last is not None and last.kind == kind and last.duration_ms is None else None

    def begin(self, kind: Kind, part_id: str) -> OpenPart:
        self._parts.append(OpenPart(kind, part_id))
        return self._parts[-1]

    def end(self) -> Chunk | None:
        """Close the open part; return the chunk that says so, or None when none is open."""
        if not self._parts or self._parts[-1].duration_ms is not None:
            return None
        self._parts[-1].end()
        return self._parts[-1].end_chunk()

    def match(self, entries: Sequence[Entry]) -> list[OpenPart | None]:
        """For each entry of the response the part that showed it already, or None."""
        waiting = list(self._parts)
        matched: list[OpenPart | None] = []
        for entry in entries:
            kind = "text" if isinstance(entry, AssistantText) else "reasoning" if isinstance(entry, Reasoning) else None
            fits = kind is not None and bool(waiting) and waiting[0].kind == kind
            matched.append(waiting.pop(0) if fits else None)
        return matched

    def chunks(self) -> Iterator[Chunk]:
        """What was shown of the parts so far, compact."""
        for part in self._parts:
            yield part.start_chunk()
            yield part.delta_chunk(part.text)
            if part.duration_ms is not None:
                yield part.end_chunk()
