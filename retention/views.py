"""REST view of the rule, for members (docs/rest.md)."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from admin_config.services.selectors import deleted_kept_days
from retention.rules import Days, rule_read
from tenants.context import tenant_tx
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class Retention(ResponseSchema):
    """After how many days what is deleted for good; null: never. `beginsAt`: the first two hold from then on; null: they do already."""

    conversation_days: int | None
    file_days: int | None
    deleted_days: int
    begins_at: datetime | None


class RetentionView(RestView):
    """Says how long things are kept."""

    @operation("getRetention", "How long the organization keeps your conversations and files", tag="organization", answer=Retention)
    def get(self, request: ActorRequest) -> Retention:
        with tenant_tx(request.actor.organization_id):
            row, deleted_days = rule_read(), deleted_kept_days()
        days = Days.of(row).in_effect
        begins_at = row.begins_at if row is not None and row.begins_at is not None and row.begins_at > timezone.now() else None
        return Retention(conversation_days=days.conversations, file_days=days.files, deleted_days=deleted_days, begins_at=begins_at)
