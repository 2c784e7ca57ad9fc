"""The interface of both kinds of answer: text as it arrives, then the whole completion."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Protocol

from agents.messages import ToolCall, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A whole answer."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    reason: str = "stop"  # the finish reason, as the AI SDK names it
    usage: Usage = field(default_factory=Usage)


class CompletionSource(Protocol):
    """An answer that is being written."""

    def parts(self) -> AsyncGenerator[str | Completion, None]:
        """Yield new text as it arrives, and the Completion last. Closing it early stops the answer. Raises ParleyError, RunError."""
        ...
