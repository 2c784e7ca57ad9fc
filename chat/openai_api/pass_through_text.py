"""The text of a pass-through call's answer, with links to the files that the model generated."""

from __future__ import annotations

from collections.abc import Iterable

from agents.messages import AnswerFile, AssistantText, Entry, TextDelta
from chat.entries import StoredEntry
from chat.openai_api.answer_text import AnswerText
from chat.stream.chunks import atomic_entry_chunks


class PassThroughText:
    """The text of an answer, built from the model's events or entries."""

    def __init__(self) -> None:
        self._text = AnswerText()
        self._goes_on = False

    def add(self, piece: TextDelta | AssistantText | AnswerFile) -> str:
        """Add a piece. Return the text that is new."""
        if isinstance(piece, AnswerFile):
            self._goes_on = False
            for chunk in atomic_entry_chunks(StoredEntry(piece)):
                self._text.read(chunk)
            return self._text.take_new()
        if not self._goes_on:
            self._goes_on = True
            self._text.read({"type": "text-start"})
        self._text.read({"type": "text-delta", "delta": piece.text})
        return self._text.take_new()

    def remainder(self, full_text: str) -> str:
        """Return what of the whole text was not added yet. Text after a tool call arrives only with the complete response."""
        streamed_text = self._text.full_text
        return full_text[len(streamed_text) :] if full_text.startswith(streamed_text) else ""

    @property
    def full_text(self) -> str:
        return self._text.full_text


def pass_through_text(entries: Iterable[Entry]) -> str:
    """Return the whole text of an answer's entries."""
    text = PassThroughText()
    for entry in entries:
        if isinstance(entry, AssistantText | AnswerFile):
            text.add(entry)
    return text.full_text
