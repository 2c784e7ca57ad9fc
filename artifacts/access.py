"""Who may write an artifact: its owner, and whoever an app above lets in. It registers that here, because this layer may not import it.

Whose a conversation's new artifacts are is registered here, too: it may change hands while an agent writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from artifacts.errors import NotEditable
from artifacts.kinds import kind_get
from artifacts.models import Artifact
from tenants.access import Actor
from tenants.errors import NotAllowed, NotFound


@dataclass(frozen=True, slots=True)
class Grants:
    """What an app above says about artifacts of other members. Both need the organization's `tenant_tx`."""

    may_edit: Callable[[Actor, Artifact], bool]
    editors: Callable[[Artifact], list[UUID]]
    """Returns the memberships that may edit the artifact beside its owner."""


_grants: list[Grants] = []
_owners: list[Callable[[UUID], UUID]] = []


def grants_set(grants: Grants) -> None:
    """Register them. Called once, when the process starts."""
    _grants[:] = [grants]


def conversation_owner_set(find: Callable[[UUID], UUID]) -> None:
    """Register who says whose a conversation is. Called once, when the process starts."""
    _owners[:] = [find]


def conversation_owner(conversation_id: UUID) -> UUID:
    """Return the membership that owns the conversation now, and keep it so until the transaction ends. Raises NotFound."""
    return _owners[0](conversation_id)


def artifact_get_for_editor(*, artifact_id: UUID, actor: Actor, lock: bool = False) -> Artifact:
    """Return an artifact with all its versions, for its owner and for those who may edit it. Raises NotFound for all others.

    `lock`: hold the row until the transaction ends.
    """
    here = Artifact.objects.filter(pk=artifact_id, deleted_at=None)
    rows = here.select_for_update() if lock else here
    if (own := rows.filter(owner_id=actor.membership_id).first()) is not None:
        return own
    other = here.first()  # locked only for somebody who may
    if other is None or not any(grants.may_edit(actor, other) for grants in _grants):
        raise NotFound
    artifact = rows.first() if lock else other
    if artifact is None:
        raise NotFound
    return artifact


def artifact_get_to_write(*, artifact_id: UUID, actor: Actor) -> Artifact:
    """Return the artifact, locked, for somebody who may write it.

    Raises NotFound, NotAllowed for viewers of the organization, and NotEditable for the picture of another member.
    """
    artifact = artifact_get_for_editor(artifact_id=artifact_id, actor=actor, lock=True)
    if not actor.can_write:
        raise NotAllowed
    if artifact.owner_id != actor.membership_id and not kind_get(artifact.kind).is_editable:  # its file belongs to the owner's conversation
        raise NotEditable
    return artifact


def artifact_audience(artifact: Artifact) -> list[UUID]:
    """Return the memberships that see the artifact's new versions at once: its owner's first, then the editors'."""
    return [artifact.owner_id, *(editor for grants in _grants for editor in grants.editors(artifact))]
