"""Merges consecutive deltas of a part, so that a replay is compact, and splits long ones, so that no frame is too large. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from artifacts.text.offsets import utf16_length
from chat.stream.chunks import Chunk

MAX_DELTA_CHARACTERS: Final = 5000  # JSON needs at most 6 bytes for each: browsers and proxies take frames of 32 KB
_SPLIT_KINDS: Final = frozenset({"text-delta", "reasoning-delta"})


def merge_deltas(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks with consecutive deltas of one part merged, up to MAX_DELTA_CHARACTERS. The given chunks are not changed."""
    buffer: Chunk | None = None
    for chunk in split_deltas(chunks):
        if buffer is not None and merge_delta(buffer, chunk):
            continue
        if buffer is not None:
            yield buffer
        buffer = {**chunk, "data": dict(chunk["data"])} if chunk["type"] == "data-artifact-delta" else dict(chunk)
    if buffer is not None:
        yield buffer


def split_deltas(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks with long deltas of text and reasoning as several."""
    for chunk in chunks:
        if chunk["type"] not in _SPLIT_KINDS or len(chunk["delta"]) <= MAX_DELTA_CHARACTERS:
            yield chunk
            continue
        text = chunk["delta"]
        for start in range(0, len(text), MAX_DELTA_CHARACTERS):
            yield {**chunk, "delta": text[start : start + MAX_DELTA_CHARACTERS]}


def merge_delta(buffer: Chunk, chunk: Mapping[str, Any]) -> bool:
    """Add `chunk` to `buffer` if both are deltas of the same part, `chunk` follows `buffer` and both are short. Return whether it was added."""
    kind = chunk["type"]
    if buffer["type"] != kind:
        return False
    if kind in _SPLIT_KINDS and buffer["id"] == chunk["id"] and len(buffer["delta"]) + len(chunk["delta"]) <= MAX_DELTA_CHARACTERS:
        buffer["delta"] += chunk["delta"]
        return True
    if kind == "data-artifact-delta":
        before, after = buffer["data"], chunk["data"]
        if len(before["delta"]) + len(after["delta"]) > MAX_DELTA_CHARACTERS:
            return False
        if before["id"] == after["id"] and after["at"] == before["at"] + utf16_length(before["delta"]):
            before["delta"] += after["delta"]
            return True
    return False
