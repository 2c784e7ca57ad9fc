"""The journal of a streaming artifact agent: its text goes live into the artifact's panel, not into the conversation (SPEC 4.7)."""

from __future__ import annotations

from collections.abc import Sequence

from agents.engine.messages import DataPart, Entry, ProviderPart, Usage
from agents.engine.ports import Journal


class ArtifactJournal:
    """Implements `Journal`. Entries stay here, text deltas become `artifact-delta` parts of the parent's stream.

    Offsets count UTF-16 code units, as JavaScript does (docs/protocol.md).
    """

    def __init__(self, parent: Journal, artifact_id: str, *entries: Entry) -> None:
        self._parent = parent
        self._artifact_id = artifact_id
        self._entries = list(entries)
        self._deltas: list[str] = []
        self._at = 0

    @property
    def entries(self) -> Sequence[Entry]:
        return self._entries

    @property
    def text(self) -> str:
        """All that was written so far."""
        return "".join(self._deltas)

    async def append(self, *entries: Entry) -> None:
        self._entries.extend(entries)

    def text_delta(self, text: str) -> None:
        self._deltas.append(text)
        self._publish(self._at, text)
        self._at += utf16_length(text)

    def reasoning_delta(self, text: str) -> None:
        """The panel shows no thinking."""

    def provider_part(self, part: ProviderPart) -> None:
        """Nor what a provider looked up for it."""

    def data(self, part: DataPart) -> None:
        self._parent.data(part)

    async def step_start(self, step: int) -> None:
        """The parent's steps go on counting."""

    async def step_finish(self, step: int, usage: Usage) -> None:
        """The outcome of the run carries the usage."""

    def replace(self, content: str) -> None:
        """Let every viewer's copy be `content`, whatever was streamed."""
        self._publish(0, content)

    def _publish(self, at: int, delta: str) -> None:
        data = {"id": self._artifact_id, "at": at, "delta": delta}
        self._parent.data(DataPart("artifact-delta", data, transient=True))


def utf16_length(text: str) -> int:
    """Length in UTF-16 code units, which is what JavaScript counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
