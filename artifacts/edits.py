"""Edits that carry the version they were made from: what others wrote since is merged in, or the two are shown side by side (SPEC 7.2).

All of these run inside a tenant transaction of the caller; the artifact's row is locked until it ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from artifacts.errors import EditConflict, NotAnImage, OutsideSelection, SelectionInvalid
from artifacts.images import image_version_save
from artifacts.kinds import IMAGE
from artifacts.merge_context import MergeContext, conflicts_and_merges, merge_context, open_conflict
from artifacts.models import Artifact, Version
from artifacts.selectors import artifact_get_for_member, version_get
from artifacts.services import NewVersion, artifact_lock, sanitize_text, size_check, size_fits, version_create
from artifacts.text.offsets import from_utf16
from tenants.access import Actor
from tenants.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of a text in UTF-16 code units, `end` excluded."""

    start: int
    end: int

    def split(self, text: str) -> tuple[str, str, str]:
        """What is before it, itself, and what is after it. Raises SelectionInvalid when it is empty or not inside of the text."""
        try:
            start, end = from_utf16(text, self.start), from_utf16(text, self.end)
        except ValueError as exc:
            raise SelectionInvalid from exc
        if start >= end:
            raise SelectionInvalid
        return text[:start], text[start:end], text[end:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a member made of version `base`. `selection`: of a patch, the part of the base that alone may differ.
    `file_id`: of an image, the file that takes the place of the base's.
    """

    content: str
    base: int
    operation: Version.Operation = Version.Operation.EDIT
    selection: Selection | None = None
    is_autosave: bool = False
    file_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class SaveResult:
    """`is_merged`: the content is not what was sent, others wrote meanwhile. `is_new`: a version was made; nothing had changed else."""

    version: Version
    is_merged: bool
    is_new: bool


def version_save(*, artifact_id: UUID, actor: Actor, edit: Edit) -> SaveResult:
    """Store a member's edit as the next version, merged with what others wrote since its base.

    Raises NotFound, NotAllowed, ArtifactTooLarge, EditConflict when both changed the same lines, for patches OutsideSelection and
    SelectionInvalid, and for images, which are never merged, NotEditable, NotAnImage and FileInUse.
    """
    artifact = artifact_get_for_member(artifact_id=artifact_id, actor=actor, lock=True)
    if not actor.can_write:
        raise NotAllowed
    if artifact.kind == IMAGE.name:
        version = image_version_save(artifact=artifact, actor=actor, base=edit.base, file_id=edit.file_id)
        return SaveResult(version, is_merged=False, is_new=True)
    if edit.file_id is not None:
        raise NotAnImage
    size_check(edit.content)
    text, base = sanitize_text(edit.content), version_get(artifact=artifact, number=edit.base)
    if edit.operation == Version.Operation.PATCH:
        patch_check(base.content, text, edit.selection)
    standing = merge_context(artifact, base)
    merged = _merge_or_raise(standing, text)
    if merged == standing.current.content and edit.operation != Version.Operation.MERGE:
        return SaveResult(standing.current, is_merged=merged != text, is_new=False)
    version = version_create(artifact=artifact, version=_version_of(edit, standing, merged, actor))
    return SaveResult(version, is_merged=merged != text, is_new=True)


def patch_check(base: str, text: str, selection: Selection | None) -> None:
    """Raises OutsideSelection unless `text` is `base` with nothing but the selection changed, and SelectionInvalid."""
    if selection is None:
        raise SelectionInvalid
    before, _, after = selection.split(base)
    fits = len(text) >= len(before) + len(after)
    if not (fits and text.startswith(before) and text.endswith(after)):
        raise OutsideSelection


def agent_version_save(*, artifact: Artifact, version: NewVersion) -> Version:
    """Store what an agent made of the version `version.parent`; for a tool call that wrote one already, return that one.

    What the member typed meanwhile is merged in. Where both changed the same lines, the agent's text becomes a version of its own
    that is marked as a conflict (`open_conflict`); the member's stays the version before. Raises ArtifactTooLarge, NotFound.
    """
    if version.is_draft or version.parent is None:
        return version_create(artifact=artifact, version=version)
    artifact_lock(artifact)
    base = version_get(artifact=artifact, number=version.parent)
    return version_create(artifact=artifact, version=_merge_agent_version(version, merge_context(artifact, base)))


def _merge_or_raise(standing: MergeContext, text: str) -> str:
    sides = standing.sides(text)
    if sides is None:
        return text
    merged = sides.merged().text
    if merged is None:
        raise EditConflict(sides)
    return merged


def _version_of(edit: Edit, standing: MergeContext, content: str, actor: Actor) -> NewVersion:
    """A merge that a member did by hand is one while nobody has written since, or when it was made from what could not be merged."""
    is_stale = standing.tip is not None
    by_hand = edit.operation == Version.Operation.MERGE
    is_merge = by_hand and (not is_stale or _resolves_conflict(standing.base))
    return NewVersion(
        content=content,
        operation=Version.Operation.EDIT if by_hand and not is_merge else edit.operation,
        author_kind=Version.AuthorKind.USER,
        author_id=actor.membership_id,
        parent=standing.current.number,
        metadata={**({"base": edit.base, "merged": True} if is_stale else {}), **({"autosave": True} if edit.is_autosave else {})},
    )


def _resolves_conflict(base: Version) -> bool:
    """Whether who worked on `base` saw the conflict that is open."""
    apart = open_conflict(conflicts_and_merges(Version.objects.filter(artifact_id=base.artifact_id)))
    return apart is not None and apart.number <= base.number


def _merge_agent_version(version: NewVersion, standing: MergeContext) -> NewVersion:
    sides = standing.sides(sanitize_text(version.content))
    if sides is None:
        return version
    base, tip, merged = standing.base.number, sides.theirs.number, sides.merged().text
    if merged is None or not size_fits(merged):
        return replace(version, metadata={**version.metadata, "base": base, "against": tip, "conflict": True})
    return replace(version, content=merged, parent=tip, metadata={**version.metadata, "base": base, "merged": True})
