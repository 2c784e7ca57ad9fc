"""Writes of projects. All functions need the organization's transaction."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from chat.conversations.deletion import DeletedConversations, conversations_delete
from chat.conversations.filing import projects_remove
from chat.conversations.selectors import conversations_of
from chat.conversations.services import require_writer
from chat.models import Project
from chat.projects.selectors import project_get, project_read, projects_of
from chat.projects.shapes import NewProject, ProjectChange, ProjectItem
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest

MAX_PROJECTS: Final = 100  # of one member


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
    fields = change.model_dump(exclude_none=True)
    for name, value in fields.items():
        setattr(project, name, value)
    project.save(update_fields=[*fields, "updated_at"])
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
