"""The journals of artifact agents: their text is streamed into the artifact panel or only buffered (SPEC 4.7).

It never goes into the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.engine.ports import Journal
from agents.messages import DataPart, Entry, File, ProviderPart, Usage, UserMessage
from artifacts.text.offsets import utf16_length


class BufferedJournal:
    """Implements `Journal`: keeps what the agent writes to itself. `text` is all of it since the last prompt."""

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

    def start_prompt(self, prompt: str, files: Sequence[File] = ()) -> None:
        """Start over with only this prompt and these files."""
        self._entries, self._deltas = [UserMessage(prompt), *files], []

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        self._entries.extend(entries)

    def text_delta(self, text: str) -> None:
        self._deltas.append(text)

    def reasoning_delta(self, text: str) -> None:
        """Ignored: the panel shows no reasoning."""

    def provider_part(self, part: ProviderPart) -> None:
        """Ignored: the panel shows no provider tools or sources."""

    def data(self, part: DataPart) -> None:
        self._parent.data(part)

    async def step_start(self, step: int) -> None:
        """Ignored: only the parent's steps are counted."""

    async def step_finish(self, step: int, usage: Usage) -> None:
        """Ignored: the outcome of the run contains the usage."""


class ArtifactJournal(BufferedJournal):
    """Publishes text deltas as `artifact-delta` parts of the parent's stream (docs/protocol.md).

    Offsets count UTF-16 code units, as JavaScript does. The text of a new prompt starts at offset 0 again and replaces
    what was shown.
    """

    def __init__(self, parent: Journal, artifact_id: str) -> None:
        super().__init__(parent)
        self._artifact_id = artifact_id
        self._offset = 0

    def start_prompt(self, prompt: str, files: Sequence[File] = ()) -> None:
        super().start_prompt(prompt, files)
        self._offset = 0

    def text_delta(self, text: str) -> None:
        super().text_delta(text)
        self._publish(self._offset, text)
        self._offset += utf16_length(text)

    def replace(self, content: str) -> None:
        """Replace every viewer's copy with `content`, whatever was streamed."""
        self._publish(0, content)

    def _publish(self, at: int, delta: str) -> None:
        data = {"id": self._artifact_id, "at": at, "delta": delta}
        self._parent.data(DataPart("artifact-delta", data, transient=True))
