"""What a double answers and what it received: the scripting API of tests, the demo and benchmarks.

    double.answer(Thought("Hm."), Text("Hello"), gate, Text(" world"))   # queued: used once, first matching answer first
    double.answer(Call("document_agent", {"operation": "create"}), when=lambda request: "poem" in request.user_text)
    double.answer(Fault.status(429, retry_after_s=2))
    double.default(Text("Hello"))                                        # for every request that no queued answer takes

Nothing here knows a wire; each wire's package renders the items its own way.
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
    """`text` in pieces about as long as a model's tokens; joined they are `text` again."""
    return _TOKENS.findall(text)


@dataclass(frozen=True)
class Text:
    """Visible text. `pieces`: how it is cut into chunks; None: one chunk for each token."""

    text: str
    pieces: Sequence[str] | None = None

    def chunks(self) -> Sequence[str]:
        return split_tokens(self.text) if self.pieces is None else self.pieces


@dataclass(frozen=True)
class Refusal(Text):
    """The model's own refusal to answer; a wire that has no such thing sends it as text."""


@dataclass(frozen=True)
class Thought(Text):
    """A thought summary; sent only when the request asked for thoughts, as the real API does.

    `redacted`: encrypted instead, on the wires that have such thoughts.
    """

    redacted: bool = False


@dataclass(frozen=True)
class CitedText(Text):
    """Text that rests on web pages: url and title of each."""

    pages: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class ProviderTool:
    """A tool that the provider runs itself while it answers; sent only when the request offers it.

    `pages`: those that a search found or a fetch read, url and title of each. `output`: what code printed.
    """

    tool: Literal["web_search", "url_context", "code_execution"]
    arguments: Mapping[str, Any]
    pages: Sequence[tuple[str, str]] = ()
    output: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Picture:
    """An image that the model makes. Gemini sends it as a part, OpenAI's Responses as the item of a tool, when the request offers that, and
    gateways in a field of Chat Completions; Claude makes none.

    `media_type`: what the provider says it is. `draft`: drawn while it thinks. `failed`: the tool made none.
    """

    data: bytes = field(repr=False)
    media_type: str = "image/png"
    draft: bool = False
    failed: bool = False


@dataclass(frozen=True)
class Call:
    """A function call; several in one answer are parallel. `id`: None makes a fresh one.

    An empty name and arguments that are no object are bad input, which a gateway may let through.
    """

    name: str
    arguments: Mapping[str, Any] | list[Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True)
class Usage:
    """Tokens that the last chunk reports instead of the counted ones; None: count (characters / 4). `reported` False: no chunk has any."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reported: bool = True


@dataclass(frozen=True)
class Finish:
    """The finish reason in the wire's own spelling; None: the stream ends properly but names none.

    `message`: the provider's words for it. `bare`: the last chunk has no content, as when the provider threw it away.
    """

    reason: str | None
    message: str = ""
    bare: bool = False


@dataclass(frozen=True)
class Pause:
    """Send nothing for a time."""

    seconds: float


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong at this place of the answer; `status`, `html` and `blocked` must be an answer's only item."""

    kind: Literal["status", "html", "blocked", "cut", "drop", "reset", "malformed", "sse_comment", "silence", "mid_stream_error", "failed"]
    code: int = 0
    message: str = ""
    reason: str = ""
    retry_after_s: float | None = None

    @classmethod
    def status(cls, code: int, message: str = "", *, retry_after_s: float | None = None, reason: str = "") -> Fault:
        """An error answer. `reason`: the machine-readable one (API_KEY_INVALID)."""
        return cls("status", code, message, reason, retry_after_s)

    @classmethod
    def html(cls, code: int = 502) -> Fault:
        """An error page of a gateway before the provider."""
        return cls("html", code)

    @classmethod
    def blocked(cls, reason: str = "SAFETY") -> Fault:
        """The prompt is refused by the safety filter: a good answer without any candidate."""
        return cls("blocked", reason=reason)

    @classmethod
    def cut(cls) -> Fault:
        """The body ends cleanly, without the end mark."""
        return cls("cut")

    @classmethod
    def drop(cls) -> Fault:
        """The connection is closed in the middle of the body."""
        return cls("drop")

    @classmethod
    def reset(cls) -> Fault:
        """The connection is reset (TCP RST)."""
        return cls("reset")

    @classmethod
    def malformed(cls) -> Fault:
        """One chunk that is no JSON; the answer goes on after it."""
        return cls("malformed")

    @classmethod
    def sse_comment(cls, message: str = "keep-alive") -> Fault:
        """One SSE comment line; the answer goes on after it."""
        return cls("sse_comment", message=message)

    @classmethod
    def silence(cls) -> Fault:
        """Nothing more is sent until the client leaves."""
        return cls("silence")

    @classmethod
    def mid_stream_error(cls, code: int = 503, message: str = "") -> Fault:
        """The provider's error inside the body of a good answer; the body ends after it."""
        return cls("mid_stream_error", code, message)

    @classmethod
    def failed(cls, code: int = 500, message: str = "") -> Fault:
        """The answer's own end mark says that it failed; only a wire with such a mark has it (OpenAI's `response.failed`)."""
        return cls("failed", code, message)


Item = Text | Refusal | Thought | CitedText | ProviderTool | Picture | Call | Usage | Finish | Pause | Fault | Gate


@dataclass(frozen=True)
class Pacing:
    """How fast chunks are sent; `tokens_per_s` None: as fast as the client reads."""

    first_token_s: float = 0.0
    tokens_per_s: float | None = None


FULL_SPEED = Pacing()


@dataclass(frozen=True)
class Answer:
    items: tuple[Item, ...]
    pacing: Pacing = FULL_SPEED


@dataclass
class ReceivedRequest:
    """One request as it came in, `raw` to the byte. `headers` (lower-case names) hold no key: ask `key_is`.

    `refusal`: the message of the strict check that refused it. `disconnected` is set when the client left before the answer's
    end, `finished` when the answer was sent to its end. `contents`: the conversation in Gemini's form, for scripts that answer on every
    wire; `tool_choice`: whether tools may or must be called.
    """

    number: int
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    key_hash: bytes = b""
    model: str = ""
    system_text: str = ""
    user_text: str = ""
    tool_names: tuple[str, ...] = ()
    contents: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    tool_choice: Literal["free", "never", "must"] = "free"
    refusal: str | None = None
    raw: bytes = field(default=b"", repr=False)
    disconnected: Signal = field(default_factory=Signal)
    finished: Signal = field(default_factory=Signal)

    def key_is(self, key: str) -> bool:
        """Whether the request carried this key; "" asks for none at all."""
        return self.key_hash == hash_key(key)


def hash_key(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest() if key else b""


Predicate = Callable[[ReceivedRequest], bool]
Responder = Callable[[ReceivedRequest], Answer | None]


@dataclass
class _QueuedAnswer:
    answer: Answer
    matches: Predicate
    times: int | None


class Script:
    """The queue of answers and the record of requests; safe to use from several threads."""

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
        """Queue an answer for the next request that fits: `when`, `model` (its name), `system` (text in the system instruction).

        `times`: how often it is used; None: for ever.
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
        """Answer every request that no queued answer takes."""
        self._fallback = lambda request: Answer(items, pacing)

    def respond(self, responder: Responder) -> None:
        """Let a function answer what no queued answer takes; it runs in the double's event loop and must not block."""
        self._fallback = responder

    def reset(self) -> None:
        """Forget queued answers, the default, the gates and the record."""
        with self._lock:
            self._queue.clear()
            self.requests.clear()
            self.gates.clear()
            self._arrivals.clear()
            self._fallback = None

    def arrived(self, count: int = 1) -> Signal:
        """A signal that is set as soon as `count` requests have come in since the start or the last reset."""
        with self._lock:
            signal = self._arrivals.setdefault(count, Signal())
            if len(self.requests) >= count:
                signal.set()
            return signal

    @property
    def queued_count(self) -> int:
        """How many queued answers wait for their first or next use."""
        return sum(queued.times is not None for queued in self._queue)

    def record(self, request: ReceivedRequest) -> None:
        with self._lock:
            self.requests.append(request)
            arrived = [signal for count, signal in self._arrivals.items() if count <= len(self.requests)]
        for signal in arrived:
            signal.set()

    def next_answer(self, request: ReceivedRequest) -> Answer | None:
        """The answer for a request, taken out of the queue; None: nothing was scripted for it."""
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
