"""What becomes of a removed member's templates (accounts.members.ownership). What is published stays in the gallery."""

from __future__ import annotations

from uuid import UUID

from gallery.models import Template
from tenants.deletion.registry import OwnedKind


def templates_count(membership_id: UUID) -> int:
    return Template.objects.filter(owner_id=membership_id).count()


def templates_hand_over(membership_id: UUID, to: UUID) -> None:
    Template.objects.filter(owner_id=membership_id).update(owner_id=to)


def templates_delete(membership_id: UUID) -> None:
    """Delete what only its owner sees; the rest is the organization's from now on."""
    own = Template.objects.filter(owner_id=membership_id)
    own.filter(published_number=None).delete()
    own.update(owner=None, review_number=None)


TEMPLATES = OwnedKind(
    key="templates",
    one="template or saved prompt",
    many="templates and saved prompts",
    count=templates_count,
    hand_over=templates_hand_over,
    delete=templates_delete,
)
