"""The live text as an ordinary version, which never changes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from artifacts.access import artifact_audience
from artifacts.live.documents import live_document_note_saved, live_document_to_save, live_text
from artifacts.merge_context import merge_context
from artifacts.models import Artifact, LiveDocument, Version
from artifacts.schemas import artifact_notice
from artifacts.selectors import version_get
from artifacts.services import NewVersion, artifact_lock, sanitize_text, size_fits, version_append

QUIET: Final = timedelta(minutes=2)  # as of an edit session in the browser
LONGEST: Final = timedelta(minutes=10)


def live_version_save(artifact: Artifact) -> Version | None:
    """Make a version of what was typed together since the last one. Return it; None when there was nothing to save.

    The caller holds the artifact's row. While an agent's conflict is open, the text waits: it becomes a version after a member has merged.
    """
    document = live_document_to_save(artifact)
    if document is None:
        return None
    text = sanitize_text(str(live_text(document)))
    before = version_get(artifact=artifact, number=document.version)
    if text == before.content:
        live_document_note_saved(document, before.number)
        return None
    if merge_context(artifact, before).tip is not None or not size_fits(text):
        return None
    version = version_append(artifact, _version_of(document, text))
    live_document_note_saved(document, version.number)
    return version


def live_version_make(artifact_id: UUID) -> tuple[list[UUID], dict[str, Any]] | None:
    """Make a version of the live text. Return who sees it at once, and their notice; None when there was nothing to save. Raises NotFound."""
    version = live_version_save(artifact_lock(Artifact(pk=artifact_id)))
    return None if version is None else (artifact_audience(version.artifact), artifact_notice(version))


def live_documents_due() -> list[tuple[UUID, UUID]]:
    """Return organization and artifact of the live documents that were not changed for a while, or not saved for long. As the system role."""
    due = Q(changed_at__lt=Now() - QUIET) | Q(changed_since__lt=Now() - LONGEST)
    rows = LiveDocument.unscoped.using("system").filter(due, changed_at__isnull=False, artifact__deleted_at=None)
    return list(rows.values_list("organization_id", "artifact_id"))


def _version_of(document: LiveDocument, text: str) -> NewVersion:
    authors: list[str] = document.authors
    return NewVersion(
        content=text,
        operation=Version.Operation.EDIT,
        author_kind=Version.AuthorKind.USER,
        author_id=UUID(authors[0]) if authors else None,
        parent=document.version,
        metadata={"live": True, **({"authors": authors} if len(authors) > 1 else {})},
    )
