"""Model server of a benchmark: the part of the Gemini wire that streaming needs, with tokens stamped as they are sent.

    python -m bench.model.server PORT
        POST /control/answer    {"tokens": 100, "tokens_per_s": 50, "first_token_s": 0.1, "block": 1, "together": 1}
        GET  /control/call      {"path", "model", "body"} of the newest call

The strict double (doubles/gemini) checks each request and schedules a task for each token: with 100 streams it limited the measurement.
Here a connection is a plain protocol, and an answer's bytes are those of the strict double (tests/bench/test_model_server.py).

In a paced answer, a token (or block of tokens) is written when it is due, whether or not the client has read the ones before, so a slow
reader's tokens get old. At full speed, BLOCK_TOKENS are written together, and nothing more while the client does not read.
"""

from __future__ import annotations

import asyncio
import re
import sys
from dataclasses import dataclass
from functools import partial
from typing import cast

import httptools
import orjson
import uvloop

from bench.model.answer_bytes import BLOCK_TOKENS, AnswerTemplate, answer_template, stamp_now
from bench.model.scheduler import Scheduler, Step

TOGETHER_WITHIN_S = 5.0  # after this the waiting answers begin, because a send may have been refused
_CALL = re.compile(r"/v1(?:beta)?/models/([^/:]+):streamGenerateContent")
_STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """How every call is answered."""

    tokens: int = 1
    tokens_per_s: float | None = None  # None: as fast as it is read
    first_token_s: float = 0.0
    block: int = 1  # tokens that are written together
    together: int = 1  # answers begin when this many calls have arrived


class ModelState:
    """What the connections share: how to answer, when tokens are due, and the newest call."""

    def __init__(self) -> None:
        self.plan = AnswerPlan()
        self.scheduler = Scheduler()
        self.newest_call: tuple[str, str, bytes] | None = None
        self._waiting: list[Step] = []

    def schedule(self, step: Step) -> None:
        """Call an answer's first step when the plan says."""
        if not self._waiting:
            self.scheduler.add(TOGETHER_WITHIN_S, partial(self._begin, self._waiting))
        self._waiting.append(step)
        if len(self._waiting) >= self.plan.together:
            self._begin(self._waiting)
            self._waiting = []

    def _begin(self, steps: list[Step]) -> None:
        for step in steps:
            self.scheduler.add(self.plan.first_token_s, step)
        steps.clear()

    def control(self, method: str, path: str, body: bytes) -> tuple[int, object]:
        """Return status and JSON of a request under /control/."""
        if (method, path) == ("POST", "/control/answer"):
            self.plan = AnswerPlan(**orjson.loads(body))
            return 200, {}
        if (method, path) == ("GET", "/control/call") and self.newest_call:
            call_path, model, call_body = self.newest_call
            return 200, {"path": call_path, "model": model, "body": orjson.loads(call_body)}
        return 404, {"error": "No such path, or no call yet."}


class Connection(asyncio.Protocol):
    """One client's connection, with one request at a time."""

    def __init__(self, model: ModelState) -> None:
        self._model = model
        self._parser = httptools.HttpRequestParser(self)
        self._url = ""
        self._body = bytearray()
        self._answer: AnswerStream | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transport is not a subclass

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.close()

    def on_url(self, url: bytes) -> None:
        self._url = url.decode()
        self._body.clear()

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        method, path = self._parser.get_method().decode(), self._url.partition("?")[0]
        if method == "POST" and (call := _CALL.fullmatch(path)):
            self._model.newest_call = (path, call[1], bytes(self._body))
            self._answer = AnswerStream(answer_template(*self._model.newest_call), self._model, self._transport)
        else:
            self._send_json(*self._model.control(method, path, bytes(self._body)))

    def _send_json(self, status: int, body: object) -> None:
        content = orjson.dumps(body)
        head = b"HTTP/1.1 %d Answer\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        self._transport.write(head % (status, len(content)) + content)

    def pause_writing(self) -> None:
        if self._answer:
            self._answer.pause()

    def resume_writing(self) -> None:
        if self._answer:
            self._answer.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer:
            self._answer.stop()


class AnswerStream:
    """One answer that is being sent. The whole request was read before. Nothing is sent after `stop`."""

    def __init__(self, shape: AnswerTemplate, model: ModelState, transport: asyncio.Transport) -> None:
        self._shape, self._plan, self._transport = shape, model.plan, transport
        self._sent_tokens = 0
        self._stopped = self._paused = self._due = False
        model.schedule(self._next)

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False
        if self._sent_tokens and not self._plan.tokens_per_s:
            self._block_soon()

    def stop(self) -> None:
        self._stopped = True

    def _next(self) -> float | None:
        """Write a paced block, or begin an answer at full speed.

        Return the seconds until the next block, or None after the last one.
        """
        if self._stopped:
            return None
        if not self._sent_tokens:
            self._transport.write(_STREAM_HEAD)
        if not self._plan.tokens_per_s:
            self._block()
            return None
        return None if self._write(self._plan.block) else self._plan.block / self._plan.tokens_per_s

    def _block_soon(self) -> None:
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_soon(self._block)

    def _block(self) -> None:
        self._due = False
        if not (self._stopped or self._paused or self._write(BLOCK_TOKENS)):
            self._block_soon()

    def _write(self, count: int) -> bool:
        """Write `count` tokens, or the end when none are left; return True at the end."""
        first, last = self._sent_tokens + 1, min(self._sent_tokens + count, self._plan.tokens)
        if first > last:
            self._stopped = True
            self._transport.write(self._shape.end(self._plan.tokens))
            return True
        self._sent_tokens, stamp = last, stamp_now()
        self._transport.write(b"".join([self._shape.token(number, stamp) for number in range(first, last + 1)]))
        return False


async def serve(port: int) -> None:
    """Answer on the loopback address until cancelled."""
    model = ModelState()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(model), "127.0.0.1", port)
    await server.serve_forever()


def main() -> None:
    uvloop.run(serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
