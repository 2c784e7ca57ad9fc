"""Artifacts while they are written: shown already, not yet entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agents.engine.messages import ArtifactReference, DataPart, Entry
from chat.stream.chunks import Chunk, data_chunk
from chat.stream.delta_merging import merge_delta


class LiveArtifacts:
    """What was shown of each artifact that has no entry yet, in the order of their announcements."""

    def __init__(self) -> None:
        self._chunks: dict[str, list[Chunk]] = {}
        self._stored_ids: set[str] = set()

    def record(self, part: DataPart) -> None:
        if part.name not in ("artifact", "artifact-delta"):
            return
        live, chunk = self._chunks.setdefault(part.data["id"], []), data_chunk(part)
        if not (live and merge_delta(live[-1], chunk)):
            live.append(chunk)

    def chunks(self) -> Iterator[Chunk]:
        for live in self._chunks.values():
            yield from live

    def drop(self, artifact_id: str) -> None:
        """It has its entry now."""
        self._chunks.pop(artifact_id, None)
        self._stored_ids.discard(artifact_id)

    def mark_stored(self, artifact_id: str) -> None:
        """Its place is stored, while it is being written on."""
        self._stored_ids.add(artifact_id)

    def announced_before(self, entries: Iterable[Entry]) -> list[ArtifactReference]:
        """References to the artifacts that were announced before those of `entries`: stored first, they stand where they were shown.

        Parallel tools announce in the order in which they get to work, and their results are stored in the order of their calls.
        """
        own = {entry.artifact_id for entry in entries if isinstance(entry, ArtifactReference)}
        waiting = list(self._chunks)
        last = max((place for place, artifact_id in enumerate(waiting) if artifact_id in own), default=0)
        before = [artifact_id for artifact_id in waiting[:last] if artifact_id not in own and artifact_id not in self._stored_ids]
        return [_reference(self._chunks[artifact_id][0]["data"]) for artifact_id in before]


def _reference(data: Mapping[str, Any]) -> ArtifactReference:
    return ArtifactReference(data["id"], data["title"], data["kind"], data["version"], data["operation"], data["callId"], data["status"])
