"""What admins decide about members' templates. All functions need the organization's transaction, and raise NotAllowed for others."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext

from gallery.models import MAX_REASON_CHARS, Template
from gallery.services import template_audit, template_publish, template_unpublish
from tenants.access import Actor, actor_refresh
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.input.visible_text import visible_line


def templates_waiting() -> QuerySet[Template]:
    return Template.objects.exclude(review_number=None)


def review_approve(*, actor: Actor, template_id: UUID, number: int) -> Template:
    """Publish the version that the admin has read. Raises NotAllowed, NotFound, and BadRequest when it does not wait any more."""
    return template_publish(actor, _lock_waiting(actor, template_id, number), number)


def review_send_back(*, actor: Actor, template_id: UUID, number: int, reason: str) -> Template:
    """Give the version back to its author, who reads the reason. Raises NotAllowed, NotFound, BadRequest."""
    template = _lock_waiting(actor, template_id, number)
    template.reason = visible_line(reason)[:MAX_REASON_CHARS]
    if not template.reason:
        raise BadRequest(gettext("Say what should change."))
    template.review_number = None
    template.save(update_fields=["review_number", "reason"])
    template_audit(actor, "template.send_back", template, number)
    return template


def review_withdraw(*, actor: Actor, template_id: UUID) -> Template:
    """Take a published template out of the gallery; its owner keeps it. Raises NotAllowed, NotFound, BadRequest."""
    return template_unpublish(actor, _lock_template(actor, template_id))


def _lock_waiting(actor: Actor, template_id: UUID, number: int) -> Template:
    template = _lock_template(actor, template_id)
    if template.review_number != number:
        raise BadRequest(gettext("This version doesn't wait any more. Its author took it back or submitted another one."))
    return template


def _lock_template(actor: Actor, template_id: UUID) -> Template:
    if not actor_refresh(actor).can_administer:
        raise NotAllowed
    template = Template.objects.select_for_update(no_key=True).filter(pk=template_id).first()
    if template is None:
        raise NotFound
    return template
