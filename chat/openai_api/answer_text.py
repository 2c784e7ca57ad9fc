"""Builds an answer's text from the chunks of its stream, for a client that can't take back what it has received."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from chat.openai_api.errors import ApiError

PART_SEPARATOR = "\n\n"  # between the text parts of an answer, which tool calls separate


class AnswerText:
    """The text of one answer. `take_new` returns each piece once, even if the stream starts over or a step is repeated."""

    def __init__(self) -> None:
        self._parts: list[list[str]] = []
        self._step_start = 0
        self._sent_texts: list[str] = []
        self._new_texts: list[str] = []
        self._is_rewritten = False  # parts were dropped, so the text that was sent may differ from the text of the parts

    def read(self, chunk: dict[str, Any]) -> None:
        """Apply a chunk of the stream. Generated files become links."""
        match chunk:
            case {"type": "start-step"}:
                self._step_start = len(self._parts)
            case {"type": "reset-step"}:
                self._drop(self._step_start)
            case {"type": "text-start"}:
                self._parts.append([])
            case {"type": "text-delta", "delta": str(delta)}:
                self._add(delta)
            case {"type": "tool-input-available", "toolName": "message", "input": {"type": "result" | "question", "text": str(text)}}:
                self._parts.append([])
                self._add(text)
            case {"type": "file", "url": str(url), "providerMetadata": {"parley": {"filename": str(name)}}}:
                self._parts.append([])
                self._add(f"[{name}]({settings.PUBLIC_URL}/api/files/{url.rpartition(':')[2]}/)")
            case {"type": "data-notice", "data": {"code": "file_not_kept", "text": str(text)}}:
                self._parts.append([])
                self._add(text)
            case _:
                pass

    def start_over(self) -> None:
        """Prepare to read the stream from its start again."""
        self._drop(0)
        self._step_start = 0

    @property
    def full_text(self) -> str:
        return PART_SEPARATOR.join("".join(part) for part in self._parts if part)

    def take_new(self) -> str:
        """Return the text that was added since the last call. Raises ApiError when text that was sent is not in the answer any more."""
        news = self._text_after("".join(self._sent_texts)) if self._is_rewritten else "".join(self._new_texts)
        self._new_texts.clear()
        self._sent_texts.append(news)
        return news

    def _add(self, text: str) -> None:
        if not text:
            return
        part = self._parts[-1]
        if not part and any(self._parts):
            self._new_texts.append(PART_SEPARATOR)
        part.append(text)
        self._new_texts.append(text)

    def _drop(self, first: int) -> None:
        self._is_rewritten = self._is_rewritten or any(self._parts[first:])
        del self._parts[first:]

    def _text_after(self, shown_before: str) -> str:
        """Return the answer's text after `shown_before`; empty while the repeated answer is still shorter than that."""
        full_text = self.full_text
        if len(full_text) <= len(shown_before) and shown_before.startswith(full_text):
            return ""
        if not full_text.startswith(shown_before):
            text = "A part of the answer was lost and written anew. Ask again, or read the whole answer in its conversation."
            raise ApiError(text, status=500, code="answer_rewritten", is_final=True)
        self._is_rewritten = False
        return full_text[len(shown_before) :]
