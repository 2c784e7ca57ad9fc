"""What both kinds of answer give: text as it comes, and at the end all of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Protocol

from agents.engine.messages import ToolCall, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The whole answer. `reason`: in the AI SDK's words."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    reason: str = "stop"
    usage: Usage = field(default_factory=Usage)


class CompletionSource(Protocol):
    def parts(self) -> AsyncGenerator[str | Completion, None]:
        """Yield new text, and Whole last. Closing it before stops the work. Raises ParleyError, RunError."""
        ...
