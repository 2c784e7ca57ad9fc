"""Tasks of embedded chats."""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import UUID

from celery import shared_task
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now

from embed.models import EmbedVisitor
from tenants.deletion.services import user_delete
from tenants.models import Membership
from tenants.rounds import rows_round

MAX_OF_A_NIGHT: Final = 2000  # the next night goes on
ARRIVAL: Final = timedelta(days=1)  # a membership is made a moment before its visitor


@shared_task(name="embed.tasks.visitors_forget", expires=3600)
def visitors_forget() -> int:
    """Delete the visitors who have not come back for as long as their embed keeps them, and those of deleted embeds. Return how many."""
    visitors = list(_overdue().values("pk", user_id=F("membership__user_id"))[:MAX_OF_A_NIGHT])
    homeless = Membership.objects.using("system").filter(role=Membership.Role.VISITOR, created_at__lt=Now() - ARRIVAL)
    homeless = homeless.exclude(Exists(EmbedVisitor.unscoped.using("system").filter(membership_id=OuterRef("pk"))))
    count = rows_round(_forget, visitors, failure="visitor_not_forgotten")
    return count + rows_round(_forget, list(homeless.values("user_id")[:MAX_OF_A_NIGHT]), failure="visitor_not_forgotten")


def _overdue() -> QuerySet[EmbedVisitor]:
    return EmbedVisitor.unscoped.using("system").filter(last_seen_at__lt=Now() - F("site__keep_days") * timedelta(days=1))


def _forget(user_id: int, pk: UUID | None = None) -> bool:
    """Delete the user, unless the visitor `pk` is not overdue any more. Return whether it was deleted.

    The visitor's row goes first, in one statement: whoever comes back after it is somebody new.
    """
    if pk is not None and not _overdue().filter(pk=pk).delete()[0]:
        return False
    user_delete(user_id)
    return True
