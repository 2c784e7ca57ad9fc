"""The parts of a response that viewers have and the database does not have yet.

They are text and reasoning while they are streamed, and what the provider itself ran, cited or generated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agents.entry_codec import entry_decode, entry_encode
from agents.messages import AnswerFile, AssistantText, Entry, ProviderToolCall, Reasoning
from chat.entries import StoredEntry
from chat.storage.leases import Checkpoint
from chat.stream.chunks import Chunk, atomic_entry_chunks
from chat.stream.shown_length import ShownLength
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

    def checkpoint(self) -> dict[str, Any] | None:
        """Return what is new of the part since the last call, as JSON; None: nothing."""
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
    unsaved: list[str] = field(default_factory=list)  # since the last checkpoint
    is_begun: bool = False  # a checkpoint has its beginning
    duration_ms: int | None = None

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.unsaved.append(text)

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

    def checkpoint(self) -> dict[str, Any] | None:
        if not self.unsaved:
            return None
        has_begun, self.is_begun = self.is_begun, True
        text, self.unsaved = "".join(self.unsaved), []
        return {"kind": self.kind, "text": text, **({"more": True} if has_begun else {})}

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


def checkpoint_entries(parts: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Return the entries of the parts of all checkpoints, oldest first. Text that continues is joined."""
    whole_parts: list[dict[str, Any]] = []
    for part in parts:
        if "more" in part and whole_parts and whole_parts[-1]["kind"] == part["kind"]:
            whole_parts[-1]["texts"].append(part["text"])
        else:
            whole_parts.append({**part, "texts": [part.get("text", "")]})
    return [_checkpoint_entry(part) for part in whole_parts]


def checkpoint_length(parts: Iterable[Mapping[str, Any]]) -> ShownLength:
    """Return how much text and thought these parts show."""
    length = ShownLength()
    for part in parts:
        if part["kind"] in ENTRY_TYPES:
            length.add(part["kind"], part["text"])
    return length


def _checkpoint_entry(part: Mapping[str, Any]) -> Entry:
    if "content" in part:
        return entry_decode(part["kind"], part["content"], None)
    return ENTRY_TYPES[part["kind"]]("".join(part["texts"]), partial=True)


class StreamedParts:
    """The parts of one response, in the order in which they were shown. The last one, if text or reasoning, is open until `end`."""

    def __init__(self) -> None:
        self._parts: list[ShownPart] = []
        self._open: OpenPart | None = None
        self._saved_count = 0  # so many parts are in checkpoints and have ended
        self._number = 0
        self._checkpoint: Checkpoint | None = None

    def __iter__(self) -> Iterator[ShownPart]:
        return iter(self._parts)

    def clear(self) -> None:
        self._parts, self._open, self._saved_count, self._checkpoint = [], None, 0, None

    def checkpoint(self, position: int, new_calls: Callable[[], list[dict[str, Any]]] = list) -> Checkpoint | None:
        """Return what is new since the last checkpoint; None: nothing. The same again until `confirm`.

        `position`: how many parts of the answer are stored. `new_calls` returns what is new of model calls.
        """
        if self._checkpoint is not None:
            return self._checkpoint
        parts = [each for part in self._parts[self._saved_count :] if (each := part.checkpoint())]
        calls = new_calls()
        if parts or calls:
            self._number += 1
            self._saved_count = len(self._parts) - (self._open is not None)
            self._checkpoint = Checkpoint(self._number, position, parts, calls)
        return self._checkpoint

    def confirm(self, checkpoint: Checkpoint) -> None:
        """Note that a checkpoint is stored, so that the next one can be made."""
        if self._checkpoint is checkpoint:
            self._checkpoint = None

    def open_for(self, kind: OpenPartKind) -> OpenPart | None:
        """Return the open part if it is of this kind, else None."""
        return self._open if self._open is not None and self._open.kind == kind else None

    def begin(self, kind: OpenPartKind, part_id: str) -> OpenPart:
        self._open = OpenPart(kind, part_id)
        self._parts.append(self._open)
        return self._open

    @property
    def length(self) -> ShownLength:
        """How much text and thought they show."""
        length = ShownLength()
        for part in self._parts:
            if isinstance(part, OpenPart):
                length.add(part.kind, part.text)
        return length

    def end(self) -> Chunk | None:
        """Close the open part. Return its end chunk, or None when no part is open."""
        part, self._open = self._open, None
        if part is None:
            return None
        part.end()
        return part.end_chunk()

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
