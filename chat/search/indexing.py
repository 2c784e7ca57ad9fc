"""Keeps the index of texts up to date, in the background: sending a message does nothing for it.

A conversation is due while it has changed since it was indexed, which its own row says. So nothing is forgotten when a process ends.
All functions but `due_conversations` need the organization's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from django.db import connection

from agents.entry_codec import entry_decode
from agents.messages import Entry, UserMessage
from agents.runtime.message_tool import visible_text
from artifacts.models import Artifact
from chat.models import NEVER, Conversation, SearchDocument, SearchText, SearchWord
from chat.search.due_rows import DueRow, due_in_turns
from chat.search.words import has_typos, stored_trigrams, text_vector
from tenants.context import current_organization_id
from tenants.postgres.prepared_statements import read_rows

# Bounds of one transaction. Who sends into the conversation meanwhile waits for it, two seconds at most (`lock_timeout`). On a busy machine
# 2000 new words took a second, and 20 messages with 5000 new words each more than a minute.
AT_ONCE: Final = 20  # messages
MAX_CHARS: Final = 20_000  # of messages behind which no further one is read; the last may be longer
MAX_NEW_WORDS: Final = 1000
# Clocks of web servers may differ, and a message's date comes from them. Messages that are read again have their parts counted, no more.
CLOCK_MARGIN: Final = timedelta(hours=1)

_DUE: Final = "deleted_at IS NULL AND listed AND indexed_at < updated_at"

# Only messages that are new or whose answer was still being written. `content` is text: a NUL in it has no JSON value in PostgreSQL.
_CHANGED = """
WITH due AS (
    SELECT m.id, m.created_at, (
        SELECT count(*) FROM chat_part p WHERE p.organization_id = m.organization_id AND p.message_id = m.id
    ) AS part_count
    FROM chat_message m LEFT JOIN chat_run r ON r.organization_id = m.organization_id AND r.id = m.run_id
    WHERE m.organization_id = %(organization)s AND m.conversation_id = %(conversation)s AND m.deleted_at IS NULL
        AND (m.created_at > %(since)s OR r.finished_at > %(since)s OR (r.id IS NOT NULL AND r.finished_at IS NULL))
)
SELECT due.id, due.created_at, due.part_count, (
    SELECT json_agg(json_build_array(p.kind, p.content) ORDER BY p.position)::text FROM chat_part p
    WHERE p.organization_id = %(organization)s AND p.message_id = due.id AND p.kind IN ('user_message', 'assistant_text', 'tool_call')
)
FROM due LEFT JOIN chat_searchtext s ON s.organization_id = %(organization)s AND s.message_id = due.id AND s.owner_id = %(owner)s
WHERE s.part_count IS DISTINCT FROM due.part_count
ORDER BY due.created_at LIMIT %(most)s
"""
# Of runs that have made a call since then. The time of the calls spares the partitions of the months before.
_AGENTS = """
SELECT DISTINCT c.agent_key FROM chat_run r JOIN chat_modelcall c ON c.organization_id = r.organization_id AND c.run_id = r.id
WHERE r.organization_id = %s AND r.conversation_id = %s AND (r.finished_at IS NULL OR r.finished_at > %s) AND c.created_at > %s
"""
_STORE_TEXTS = """
INSERT INTO chat_searchtext (id, organization_id, owner_id, conversation_id, message_id, at, part_count, words)
SELECT gen_random_uuid(), %s, %s, %s, found.message_id, found.at, found.part_count, found.words::tsvector
FROM unnest(%s::uuid[], %s::timestamptz[], %s::int[], %s::text[]) AS found (message_id, at, part_count, words)
ON CONFLICT (organization_id, message_id) DO UPDATE
SET part_count = excluded.part_count, words = excluded.words, owner_id = excluded.owner_id
"""


def due_conversations(limit: int) -> list[DueRow]:
    """Return conversations that are to be indexed, of all organizations in turn."""
    return due_in_turns("chat_conversation", _DUE, limit)


def conversation_index(conversation_id: UUID) -> bool:
    """Index the next changed messages of the conversation, which it locks. Return whether nothing is left to do."""
    # First, as whoever deletes it or hands it over does: its texts are theirs or ours until then.
    conversations = Conversation.objects.select_for_update(no_key=True).filter(pk=conversation_id, deleted_at=None)
    conversation = conversations.only("owner_id", "updated_at", "indexed_at", "agent_keys").first()
    if conversation is None:
        return True
    since = conversation.indexed_at - CLOCK_MARGIN
    params = {
        "organization": current_organization_id(),
        "conversation": conversation_id,
        "owner": conversation.owner_id,
        "since": since,
        "most": AT_ONCE,
    }
    changed = read_rows(_CHANGED, params)
    batch = changed[: _fitting([len(parts or "") for *_, parts in changed])]
    messages = [_IndexedMessage(message_id, at, count, texts_of(parts)) for message_id, at, count, parts in batch]
    if not _store(conversation, messages) or len(batch) < len(changed) or len(changed) == AT_ONCE:
        return False
    Conversation.objects.filter(pk=conversation_id).update(indexed_at=conversation.updated_at, agent_keys=_agent_keys(conversation, since))
    return True


def _fitting(lengths: Sequence[int]) -> int:
    """Return how many texts of these lengths are indexed at once: those that begin within MAX_CHARS."""
    return sum(end - length < MAX_CHARS for length, end in zip(lengths, accumulate(lengths), strict=True))


def _agent_keys(conversation: Conversation, since: datetime) -> list[str]:
    """Return the agents that have worked in the conversation, those that it has already and those of newer calls, by name."""
    newer = read_rows(_AGENTS, [current_organization_id(), conversation.pk, since, since])
    return sorted({*conversation.agent_keys, *(key for (key,) in newer)})


def unindex_messages(message_ids: Collection[UUID]) -> None:
    """Take deleted messages out of the index."""
    SearchText.objects.filter(message_id__in=message_ids).delete()
    SearchWord.objects.filter(message_id__in=message_ids).delete()


def unindex_conversations(conversation_ids: Collection[UUID]) -> None:
    """Take conversations and their documents out of the index, because they were deleted or have another owner now.

    Restored ones become due again.
    """
    SearchWord.objects.filter(message__conversation_id__in=conversation_ids).delete()
    SearchText.objects.filter(conversation_id__in=conversation_ids).delete()
    SearchWord.objects.filter(artifact__conversation_id__in=conversation_ids).delete()
    SearchDocument.objects.filter(conversation_id__in=conversation_ids).delete()
    Artifact.objects.filter(conversation_id__in=conversation_ids).update(indexed_number=0)
    Conversation.objects.filter(pk__in=conversation_ids).update(indexed_at=NEVER)


def texts_of(parts_json: str | None) -> list[str]:
    """Return what a reader sees of a message as its own words. `parts_json`: pairs of kind and content."""
    return [text for kind, content in json.loads(parts_json or "[]") if (text := _text(entry_decode(kind, content, None)))]


def _text(entry: Entry) -> str:
    return entry.text if isinstance(entry, UserMessage) else visible_text(entry)


@dataclass(frozen=True, slots=True)
class _IndexedMessage:
    id: UUID
    at: datetime
    part_count: int
    texts: list[str]


def _store(conversation: Conversation, messages: Iterable[_IndexedMessage]) -> bool:
    """Store the messages' words, and when no new one is left, their texts. Return whether that is so."""
    rows: list[tuple[UUID, datetime, int, str]] = []
    first_seen: dict[str, UUID] = {}
    for message in messages:
        vector, words = text_vector(message.texts, conversation.owner_id)
        rows.append((message.id, message.at, message.part_count, vector))
        first_seen = {**dict.fromkeys(words, message.id), **first_seen}
    if not rows:
        return True
    if not words_store(
        [SearchWord(owner_id=conversation.owner_id, message_id=message_id, word=word) for word, message_id in first_seen.items()]
    ):
        return False
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_STORE_TEXTS, [current_organization_id(), conversation.owner_id, conversation.pk, *columns])
    return True


def words_store(rows: Collection[SearchWord]) -> bool:
    """Store up to MAX_NEW_WORDS of one owner's words that may be mistyped and are not stored yet. Return whether all are stored then.

    Fills in their trigrams.
    """
    rows = [row for row in rows if has_typos(row.word)]
    if not rows:
        return True
    owner_id = rows[0].owner_id
    stored_words = set(SearchWord.objects.filter(owner_id=owner_id, word__in=[row.word for row in rows]).values_list("word", flat=True))
    # Sorted, so that two of the member's conversations that are indexed at once don't wait for each other.
    new = sorted((row for row in rows if row.word not in stored_words), key=attrgetter("word"))
    batch = new[:MAX_NEW_WORDS]
    for row in batch:
        row.trigrams = stored_trigrams(row.word, owner_id)
    SearchWord.objects.bulk_create(batch, ignore_conflicts=True)
    return len(batch) == len(new)
