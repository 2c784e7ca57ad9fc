"""What a search shows of what it has found (chat.conversations.search): titles, and snippets of messages and documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from chat.conversations.shapes import SearchHit, TextSegment
from chat.models import Conversation, Message
from chat.search.indexing import texts_of
from chat.search.snippets import Segment, highlight, piece_with, snippet
from tenants.access import Actor
from tenants.context import current_organization_id
from tenants.postgres.prepared_statements import read_rows

CONTENT_CHARS: Final = 120_000  # of a document, where a snippet is looked for: about as many as the words in the index have
_TEXTS: Final = """
SELECT p.message_id, json_agg(json_build_array(p.kind, p.content) ORDER BY p.position)::text FROM chat_part p
WHERE p.organization_id = %s AND p.message_id = ANY(%s) AND p.kind IN ('user_message', 'assistant_text', 'tool_call')
GROUP BY p.message_id
"""
# The version that was indexed, which has the words; a newer one follows within seconds.
_DOCUMENTS: Final = """
SELECT d.artifact_id, a.title, a.kind, d.number, d.at, left(v.content, %s) FROM chat_searchdocument d
JOIN artifacts_artifact a ON a.organization_id = d.organization_id AND a.id = d.artifact_id
JOIN artifacts_version v ON v.organization_id = d.organization_id AND v.artifact_id = d.artifact_id AND v.number = d.number
WHERE d.organization_id = %s AND d.artifact_id = ANY(%s) AND a.owner_id = %s AND a.deleted_at IS NULL
"""
_NOTHING: Final[dict[str, Any]] = {"message_id": None, "role": None, "artifact_id": None, "kind": None, "version": None, "snippet": []}


class TextHit(NamedTuple):
    """A message or a document that was found."""

    conversation_id: UUID
    message_id: UUID | None
    artifact_id: UUID | None


def title_hit(row: Conversation, terms: Sequence[str]) -> SearchHit:
    return _hit(row, title=_segments(highlight(row.title, terms)), at=row.updated_at)


def text_hits(actor: Actor, allowed: QuerySet[Conversation], hits: Sequence[TextHit], terms: Sequence[str]) -> list[SearchHit]:
    """Return what is shown of the hits in `allowed` conversations, in the same order. Those that were deleted meanwhile are left out."""
    rows = allowed.only("title", "archived_at", "project_id", "updated_at").in_bulk([hit.conversation_id for hit in hits])
    visible_hits = [hit for hit in hits if hit.conversation_id in rows]
    hits_by_id = {
        **_messages([(hit.message_id, rows[hit.conversation_id]) for hit in visible_hits if hit.message_id], terms),
        **_documents(actor, [(hit.artifact_id, rows[hit.conversation_id]) for hit in visible_hits if hit.artifact_id], terms),
    }
    return [hits_by_id[key] for hit in visible_hits if (key := hit.message_id or hit.artifact_id) in hits_by_id]


def _messages(hits: Sequence[tuple[UUID, Conversation]], terms: Sequence[str]) -> dict[UUID | None, SearchHit]:
    ids = [message_id for message_id, _ in hits]
    messages = Message.objects.filter(deleted_at=None).only("role", "created_at").in_bulk(ids)
    texts = {message_id: texts_of(parts) for message_id, parts in read_rows(_TEXTS, [current_organization_id(), ids])} if ids else {}
    return {
        message_id: _hit(
            row,
            message_id=message_id,
            role="user" if message.role == Message.Role.USER else "assistant",
            snippet=_segments(snippet(texts.get(message_id, []), terms)),
            at=message.created_at,
        )
        for message_id, row in hits
        if (message := messages.get(message_id)) is not None
    }


def _documents(actor: Actor, hits: Sequence[tuple[UUID, Conversation]], terms: Sequence[str]) -> dict[UUID | None, SearchHit]:
    if not hits:
        return {}
    rows = dict(hits)
    documents = read_rows(_DOCUMENTS, [CONTENT_CHARS, current_organization_id(), [*rows], actor.membership_id])
    return {
        artifact_id: _hit(
            rows[artifact_id],
            title=_segments(highlight(title, terms)),
            artifact_id=artifact_id,
            kind=kind,
            version=number,
            snippet=_segments(snippet([piece_with(content, terms)], terms)),
            at=at,
        )
        for artifact_id, title, kind, number, at, content in documents
    }


def _hit(row: Conversation, **fields: Any) -> SearchHit:
    of_conversation = {"conversation_id": row.pk, "archived": row.archived_at is not None, "project_id": row.project_id}
    return SearchHit(**{**_NOTHING, "title": [TextSegment(text=row.title, hit=False)], **of_conversation, **fields})


def _segments(segments: Sequence[Segment]) -> list[TextSegment]:
    return [TextSegment(text=text, hit=is_hit) for text, is_hit in segments]
