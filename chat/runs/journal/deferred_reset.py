"""Keeps an interrupted attempt on screens until the next owner's attempt has passed it in length (docs/decisions/0022)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from chat.runs.journal.chunk_writer import ChunkWriter
from chat.stream.chunks import Chunk
from chat.stream.delta_merging import merge_deltas
from chat.stream.shown_length import ShownLength

_KINDS = ("text", "reasoning")


class DeferredReset:
    """Implements ChunkWriter. Holds "reset-step" and what follows it while that is text which is shorter than what is on screens.

    Anything but text or thoughts ends it: a tool call or the end of the answer is shown at once.
    """

    def __init__(self, writer: ChunkWriter, length: ShownLength, on_release: Callable[[], None]) -> None:
        self.writer = writer
        self._former_length, self._new_length = length, ShownLength()
        self._on_release = on_release
        self._chunks: list[Chunk] = []
        self._stored_count = 0  # so many of them, the first ones, are not of the new attempt
        self._is_held = True

    def begin(self, chunks: Iterable[Chunk]) -> None:
        """Hold the reset, and what is stored of the step."""
        self._chunks.append({"type": "reset-step"})
        for chunk in chunks:
            self.publish(chunk)
        self._stored_count = len(self._chunks)
        self._release_if_passed()

    def publish(self, chunk: Chunk) -> None:
        if not self._is_held:
            self.writer.publish(chunk)
            return
        self._chunks.append(chunk)
        kind, _, what = chunk["type"].partition("-")
        if kind not in _KINDS:
            self.release()
        elif what == "delta":
            self._new_length.add(kind, chunk["delta"])
            self._release_if_passed()

    def release(self) -> None:
        """Show what was held."""
        if self._is_held:
            self._is_held = False
            self._on_release()
            for chunk in merge_deltas(self._chunks):
                self.writer.publish(chunk)

    def release_without_attempt(self) -> None:
        """Show the reset and what is stored of the step, but nothing of the new attempt."""
        del self._chunks[self._stored_count :]
        self.release()

    def _release_if_passed(self) -> None:
        if self._new_length.has_passed(self._former_length):
            self.release()
