"""Export of a conversation with its artifacts as Markdown or JSON (SPEC 7.9).

Reads in the caller's tenant transaction and returns plain data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import QuerySet, Sum, TextField
from django.db.models.functions import Cast, Coalesce, Length

from artifacts.exports import fenced, markdown_table
from artifacts.kinds import CODE, kind_get
from artifacts.models import Artifact, Version
from artifacts.schemas import artifact_list_item, version_detail
from artifacts.selectors import artifacts_of_conversation, versions_latest
from chat.conversations.branch_pages import branch_messages
from chat.conversations.selectors import ui_message
from chat.conversations.shapes import MessageItem
from chat.errors import ConversationTooLarge
from chat.models import Conversation, Message, Part
from chat.storage.run_loading import stored_entry
from tenants.rest.renderers import as_json

MAX_EXPORT_CHARS: Final = 32 * 1024 * 1024  # all entries and versions together
ROLES = {"user": "You", "assistant": "Assistant"}
MAX_TOOL_OUTPUT_CHARS: Final = 2000  # of a tool's result in Markdown; JSON has the full result


@dataclass(frozen=True, slots=True)
class BranchExport:
    """What a Markdown or PDF export contains."""

    title: str
    messages: Sequence[MessageItem]  # of the branch that is shown, with their tool calls
    artifacts: Sequence[tuple[Artifact, Version]]  # each with its latest version

    def markdown(self) -> str:
        """Return the export as Markdown. No queries: call it outside of the transaction."""
        pieces = [f"# {self.title}\n", *map(_message, self.messages)]
        return "\n".join([*pieces, *(_artifact(artifact, latest) for artifact, latest in self.artifacts)])


def branch_export(conversation: Conversation) -> BranchExport:
    """Return the branch that is shown and the latest version of each artifact. Raises ConversationTooLarge."""
    artifacts = _artifacts(conversation)
    versions = versions_latest(artifacts)
    _size_check(conversation, versions)
    latest = {version.artifact_id: version for version in versions}
    messages, _ = branch_messages(conversation, limit=1_000_000)
    shown = [(artifact, latest[artifact.pk]) for artifact in artifacts]
    return BranchExport(conversation.title or "Conversation", messages, shown)


def conversation_json(conversation: Conversation) -> dict[str, Any]:
    """Return the full conversation: the messages of every branch with their parts, and every version of every artifact.

    Raises ConversationTooLarge.
    """
    artifacts = _artifacts(conversation)
    _size_check(conversation, Version.objects.filter(artifact_id__in=[artifact.pk for artifact in artifacts]))
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


def _size_check(conversation: Conversation, versions: QuerySet[Version]) -> None:
    """Raises ConversationTooLarge. The database computes the size, so that nothing large is read."""
    texts = versions.aggregate(total=Sum(Length("content")))["total"] or 0
    parts = Part.objects.filter(message__conversation=conversation)
    entries = parts.aggregate(total=Sum(_length("content") + _length("extras")))["total"] or 0
    if texts + entries > MAX_EXPORT_CHARS:
        raise ConversationTooLarge


def _length(column: str) -> Coalesce:
    return Coalesce(Length(Cast(column, TextField())), 0)


def _versions(artifacts: list[Artifact]) -> Iterator[tuple[Artifact, list[Version]]]:
    found: dict[Any, list[Version]] = {artifact.pk: [] for artifact in artifacts}
    for version in Version.objects.filter(artifact_id__in=found).select_related("author__user").order_by("number"):
        found[version.artifact_id].append(version)
    for artifact in artifacts:
        yield artifact, found[artifact.pk]


def _full_message(message: Message, parts: list[Part]) -> dict[str, Any]:
    return {
        **ui_message(message, map(stored_entry, parts)).json_fields(),
        "parentId": str(message.parent_id) if message.parent_id else None,
        "createdAt": _time(message.created_at),
        "entries": [{"kind": part.kind, "step": part.step, "content": part.content} for part in parts],
    }


def _message(message: MessageItem) -> str:
    texts = [text for part in message.parts if (text := _part(part))]
    return f"## {_speaker(message)}\n\n" + "\n\n".join(texts) + "\n"


def _speaker(message: MessageItem) -> str:
    """Return who wrote the message: an assistant by the name that it had then."""
    assistant = message.metadata.get("assistant")
    return str(assistant["name"]) if assistant else ROLES[message.role]


def _part(part: Mapping[str, Any]) -> str:
    """Return a part of a message as Markdown; empty for parts that only show a state on the screen."""
    kind = str(part["type"])
    if kind == "text":
        return str(part["text"])
    if kind == "file":
        made = part.get("providerMetadata", {}).get("parley", {}).get("filename")
        return f"*File: {part.get('filename') or made or 'unnamed'}*"
    if kind == "data-artifact":
        return f"*{part['data']['title']} (version {part['data']['version']})*"
    if kind == "dynamic-tool" or kind.startswith("tool-"):
        return _tool(part, str(part.get("toolName") or kind.removeprefix("tool-")))
    return ""


def _tool(part: Mapping[str, Any], name: str) -> str:
    given, result = str(part.get("input", "")), str(part.get("output", part.get("errorText", "")))
    cut = result if len(result) <= MAX_TOOL_OUTPUT_CHARS else f"{result[:MAX_TOOL_OUTPUT_CHARS]} …"
    return "\n\n".join([f"**Tool: {name}**", *(fenced(text, "").rstrip() for text in (given, cut) if text)])


def _artifact(artifact: Artifact, latest: Version) -> str:
    return f"---\n\n## {artifact.title}\n\n{_text(artifact, latest.content)}\n"


def _text(artifact: Artifact, content: str) -> str:
    match kind_get(artifact.kind).body:
        case "markdown":
            return content
        case "rows":
            return markdown_table(content)
        case "code":
            return fenced(content, "" if artifact.kind == CODE.name else artifact.kind)
        case "file":
            return "*An image; download it from its panel.*"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
