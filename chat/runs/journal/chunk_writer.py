"""What takes the chunks of a run."""

from __future__ import annotations

from typing import Protocol

from chat.stream.chunks import Chunk


class ChunkWriter(Protocol):
    """Accepts chunks for viewers. chat.stream.log_writer.EventLogWriter implements it."""

    def publish(self, chunk: Chunk) -> None: ...
