"""Edits based on a version: changes that others wrote since are merged in, or reported as a conflict (SPEC 7.2).

All functions run inside the caller's tenant transaction. The artifact's row is locked until it ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from artifacts.access import artifact_get_to_write
from artifacts.errors import EditConflict, NotAnImage, OutsideSelection, SelectionInvalid
from artifacts.images import image_version_save
from artifacts.kinds import IMAGE
from artifacts.live.versions import live_version_save
from artifacts.merge_context import MergeContext, conflicts_and_merges, merge_context, open_conflict
from artifacts.models import FILE_ID_KEY, Artifact, Version
from artifacts.selectors import version_get
from artifacts.services import NewVersion, artifact_lock, sanitize_text, size_check, size_fits, version_create
from artifacts.text.offsets import from_utf16
from tenants.access import Actor


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of a text in UTF-16 code units; `end` is exclusive."""

    start: int
    end: int

    def split(self, text: str) -> tuple[str, str, str]:
        """Return the text before it, itself, and the text after it. Raises SelectionInvalid when it is empty or outside the text."""
        try:
            start, end = from_utf16(text, self.start), from_utf16(text, self.end)
        except ValueError as exc:
            raise SelectionInvalid from exc
        if start >= end:
            raise SelectionInvalid
        return text[:start], text[start:end], text[end:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A member's change of version `base`."""

    content: str
    base: int
    operation: Version.Operation = Version.Operation.EDIT
    selection: Selection | None = None  # for a patch: the only part of the base that may differ
    is_autosave: bool = False
    file_id: UUID | None = None  # for an image: the file that replaces the base's


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The result of saving an edit."""

    version: Version
    is_merged: bool  # the content differs from what was sent, because others wrote meanwhile
    is_new: bool  # a version was created; False when nothing had changed


def version_save(*, artifact_id: UUID, actor: Actor, edit: Edit) -> SaveResult:
    """Store a member's edit as the next version, merged with what others wrote since its base.

    Raises NotFound, NotAllowed, ArtifactTooLarge, and EditConflict when both changed the same lines. For patches also OutsideSelection and
    SelectionInvalid. For images, which are never merged, NotEditable, NotAnImage and FileInUse.
    """
    artifact = artifact_get_to_write(artifact_id=artifact_id, actor=actor)
    if artifact.kind == IMAGE.name:
        version = image_version_save(artifact=artifact, actor=actor, base=edit.base, file_id=edit.file_id)
        return SaveResult(version, is_merged=False, is_new=True)
    if edit.file_id is not None:
        raise NotAnImage
    size_check(edit.content)
    live_version_save(artifact)
    text, base = sanitize_text(edit.content), version_get(artifact=artifact, number=edit.base)
    if edit.operation == Version.Operation.PATCH:
        patch_check(base.content, text, edit.selection)
    context = merge_context(artifact, base)
    if edit.operation == Version.Operation.EDIT and _is_stored(context, text, actor):
        return SaveResult(context.current, is_merged=text != context.current.content, is_new=False)
    merged_text = _merge_or_raise(context, text)
    if merged_text == context.current.content and edit.operation != Version.Operation.MERGE:
        return SaveResult(context.current, is_merged=merged_text != text, is_new=False)
    version = version_create(artifact=artifact, version=_version_of(edit, context, merged_text, actor))
    return SaveResult(version, is_merged=merged_text != text, is_new=True)


def patch_check(base: str, text: str, selection: Selection | None) -> None:
    """Raise OutsideSelection unless `text` differs from `base` only inside the selection; raise SelectionInvalid for an invalid one."""
    if selection is None:
        raise SelectionInvalid
    before, _, after = selection.split(base)
    fits = len(text) >= len(before) + len(after)
    if not (fits and text.startswith(before) and text.endswith(after)):
        raise OutsideSelection


def agent_version_save(*, artifact: Artifact, version: NewVersion) -> Version:
    """Store what an agent made of the version `version.parent`. If the tool call wrote one already, return that one.

    What members typed meanwhile, also in the live document, is merged in. Where both changed the same lines, the agent's text becomes a version that is marked as a
    conflict (`open_conflict`), and the member's text stays as the version before it. Raises ArtifactTooLarge, NotFound.
    """
    if version.is_draft or version.parent is None:
        return version_create(artifact=artifact, version=version)
    live_version_save(artifact_lock(artifact))
    if version.operation == Version.Operation.REVERT:  # intentional, so nothing is merged into it
        return version_create(artifact=artifact, version=version)
    base = version_get(artifact=artifact, number=version.parent)
    return version_create(artifact=artifact, version=_merge_agent_version(version, merge_context(artifact, base)))


def artifact_revert(*, artifact_id: UUID, actor: Actor, number: int) -> Version:
    """Append a new version with the content of version `number`, which becomes its parent. Raises NotFound, NotAllowed."""
    artifact = artifact_get_to_write(artifact_id=artifact_id, actor=actor)
    live_version_save(artifact)
    old = version_get(artifact=artifact, number=number)
    new = NewVersion(
        content=old.content,
        operation=Version.Operation.REVERT,
        author_kind=Version.AuthorKind.USER,
        author_id=actor.membership_id,
        parent=old.number,
        metadata={FILE_ID_KEY: old.metadata[FILE_ID_KEY]} if FILE_ID_KEY in old.metadata else {},
    )
    return version_create(artifact=artifact, version=new)


def _is_stored(context: MergeContext, text: str, actor: Actor) -> bool:
    """Return whether the version after the base is this edit already.

    A page that closes sends its text without learning the outcome, so the next page sends its draft again (docs/decisions/0063). Merged once
    more, it would undo what was written since. An open conflict is not over by that: the member has to join the texts.
    """
    if context.tip is None:
        return False
    newer = Version.objects.filter(artifact_id=context.base.artifact_id, number__gt=context.base.number)
    again = newer.filter(number=context.base.number + 1, is_draft=False, author_id=actor.membership_id, content=text)
    return again.exists() and open_conflict(conflicts_and_merges(newer)) is None


def _merge_or_raise(context: MergeContext, text: str) -> str:
    sides = context.sides(text)
    if sides is None:
        return text
    merged_text = sides.merge().text
    if merged_text is None:
        raise EditConflict(sides)
    return merged_text


def _version_of(edit: Edit, context: MergeContext, content: str, actor: Actor) -> NewVersion:
    """Return the version to write. A member's manual merge counts as one only if nobody has written since, or if it resolves a conflict."""
    is_stale = context.tip is not None
    by_hand = edit.operation == Version.Operation.MERGE
    is_merge = by_hand and (not is_stale or _resolves_conflict(context.base))
    return NewVersion(
        content=content,
        operation=Version.Operation.EDIT if by_hand and not is_merge else edit.operation,
        author_kind=Version.AuthorKind.USER,
        author_id=actor.membership_id,
        parent=context.current.number,
        metadata={**({"base": edit.base, "merged": True} if is_stale else {}), **({"autosave": True} if edit.is_autosave else {})},
    )


def _resolves_conflict(base: Version) -> bool:
    """Return whether the author of a change to `base` saw the open conflict."""
    apart = open_conflict(conflicts_and_merges(Version.objects.filter(artifact_id=base.artifact_id)))
    return apart is not None and apart.number <= base.number


def _merge_agent_version(version: NewVersion, context: MergeContext) -> NewVersion:
    sides = context.sides(sanitize_text(version.content))
    if sides is None:
        return version
    base, tip, merged_text = context.base.number, sides.theirs.number, sides.merge().text
    if merged_text is None or not size_fits(merged_text):
        return replace(version, metadata={**version.metadata, "base": base, "against": tip, "conflict": True})
    return replace(version, content=merged_text, parent=tip, metadata={**version.metadata, "base": base, "merged": True})
