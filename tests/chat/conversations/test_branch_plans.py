"""A long branch is read by one look-up a message, also when the planner still believes that the tables are small."""

from __future__ import annotations

import pytest

from agents.messages import UserMessage
from chat.conversations.branch_pages import branch_messages
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part
from chat.storage.branches import branch_segment
from chat.storage.run_writes import part_rows
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.branch_rows import BranchRows
from tests.support.stores.plans import rows_read

LENGTH = 400


@pytest.fixture
def branch(cast: Cast) -> tuple[BranchRows, list[Message]]:
    """Messages that came at once, of which no statistics tell yet; oldest first."""
    rows = BranchRows(cast)
    with tenant_tx(rows.organization_id):
        messages: list[Message] = []
        for _ in range(LENGTH):
            messages.append(
                Message(conversation_id=rows.conversation_id, parent=messages[-1] if messages else None, role=Message.Role.USER)
            )
        Message.objects.bulk_create(messages)
        entry = StoredEntry(UserMessage("More"))
        Part.objects.bulk_create(row for message in messages for row in part_rows(message_id=message.pk, position=0, entries=[entry]))
    rows.show(messages[-1].pk)
    return rows, messages


@pytest.mark.django_db
def test_reading_a_branch_uses_its_indexes(branch: tuple[BranchRows, list[Message]]) -> None:
    rows, messages = branch
    organization_id = rows.organization_id
    looked_at = rows_read(organization_id, "chat_message", lambda: branch_segment(organization_id=organization_id, leaf_id=messages[-1].pk))
    assert looked_at < 2 * LENGTH


@pytest.mark.django_db
def test_reading_an_early_page_uses_its_indexes(branch: tuple[BranchRows, list[Message]]) -> None:
    rows, messages = branch
    with tenant_tx(rows.organization_id):
        conversation = Conversation.objects.get(pk=rows.conversation_id)
    looked_at = rows_read(rows.organization_id, "chat_message", lambda: branch_messages(conversation, before=messages[20].pk, limit=10))
    assert looked_at < 2 * LENGTH
