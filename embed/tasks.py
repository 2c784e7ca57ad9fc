"""Tasks of embedded chats."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import structlog
from celery import shared_task
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now

from embed.models import EmbedVisitor
from tenants.deletion.services import user_delete
from tenants.models import Membership

MAX_OF_A_NIGHT: Final = 2000  # the next night goes on
ARRIVAL: Final = timedelta(days=1)  # a membership is made a moment before its visitor

log = structlog.get_logger(__name__)


@shared_task(name="embed.tasks.visitors_forget", expires=3600)
def visitors_forget() -> int:
    """Delete the visitors who have not come back for as long as their embed keeps them, and those of deleted embeds. Return how many."""
    known = EmbedVisitor.unscoped.using("system")
    overdue = known.filter(last_seen_at__lt=Now() - F("site__keep_days") * timedelta(days=1))
    homeless = Membership.objects.using("system").filter(role=Membership.Role.VISITOR, created_at__lt=Now() - ARRIVAL)
    homeless = homeless.exclude(Exists(known.filter(membership_id=OuterRef("pk"))))
    absent = list(overdue.values_list("pk", "membership__user_id")[:MAX_OF_A_NIGHT])
    forgotten = [_forget(user_id, overdue.filter(pk=pk)) for pk, user_id in absent]
    return sum(forgotten) + sum(_forget(user_id) for user_id in list(homeless.values_list("user_id", flat=True)[:MAX_OF_A_NIGHT]))


def _forget(user_id: int, visitor: QuerySet[EmbedVisitor] | None = None) -> bool:
    """Delete the user, unless the visitor is not overdue any more. Return whether it was deleted.

    The visitor's row goes first, in one statement: whoever comes back after it is somebody new.
    """
    try:
        if visitor is not None and not visitor.delete()[0]:
            return False
        user_delete(user_id)
    except Exception:  # must not keep the others from being deleted; the next night tries this one again
        log.exception("visitor_not_forgotten", user_id=user_id)
        return False
    return True
