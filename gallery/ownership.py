"""What becomes of a removed member's templates, and what a member's own export has of them (accounts.members.ownership).

What is published stays in the gallery.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import orjson
from django.db.models import F

from accounts.members.owned_kinds import OwnedKind
from gallery.models import Template, TemplateVersion
from tenants.context import tenant_tx


def templates_count(membership_id: UUID) -> int:
    return Template.objects.filter(owner_id=membership_id).count()


def templates_hand_over(membership_id: UUID, to: UUID) -> None:
    Template.objects.filter(owner_id=membership_id).update(owner_id=to)


def templates_delete(membership_id: UUID) -> None:
    """Delete what only its owner sees; the rest is the organization's from now on."""
    own = Template.objects.filter(owner_id=membership_id)
    own.filter(published_number=None).delete()
    own.update(owner=None, review_number=None)


def templates_export(organization_id: UUID, membership_id: UUID | None) -> Iterator[tuple[str, bytes]]:
    """Yield one file with the latest version of each, if there are any. `membership_id`: None for those that are the organization's own."""
    with tenant_tx(organization_id):
        latest = TemplateVersion.objects.filter(template__owner_id=membership_id, number=F("template__latest_number"))
        fields = ("template_id", "template__kind", "number", "title", "description", "category", "body", "placeholders", "created_at")
        rows = [*latest.order_by("created_at").values(*fields)]
    if rows:
        yield "templates.json", orjson.dumps(rows, option=orjson.OPT_INDENT_2)


TEMPLATES = OwnedKind(
    key="templates",
    one="template or saved prompt",
    many="templates and saved prompts",
    count=templates_count,
    hand_over=templates_hand_over,
    delete=templates_delete,
    export=templates_export,
)
