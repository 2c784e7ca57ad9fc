"""The script of a double: what it answers and what it received. Used by tests, the demo and benchmarks.

    double.answer(Thought("Hm."), Text("Hello"), gate, Text(" world"))   # queued: used once, first matching answer first
    double.answer(Call("document_agent", {"operation": "create"}), when=lambda request: "poem" in request.user_text)
    double.answer(Fault.status(429, retry_after_s=2))
    double.default(Text("Hello"))                                        # for every request without a queued answer

Nothing here depends on a wire; each wire's package renders the items in its own format.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from doubles.signals import Gate, Signal

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


@dataclass
class ReceivedRequest:
    """One request as it was received."""

    number: int
    path: str
    headers: Mapping[str, str]  # lower-case names, without the key: use `key_is`
    body: dict[str, Any]
    key_hash: bytes = b""
    model: str = ""
    system_text: str = ""
    user_text: str = ""
    tool_names: tuple[str, ...] = ()
    # The conversation in Gemini's form, for scripts that answer on every wire.
    contents: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    tool_choice: Literal["free", "never", "must"] = "free"  # whether tools may or must be called
    refusal: str | None = None  # the error message, when a strict check refused the request
    raw: bytes = field(default=b"", repr=False)  # the unparsed body
    billed: dict[str, Any] = field(default_factory=dict)  # the usage up to what was sent last, as the wire names it
    disconnected: Signal = field(default_factory=Signal)  # set when the client left before the end
    finished: Signal = field(default_factory=Signal)  # set when the answer was sent completely, or the request refused

    def key_is(self, key: str) -> bool:
        """Return whether the request carried this key; "" checks for no key."""
        return self.key_hash == hash_key(key)


def hash_key(key: str) -> bytes:
    """Return the SHA-256 of a key, by which keys are compared; b"" for none."""
    return hashlib.sha256(key.encode()).digest() if key else b""


Predicate = Callable[[ReceivedRequest], bool]
Responder = Callable[[ReceivedRequest], Answer | None]


@dataclass
class _QueuedAnswer:
    answer: Answer
    matches: Predicate
    times: int | None


class Script:
    """The queue of answers and the record of requests. Safe to use from several threads."""

    def __init__(self, fallback: Responder | None = None) -> None:
        self.requests: list[ReceivedRequest] = []
        self.gates: dict[str, Gate] = {}
        self._queue: list[_QueuedAnswer] = []
        self._fallback = fallback
        self._arrivals: dict[int, Signal] = {}
        self._lock = threading.Lock()

    def answer(
        self,
        *items: Item,
        when: Predicate | None = None,
        model: str | None = None,
        system: str | None = None,
        pacing: Pacing = FULL_SPEED,
        times: int | None = 1,
    ) -> None:
        """Queue an answer for the next request that matches `when`, `model` (its name) and `system` (text in the system instruction).

        `times`: how often it is used; None: always.
        """

        def matches(request: ReceivedRequest) -> bool:
            return (
                (model is None or request.model == model)
                and (system is None or system in request.system_text)
                and (when is None or when(request))
            )

        with self._lock:
            self._queue.append(_QueuedAnswer(Answer(items, pacing), matches, times))
            self.gates.update({item.name: item for item in items if isinstance(item, Gate)})

    def default(self, *items: Item, pacing: Pacing = FULL_SPEED) -> None:
        """Answer every request that has no queued answer."""
        self._fallback = lambda request: Answer(items, pacing)

    def respond(self, responder: Responder) -> None:
        """Let a function answer requests without a queued answer. It runs in the double's event loop and must not block."""
        self._fallback = responder

    def reset(self) -> None:
        """Remove queued answers, the default, the gates and the record."""
        with self._lock:
            self._queue.clear()
            self.requests.clear()
            self.gates.clear()
            self._arrivals.clear()
            self._fallback = None

    def arrived(self, count: int = 1) -> Signal:
        """Return a signal that is set once `count` requests have arrived since the start or the last reset."""
        with self._lock:
            signal = self._arrivals.setdefault(count, Signal())
            if len(self.requests) >= count:
                signal.set()
            return signal

    @property
    def queued_count(self) -> int:
        """The number of queued answers with a limited number of uses."""
        return sum(queued.times is not None for queued in self._queue)

    def record(self, request: ReceivedRequest) -> None:
        with self._lock:
            self.requests.append(request)
            arrived = [signal for count, signal in self._arrivals.items() if count <= len(self.requests)]
        for signal in arrived:
            signal.set()

    def next_answer(self, request: ReceivedRequest) -> Answer | None:
        """Return the answer for a request and remove it from the queue; None when nothing is scripted for it."""
        with self._lock:
            for queued in self._queue:
                if queued.matches(request):
                    self._use(queued)
                    return queued.answer
        return self._fallback(request) if self._fallback else None

    def _use(self, queued: _QueuedAnswer) -> None:
        if queued.times is None:
            return
        queued.times -= 1
        if queued.times == 0:
            self._queue.remove(queued)
