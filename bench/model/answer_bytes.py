"""Bytes of a benchmark's answers, with tokens that carry their time of sending.

A scripted token is the four characters PLACEHOLDER (one token, as the double counts). The double replaces it by the time when it sends the
bytes. All processes of a machine share the monotonic clock. The unit is 10 µs, so a stamp repeats after 168 s.

The chunks are those of the strict double, built so cheaply that one process can send 10,000 a second.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from doubles.gemini.stream import Chunk, render
from doubles.script import Answer, ReceivedRequest, Text

PLACEHOLDER = "@@@@"
LENGTH = len(PLACEHOLDER)
UNIT_NS = 10_000
UNITS = 1 << 24  # three bytes, which are four characters of base64

# Tokens written at once in fast streams: about four kilobytes of events (three Ethernet segments), as a fast provider's stream
# delivers them in one read. The strict double's server wrote as much between two turns of its event loop.
BLOCK_TOKENS = 16
LAST_PIECE = b"0\r\n\r\n"
_ONE_TOKEN = Answer((Text(PLACEHOLDER, [PLACEHOLDER]),))


def stamp_now() -> bytes:
    return base64.urlsafe_b64encode((time.monotonic_ns() // UNIT_NS % UNITS).to_bytes(3, "big"))


def ages_ms(text: str, now_ns: int) -> Iterable[float]:
    """Return how long ago each token of `text` was sent, in milliseconds, oldest first."""
    now, times = now_ns // UNIT_NS, base64.urlsafe_b64decode(text)
    for start in range(0, len(times), 3):
        yield (now - int.from_bytes(times[start : start + 3], "big")) % UNITS * UNIT_NS / 1e6


@dataclass(frozen=True, slots=True)
class AnswerTemplate:
    """The bytes of one answer around the parts that change from chunk to chunk: the token's text and the token counts."""

    input_tokens: int
    before_text: bytes
    after_text: bytes
    after_counts: bytes
    end_before_counts: bytes
    end_after_counts: bytes

    def token(self, number: int, text: bytes) -> bytes:
        """Return the token `number` (from 1) as one event in one HTTP chunk."""
        return _piece(b"%b%b%b%b%b" % (self.before_text, text, self.after_text, self._counts(number), self.after_counts))

    def end(self, tokens: int) -> bytes:
        """Return the last event of an answer with this many tokens, and the end of the body."""
        return _piece(self.end_before_counts + self._counts(tokens) + self.end_after_counts) + LAST_PIECE

    def _counts(self, tokens: int) -> bytes:
        return b'"candidatesTokenCount":%d,"totalTokenCount":%d' % (tokens, self.input_tokens + tokens)


def answer_template(path: str, model: str, body: bytes) -> AnswerTemplate:
    """Return how the strict double would answer this request with tokens only. The request is not checked."""
    request = ReceivedRequest(1, path, {}, orjson.loads(body), model=model)
    first, last = [step for step in render(_ONE_TOKEN, request) if isinstance(step, Chunk)]
    input_tokens: int = first.payload["usageMetadata"]["promptTokenCount"]
    counts = b'"candidatesTokenCount":1,"totalTokenCount":%d' % (input_tokens + 1)
    before_text, rest = first.encode().split(PLACEHOLDER.encode())
    return AnswerTemplate(input_tokens, before_text, *rest.split(counts), *last.encode().split(counts))


def _piece(event: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(event), event)
