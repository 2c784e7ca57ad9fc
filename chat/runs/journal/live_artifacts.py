"""Live artifacts: artifacts that are being written, which viewers see and which have no entry yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agents.messages import ArtifactReference, DataPart, Entry
from chat.stream.chunks import Chunk, data_chunk
from chat.stream.delta_merging import merge_delta


class LiveArtifacts:
    """The chunks that viewers have of each live artifact, in the order in which the artifacts were announced."""

    def __init__(self) -> None:
        self._chunks: dict[str, list[Chunk]] = {}
        self._stored_ids: set[str] = set()

    @property
    def has_any(self) -> bool:
        return bool(self._chunks)

    def record(self, part: DataPart) -> None:
        """Keep a data part that announces or extends an artifact. Other parts are ignored."""
        if part.name not in ("artifact", "artifact-delta"):
            return
        live, chunk = self._chunks.setdefault(part.data["id"], []), data_chunk(part)
        if not (live and merge_delta(live[-1], chunk)):
            live.append(chunk)

    def chunks(self) -> Iterator[Chunk]:
        """Yield what viewers have of all live artifacts, compact."""
        for live in self._chunks.values():
            yield from live

    def drop(self, artifact_id: str) -> None:
        """Forget the artifact: its final entry is stored."""
        self._chunks.pop(artifact_id, None)
        self._stored_ids.discard(artifact_id)

    def mark_stored(self, artifact_id: str) -> None:
        """Note that the artifact's place in the conversation is stored, while it is still being written."""
        self._stored_ids.add(artifact_id)

    def announced_before(self, entries: Iterable[Entry]) -> list[ArtifactReference]:
        """Return references to the artifacts that were announced before those of `entries`.

        Stored first, they keep the place where viewers saw them. This is needed because parallel tools announce artifacts in the order in
        which they start to write, while their results are stored in the order of the calls.
        """
        own = {entry.artifact_id for entry in entries if isinstance(entry, ArtifactReference)}
        waiting = list(self._chunks)
        last = max((place for place, artifact_id in enumerate(waiting) if artifact_id in own), default=0)
        before = [artifact_id for artifact_id in waiting[:last] if artifact_id not in own and artifact_id not in self._stored_ids]
        return [_reference(self._chunks[artifact_id][0]["data"]) for artifact_id in before]


def _reference(data: Mapping[str, Any]) -> ArtifactReference:
    return ArtifactReference(data["id"], data["title"], data["kind"], data["version"], data["operation"], data["callId"], data["status"])
