"""Merges consecutive deltas of a part into one chunk, so that a replay has one delta per part. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from artifacts.text.offsets import utf16_length
from chat.stream.chunks import Chunk


def merge_deltas(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks with consecutive deltas of one part merged. The given chunks are not changed."""
    held: Chunk | None = None
    for chunk in chunks:
        if held is not None and merge_delta(held, chunk):
            continue
        if held is not None:
            yield held
        held = {**chunk, "data": dict(chunk["data"])} if chunk["type"] == "data-artifact-delta" else dict(chunk)
    if held is not None:
        yield held


def merge_delta(held: Chunk, chunk: Mapping[str, Any]) -> bool:
    """Add `chunk` to `held` if both are deltas of the same part and `chunk` follows `held`. Return whether it was added."""
    kind = chunk["type"]
    if held["type"] != kind:
        return False
    if kind in ("text-delta", "reasoning-delta") and held["id"] == chunk["id"]:
        held["delta"] += chunk["delta"]
        return True
    if kind == "data-artifact-delta":
        before, after = held["data"], chunk["data"]
        if before["id"] == after["id"] and after["at"] == before["at"] + utf16_length(before["delta"]):
            before["delta"] += after["delta"]
            return True
    return False
