"""What an agent is told of the artifacts of its conversation without reading them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Left

from artifacts.models import Version


@dataclass(frozen=True, slots=True)
class ArtifactPreview:
    """`start`: the beginning of the content of version `number`, the newest."""

    id: UUID
    title: str
    kind: str
    number: int
    start: str


def artifact_previews(*, conversation_id: UUID, owner_id: UUID, limit: int, characters: int) -> list[ArtifactPreview]:
    """The conversation's artifacts, the one that was changed last first; of each the first `characters`. One query."""
    newest = Version.objects.filter(
        artifact__conversation_id=conversation_id,
        artifact__owner_id=owner_id,
        artifact__deleted_at=None,
        number=F("artifact__latest_number"),
    )
    rows = newest.order_by("-artifact__updated_at", "artifact_id").annotate(start=Left("content", characters))[:limit]
    return [ArtifactPreview(*row) for row in rows.values_list("artifact_id", "artifact__title", "artifact__kind", "number", "start")]
