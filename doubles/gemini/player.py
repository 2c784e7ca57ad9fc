"""Plays a stream's steps to one client, at the answer's pace."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson

from doubles.asgi import Scope, Send, close_connection, send_chunk, start_event_stream
from doubles.gemini.errors import error_body
from doubles.gemini.stream import Chunk, Step
from doubles.script import Fault, Pacing, Pause
from doubles.signals import Gate, Signal

# At full speed, the event loop must still serve other streams and notice disconnects.
_YIELD_EVERY = 16


class Player:
    """Plays one stream. Chunks are encoded in advance, so that pacing costs only the sending."""

    def __init__(self, steps: Sequence[Step], pacing: Pacing, scope: Scope, send: Send, bill: dict[str, Any] | None = None) -> None:
        """`bill`: gets the usage up to the last chunk that was sent, which is what a provider would bill."""
        self._steps = [(step, step.encode() if isinstance(step, Chunk) else b"") for step in steps]
        self._pacing = pacing
        self._scope = scope
        self._send = send
        self._billed = {} if bill is None else bill
        self._started = False
        self._sent_count = 0
        self._due = asyncio.get_running_loop().time() + pacing.first_token_s

    async def play(self) -> None:
        for step, body in self._steps:
            match step:
                case Chunk():
                    await self._wait_until_due(step.tokens)
                    self._billed.update(self.usage_until(step))
                    await self._write(body)
                case Pause():
                    self._due += step.seconds
                case Gate():
                    await self._start()
                    await step.pass_through()
                    self._due = asyncio.get_running_loop().time()
                case Fault():
                    if await self._play_fault(step):
                        return
        await self._end()

    def usage_until(self, chunk: Chunk) -> dict[str, Any]:
        """Return the usage up to this chunk, which on this wire it tells itself."""
        usage: dict[str, Any] = chunk.payload.get("usageMetadata", {})
        return usage

    async def _wait_until_due(self, tokens: int) -> None:
        """Sleep until the chunk is due. Late chunks are sent immediately, which keeps the average rate."""
        delay = self._due - asyncio.get_running_loop().time()
        self._sent_count += 1
        if delay > 0:
            await asyncio.sleep(delay)
        elif self._sent_count % _YIELD_EVERY == 0:
            await asyncio.sleep(0)
        if self._pacing.tokens_per_s:
            self._due += tokens / self._pacing.tokens_per_s

    async def _start(self) -> None:
        if not self._started:
            self._started = True
            await start_event_stream(self._send)

    async def _write(self, body: bytes) -> None:
        await self._start()
        await send_chunk(self._send, body)

    async def _end(self) -> None:
        await self._start()
        await send_chunk(self._send, b"", last=True)

    async def _play_fault(self, fault: Fault) -> bool:
        """Play the fault, and return whether the stream is over."""
        match fault.kind:
            case "malformed":
                await self._write(b'data: {"candidates": [{"content": {"parts"\r\n\r\n')
                return False
            case "sse_comment":
                await self._write(f": {fault.message}\r\n\r\n".encode())
                return False
            case "mid_stream_error":
                error = error_body(fault.code, fault.message)
                await self._write(orjson.dumps(error, option=orjson.OPT_INDENT_2).replace(b"\n", b"\r\n"))
                await self._end()
            case "cut":
                await self._end()
            case "silence":
                await self._start()
                await Signal().wait_async(None)
            case "drop" | "reset":
                await self._start()
                close_connection(self._scope, reset=fault.kind == "reset")
            case _:
                raise ValueError(f"The fault {fault.kind!r} must be the answer's only item.")
        return True
