"""Services that write artifacts. All run inside the caller's tenant transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

from django.db import IntegrityError, transaction
from django.utils import timezone

from artifacts.anchors import Anchor
from artifacts.errors import ArtifactTooLarge, TitleMissing
from artifacts.kinds import kind_get
from artifacts.live.documents import live_document_follow
from artifacts.models import MAX_TITLE_CHARS, Artifact, Suggestion, Version
from artifacts.selectors import artifact_get_for_member, version_for_call
from artifacts.text.diffs import changed_lines
from tenants.access import Actor
from tenants.errors import NotAllowed, NotFound
from tenants.input.visible_text import visible_line

MAX_ARTIFACT_BYTES: Final = 1_048_576
UNTITLED: Final = "Untitled"  # a title of characters that can't be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A version to write."""

    content: str
    operation: Version.Operation
    author_kind: Version.AuthorKind
    author_id: UUID | None = None
    parent: int | None = None  # number of the version it was made from
    is_draft: bool = False
    agent: str = ""
    run_id: UUID | None = None  # with `call_id`, the tool call that wrote it
    call_id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSuggestion:
    """A suggestion to write: replace `anchor.original` by `replacement`."""

    anchor: Anchor
    replacement: str
    comment: str = ""  # the reason


def artifact_create(
    *, conversation_id: UUID, owner_id: UUID, title: str, kind: str, version: NewVersion, artifact_id: UUID | None = None
) -> Version:
    """Create an artifact with its version 1. If the tool call wrote one already, return that one.

    Raises UnknownKind, ArtifactTooLarge.
    """
    kind_get(kind)
    size_check(version.content)
    artifact = Artifact(
        pk=artifact_id or uuid4(),
        conversation_id=conversation_id,
        owner_id=owner_id,
        title=_clean_title(sanitize_text(title)),
        kind=kind,
    )

    def write() -> Version:
        artifact.save(force_insert=True)
        return version_append(artifact, version)

    return _once_per_call(version, write)


def version_create(*, artifact: Artifact, version: NewVersion) -> Version:
    """Append the next version (numbers from 1, never reused). If the tool call wrote one already, return that one.

    `artifact` must come from a selector that checks access. Locks its row until the transaction ends. Raises ArtifactTooLarge, and NotFound
    when the artifact was deleted meanwhile.
    """
    size_check(version.content)

    def write() -> Version:
        stored_version = version_append(artifact_lock(artifact), version)
        live_document_follow(stored_version)
        return stored_version

    return _once_per_call(version, write)


def artifact_lock(artifact: Artifact) -> Artifact:
    """Return the current row of the artifact, locked until the transaction ends. Raises NotFound when it was deleted meanwhile."""
    row = Artifact.objects.select_for_update().filter(pk=artifact.pk, deleted_at=None).first()
    if row is None:
        raise NotFound
    return row


def suggestions_add(
    *, artifact: Artifact, version_number: int, call_id: str, run_id: UUID, items: Sequence[NewSuggestion]
) -> list[Suggestion]:
    """Store what one tool call suggests for a version, in order; return all suggestions of the call.

    May be called again with more items while they are being written; stored ones stay as they are. `artifact` must come from a selector
    that checks access.
    """
    rows = [
        Suggestion(
            pk=suggestion_id(run_id, call_id, position),
            artifact=artifact,
            version_number=version_number,
            original=sanitize_text(item.anchor.original),
            prefix=sanitize_text(item.anchor.prefix),
            suffix=sanitize_text(item.anchor.suffix),
            start=item.anchor.start,
            replacement=sanitize_text(item.replacement),
            comment=sanitize_text(item.comment),
            run_id=run_id,
            call_id=sanitize_text(call_id),
            position=position,
        )
        for position, item in enumerate(items)
    ]
    Suggestion.objects.bulk_create(rows, ignore_conflicts=True)
    artifact_touch(artifact)
    return list(Suggestion.objects.filter(run_id=run_id, call_id=sanitize_text(call_id)).order_by("position"))


def suggestion_id(run_id: UUID, call_id: str, position: int) -> UUID:
    """Return the id of a suggestion. It is known before it is stored, because it is shown while the next ones are still being written."""
    return uuid5(run_id, f"{sanitize_text(call_id)}/{position}")


def artifact_touch(artifact: Artifact) -> None:
    """Mark the artifact as changed when no version was created."""
    Artifact.objects.filter(pk=artifact.pk).update(updated_at=timezone.now())


def artifact_rename(*, artifact_id: UUID, actor: Actor, title: str) -> Artifact:
    """Change the title and return the artifact. Raises NotFound, NotAllowed, TitleMissing."""
    artifact = artifact_get_for_member(artifact_id=artifact_id, actor=actor, lock=True)
    if not actor.can_write:
        raise NotAllowed
    artifact.title = title_clean(title)
    artifact.indexed_number = 0
    artifact.save(update_fields=["title", "indexed_number", "updated_at"])
    return artifact


def title_clean(title: str) -> str:
    """Return the title on one line. Raises TitleMissing."""
    text = sanitize_text(title)
    if not text.split():
        raise TitleMissing
    return _clean_title(text)


def _clean_title(title: str) -> str:
    """Return the title on one line, without what can't be seen."""
    return visible_line(title)[:MAX_TITLE_CHARS] or UNTITLED


def artifacts_delete_of_conversations(*, conversation_ids: Collection[UUID], at: datetime | None = None) -> int:
    """Mark the artifacts of conversations as deleted, at this time or now; return how many. The caller must be allowed to delete them."""
    return Artifact.objects.filter(conversation_id__in=conversation_ids, deleted_at=None).update(deleted_at=at or timezone.now())


def artifacts_restore_of_conversations(*, conversation_ids: Collection[UUID], deleted_at: datetime) -> int:
    """Undo the deletion of artifacts at this time; return how many. The caller must be allowed to."""
    return Artifact.objects.filter(conversation_id__in=conversation_ids, deleted_at=deleted_at).update(deleted_at=None)


def _once_per_call(version: NewVersion, write: Callable[[], Version]) -> Version:
    """Write, unless the version's tool call has written already. Of two concurrent writers, the unique constraint stops the second."""
    call_version = _version_of_call(version)
    if call_version is not None:
        return call_version
    try:
        with transaction.atomic():
            return write()
    except IntegrityError:
        call_version = _version_of_call(version)
        if call_version is None:
            raise
        return call_version


def _version_of_call(version: NewVersion) -> Version | None:
    if version.run_id is None or not version.call_id:
        return None
    call_version = version_for_call(run_id=version.run_id, call_id=version.call_id)
    if call_version is not None and call_version.is_draft and not version.is_draft:
        return None
    return call_version


def version_append(artifact: Artifact, version: NewVersion) -> Version:
    """Append the next version as it is, without a look at the live document. The caller holds the artifact's row."""
    content = sanitize_text(version.content)
    before = _content(artifact, artifact.latest_number if version.operation == Version.Operation.REVERT else version.parent)
    changed = changed_lines(before, content)
    artifact.latest_number += 1
    artifact.save(update_fields=["latest_number", "updated_at"])
    return Version.objects.create(
        artifact=artifact,
        number=artifact.latest_number,
        parent=version.parent,
        content=content,
        operation=version.operation,
        is_draft=version.is_draft,
        author_kind=version.author_kind,
        author_id=version.author_id,
        agent=version.agent,
        run_id=version.run_id,
        call_id=version.call_id,
        metadata={**version.metadata, "updateType": version.operation.value, "changedLines": changed._asdict()},
    )


def _content(artifact: Artifact, number: int | None) -> str:
    """Return the content of that version, or "" when there is none."""
    if not number:
        return ""
    return Version.objects.filter(artifact_id=artifact.pk, number=number).values_list("content", flat=True).first() or ""


def size_check(content: str) -> None:
    """Raise ArtifactTooLarge when the content is too large."""
    if not size_fits(content):
        raise ArtifactTooLarge


def size_fits(content: str) -> bool:
    return len(content) <= MAX_ARTIFACT_BYTES and len(content.encode("utf-8", "replace")) <= MAX_ARTIFACT_BYTES


def sanitize_text(text: str) -> str:
    """Replace NUL and lone surrogates, which models produce and PostgreSQL text refuses."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
