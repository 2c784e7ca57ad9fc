"""Reads of feedback for admins: what nobody has seen, and to whom it can be assigned."""

from __future__ import annotations

from django.http import HttpRequest

from chat.models import MessageFeedback
from tenants.models import Membership


def unseen_count(request: HttpRequest) -> int:
    """Return how much feedback no admin has seen, counted once per request. One query on an index of just those."""
    cache = request.__dict__
    if "unseen_feedback" not in cache:
        cache["unseen_feedback"] = MessageFeedback.objects.filter(seen_at=None).count()
    count: int = cache["unseen_feedback"]
    return count


def assignable() -> list[Membership]:
    """Return the organization's admins and owners, by name. One query."""
    roles = (Membership.Role.OWNER, Membership.Role.ADMIN)
    return list(Membership.objects.filter(role__in=roles, is_active=True).select_related("user").order_by("user__name", "pk"))
