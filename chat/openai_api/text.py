"""An answer's text out of the chunks of its stream, for a reader that can't take anything back."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from chat.openai_api.errors import ApiError

BETWEEN = "\n\n"  # parts of an answer, with tools between them


class AnswerText:
    """`news` gives what is new since it was last asked, also when the stream began again or a broken step was written anew."""

    def __init__(self) -> None:
        self._parts: list[list[str]] = []
        self._step_start = 0
        self._said: list[str] = []
        self._fresh: list[str] = []
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
    def whole(self) -> str:
        return BETWEEN.join("".join(part) for part in self._parts if part)

    def news(self) -> str:
        """Raises ApiError when what was said is not what the answer says now."""
        news = self._beyond("".join(self._said)) if self._is_rewritten else "".join(self._fresh)
        self._fresh.clear()
        self._said.append(news)
        return news

    def _add(self, text: str) -> None:
        if not text:
            return
        part = self._parts[-1]
        if not part and any(self._parts):
            self._fresh.append(BETWEEN)
        part.append(text)
        self._fresh.append(text)

    def _drop(self, first: int) -> None:
        self._is_rewritten = self._is_rewritten or any(self._parts[first:])
        del self._parts[first:]

    def _beyond(self, said: str) -> str:
        """What the answer says behind `said`; nothing while it is being told again."""
        whole = self.whole
        if len(whole) <= len(said) and said.startswith(whole):
            return ""
        if not whole.startswith(said):
            text = "A part of the answer was lost and written anew. Ask again, or read the whole answer in its conversation."
            raise ApiError(text, status=500, code="answer_rewritten", is_final=True)
        self._is_rewritten = False
        return whole[len(said) :]
