"""Live documents: opening one, its updates, and taking over what others made versions of.

All inside the caller's tenant transaction. Whoever holds both rows takes the artifact's first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from artifacts.errors import ArtifactTooLarge, LiveDocumentReplaced, LiveUpdateInvalid
from artifacts.live.access import artifact_to_write
from artifacts.live.relay import LiveNotice, live_notice_send
from artifacts.live.text import LiveText, updates_join
from artifacts.models import Artifact, LiveDocument, LiveUpdate, Version
from artifacts.selectors import version_get, version_latest_complete
from artifacts.text.merge import merge_keeping_both
from tenants.access import Actor
from tenants.errors import ParleyError

MAX_BYTES: Final = 1_048_576  # of the text, as of every version
MAX_STATE_BYTES: Final = 2 * MAX_BYTES  # a document that has grown beyond by deletions is begun anew when it is opened next
MAX_STORED_BYTES: Final = 4 * MAX_BYTES  # of a document that somebody writes: what is in it beside the text has no other bound
UPDATES_OF_A_STATE: Final = 500


@dataclass(frozen=True, slots=True)
class LiveStart:
    """What somebody needs who comes in. The updates follow the state, or what that somebody had before."""

    document_id: UUID
    version: int
    saved_seq: int
    seq: int
    state: bytes
    updates: list[bytes]


def live_document_open(*, artifact_id: UUID, actor: Actor, page_cursor: tuple[UUID, int] | None = None) -> LiveStart:
    """Return the live document; make it of the newest version if there is none.

    `page_cursor`: the document that the page has, and the number of its newest update: then only what came since is returned, without the state
    if possible. Raises NotFound, NotAllowed, NotEditable.
    """
    artifact = artifact_to_write(artifact_id=artifact_id, actor=actor, lock=True)
    document = _lock_document(artifact.pk)
    if document is not None and document.changed_at is None and len(document.state) > MAX_STATE_BYTES:
        document.delete()
        document = None
    if document is None:
        document = _new_document(artifact)
    since = page_cursor[1] if page_cursor and page_cursor[0] == document.pk and page_cursor[1] >= document.state_seq else None
    updates = _updates_after(document, document.state_seq if since is None else since)
    return LiveStart(
        document.pk, document.version, document.saved_seq, document.seq, bytes(document.state) if since is None else b"", updates
    )


@dataclass(frozen=True, slots=True)
class LiveChange:
    """What a page typed into a document: an update of Yjs."""

    actor: Actor
    document_id: UUID
    content: bytes


@dataclass(frozen=True, slots=True)
class ReadText:
    """A document's text after its update `seq`. `stored_bytes`: of the state and of the updates since.

    It is used once: a change that is tried stays in the text, whether it is stored or not.
    """

    document_id: UUID
    seq: int
    text: LiveText
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class StoredChanges:
    """`refusals`: for each change, why it was refused; None when it is stored. `text`: of use when the transaction is committed."""

    refusals: list[ParleyError | None]
    text: ReadText | None


def live_changes_store(*, artifact_id: UUID, changes: Sequence[LiveChange], snapshot: ReadText | None = None) -> StoredChanges:
    """Store the changes of several pages as one update.

    `snapshot`: what an earlier call returned; the text is not read again if nobody else has changed it since. Whoever calls has looked within
    the last second whether the actors may write. Refused are a change of a document that is gone (LiveDocumentReplaced), one that can't be
    applied (LiveUpdateInvalid), and one with which the text is too large (ArtifactTooLarge).
    """
    document = _lock_document(artifact_id, with_state=False)
    ours = [document is not None and change.document_id == document.pk for change in changes]
    current_changes = [change for change, is_ours in zip(changes, ours, strict=True) if is_ours]
    result = _store_each(document, current_changes, snapshot) if document is not None and current_changes else StoredChanges([], None)
    refusals = iter(result.refusals)
    return StoredChanges([next(refusals) if is_ours else LiveDocumentReplaced() for is_ours in ours], result.text)


def _store_each(document: LiveDocument, changes: Sequence[LiveChange], snapshot: ReadText | None) -> StoredChanges:
    """Store the changes together; one by one when that can't be, so that a bad one spoils no other."""
    try:
        return StoredChanges([None] * len(changes), _store(document, changes, snapshot))
    except (LiveUpdateInvalid, ArtifactTooLarge) as error:
        if len(changes) == 1:
            return StoredChanges([error], None)
    result = StoredChanges([], None)
    for change in changes:
        one = _store_each(document, [change], result.text)
        result = StoredChanges([*result.refusals, *one.refusals], one.text)
    return result


def _store(document: LiveDocument, changes: Sequence[LiveChange], snapshot: ReadText | None) -> ReadText:
    """Try the changes on the text, then store them: one that can't be applied would make the text unreadable for everybody, for good."""
    content = updates_join([change.content for change in changes])
    if snapshot is None or (snapshot.document_id, snapshot.seq) != (document.pk, document.seq):
        snapshot = _read(document)
    if snapshot.stored_bytes > MAX_STORED_BYTES:
        raise ArtifactTooLarge
    _try(snapshot.text, content)
    writers = [str(change.actor.membership_id) for change in changes]
    document.authors = list(dict.fromkeys([*document.authors, *writers]))
    document.changed_at = timezone.now()
    document.changed_since = document.changed_since or document.changed_at
    _append(document, content)
    stored_bytes = snapshot.stored_bytes + len(content)
    if document.seq - document.state_seq >= UPDATES_OF_A_STATE or stored_bytes > MAX_STORED_BYTES:
        _renew_state(document, snapshot.text)
        stored_bytes = len(document.state)
    return ReadText(document.pk, document.seq, snapshot.text, stored_bytes)


def _read(document: LiveDocument) -> ReadText:
    updates = [bytes(document.state), *_updates_after(document, document.state_seq)]
    return ReadText(document.pk, document.seq, LiveText(updates), sum(map(len, updates)))


def _try(text: LiveText, content: bytes) -> None:
    """Add the update to the text. Raises LiveUpdateInvalid, and ArtifactTooLarge unless the update makes it smaller."""
    before = text.size_bytes
    text.apply(content)
    if text.size_bytes > max(before, MAX_BYTES):
        raise ArtifactTooLarge


@dataclass(frozen=True, slots=True)
class LiveProgress:
    """What has happened to a document. `version` has its text as it was at `saved_seq`."""

    updates: list[tuple[int, bytes]]
    version: int
    saved_seq: int


def live_progress(*, artifact_id: UUID, seq: int) -> LiveProgress:
    """Return the updates after `seq` with their numbers, and what is saved. Two queries.

    Raises LiveDocumentReplaced when they are part of the state by now.
    """
    document = LiveDocument.objects.defer("state").filter(artifact_id=artifact_id).first()
    if document is None or document.state_seq > seq:
        raise LiveDocumentReplaced
    rows = LiveUpdate.objects.filter(document_id=document.pk, seq__gt=seq).order_by("seq").values_list("seq", "content")
    return LiveProgress([(number, bytes(content)) for number, content in rows], document.version, document.saved_seq)


def live_document_is_unsaved(artifact: Artifact) -> bool:
    """Return whether something was typed that no version has yet."""
    return LiveDocument.objects.filter(artifact_id=artifact.pk, changed_at__isnull=False).exists()


def live_document_to_save(artifact: Artifact) -> LiveDocument | None:
    """Return the document, held until the transaction ends, if something was typed that no version has yet."""
    document = _lock_document(artifact.pk)
    return document if document is not None and document.changed_at is not None else None


def live_text(document: LiveDocument) -> LiveText:
    return LiveText([bytes(document.state), *_updates_after(document, document.state_seq)])


def live_document_note_saved(document: LiveDocument, number: int) -> None:
    """Note that version `number` has the document's text."""
    document.version, document.saved_seq = number, document.seq
    document.authors, document.changed_at, document.changed_since = [], None, None
    document.save(update_fields=["version", "saved_seq", "authors", "changed_at", "changed_since"])
    live_notice_send(LiveNotice(document.artifact_id, "saved", document.seq, str(number).encode()))


def live_document_follow(version: Version) -> None:
    """Take over a version that was not made of the live document: its writer is one more of those who write there.

    What cannot be merged (a draft, an agent's conflict) waits until somebody has made a version of it.
    """
    if version.is_draft or version.is_conflict:
        return
    document = _lock_document(version.artifact_id)
    if document is None:
        return
    text = live_text(document)
    base = version_get(artifact=version.artifact, number=document.version)
    merged_text = merge_keeping_both(base.content, version.content, str(text))
    if update := text.replace(merged_text):
        _append(document, update)
    _renew_state(document, text)
    if merged_text == version.content:
        live_document_note_saved(document, version.number)
    else:
        document.version = version.number
        document.save(update_fields=["version"])


def _new_document(artifact: Artifact) -> LiveDocument:
    newest = version_latest_complete(artifact=artifact) or version_get(artifact=artifact, number=artifact.latest_number)
    text = LiveText()
    text.replace(newest.content)
    return LiveDocument.objects.create(artifact=artifact, version=newest.number, state=text.state)


def _lock_document(artifact_id: UUID, *, with_state: bool = True) -> LiveDocument | None:
    """`with_state`: whether the state, which may be large, is read now."""
    documents: QuerySet[LiveDocument] = LiveDocument.objects.select_for_update().filter(artifact_id=artifact_id)
    return (documents if with_state else documents.defer("state")).first()


def _updates_after(document: LiveDocument, seq: int) -> list[bytes]:
    rows = LiveUpdate.objects.filter(document_id=document.pk, seq__gt=seq).order_by("seq").values_list("content", flat=True)
    return [bytes(content) for content in rows]


def _append(document: LiveDocument, content: bytes) -> None:
    document.seq += 1
    LiveUpdate.objects.create(document=document, seq=document.seq, content=content)
    document.save(update_fields=["seq", "authors", "changed_at", "changed_since"])
    live_notice_send(LiveNotice(document.artifact_id, "update", document.seq, content))


def _renew_state(document: LiveDocument, text: LiveText) -> None:
    """Make one state of all updates."""
    document.state, document.state_seq = text.state, document.seq
    document.save(update_fields=["state", "state_seq"])
    LiveUpdate.objects.filter(document_id=document.pk, seq__lte=document.state_seq).delete()
