"""A whole conversation as Markdown or JSON (SPEC 7.9). Reads in the caller's tenant transaction; what it returns is plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import Sum
from django.db.models.functions import Length

from artifacts.documents import fenced, markdown_table
from artifacts.kinds import CODE, IMAGE, SHEET, TEXT
from artifacts.models import Artifact, Version
from artifacts.selectors import artifacts_of_conversation, version_get
from artifacts.shapes import artifact_list_item, version_detail
from chat.errors import ConversationTooLarge
from chat.models import Conversation, Message, Part
from chat.selectors import branch_messages, ui_message

CONTENT_MAX: Final = 32 * 1024 * 1024  # characters of all versions together
ROLES = {"user": "You", "assistant": "Assistant"}
OUTPUT_MAX: Final = 2000  # characters of a tool's result in Markdown; JSON has all of it


def conversation_markdown(conversation: Conversation) -> str:
    """The branch that is shown, with its tool calls, and the latest version of each artifact."""
    messages, _ = branch_messages(conversation, limit=1_000_000)
    pieces = [f"# {conversation.title or 'Conversation'}\n"]
    pieces += [_message(message) for message in messages]
    pieces += [_artifact(artifact) for artifact in _artifacts(conversation)]
    return "\n".join(pieces)


def conversation_json(conversation: Conversation) -> dict[str, Any]:
    """All of it: the messages of every branch with their parts, and every version of every artifact.

    Raises ConversationTooLarge.
    """
    artifacts = _artifacts(conversation)
    _size_check(artifacts)
    parts: dict[Any, list[Part]] = {}
    for part in Part.objects.filter(message__conversation=conversation).order_by("message_id", "position"):
        parts.setdefault(part.message_id, []).append(part)
    messages = Message.objects.filter(conversation=conversation).select_related("run").order_by("created_at", "id")
    return {
        "id": str(conversation.pk),
        "title": conversation.title,
        "createdAt": _time(conversation.created_at),
        "updatedAt": _time(conversation.updated_at),
        "headId": str(conversation.head_id) if conversation.head_id else None,
        "messages": [_whole_message(message, parts.get(message.pk, [])) for message in messages],
        "artifacts": [
            {
                **artifact_list_item(artifact),
                "versions": [{**version_detail(version), "metadata": version.metadata} for version in versions],
            }
            for artifact, versions in _versions(artifacts)
        ],
    }


def _artifacts(conversation: Conversation) -> list[Artifact]:
    return artifacts_of_conversation(conversation_id=conversation.pk, owner_id=conversation.owner_id)


def _size_check(artifacts: Iterable[Artifact]) -> None:
    found = Version.objects.filter(artifact_id__in=[artifact.pk for artifact in artifacts]).aggregate(total=Sum(Length("content")))
    if (found["total"] or 0) > CONTENT_MAX:
        raise ConversationTooLarge


def _versions(artifacts: list[Artifact]) -> Iterator[tuple[Artifact, list[Version]]]:
    found: dict[Any, list[Version]] = {artifact.pk: [] for artifact in artifacts}
    for version in Version.objects.filter(artifact_id__in=found).select_related("author__user").order_by("number"):
        found[version.artifact_id].append(version)
    for artifact in artifacts:
        yield artifact, found[artifact.pk]


def _whole_message(message: Message, parts: list[Part]) -> dict[str, Any]:
    return {
        **ui_message(message, parts),
        "parentId": str(message.parent_id) if message.parent_id else None,
        "createdAt": _time(message.created_at),
        "entries": [{"kind": part.kind, "step": part.step, "content": part.content} for part in parts],
    }


def _message(message: Mapping[str, Any]) -> str:
    texts = [text for part in message["parts"] if (text := _part(part))]
    return f"## {ROLES.get(message['role'], message['role'])}\n\n" + "\n\n".join(texts) + "\n"


def _part(part: Mapping[str, Any]) -> str:
    """A part of a message as people read it; what is only a state of the screen is left out."""
    kind = str(part["type"])
    if kind == "text":
        return str(part["text"])
    if kind == "file":
        return f"*File: {part.get('filename') or 'unnamed'}*"
    if kind == "data-artifact":
        return f"*{part['data']['title']} (version {part['data']['version']})*"
    if kind == "dynamic-tool" or kind.startswith("tool-"):
        return _tool(part, str(part.get("toolName") or kind.removeprefix("tool-")))
    return ""


def _tool(part: Mapping[str, Any], name: str) -> str:
    given, result = str(part.get("input", "")), str(part.get("output", part.get("errorText", "")))
    cut = result if len(result) <= OUTPUT_MAX else f"{result[:OUTPUT_MAX]} …"
    return "\n\n".join([f"**Tool: {name}**", *(fenced(text, "").rstrip() for text in (given, cut) if text)])


def _artifact(artifact: Artifact) -> str:
    latest = version_get(artifact=artifact, number=artifact.latest_number)
    if artifact.kind == TEXT.name:
        text = latest.content
    elif artifact.kind == SHEET.name:
        text = markdown_table(latest.content)
    elif artifact.kind == IMAGE.name:
        text = "*An image; download it from its panel.*"
    else:
        text = fenced(latest.content, "" if artifact.kind == CODE.name else artifact.kind)
    return f"---\n\n## {artifact.title}\n\n{text}\n"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
