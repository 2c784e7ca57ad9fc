"""REST views of projects and their files (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from asgiref.sync import async_to_sync
from django.utils.translation import gettext
from rest_framework.response import Response

from artifacts.schemas import ArtifactPage, artifact_list_item
from chat.conversations.lists import conversation_items
from chat.conversations.selectors import conversations_of
from chat.projects.attachments import project_file_attach
from chat.projects.knowledge import project_file_add, project_file_remove, project_file_retry, project_files_list
from chat.projects.selectors import project_artifacts_list, project_read, projects_list
from chat.projects.services import project_change, project_create, project_delete
from chat.projects.shapes import (
    NewProject,
    ProjectChange,
    ProjectDeletion,
    ProjectFileItem,
    ProjectFileList,
    ProjectItem,
    ProjectList,
)
from chat.runs.announcements import announce_changed, announce_deletion
from files.api.schemas import FileItem, file_item
from files.api.uploads import raise_if_rejected
from files.api.views import UPLOAD_FIELD, UPLOAD_SCHEMA
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.redis.notifications import notify_member
from tenants.rest.pagination import PageQuery
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "projects"
MAX_ANNOUNCED = 200  # conversations that left a deleted project; tabs read their list again in any case


class ProjectsView(RestView):
    """Lists and creates projects."""

    @operation("listProjects", "Your projects, by name", tag=TAG, answer=ProjectList, etag=True)
    def get(self, request: ActorRequest) -> ProjectList:
        with tenant_tx(request.actor.organization_id):
            return ProjectList(items=projects_list(request.actor))

    @operation("createProject", "Make a project", tag=TAG, answer=ProjectItem, status=201, body=NewProject)
    def post(self, request: ActorRequest) -> Response:
        new = self.body(NewProject)
        with tenant_tx(request.actor.organization_id):
            item = project_create(actor=request.actor, new=new)
        _announce(request.actor)
        return Response(item.model_dump(mode="json", by_alias=True), status=201)


class ProjectView(RestView):
    """Returns, changes and deletes a project."""

    @operation("getProject", "A project", tag=TAG, answer=ProjectItem, etag=True)
    def get(self, request: ActorRequest, project_id: UUID) -> ProjectItem:
        with tenant_tx(request.actor.organization_id):
            return project_read(actor=request.actor, project_id=project_id)

    @operation("changeProject", "Change a project", tag=TAG, answer=ProjectItem, body=ProjectChange)
    def patch(self, request: ActorRequest, project_id: UUID) -> ProjectItem:
        change = self.body(ProjectChange)
        with tenant_tx(request.actor.organization_id):
            item = project_change(actor=request.actor, project_id=project_id, change=change)
        _announce(request.actor)
        return item

    @operation(
        "deleteProject", "Delete a project with its files, and its conversations if asked to", tag=TAG, status=204, query=ProjectDeletion
    )
    def delete(self, request: ActorRequest, project_id: UUID) -> Response:
        actor, goes = request.actor, self.query(ProjectDeletion).conversations == "delete"
        with tenant_tx(actor.organization_id):
            inside = conversations_of(actor).filter(project_id=project_id, listed=True)
            left = [] if goes else list(inside.order_by("-updated_at").values_list("pk", flat=True)[:MAX_ANNOUNCED])
            deleted = project_delete(actor=actor, project_id=project_id, with_conversations=goes)
            items = conversation_items(actor, left)
        announce_deletion(actor.membership_id, deleted)
        async_to_sync(announce_changed)(membership_id=actor.membership_id, items=items)
        _announce(actor)
        return Response(status=204)


class ProjectArtifactsView(RestView):
    """Lists what was made in the conversations of a project."""

    @operation(
        "listProjectArtifacts",
        "The artifacts of a project's conversations, the last changed first",
        tag=TAG,
        answer=ArtifactPage,
        query=PageQuery,
        etag=True,
    )
    def get(self, request: ActorRequest, project_id: UUID) -> ArtifactPage:
        query = self.query(PageQuery)
        with tenant_tx(request.actor.organization_id):
            page = project_artifacts_list(actor=request.actor, project_id=project_id, cursor=query.cursor, limit=query.limit)
        return ArtifactPage(items=[artifact_list_item(row) for row in page.items], next_cursor=page.next_cursor)


class ProjectFilesView(RestView):
    """Lists and adds the files of a project."""

    write = True
    takes_files = True

    @operation("listProjectFiles", "The files that a project's conversations can read", tag=TAG, answer=ProjectFileList, etag=True)
    def get(self, request: ActorRequest, project_id: UUID) -> ProjectFileList:
        with tenant_tx(request.actor.organization_id):
            return project_files_list(actor=request.actor, project_id=project_id)

    @operation(
        "addProjectFile",
        "Add a file to a project",
        tag=TAG,
        answer=ProjectFileItem,
        status=201,
        body=UPLOAD_SCHEMA,
        errors=(409, 415, 507),
        idempotent=False,  # a repeated one is refused by its name
    )
    def post(self, request: ActorRequest, project_id: UUID) -> ProjectFileItem:
        upload = self.http.FILES.get(UPLOAD_FIELD)
        raise_if_rejected(self.http)
        if upload is None:
            raise BadRequest(
                gettext("Send one file as multipart/form-data, in the field `%(upload_field)s`.") % {"upload_field": UPLOAD_FIELD}
            )
        content = upload.read()
        with tenant_tx(request.actor.organization_id):
            item = project_file_add(actor=request.actor, project_id=project_id, name=upload.name or "", content=content)
        _announce(request.actor)
        return item


class ProjectFileView(RestView):
    """Removes a file of a project."""

    @operation("removeProjectFile", "Remove a file of a project", tag=TAG, status=204)
    def delete(self, request: ActorRequest, project_id: UUID, file_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            project_file_remove(actor=request.actor, project_id=project_id, file_id=file_id)
        _announce(request.actor)
        return Response(status=204)


class ProjectFileReadingsView(RestView):
    """Tries once more to read a file of a project."""

    @operation("readProjectFileAgain", "Read a file again that could not be read", tag=TAG, answer=ProjectFileItem)
    def post(self, request: ActorRequest, project_id: UUID, file_id: UUID) -> ProjectFileItem:
        with tenant_tx(request.actor.organization_id):
            return project_file_retry(actor=request.actor, project_id=project_id, file_id=file_id)


class ProjectFileAttachmentsView(RestView):
    """Attaches a file of a project to a message."""

    @operation(
        "attachProjectFile",
        "Attach a project's file to a message, without another upload",
        tag=TAG,
        answer=FileItem,
        status=201,
        errors=(409, 507),
        idempotent=False,  # like an upload: repeating it does no harm
    )
    def post(self, request: ActorRequest, project_id: UUID, file_id: UUID) -> FileItem:
        file = project_file_attach(actor=request.actor, project_id=project_id, file_id=file_id)
        return file_item(file, slug=request.actor.organization_slug)


def _announce(actor: Actor) -> None:
    """Let the member's other tabs read the projects again."""
    async_to_sync(notify_member)(actor.membership_id, {"type": "projects"})
