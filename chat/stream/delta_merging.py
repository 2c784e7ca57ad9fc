"""Runs of deltas as one chunk each, so that a replay costs one chunk a part. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from artifacts.text.offsets import utf16_length
from chat.stream.chunks import Chunk


def merge_deltas(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Merge runs of deltas of one part, so that a replay costs one chunk a part."""
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
    """Add `chunk` to `held` when both are deltas of one part; False (and nothing changed) when they are not."""
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
