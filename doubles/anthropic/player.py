"""Plays a stream's steps to one client. Only the faults that depend on the format of events differ from other wires."""

from __future__ import annotations

from typing import Any

from doubles.anthropic.errors import error_body
from doubles.anthropic.stream import Event
from doubles.gemini.player import Player
from doubles.gemini.stream import Chunk
from doubles.script import Fault

_MALFORMED = b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta"\n\n'


class EventPlayer(Player):
    """Plays one stream of Claude events."""

    _output = 0

    def usage_until(self, chunk: Chunk) -> dict[str, Any]:
        """At the begin the prompt's tokens, then what was written so far, which is not told, at the end the answer's."""
        self._output += chunk.tokens
        usage: dict[str, Any] = chunk.payload.get("message", chunk.payload).get("usage", {})
        return {"output_tokens": self._output} if chunk.tokens else usage

    async def _play_fault(self, fault: Fault) -> bool:
        if fault.kind == "malformed":
            await self._write(_MALFORMED)
            return False
        if fault.kind != "mid_stream_error":
            return await super()._play_fault(fault)
        await self._write(Event(error_body(fault.code, fault.message), 0).encode())
        await self._end()
        return True
