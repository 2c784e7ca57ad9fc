"""Export of a conversation with its artifacts as JSON (SPEC 7.9). Its other formats are in chat.exports.

Reads in the caller's tenant transaction and returns plain data.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import QuerySet, Sum, TextField
from django.db.models.functions import Cast, Coalesce, Length

from artifacts.models import Artifact, Version
from artifacts.schemas import artifact_list_item, version_detail
from artifacts.selectors import artifacts_of_conversation
from chat.conversations.ui_messages import ui_message
from chat.errors import ConversationTooLarge
from chat.models import Conversation, Message, Part
from chat.storage.run_loading import stored_entry
from tenants.rest.renderers import as_json

MAX_EXPORT_CHARS: Final = 32 * 1024 * 1024  # all entries and versions together


def conversation_json(conversation: Conversation) -> dict[str, Any]:
    """Return the full conversation: the messages of every branch with their parts, and every version of every artifact.

    Raises ConversationTooLarge.
    """
    artifacts = _artifacts(conversation)
    export_size_check(conversation, Version.objects.filter(artifact_id__in=[artifact.pk for artifact in artifacts]))
    parts: dict[Any, list[Part]] = {}
    for part in Part.objects.filter(message__conversation=conversation).order_by("message_id", "position"):
        parts.setdefault(part.message_id, []).append(part)
    messages = Message.objects.filter(conversation=conversation, deleted_at=None).select_related("run").order_by("created_at", "id")
    return {
        "id": str(conversation.pk),
        "title": conversation.title,
        "createdAt": _time(conversation.created_at),
        "updatedAt": _time(conversation.updated_at),
        "headId": str(conversation.head_id) if conversation.head_id else None,
        "pinned": conversation.is_pinned,
        "archived": conversation.archived_at is not None,
        "projectId": str(conversation.project_id) if conversation.project_id else None,
        "messages": [_full_message(message, parts.get(message.pk, [])) for message in messages],
        "artifacts": [
            {
                **as_json(artifact_list_item(artifact)),
                "versions": [{**as_json(version_detail(version)), "metadata": version.metadata} for version in versions],
            }
            for artifact, versions in _versions(artifacts)
        ],
    }


def _artifacts(conversation: Conversation) -> list[Artifact]:
    return artifacts_of_conversation(conversation_id=conversation.pk, owner_id=conversation.owner_id)


def export_size_check(conversation: Conversation, versions: QuerySet[Version]) -> None:
    """Raises ConversationTooLarge. The database computes the size, so that nothing large is read."""
    texts = versions.aggregate(total=Sum(Length("content")))["total"] or 0
    parts = Part.objects.filter(message__conversation=conversation)
    entries = parts.aggregate(total=Sum(_length("content") + _length("extras")))["total"] or 0
    if texts + entries > MAX_EXPORT_CHARS:
        raise ConversationTooLarge


def _length(column: str) -> Coalesce:
    return Coalesce(Length(Cast(column, TextField())), 0)


def _versions(artifacts: list[Artifact]) -> Iterator[tuple[Artifact, list[Version]]]:
    versions: dict[Any, list[Version]] = {artifact.pk: [] for artifact in artifacts}
    for version in Version.objects.filter(artifact_id__in=versions).select_related("author__user").order_by("number"):
        versions[version.artifact_id].append(version)
    for artifact in artifacts:
        yield artifact, versions[artifact.pk]


def _full_message(message: Message, parts: list[Part]) -> dict[str, Any]:
    return {
        **ui_message(message, map(stored_entry, parts)).json_fields(),
        "parentId": str(message.parent_id) if message.parent_id else None,
        "createdAt": _time(message.created_at),
        "entries": [{"kind": part.kind, "step": part.step, "content": part.content} for part in parts],
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
