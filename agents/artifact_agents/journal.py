"""The journals of artifact agents: their text goes live into the artifact's panel, or nowhere, not into the conversation (SPEC 4.7)."""

from __future__ import annotations

from collections.abc import Sequence

from agents.engine.messages import DataPart, Entry, ProviderPart, Usage, UserMessage
from agents.engine.ports import Journal
from artifacts.text.offsets import utf16_length


class BufferedJournal:
    """Implements `Journal`: keeps what the agent writes to itself. `text`: all of it since the last prompt."""

    def __init__(self, parent: Journal) -> None:
        self._parent = parent
        self._entries: list[Entry] = []
        self._deltas: list[str] = []

    @property
    def entries(self) -> Sequence[Entry]:
        return self._entries

    @property
    def text(self) -> str:
        return "".join(self._deltas)

    def start_prompt(self, prompt: str) -> None:
        """Begin anew with this prompt alone."""
        self._entries, self._deltas = [UserMessage(prompt)], []

    async def append(self, *entries: Entry) -> None:
        self._entries.extend(entries)

    def text_delta(self, text: str) -> None:
        self._deltas.append(text)

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


class ArtifactJournal(BufferedJournal):
    """Text deltas become `artifact-delta` parts of the parent's stream. Offsets count UTF-16 code units, as JavaScript does
    (docs/protocol.md); a new prompt's text begins at 0 again and takes the place of what was shown.
    """

    def __init__(self, parent: Journal, artifact_id: str) -> None:
        super().__init__(parent)
        self._artifact_id = artifact_id
        self._offset = 0

    def start_prompt(self, prompt: str) -> None:
        super().start_prompt(prompt)
        self._offset = 0

    def text_delta(self, text: str) -> None:
        super().text_delta(text)
        self._publish(self._offset, text)
        self._offset += utf16_length(text)

    def replace(self, content: str) -> None:
        """Let every viewer's copy be `content`, whatever was streamed."""
        self._publish(0, content)

    def _publish(self, at: int, delta: str) -> None:
        data = {"id": self._artifact_id, "at": at, "delta": delta}
        self._parent.data(DataPart("artifact-delta", data, transient=True))
