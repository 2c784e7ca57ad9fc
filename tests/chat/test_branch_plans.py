"""A long branch is read by one look-up a message, also when the planner still believes that the tables are small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from django.db import connection

from agents.engine.messages import UserMessage
from chat.conversations.branch_pages import branch_messages
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part
from chat.storage.branches import branch_segment
from chat.storage.run_writes import part_rows
from tenants.context import tenant_tx
from tests.support.branch_rows import BranchRows
from tests.support.cast import Cast

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


def messages_looked_at(organization_id: Any, work: Callable[[], object]) -> int:
    """How many rows of messages the work's statements read, by PostgreSQL's own account."""
    found: list[float] = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params, many, context)
        (plan,) = context["cursor"].fetchone()
        found.extend(_rows_read((orjson.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
        return execute(sql, params, many, context)

    with tenant_tx(organization_id), connection.execute_wrapper(explain):
        work()
    return round(sum(found))


def _rows_read(node: dict[str, Any]) -> Iterator[float]:
    if node.get("Relation Name") == "chat_message":
        yield node["Actual Rows"] * node["Actual Loops"]
    for inner in node.get("Plans", ()):
        yield from _rows_read(inner)


@pytest.mark.django_db
def test_reading_a_branch_uses_its_indexes(branch: tuple[BranchRows, list[Message]]) -> None:
    rows, messages = branch
    organization_id = rows.organization_id
    assert (
        messages_looked_at(organization_id, lambda: branch_segment(organization_id=organization_id, leaf_id=messages[-1].pk)) < 2 * LENGTH
    )


@pytest.mark.django_db
def test_reading_an_early_page_uses_its_indexes(branch: tuple[BranchRows, list[Message]]) -> None:
    rows, messages = branch
    with tenant_tx(rows.organization_id):
        conversation = Conversation.objects.get(pk=rows.conversation_id)
    looked_at = messages_looked_at(rows.organization_id, lambda: branch_messages(conversation, before=messages[20].pk, limit=10))
    assert looked_at < 2 * LENGTH
