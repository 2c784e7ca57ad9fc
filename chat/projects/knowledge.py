"""The knowledge files of a project: what its conversations may read and search. All functions need the organization's transaction."""

from __future__ import annotations

from typing import Final, cast
from uuid import UUID

from django.db.models import Count, Sum
from django.utils.translation import gettext

from admin_config.services.selectors import storage_policy
from chat.conversations.filing import PROJECT_GONE
from chat.conversations.services import require_writer
from chat.projects.selectors import project_get, projects_of
from chat.projects.shapes import ProjectFileItem, ProjectFileList
from files.errors import StorageFull
from files.kinds import MEGABYTE, FileKind
from files.knowledge.models import KnowledgeFile
from files.knowledge.paths import knowledge_path
from files.knowledge.services import knowledge_bytes_remove, knowledge_file_retry, knowledge_file_row, knowledge_file_save
from files.quotas import Usage, limits
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest, NotFound

MAX_BYTES: Final = 50 * MEGABYTE  # of one project
MAX_FILES: Final = 100


def project_files_list(*, actor: Actor, project_id: UUID) -> ProjectFileList:
    """Raises NotFound when the project is missing or somebody else's."""
    if not projects_of(actor).filter(pk=project_id).exists():
        raise NotFound(PROJECT_GONE)
    rows = list(KnowledgeFile.objects.filter(project_id=project_id).defer("text").order_by("path"))
    return ProjectFileList(items=[file_item(row) for row in rows], used_bytes=sum(row.size_bytes for row in rows), max_bytes=MAX_BYTES)


def project_file_add(*, actor: Actor, project_id: UUID, name: str, content: bytes) -> ProjectFileItem:
    """Add a file. The text of a document is read in the background. Locks the project.

    Raises NotAllowed, NotFound, BadRequest (also when a file of that name is there), StorageFull, FileEmpty, FileTypeNotAllowed, FileTooLarge.
    """
    actor = require_writer(actor)
    project_get(actor=actor, project_id=project_id)
    files = KnowledgeFile.objects.filter(project_id=project_id)
    path = knowledge_path("", name)
    if files.filter(path=path).exists():
        raise BadRequest(gettext("%(path)s is there already. Remove it first, or rename yours.") % {"path": path})
    usage = files.aggregate(size_bytes=Sum("size_bytes", default=0), number=Count("pk"))
    if usage["number"] >= MAX_FILES or usage["size_bytes"] + len(content) > MAX_BYTES:
        raise StorageFull(
            gettext("A project can have %(max_files)s files and %(max_bytes)s MB. Remove a file first.")
            % {"max_files": MAX_FILES, "max_bytes": MAX_BYTES // MEGABYTE}
        )
    _room_check(actor, len(content))
    file = knowledge_file_row(project_id=project_id, path=path, content=content)
    knowledge_file_save(file, content)
    return file_item(file)


def _room_check(actor: Actor, size_bytes: int) -> None:
    """Raises StorageFull when the files of all of the actor's projects together would exceed what a member may store."""
    own = KnowledgeFile.objects.filter(project_id__in=projects_of(actor).values("pk"))
    limit, _ = limits(storage_policy())
    usage = own.aggregate(size_bytes=Sum("size_bytes", default=0), files=Count("pk"))
    if Usage(**usage).plus(Usage(size_bytes, 1)).exceeds(limit):
        raise StorageFull(gettext("Your projects have as many files as a member may store. Remove files from one of them first."))


def project_file_retry(*, actor: Actor, project_id: UUID, file_id: UUID) -> ProjectFileItem:
    """Have a file read again that could not be read. Of one that is being read, or was read, return the present state.

    Raises NotAllowed, NotFound, and BadRequest when its bytes are gone.
    """
    actor = require_writer(actor)
    project_get(actor=actor, project_id=project_id)
    file = KnowledgeFile.objects.select_for_update().filter(project_id=project_id, pk=file_id).first()
    if file is None:
        raise NotFound
    if file.state == KnowledgeFile.State.FAILED:
        if not file.has_bytes:
            raise BadRequest(gettext("%(path)s can't be read again. Remove it, and add it anew.") % {"path": file.path})
        knowledge_file_retry(file)
    return file_item(file)


def project_file_remove(*, actor: Actor, project_id: UUID, file_id: UUID) -> None:
    """Raises NotAllowed, NotFound."""
    actor = require_writer(actor)
    project_get(actor=actor, project_id=project_id)
    files = KnowledgeFile.objects.filter(project_id=project_id, pk=file_id)
    if not files.exists():
        raise NotFound
    knowledge_bytes_remove(files)
    files.delete()
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="file.delete",
        object_kind="file",
        object_id=file_id,
    )


def file_item(row: KnowledgeFile) -> ProjectFileItem:
    return ProjectFileItem(
        id=row.pk,
        name=row.path,
        media_type=row.media_type,
        kind=cast(FileKind, row.kind),
        size_bytes=row.size_bytes,
        state=KnowledgeFile.State(row.state),
        reason=row.reason,
        can_retry=row.state == KnowledgeFile.State.FAILED and row.has_bytes,
    )
