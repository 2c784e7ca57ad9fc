"""Empty conversations for the rows that belong to one."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.utils import timezone

from chat.models import Conversation
from tenants.context import tenant_tx


def conversation_row(*, organization_id: UUID, owner_id: UUID, conversation_id: UUID | None = None) -> UUID:
    """Store an empty conversation, unless the organization has it, and return its id."""
    with tenant_tx(organization_id):
        pk = conversation_id or uuid4()
        Conversation.objects.get_or_create(pk=pk, defaults={"owner_id": owner_id, "title": "Tea", "updated_at": timezone.now()})
        return pk
