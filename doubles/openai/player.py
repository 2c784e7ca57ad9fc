"""Plays a stream's steps to one client, at the answer's pace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doubles.asgi import Scope, Send, close_connection, send_chunk, start_event_stream
from doubles.script import Fault, Pacing, Pause
from doubles.signals import Gate, Signal

# At full speed, the event loop must still serve other streams and notice disconnects.
_YIELD_EVERY = 16


@dataclass(frozen=True)
class Frame:
    """One piece of the body."""

    body: bytes
    tokens: int = 0  # counted for pacing
    usage: Mapping[str, Any] | None = None  # up to here, as the wire names it, whether it is told or not


Step = Frame | Pause | Gate | Fault


class Player:
    """Plays one stream. Handles the faults that break the body: cut, drop, reset, silence."""

    def __init__(self, steps: Sequence[Step], pacing: Pacing, scope: Scope, send: Send, bill: dict[str, Any]) -> None:
        """`bill`: gets the usage up to the last frame that was sent, which is what a provider would bill."""
        self._billed = bill
        self._steps = steps
        self._pacing = pacing
        self._scope = scope
        self._send = send
        self._started = False
        self._sent_count = 0
        self._due = asyncio.get_running_loop().time() + pacing.first_token_s

    async def play(self) -> None:
        for step in self._steps:
            match step:
                case Frame():
                    await self._wait_until_due(step.tokens)
                    await self._start()
                    self._billed.update(step.usage or {})
                    await send_chunk(self._send, step.body)
                case Pause():
                    self._due += step.seconds
                case Gate():
                    await self._start()
                    await step.pass_through()
                    self._due = asyncio.get_running_loop().time()
                case Fault():
                    await self._start()
                    await self._play_fault(step)
                    return
        await self._end()

    async def _wait_until_due(self, tokens: int) -> None:
        """Sleep until the frame is due. Late frames are sent immediately, which keeps the average rate."""
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

    async def _end(self) -> None:
        await self._start()
        await send_chunk(self._send, b"", last=True)

    async def _play_fault(self, fault: Fault) -> None:
        match fault.kind:
            case "cut":
                await self._end()
            case "silence":
                await Signal().wait_async(None)
            case "drop" | "reset":
                close_connection(self._scope, reset=fault.kind == "reset")
            case _:
                raise ValueError(f"The fault {fault.kind!r} must be the answer's only item.")
