"""Tasks of embedded chats."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from celery import shared_task
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Now

from embed.models import EmbedVisitor
from tenants.deletion.services import user_delete
from tenants.models import Membership

MAX_OF_A_NIGHT: Final = 2000  # the next night goes on
ARRIVAL: Final = timedelta(days=1)  # a membership is made a moment before its visitor


@shared_task(name="embed.tasks.visitors_forget", expires=3600)
def visitors_forget() -> int:
    """Delete the visitors who have not come back for as long as their embed keeps them, and those of deleted embeds. Return how many."""
    known = EmbedVisitor.unscoped.using("system")
    overdue = known.filter(last_seen_at__lt=Now() - F("site__keep_days") * timedelta(days=1))
    homeless = Membership.objects.using("system").filter(role=Membership.Role.VISITOR, created_at__lt=Now() - ARRIVAL)
    homeless = homeless.exclude(Exists(known.filter(membership_id=OuterRef("pk"))))
    users = [
        *overdue.values_list("membership__user_id", flat=True)[:MAX_OF_A_NIGHT],
        *homeless.values_list("user_id", flat=True)[:MAX_OF_A_NIGHT],
    ]
    for user_id in users:
        user_delete(user_id)
    return len(users)
