"""What an agent is told of the artifacts of its conversation without reading them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Left

from artifacts.models import Artifact, Version
from tenants.postgres.prepared_select import PreparedSelect


@dataclass(frozen=True, slots=True)
class ArtifactPreview:
    """`start`: the beginning of the content of version `number`, the newest finished one, else the newest draft."""

    id: UUID
    title: str
    kind: str
    number: int
    start: str


def artifact_previews(*, conversation_id: UUID, owner_id: UUID, limit: int, characters: int) -> list[ArtifactPreview]:
    """The conversation's artifacts, the one that was changed last first; of each the first `characters`. One query."""
    rows = _previews(limit, characters).rows(conversation_id=conversation_id, owner_id=owner_id)
    return [ArtifactPreview(*row) for row in rows]


@cache
def _previews(limit: int, characters: int) -> PreparedSelect[Any]:
    return PreparedSelect(partial(_preview_query, limit, characters))


def _preview_query(limit: int, characters: int, *, conversation_id: UUID, owner_id: UUID) -> QuerySet[Artifact, Any]:
    artifacts = Artifact.objects.filter(conversation_id=conversation_id, owner_id=owner_id, deleted_at=None, latest_number__gt=0)
    newest = Version.objects.filter(artifact_id=OuterRef("pk")).order_by("is_draft", "-number")
    shown = artifacts.order_by("-updated_at", "pk").annotate(
        number=Subquery(newest.values("number")[:1]), start=Subquery(newest.values(text=Left("content", characters))[:1])
    )
    return shown.values_list("pk", "title", "kind", "number", "start")[:limit]
