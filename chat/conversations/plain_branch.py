"""The texts of a branch, for readers who see nothing else of a conversation (sharing).

Reads what people and models wrote, and which artifacts and files lie beside; tool calls, results, thinking and prompts never leave the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from agents.messages import TOOL_SOURCE
from chat.models import Message
from tenants.context import current_organization_id
from tenants.postgres.prepared_statements import read_rows

MAX_MESSAGES: Final = 1000  # of a branch; the oldest ones beyond are left out

PlainKind = Literal["user_message", "assistant_text", "artifact_reference", "file", "answer_file"]


@dataclass(frozen=True, slots=True)
class PlainPart:
    """`text`: what was written; of an artifact its id; of a file its media type."""

    kind: PlainKind
    text: str


@dataclass(frozen=True, slots=True)
class PlainMessage:
    """`speaker`: the name of the assistant that answered, or ""."""

    id: UUID
    role: str
    speaker: str
    parts: Sequence[PlainPart]


def plain_branch(conversation_id: UUID, head_id: UUID | None) -> list[PlainMessage]:
    """Return the branch up to this message, oldest first, without answers that are still being written. One query.

    Does not check access. Empty when there is no such message in the conversation, or when it was deleted.
    """
    params = {"organization": current_organization_id(), "conversation": conversation_id, "head": head_id, "most": MAX_MESSAGES}
    return [
        PlainMessage(message_id, role, speaker or "", [part for kind, content in parts or () if (part := _part(kind, content))])
        for message_id, role, speaker, parts in read_rows(_PLAIN, params)
    ]


def branch_has_artifact(conversation_id: UUID, head_id: UUID | None, artifact_id: UUID) -> bool:
    """Return whether a message of the branch up to this one refers to the artifact. One query. Does not check access."""
    params = {"organization": current_organization_id(), "conversation": conversation_id, "head": head_id, "most": MAX_MESSAGES}
    return bool(list(read_rows(_HAS_ARTIFACT, {**params, "artifact": str(artifact_id)})))


def complete_head(head: Message | None) -> UUID | None:
    """Return the newest message of the head's branch that nothing is added to any more. One query at most."""
    if head is None or head.run is None or head.run.finished_at is not None:
        return head.pk if head else None
    return head.parent_id


def _part(kind: PlainKind, content: Mapping[str, Any]) -> PlainPart | None:
    match kind:
        case "user_message" | "assistant_text":
            return PlainPart(kind, content["text"]) if content["text"] else None
        case "artifact_reference":
            return PlainPart(kind, content["artifact_id"])
        case "file" | "answer_file":
            return None if content.get("source") == TOOL_SOURCE else PlainPart(kind, content["media_type"])


# LIMIT 1 makes each step an index lookup (see chat.storage.branches).
_BRANCH = """
WITH RECURSIVE branch (id, parent_id, role, run_id, place) AS (
    SELECT id, parent_id, role, run_id, 1 FROM chat_message
    WHERE organization_id = %(organization)s AND id = %(head)s AND conversation_id = %(conversation)s AND deleted_at IS NULL
    UNION ALL
    SELECT m.id, m.parent_id, m.role, m.run_id, branch.place + 1
    FROM branch, LATERAL (
        SELECT id, parent_id, role, run_id FROM chat_message WHERE organization_id = %(organization)s AND id = branch.parent_id LIMIT 1
    ) m
    WHERE branch.place < %(most)s
)
"""
_PLAIN = f"""{_BRANCH}
SELECT branch.id, branch.role, r.display -> 'assistant' ->> 'name', (
    SELECT json_agg(json_build_array(p.kind, p.content) ORDER BY p.position) FROM chat_part p
    WHERE p.organization_id = %(organization)s AND p.message_id = branch.id
        AND p.kind IN ('user_message', 'assistant_text', 'artifact_reference', 'file', 'answer_file')
)
FROM branch LEFT JOIN chat_run r ON r.organization_id = %(organization)s AND r.id = branch.run_id
WHERE branch.role = 'user' OR r.id IS NULL OR r.finished_at IS NOT NULL
ORDER BY branch.place DESC
"""  # noqa: S608 - no value is in it
_HAS_ARTIFACT = f"""{_BRANCH}
SELECT 1 FROM branch JOIN chat_part p ON p.organization_id = %(organization)s AND p.message_id = branch.id
WHERE p.kind = 'artifact_reference' AND p.content ->> 'artifact_id' = %(artifact)s
LIMIT 1
"""  # noqa: S608 - no value is in it
