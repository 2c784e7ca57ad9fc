"""What a member owns, of all kinds (`owned_kinds`), and what becomes of it when they are removed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext

from accounts.members.owned_kinds import OwnedKind, owned_kind, owned_kinds
from security.audit import audit
from tenants.errors import BadRequest
from tenants.models import Membership

Fate = Literal["hand_over", "archive", "delete"]


@dataclass(frozen=True)
class Handover:
    """What is to become of one kind. Without one it stays where it is and is deleted after the policy's days."""

    kind: str
    fate: Fate
    to: UUID | None = None  # the membership that gets it


@dataclass(frozen=True)
class OwnedCount:
    """What a member owns of one kind."""

    kind: OwnedKind
    number: int

    @property
    def says(self) -> str:
        return self.kind.says(self.number)


def owned_by(membership_id: UUID) -> list[OwnedCount]:
    """Return what the member owns, without the kinds of which there is nothing. One query per kind."""
    counts = [OwnedCount(kind, kind.count(membership_id)) for kind in owned_kinds()]
    return [count for count in counts if count.number]


def handover_apply(*, member: Membership, handovers: Collection[Handover], by_user_id: int) -> None:
    """Hand over and archive as chosen. Raises BadRequest for a kind or a receiver that can't take it."""
    for kind in owned_kinds():
        if kind.begin_removal is not None:
            kind.begin_removal(member.pk)
    for handover in sorted(handovers, key=lambda one: _kind(one).order):
        _apply_one(member, _kind(handover), handover)
        audit(
            organization_id=member.organization_id,
            actor_user_id=by_user_id,
            action=f"membership.{handover.fate}",
            object_kind="membership",
            object_id=member.pk,
            object_label=str(member.user),
            detail={"kind": handover.kind, "to": str(handover.to) if handover.to else None},
        )


def owned_give_back(membership_id: UUID) -> None:
    """Undo what was archived when the member was removed."""
    for kind in owned_kinds():
        if kind.give_back is not None:
            kind.give_back(membership_id)


def owned_delete(membership_id: UUID) -> None:
    """Delete what a removed member still owns."""
    for kind in owned_kinds():
        kind.delete(membership_id)


def _apply_one(member: Membership, kind: OwnedKind, handover: Handover) -> None:
    match handover.fate:
        case "hand_over":
            if kind.hand_over is None:
                raise BadRequest(gettext("%(many)s can't be handed over.") % {"many": kind.many.capitalize()})
            kind.hand_over(member.pk, _receiver(member, handover.to))
        case "archive":
            if kind.archive is None:
                raise BadRequest(gettext("%(many)s can't be archived.") % {"many": kind.many.capitalize()})
            kind.archive(member.pk)
        case "delete":  # when the policy's days are over
            if kind.give_back is not None:
                kind.give_back(member.pk)


def _kind(handover: Handover) -> OwnedKind:
    kind = owned_kind(handover.kind)
    if kind is None:
        raise BadRequest(gettext("%(kind)s is nothing that members own.") % {"kind": handover.kind})
    return kind


def _receiver(member: Membership, receiver_id: UUID | None) -> UUID:
    receivers = Membership.objects.of_members().filter(organization_id=member.organization_id, is_active=True, user__is_active=True)
    if receiver_id is None or not receivers.exclude(pk=member.pk).filter(pk=receiver_id).exists():
        raise BadRequest(gettext("Choose an active member who gets it."))
    return receiver_id
