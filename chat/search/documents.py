"""Keeps the index of documents up to date, in the background: writing a version does nothing for it.

A document is due while its newest version is not the one that was read, which its own row says. What is typed together in a live document
is read when it has become a version.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection

from artifacts.models import Artifact, Version
from chat.models import Conversation, SearchWord
from chat.search.due_rows import DueRow, due_in_turns
from chat.search.indexing import words_store
from chat.search.words import text_vector
from tenants.context import current_organization_id

_DUE: Final = "deleted_at IS NULL AND indexed_number < latest_number"
_STORE: Final = """
INSERT INTO chat_searchdocument (id, organization_id, owner_id, conversation_id, artifact_id, at, number, words)
VALUES (gen_random_uuid(), %s, %s, %s, %s, %s, %s, %s::tsvector)
ON CONFLICT (organization_id, artifact_id) DO UPDATE
SET owner_id = excluded.owner_id, at = excluded.at, number = excluded.number, words = excluded.words
"""


def due_documents(limit: int) -> list[DueRow]:
    """Return documents that are to be indexed, of all organizations in turn."""
    return due_in_turns("artifacts_artifact", _DUE, limit)


def document_index(artifact_id: UUID) -> bool:
    """Index the newest version that is whole, else the newest draft. Return whether nothing is left to do in this round.

    Needs the organization's transaction. Locks the conversation and the document: of many new words it stores some, and says that it is not
    done. A document that somebody is writing is left to the next round. One without a version, or of a conversation that no list shows, is
    only marked as read.
    """
    # The conversation first, as whoever deletes it or hands it over does. A writer of the document may wait for the conversation.
    of_document = Artifact.objects.filter(pk=artifact_id).values("conversation_id")
    conversations = Conversation.objects.select_for_update(no_key=True).filter(pk__in=of_document, deleted_at=None, listed=True)
    is_listed = bool(conversations.values_list("pk"))
    artifact = Artifact.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=artifact_id, deleted_at=None).first()
    if artifact is None:
        return True
    newest = Version.objects.filter(artifact_id=artifact_id).order_by("is_draft", "-number")
    version = newest.values_list("number", "created_at", "content").first() if is_listed else None
    if version and not _store(artifact, *version):
        return False
    Artifact.objects.filter(pk=artifact_id).update(indexed_number=artifact.latest_number)
    return True


def _store(artifact: Artifact, number: int, at: datetime, content: str) -> bool:
    """Store the version's words, and when no new one is left, its text. Return whether that is so."""
    vector, words = text_vector([artifact.title, content], artifact.owner_id)
    if not words_store([SearchWord(owner_id=artifact.owner_id, artifact_id=artifact.pk, word=word) for word in words]):
        return False
    with connection.cursor() as cursor:
        cursor.execute(_STORE, [current_organization_id(), artifact.owner_id, artifact.conversation_id, artifact.pk, at, number, vector])
    return True
