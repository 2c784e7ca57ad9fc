"""An answer's text out of the chunks of its stream, for a reader that can't take anything back."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from chat.openai_api.errors import ApiError

PART_SEPARATOR = "\n\n"  # parts of an answer, with tools between them


class AnswerText:
    """`take_new` gives what is new since it was last asked, also when the stream began again or a broken step was written anew."""

    def __init__(self) -> None:
        self._parts: list[list[str]] = []
        self._step_start = 0
        self._sent: list[str] = []
        self._unsent: list[str] = []
        self._is_rewritten = False  # what was said may not be what the parts say

    def read(self, chunk: dict[str, Any]) -> None:
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
        """The stream is read from its start."""
        self._drop(0)
        self._step_start = 0

    @property
    def full_text(self) -> str:
        return PART_SEPARATOR.join("".join(part) for part in self._parts if part)

    def take_new(self) -> str:
        """Raises ApiError when what was said is not what the answer says now."""
        news = self._text_after("".join(self._sent)) if self._is_rewritten else "".join(self._unsent)
        self._unsent.clear()
        self._sent.append(news)
        return news

    def _add(self, text: str) -> None:
        if not text:
            return
        part = self._parts[-1]
        if not part and any(self._parts):
            self._unsent.append(PART_SEPARATOR)
        part.append(text)
        self._unsent.append(text)

    def _drop(self, first: int) -> None:
        self._is_rewritten = self._is_rewritten or any(self._parts[first:])
        del self._parts[first:]

    def _text_after(self, said: str) -> str:
        """What the answer says behind `said`; nothing while it is being told again."""
        full_text = self.full_text
        if len(full_text) <= len(said) and said.startswith(full_text):
            return ""
        if not full_text.startswith(said):
            text = "A part of the answer was lost and written anew. Ask again, or read the whole answer in its conversation."
            raise ApiError(text, status=500, code="answer_rewritten", is_final=True)
        self._is_rewritten = False
        return full_text[len(said) :]
