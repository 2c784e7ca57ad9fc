"""Reads and writes of projects. All functions need the organization's transaction."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from chat.conversations.deletion import DeletedConversations, conversations_delete
from chat.conversations.filing import PROJECT_GONE, projects_remove
from chat.conversations.selectors import conversations_of
from chat.conversations.services import require_writer
from chat.models import Conversation, Project
from chat.projects.shapes import NewProject, ProjectChange, ProjectItem
from files.knowledge.models import KnowledgeFile
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest, NotFound

MAX_PROJECTS: Final = 100  # of one member


def projects_list(actor: Actor) -> list[ProjectItem]:
    """Return the actor's projects by name. One query."""
    return [project_item(row) for row in _counted(projects_of(actor)).order_by("name", "pk")]


def project_read(*, actor: Actor, project_id: UUID) -> ProjectItem:
    """Raises NotFound when it is missing or somebody else's."""
    row = _counted(projects_of(actor).filter(pk=project_id)).first()
    if row is None:
        raise NotFound(PROJECT_GONE)
    return project_item(row)


def project_get(*, actor: Actor, project_id: UUID) -> Project:
    """Return the actor's project, locked. Raises NotFound when it is missing or somebody else's."""
    project = projects_of(actor).filter(pk=project_id).select_for_update(no_key=True).first()
    if project is None:
        raise NotFound(PROJECT_GONE)
    return project


def project_create(*, actor: Actor, new: NewProject) -> ProjectItem:
    """Raises NotAllowed, and BadRequest when there are too many."""
    actor = require_writer(actor, lock=True)
    if projects_of(actor).count() >= MAX_PROJECTS:
        raise BadRequest(gettext("You have %(max_projects)s projects already. Delete one first.") % {"max_projects": MAX_PROJECTS})
    row = Project.objects.create(owner_id=actor.membership_id, **new.model_dump())
    return project_read(actor=actor, project_id=row.pk)


def project_change(*, actor: Actor, project_id: UUID, change: ProjectChange) -> ProjectItem:
    """Raises NotAllowed, NotFound."""
    project = project_get(actor=require_writer(actor), project_id=project_id)
    given = change.model_dump(exclude_none=True)
    for name, value in given.items():
        setattr(project, name, value)
    project.save(update_fields=[*given, "updated_at"])
    return project_read(actor=actor, project_id=project_id)


def project_delete(*, actor: Actor, project_id: UUID, with_conversations: bool) -> DeletedConversations:
    """Delete a project with its files. Its conversations stay outside of it, or are deleted (and may be restored there).

    The caller signals active runs to stop. Raises NotAllowed, NotFound.
    """
    actor = require_writer(actor)
    project = project_get(actor=actor, project_id=project_id)
    deleted = DeletedConversations([], [])
    if with_conversations:
        ids = conversations_of(actor).filter(project_id=project_id).values_list("pk", flat=True)
        deleted = conversations_delete(actor=actor, ids=list(ids))
    projects_remove([project_id])
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="project.delete",
        object_kind="project",
        object_id=project.pk,
        detail={"conversations": len(deleted.ids)},
    )
    return deleted


def projects_of(actor: Actor) -> QuerySet[Project]:
    return Project.objects.filter(owner_id=actor.membership_id)


def project_item(row: Any) -> ProjectItem:
    """`row` comes from `_counted`."""
    return ProjectItem(
        id=row.pk,
        name=row.name,
        description=row.description,
        color=row.color,
        instructions=row.instructions,
        conversation_count=row.conversation_count,
        file_count=row.file_count,
        created_at=row.created_at,
    )


def _counted(rows: QuerySet[Project]) -> QuerySet[Any]:
    conversations = Conversation.objects.filter(project_id=OuterRef("pk"), deleted_at=None, listed=True, archived_at=None)
    files = KnowledgeFile.objects.filter(project_id=OuterRef("pk"))
    return rows.annotate(conversation_count=_count(conversations, "project_id"), file_count=_count(files, "project_id"))


def _count(rows: QuerySet[Any], column: str) -> Coalesce:
    counts = rows.order_by().values(column).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)
