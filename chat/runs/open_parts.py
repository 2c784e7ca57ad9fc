"""The parts of a response that viewers have and the database does not have yet.

They are text and reasoning while they are streamed, and what the provider itself ran, cited or generated.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agents.engine.codec import entry_decode, entry_encode
from agents.engine.messages import AnswerFile, AssistantText, Entry, ProviderToolCall, Reasoning
from chat.entries import StoredEntry
from chat.stream.chunks import Chunk, atomic_entry_chunks
from chat.stream.tool_chunks import duration_metadata

OpenPartKind = Literal["text", "reasoning"]
ENTRY_TYPES: Mapping[OpenPartKind, type[AssistantText | Reasoning]] = {"text": AssistantText, "reasoning": Reasoning}


class ShownPart(Protocol):
    """A part of an answer that viewers have and the database does not have yet."""

    @property
    def duration_ms(self) -> int | None:
        """How long the part was streamed; None while it is open, and for a part that is shown at once."""
        ...

    def shows(self, entry: Entry) -> bool:
        """Return whether this part shows `entry`, so that it need not be published again."""
        ...

    def as_entry(self, step: int) -> StoredEntry | None:
        """Return what to store of the part when the answer ends early; None: nothing."""
        ...

    def checkpoint(self) -> dict[str, Any]:
        """Return the part as JSON, for the run's row."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Yield what viewers have of the part, compact."""
        ...


@dataclass(slots=True)
class OpenPart:
    """Text or reasoning that is being streamed and is no entry yet."""

    kind: OpenPartKind
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

    def shows(self, entry: Entry) -> bool:
        return isinstance(entry, ENTRY_TYPES[self.kind])

    def as_entry(self, step: int) -> StoredEntry | None:
        return StoredEntry(ENTRY_TYPES[self.kind](self.text, partial=True), step, self.duration_ms) if self.text else None

    def checkpoint(self) -> dict[str, Any]:
        return {"kind": self.kind, "text": self.text}

    def chunks(self) -> Iterator[Chunk]:
        yield self.start_chunk()
        yield self.delta_chunk(self.text)
        if self.duration_ms is not None:
            yield self.end_chunk()


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """A provider tool call, source or file, which is shown at once."""

    entry: Entry
    duration_ms: None = None

    def shows(self, entry: Entry) -> bool:
        if isinstance(self.entry, ProviderToolCall | AnswerFile):
            return isinstance(entry, type(self.entry)) and entry.id == self.entry.id
        return entry == self.entry

    def as_entry(self, step: int) -> StoredEntry | None:
        return StoredEntry(self.entry, step)

    def checkpoint(self) -> dict[str, Any]:
        kind, content, _ = entry_encode(self.entry)
        return {"kind": kind, "content": content}

    def chunks(self) -> Iterator[Chunk]:
        return atomic_entry_chunks(StoredEntry(self.entry))


def contains_entry(stored: Entry, shown: Entry) -> bool:
    """Return whether `stored` contains what was `shown`. A stored text may be longer than that of a checkpoint."""
    if isinstance(shown, AssistantText | Reasoning):
        return isinstance(stored, type(shown)) and stored.text.startswith(shown.text)
    return ShownEntry(shown).shows(stored)


def checkpoint_entry(part: Mapping[str, Any]) -> Entry:
    """Return the entry of a part that `checkpoint` returned."""
    if "content" in part:
        return entry_decode(part["kind"], part["content"], None)
    return ENTRY_TYPES[part["kind"]](part["text"], partial=True)


class StreamedParts:
    """The parts of one response, in the order in which they were shown. The last one, if text or reasoning, is open until `end`."""

    def __init__(self) -> None:
        self._parts: list[ShownPart] = []
        self._open: OpenPart | None = None

    def __iter__(self) -> Iterator[ShownPart]:
        return iter(self._parts)

    def clear(self) -> None:
        self._parts, self._open = [], None

    def open_for(self, kind: OpenPartKind) -> OpenPart | None:
        """Return the open part if it is of this kind, else None."""
        return self._open if self._open is not None and self._open.kind == kind else None

    def begin(self, kind: OpenPartKind, part_id: str) -> OpenPart:
        self._open = OpenPart(kind, part_id)
        self._parts.append(self._open)
        return self._open

    def end(self) -> Chunk | None:
        """Close the open part. Return its end chunk, or None when no part is open."""
        ended, self._open = self._open, None
        if ended is None:
            return None
        ended.end()
        return ended.end_chunk()

    def add(self, entry: Entry) -> ShownPart:
        """Add an entry that is shown at once. Call `end` first."""
        self._parts.append(ShownEntry(entry))
        return self._parts[-1]

    def match(self, entries: Sequence[Entry]) -> list[ShownPart | None]:
        """Return, for each entry of the response, the part that has shown it, or None."""
        waiting = list(self._parts)
        return [waiting.pop(0) if waiting and waiting[0].shows(entry) else None for entry in entries]

    def chunks(self) -> Iterator[Chunk]:
        """Yield what viewers have of all parts, compact."""
        for part in self._parts:
            yield from part.chunks()
