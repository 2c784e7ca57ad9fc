"""What an answer is made of, independent of any wire: texts, calls, faults, pauses, and how fast they are sent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from doubles.signals import Gate

_TOKENS = re.compile(r"\s*\S{1,8}|\s+")


def split_tokens(text: str) -> list[str]:
    """Split `text` into pieces about as long as a model's tokens. Joined, they are `text` again."""
    return _TOKENS.findall(text)


@dataclass(frozen=True)
class Text:
    """Visible text."""

    text: str
    pieces: Sequence[str] | None = None  # how it is cut into chunks; None: one chunk per token

    def chunks(self) -> Sequence[str]:
        return split_tokens(self.text) if self.pieces is None else self.pieces


@dataclass(frozen=True)
class Refusal(Text):
    """A refusal by the model itself. Wires without refusals send it as text."""


@dataclass(frozen=True)
class Thought(Text):
    """A thought summary. Sent only when the request asked for thoughts, as by the real API."""

    redacted: bool = False  # encrypted instead, on wires with such thoughts


@dataclass(frozen=True)
class CitedText(Text):
    """Text that cites web pages."""

    pages: Sequence[tuple[str, str]] = ()  # URL and title of each


@dataclass(frozen=True)
class ProviderTool:
    """A tool that the provider runs itself during the answer. Sent only when the request offers it."""

    tool: Literal["web_search", "url_context", "code_execution"]
    arguments: Mapping[str, Any]
    pages: Sequence[tuple[str, str]] = ()  # found by a search or read by a fetch; URL and title of each
    output: str = ""  # what code printed
    failed: bool = False
    waits: bool = False  # Claude runs it after a tool of ours that the same answer calls, so its result does not come with this answer


@dataclass(frozen=True)
class Picture:
    """An image that the model makes.

    Gemini sends it as a part. OpenAI's Responses API sends it as a tool's item, when the request offers that tool. Gateways send it in a
    field of Chat Completions. Claude makes no images.
    """

    data: bytes = field(repr=False)
    media_type: str = "image/png"  # according to the provider
    draft: bool = False  # made while the model thinks
    failed: bool = False  # the tool made no image


@dataclass(frozen=True)
class Call:
    """A function call. Several calls in one answer are parallel.

    An empty name, and arguments that are not an object, are malformed answers such as a gateway may let through.
    """

    name: str
    arguments: Mapping[str, Any] | list[Any] | str = field(default_factory=dict)
    id: str | None = None  # None: a new id is made


@dataclass(frozen=True)
class Usage:
    """Token counts that the last chunk reports. None: the counted tokens (characters / 4)."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reported: bool = True  # False: no chunk reports usage


@dataclass(frozen=True)
class Finish:
    """How the answer ends."""

    reason: str | None  # in the wire's own spelling; None: the stream ends properly without one
    message: str = ""  # the provider's explanation
    bare: bool = False  # the last chunk has no content, as when the provider discarded it


@dataclass(frozen=True)
class Pause:
    """Send nothing for some time."""

    seconds: float


@dataclass(frozen=True)
class Fault:
    """An error at this place of the answer. `status`, `html` and `blocked` must be an answer's only item."""

    kind: Literal["status", "html", "blocked", "cut", "drop", "reset", "malformed", "sse_comment", "silence", "mid_stream_error", "failed"]
    code: int = 0
    message: str = ""
    reason: str = ""
    retry_after_s: float | None = None

    @classmethod
    def status(cls, code: int, message: str = "", *, retry_after_s: float | None = None, reason: str = "") -> Fault:
        """Answer with an error status. `reason`: the machine-readable one (API_KEY_INVALID)."""
        return cls("status", code, message, reason, retry_after_s)

    @classmethod
    def html(cls, code: int = 502) -> Fault:
        """Answer with the error page of a gateway in front of the provider."""
        return cls("html", code)

    @classmethod
    def blocked(cls, reason: str = "SAFETY") -> Fault:
        """Refuse the prompt by the safety filter: a successful answer without candidates."""
        return cls("blocked", reason=reason)

    @classmethod
    def cut(cls) -> Fault:
        """End the body cleanly, but without the end marker."""
        return cls("cut")

    @classmethod
    def drop(cls) -> Fault:
        """Close the connection in the middle of the body."""
        return cls("drop")

    @classmethod
    def reset(cls) -> Fault:
        """Reset the connection (TCP RST)."""
        return cls("reset")

    @classmethod
    def malformed(cls) -> Fault:
        """Send one chunk that is not JSON; the answer continues."""
        return cls("malformed")

    @classmethod
    def sse_comment(cls, message: str = "keep-alive") -> Fault:
        """Send one SSE comment line; the answer continues."""
        return cls("sse_comment", message=message)

    @classmethod
    def silence(cls) -> Fault:
        """Send nothing more until the client leaves."""
        return cls("silence")

    @classmethod
    def mid_stream_error(cls, code: int = 503, message: str = "") -> Fault:
        """Send the provider's error inside a successful answer, and end the body."""
        return cls("mid_stream_error", code, message)

    @classmethod
    def failed(cls, code: int = 500, message: str = "") -> Fault:
        """End the answer with a final event that reports failure; only on a wire with such an event (OpenAI's `response.failed`)."""
        return cls("failed", code, message)


Item = Text | Refusal | Thought | CitedText | ProviderTool | Picture | Call | Usage | Finish | Pause | Fault | Gate


@dataclass(frozen=True)
class Pacing:
    """How fast chunks are sent."""

    first_token_s: float = 0.0  # seconds until the first token
    tokens_per_s: float | None = None  # None: as fast as the client reads


FULL_SPEED = Pacing()


@dataclass(frozen=True)
class Answer:
    """The items of one answer, and how fast they are sent."""

    items: tuple[Item, ...]
    pacing: Pacing = FULL_SPEED
