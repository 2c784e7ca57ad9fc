"""A conversation's rows as any process may write them."""

from __future__ import annotations

from uuid import UUID

from django.db.models.functions import Now
from django.test import TestCase

from agents.messages import Entry, ToolCall, ToolResult, UserMessage
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part
from chat.storage.branch_cache import CachedBranch, branch_load
from chat.storage.branches import branch_entries
from chat.storage.run_writes import part_rows
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast


class BranchRows:
    """A conversation of Alice."""

    def __init__(self, cast: Cast) -> None:
        self.organization_id = cast.acme.pk
        with tenant_tx(self.organization_id):
            owner_id = cast.actor(cast.alice).membership_id
            self.conversation_id = Conversation.objects.create(owner_id=owner_id, title="T", updated_at=Now()).pk

    def add(self, *entries: Entry, parent: UUID | None = None) -> UUID:
        is_question = any(isinstance(entry, UserMessage) for entry in entries)
        with tenant_tx(self.organization_id):
            role = Message.Role.USER if is_question else Message.Role.ASSISTANT
            message = Message.objects.create(conversation_id=self.conversation_id, parent_id=parent, role=role)
            Part.objects.bulk_create(part_rows(message_id=message.pk, position=0, entries=map(StoredEntry, entries)))
        return message.pk

    def exchange(self, number: int, parent: UUID | None = None) -> tuple[UUID, UUID]:
        question = self.add(UserMessage(f"Question {number}"), parent=parent)
        return question, self.add(ToolCall(f"c{number}", "read", {"n": 1.0}), ToolResult(f"c{number}", "read", [number]), parent=question)

    def read(self, leaf_id: UUID) -> CachedBranch:
        with TestCase.captureOnCommitCallbacks(execute=True), tenant_tx(self.organization_id):
            return branch_load(organization_id=self.organization_id, conversation_id=self.conversation_id, leaf_id=leaf_id)

    def entries(self, leaf_id: UUID) -> tuple[Entry, ...]:
        with tenant_tx(self.organization_id):
            return branch_entries(organization_id=self.organization_id, leaf_id=leaf_id)

    def show(self, leaf_id: UUID) -> None:
        """Make this branch the one that is shown."""
        with tenant_tx(self.organization_id):
            Conversation.objects.filter(pk=self.conversation_id).update(head_id=leaf_id)
