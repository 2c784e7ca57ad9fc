"""Which messages and documents an export of a conversation has, and reads of them a few at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal
from uuid import UUID

from django.db.models import F

from artifacts.models import Artifact, Version
from artifacts.selectors import artifacts_of_conversation
from chat.conversations.export import export_size_check
from chat.conversations.shapes import MessageItem
from chat.conversations.ui_messages import ui_message
from chat.models import Conversation, Message, Part
from chat.storage.run_loading import stored_entry

MESSAGES_AT_ONCE: Final = 40
VERSIONS_AT_ONCE: Final = 10  # a version has a megabyte at most

Branches = Literal["shown", "all"]
Versions = Literal["latest", "all"]


@dataclass(frozen=True, slots=True)
class Branch:
    """Messages that follow one another. `instead_of`: the message in an earlier branch that the first one stands for; None: the first branch."""

    message_ids: Sequence[UUID]
    instead_of: UUID | None = None


@dataclass(frozen=True, slots=True)
class ExportContents:
    """What an export has, by ids."""

    branches: Sequence[Branch]
    artifacts: Sequence[Artifact]
    version_ids: Sequence[UUID]  # of the artifacts, in their order, oldest first

    def messages(self, branch: Branch) -> Iterator[Callable[[], list[MessageItem]]]:
        """Yield reads of the branch's messages, each for a transaction of its own; one that was deleted meanwhile is left out."""
        for ids in _groups(branch.message_ids, MESSAGES_AT_ONCE):
            yield partial(messages_read, ids)

    def versions(self) -> Iterator[Callable[[], list[Version]]]:
        """Yield reads of the documents' versions, each for a transaction of its own."""
        for ids in _groups(self.version_ids, VERSIONS_AT_ONCE):
            yield partial(self._read_versions, ids)

    def _read_versions(self, ids: Sequence[UUID]) -> list[Version]:
        artifacts = {artifact.pk: artifact for artifact in self.artifacts}
        rows = Version.objects.in_bulk(ids)
        versions = [rows[version_id] for version_id in ids if version_id in rows]
        for version in versions:
            version.artifact = artifacts[version.artifact_id]
        return versions


def export_contents(conversation: Conversation, *, branches: Branches, versions: Versions) -> ExportContents:
    """Return what an export of these branches and versions has. Needs the organization's transaction. Raises ConversationTooLarge."""
    artifacts = artifacts_of_conversation(conversation_id=conversation.pk, owner_id=conversation.owner_id)
    rows = Version.objects.filter(artifact_id__in=[artifact.pk for artifact in artifacts])
    if versions == "latest":
        rows = rows.filter(number=F("artifact__latest_number"))
    export_size_check(conversation, rows)
    ids: dict[UUID, list[UUID]] = defaultdict(list)
    for pk, artifact_id in rows.order_by("number").values_list("pk", "artifact_id"):
        ids[artifact_id].append(pk)
    version_ids = [pk for artifact in artifacts for pk in ids[artifact.pk]]
    all_branches = _branches(conversation)
    return ExportContents(all_branches if branches == "all" else all_branches[:1], artifacts, version_ids)


def messages_read(ids: Sequence[UUID]) -> list[MessageItem]:
    """Return these messages with their parts, in the order of the ids. Two queries."""
    parts: dict[UUID, list[Part]] = defaultdict(list)
    for part in Part.objects.filter(message_id__in=ids).order_by("message_id", "position"):
        parts[part.message_id].append(part)
    rows = Message.objects.filter(deleted_at=None).select_related("run").in_bulk(ids)
    return [ui_message(rows[pk], map(stored_entry, parts[pk])) for pk in ids if pk in rows]


def _branches(conversation: Conversation) -> list[Branch]:
    """Return the branch that is shown, and then each other one from where it leaves those before it. One query."""
    rows = Message.objects.filter(conversation=conversation, deleted_at=None).order_by("created_at", "id").values_list("pk", "parent_id")
    parents: dict[UUID, UUID | None] = dict(rows)
    children: dict[UUID | None, list[UUID]] = defaultdict(list)
    for pk, parent_id in parents.items():
        children[parent_id].append(pk)
    head_chain = _to_root(conversation.head_id, parents)
    branches, seen_ids = [Branch(head_chain)], set(head_chain)
    for pk, parent_id in parents.items():  # a parent comes before its children, so this one's is in a branch already
        if pk not in seen_ids:
            chain = _to_leaf(pk, children)
            branches.append(Branch(chain, next((other for other in children[parent_id] if other in seen_ids), None)))
            seen_ids.update(chain)
    return branches


def _to_root(head_id: UUID | None, parents: dict[UUID, UUID | None]) -> list[UUID]:
    path: list[UUID] = []
    while head_id in parents:
        path.append(head_id)
        head_id = parents[head_id]
    return path[::-1]


def _to_leaf(pk: UUID, children: dict[UUID | None, list[UUID]]) -> list[UUID]:
    """Return the message with the newest ones below it."""
    path = [pk]
    while below := children.get(path[-1]):
        path.append(below[-1])
    return path


def _groups(ids: Sequence[UUID], size: int) -> Iterator[Sequence[UUID]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))
