"""What admins do with feedback: mark it as seen, and assign it. Foreign and unknown ids change nothing."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext

from chat.feedback.selectors import assignable
from chat.models import MessageFeedback
from tenants.errors import BadRequest


def feedback_mark(*, ids: Collection[UUID], is_seen: bool) -> int:
    """Mark feedback as seen or not seen; return how much."""
    return MessageFeedback.objects.filter(pk__in=ids).update(seen_at=Now() if is_seen else None)


def feedback_assign(*, ids: Collection[UUID], assignee_id: UUID | None) -> int:
    """Assign feedback to an admin, which marks it as seen, or to nobody; return how much. Raises BadRequest for anybody else."""
    rows = MessageFeedback.objects.filter(pk__in=ids)
    if assignee_id is None:
        return rows.update(assignee=None)
    if assignee_id not in {member.pk for member in assignable()}:
        raise BadRequest(gettext("Feedback can only be assigned to an owner or admin of this organization."))
    return rows.update(assignee=assignee_id, seen_at=Coalesce("seen_at", Now()))
