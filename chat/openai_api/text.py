"""An answer's text out of the chunks of its stream, for a reader that can't take anything back."""

from __future__ import annotations

from typing import Any

from chat.openai_api.errors import ApiError

BETWEEN = "\n\n"  # parts of an answer, with tools between them


class AnswerText:
    """`news` gives what is new since it was last asked, also when the stream began again or a broken step was written anew."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._step_start = 0
        self._said = ""

    def read(self, chunk: dict[str, Any]) -> None:
        match chunk:
            case {"type": "start-step"}:
                self._step_start = len(self._parts)
            case {"type": "reset-step"}:
                del self._parts[self._step_start :]
            case {"type": "text-start"}:
                self._parts.append("")
            case {"type": "text-delta", "delta": str(delta)}:
                self._parts[-1] += delta
            case {"type": "tool-input-available", "toolName": "message", "input": {"type": "result" | "question", "text": str(text)}}:
                self._parts.append(text)
            case _:
                pass

    def start_over(self) -> None:
        """The stream is read from its start."""
        self._parts.clear()
        self._step_start = 0

    @property
    def whole(self) -> str:
        return BETWEEN.join(part for part in self._parts if part)

    def news(self) -> str:
        """Raises ApiError when what was said is not what the answer says now."""
        whole = self.whole
        if len(whole) <= len(self._said) and self._said.startswith(whole):
            return ""
        if not whole.startswith(self._said):
            text = "A part of the answer was lost and written anew. Ask again, or read the whole answer in its conversation."
            raise ApiError(text, status=500, code="answer_rewritten", is_final=True)
        news, self._said = whole[len(self._said) :], whole
        return news
