"""The part of a member's data export that is about chat: each conversation as JSON with its documents, and the files as they came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

import orjson

from chat.conversations.export import conversation_json
from chat.errors import ConversationTooLarge
from chat.models import Conversation, Project
from files.knowledge.models import KnowledgeFile
from files.models import File
from files.storage import content_read
from tenants.context import tenant_tx

_UNSAFE = re.compile(r"[^\w .()-]+|\.{2,}")
MAX_NAME_CHARS = 80


def conversations_export(organization_id: UUID, membership_id: UUID) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each thing. Each is read in a transaction of its own; files outside of any."""
    with tenant_tx(organization_id):
        ids = list(Conversation.objects.filter(owner_id=membership_id, deleted_at=None).order_by("created_at").values_list("pk", flat=True))
        files = list(File.objects.filter(owner_id=membership_id, deleted_at=None, is_unchecked=False).order_by("created_at"))
        projects = list(Project.objects.filter(owner_id=membership_id).order_by("created_at"))
    for project in projects:
        with tenant_tx(organization_id):
            project_file = _project(project)
        yield project_file
    for conversation_id in ids:
        with tenant_tx(organization_id):
            conversation_file = _conversation(conversation_id)
        if conversation_file is not None:
            yield conversation_file
    for file in files:
        try:
            yield f"files/{file.pk}-{_plain(file.name)}", content_read(file.stored_as)
        except FileNotFoundError:  # deleted meanwhile
            continue


def _project(project: Project) -> tuple[str, bytes]:
    """Return what the member wrote for the project, and the texts of its knowledge files. The files themselves are not kept."""
    files = KnowledgeFile.objects.filter(project_id=project.pk).order_by("path")
    content = {
        "id": str(project.pk),
        "name": project.name,
        "description": project.description,
        "instructions": project.instructions,
        "files": [{"name": file.path, "text": file.text} for file in files],
    }
    return f"projects/{_plain(project.name)} {project.pk}.json", orjson.dumps(content, option=orjson.OPT_INDENT_2)


def _conversation(conversation_id: UUID) -> tuple[str, bytes] | None:
    conversation = Conversation.objects.filter(pk=conversation_id, deleted_at=None).first()
    if conversation is None:
        return None
    path = f"conversations/{conversation.created_at:%Y-%m-%d} {_plain(conversation.title)} {conversation.pk}"
    try:
        return f"{path}.json", orjson.dumps(conversation_json(conversation), option=orjson.OPT_INDENT_2)
    except ConversationTooLarge as error:
        return f"{path}.txt", error.message.encode()


def _plain(name: str) -> str:
    """Return the name without characters that file systems or their programs interpret."""
    return _UNSAFE.sub("_", name).strip(". ")[:MAX_NAME_CHARS] or "unnamed"
