"""Pages of the branch that a conversation shows, as UIMessages of the AI SDK."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, TextField, UUIDField
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext

from agents.entry_codec import entry_decode
from chat.conversations.shapes import MessageItem
from chat.conversations.ui_messages import ui_message
from chat.entries import StoredEntry
from chat.models import NEVER, Conversation, Message
from tenants.errors import NotFound
from tenants.postgres.prepared_statements import read_rows
from tenants.rest.pagination import Page

MESSAGES_PAGE_SIZE = 50

# Walks up from the conversation's newest message. `place` counts from 1, starting above the message `before`; the page is full at the
# limit. ARRAY, because the planner would otherwise assume that the recursion returns a large part of the table. LIMIT 1 makes each
# step an index lookup (see chat.storage.branches).
_IDS_ON_PAGE = """
chat_message.id = ANY(ARRAY(
    WITH RECURSIVE branch (id, parent_id, place) AS (
        SELECT id, parent_id, CASE WHEN %s::uuid IS NULL THEN 1 ELSE 0 END
        FROM chat_message WHERE organization_id = %s AND id = %s
        UNION ALL
        SELECT m.id, m.parent_id, CASE WHEN branch.place > 0 THEN branch.place + 1 WHEN branch.id = %s::uuid THEN 1 ELSE 0 END
        FROM branch, LATERAL (SELECT id, parent_id FROM chat_message WHERE organization_id = %s AND id = branch.parent_id LIMIT 1) m
        WHERE branch.place < %s
    )
    SELECT id FROM branch WHERE place > 0
))
"""
# Walks up from the newest message to the first one of the page, which is named or was written at a time or later; takes the oldest ones.
_IDS_FROM = """
chat_message.id = ANY(ARRAY(
    WITH RECURSIVE branch (id, parent_id, created_at, place) AS (
        SELECT id, parent_id, created_at, 1 FROM chat_message WHERE organization_id = %s AND id = %s
        UNION ALL
        SELECT m.id, m.parent_id, m.created_at, branch.place + 1
        FROM branch, LATERAL (
            SELECT id, parent_id, created_at FROM chat_message WHERE organization_id = %s AND id = branch.parent_id LIMIT 1
        ) m
        WHERE branch.id IS DISTINCT FROM %s::uuid AND branch.created_at >= %s
    )
    SELECT id FROM branch WHERE created_at >= %s AND (%s::uuid IS NULL OR EXISTS (SELECT FROM branch WHERE id = %s::uuid))
    ORDER BY place DESC LIMIT %s
))
"""
# Walks up from the newest message until the message is found, or the branch is over.
_PLACE = """
SELECT (
    WITH RECURSIVE branch (id, parent_id, newer) AS (
        SELECT id, parent_id, 0 FROM chat_message WHERE organization_id = %(organization)s AND id = %(head)s
        UNION ALL
        SELECT m.id, m.parent_id, branch.newer + 1
        FROM branch, LATERAL (
            SELECT id, parent_id FROM chat_message WHERE organization_id = %(organization)s AND id = branch.parent_id LIMIT 1
        ) m
        WHERE branch.id <> %(message)s
    )
    SELECT newer FROM branch WHERE id = %(message)s
)
FROM chat_message
WHERE organization_id = %(organization)s AND conversation_id = %(conversation)s AND id = %(message)s AND deleted_at IS NULL
"""
_PARTS = """
(
    SELECT json_agg(json_build_array(p.kind, p.content, p.extras, p.step, p.duration_ms) ORDER BY p.position)::text
    FROM chat_part p WHERE p.organization_id = chat_message.organization_id AND p.message_id = chat_message.id
)
"""
# All messages at the same place of the tree. Only the first message has no parent; the others are found by their parent's index.
_SIBLINGS = """
CASE WHEN chat_message.parent_id IS NULL THEN (
    SELECT array_agg(s.id ORDER BY s.created_at, s.id) FROM chat_message s
    WHERE s.organization_id = chat_message.organization_id AND s.conversation_id = chat_message.conversation_id
        AND s.parent_id IS NULL AND s.deleted_at IS NULL
) ELSE (
    SELECT array_agg(s.id ORDER BY s.created_at, s.id) FROM chat_message s
    WHERE s.organization_id = chat_message.organization_id AND s.parent_id = chat_message.parent_id AND s.deleted_at IS NULL
) END
"""
_FEEDBACK = """
(
    SELECT json_build_object('rating', f.rating, 'reasons', f.reasons, 'comment', f.comment)::text
    FROM chat_messagefeedback f WHERE f.organization_id = chat_message.organization_id AND f.message_id = chat_message.id
)
"""


def branch_messages(
    conversation: Conversation, *, before: UUID | None = None, limit: int = MESSAGES_PAGE_SIZE
) -> tuple[list[MessageItem], bool]:
    """Return a page of the active branch, oldest first, and whether older messages exist. One query.

    `before`: only messages above this one. Raises NotFound when it is not in the branch.
    """
    if conversation.head_id is None:
        return [], False
    values = [before, conversation.organization_id, conversation.head_id, before, conversation.organization_id, limit]
    page = _page(_IDS_ON_PAGE, values)
    if not page and (before is None or not Message.objects.filter(pk=before, conversation=conversation, parent=None).exists()):
        raise NotFound
    return [_item(message) for message in page], bool(page) and page[0].parent_id is not None


def branch_messages_from(
    conversation: Conversation, *, start: UUID | None = None, since: datetime = NEVER, limit: int = MESSAGES_PAGE_SIZE
) -> tuple[list[MessageItem], bool]:
    """Return a page of the active branch that begins with a message, and whether older messages exist. One query.

    `start`: that message; raises NotFound when it is not in the branch. `since`: the first one written then or later; the page is empty when
    there is none.
    """
    place = [conversation.organization_id, conversation.head_id, conversation.organization_id, start, since]
    page = _page(_IDS_FROM, [*place, since, start, start, limit])
    if not page and start is not None:
        raise NotFound
    return [_item(message) for message in page], bool(page) and page[0].parent_id is not None


def message_place(conversation: Conversation, message_id: UUID) -> tuple[bool, int]:
    """Return whether the message is in the branch that is shown, and how many of that branch's messages are newer. One query.

    Raises NotFound when the message is deleted or not the conversation's.
    """
    params = {
        "organization": conversation.organization_id,
        "conversation": conversation.pk,
        "head": conversation.head_id,
        "message": message_id,
    }
    rows = read_rows(_PLACE, params)
    if not rows:
        raise NotFound
    [(newer,)] = rows
    return newer is not None, newer or 0


def message_list(conversation: Conversation, *, cursor: str, limit: int) -> Page[MessageItem]:
    """Return a page of the active branch, oldest first; the next page has older messages. One query.

    Raises NotFound for a cursor whose message is not in the branch any more.
    """
    try:
        messages, has_more = branch_messages(conversation, before=UUID(cursor) if cursor else None, limit=limit)
    except NotFound as exc:
        raise NotFound(gettext("This list position is not valid any more. Reload the list.")) from exc
    return Page(messages, messages[0].id.hex if has_more else None)


def _page(condition: str, values: Sequence[Any]) -> list[Message]:
    """Return the messages of this condition, oldest first, with their runs and their parts as JSON."""
    on_page: Any = RawSQL(condition, values, output_field=BooleanField())  # noqa: S611 - values are parameters
    parts: Any = RawSQL(_PARTS, (), output_field=TextField())  # noqa: S611 - no value is in it
    siblings: Any = RawSQL(_SIBLINGS, (), output_field=ArrayField(UUIDField()))  # noqa: S611 - no value is in it
    feedback: Any = RawSQL(_FEEDBACK, (), output_field=TextField())  # noqa: S611 - no value is in it
    rows = Message.objects.filter(on_page).select_related("run").annotate(parts_json=parts, siblings=siblings, feedback_json=feedback)
    messages = {message.pk: message for message in rows.defer("run__page_state", "run__request_overrides")}
    parents = {message.parent_id for message in messages.values()}
    current = next((message for message in messages.values() if message.pk not in parents), None)
    page: list[Message] = []
    while current is not None:
        page.append(current)
        current = messages.get(current.parent_id) if current.parent_id else None
    return page[::-1]


def _item(message: Any) -> MessageItem:
    item = ui_message(message, _decode_parts(message))
    if len(message.siblings or ()) > 1:
        item.metadata["siblings"] = [str(sibling) for sibling in message.siblings]
    if message.feedback_json:
        item.metadata["feedback"] = json.loads(message.feedback_json)
    return item


def _decode_parts(message: Any) -> list[StoredEntry]:
    rows = json.loads(message.parts_json or "[]")
    return [StoredEntry(entry_decode(kind, content, extras), step, took) for kind, content, extras, step, took in rows]
