"""Who may write a live document with others."""

from __future__ import annotations

from uuid import UUID

from artifacts.access import artifact_audience, artifact_get_for_editor
from artifacts.errors import NotEditable
from artifacts.kinds import kind_get
from artifacts.models import Artifact
from tenants.access import Actor
from tenants.errors import NotAllowed


def artifact_to_write(*, artifact_id: UUID, actor: Actor, lock: bool = False) -> Artifact:
    """Return the artifact if the actor may write it together with others. One query.

    It is checked on entry, and each second for everybody who is connected. `lock`: hold the row until the transaction ends.
    Raises NotFound, NotAllowed, and NotEditable for an image.
    """
    artifact = artifact_get_for_editor(artifact_id=artifact_id, actor=actor, lock=lock)
    if not actor.can_write:
        raise NotAllowed
    if not kind_get(artifact.kind).is_editable:
        raise NotEditable
    return artifact


def artifact_writers(artifact_id: UUID) -> set[UUID]:
    """Return memberships that may write it, if they may write at all. Not all of them when there are very many: `artifact_to_write` knows."""
    artifact = Artifact.objects.filter(pk=artifact_id, deleted_at=None).first()
    if artifact is None or not kind_get(artifact.kind).is_editable:
        return set()
    return set(artifact_audience(artifact))
