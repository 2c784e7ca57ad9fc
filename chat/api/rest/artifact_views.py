"""REST views that create an artifact in a conversation, and that export a conversation as a file (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal
from uuid import UUID

import orjson
from asgiref.sync import async_to_sync
from django.http import HttpResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from artifacts.exports import Download, file_name, markdown_download
from artifacts.images import file_url, image_attach
from artifacts.kinds import IMAGE, KINDS, MARKDOWN, PDF
from artifacts.models import MAX_TITLE_LENGTH, Version
from artifacts.schemas import ArtifactDetail, artifact_detail, artifact_notice
from artifacts.services import NewVersion, artifact_create, title_clean
from chat.api.rest.schemas import KEY_PARAMETER
from chat.conversations.export import branch_export, conversation_json
from chat.conversations.selectors import conversation_get_for_user
from security.audit import audit
from tenants.context import tenant_tx
from tenants.redis.notifications import notify_member
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "artifacts"
JSON_MEDIA_TYPE = "application/json"


def _of_kinds(names: Collection[str]) -> dict[str, Any]:
    """Return the JSON schema of an artifact of these kinds, which have no file."""
    return {"properties": {"kind": {"enum": sorted(names)}, "fileId": {"type": "null"}}}


_IMAGE: dict[str, Any] = {
    "required": ["fileId"],
    "properties": {"kind": {"const": IMAGE.name}, "fileId": {"type": "string"}, "content": {"maxLength": 0}},
}


class NewArtifact(BaseModel):
    """A new artifact. An image has the `fileId` of an attached picture; every other kind has `content`."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"oneOf": [_of_kinds(KINDS.keys() - {IMAGE.name}), _IMAGE]})

    title: Annotated[str, StringConstraints(min_length=1, max_length=MAX_TITLE_LENGTH, pattern=r"\S")]
    kind: str = Field(json_schema_extra={"enum": [*KINDS]})
    content: str = ""
    file_id: UUID | None = Field(default=None, alias="fileId")

    @model_validator(mode="after")
    def _check_content(self) -> NewArtifact:
        if self.kind not in KINDS:
            raise ValueError(f"kind: one of {', '.join(KINDS)}")
        if (self.kind == IMAGE.name) != (self.file_id is not None) or (self.file_id and self.content):
            raise ValueError("an image has a fileId and no content; the other kinds have a content")
        return self


class ConversationExportQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["md", "pdf", "json"] = Field(description="json has all of it, the other branches and versions, too.")


class ConversationArtifactsView(RestView):
    """Creates an artifact in a conversation."""

    write = True

    @operation(
        "createArtifact",
        "Make an artifact in a conversation",
        tag=TAG,
        answer=ArtifactDetail,
        status=201,
        body=NewArtifact,
        path=KEY_PARAMETER,
        errors=(409, 413),
    )
    def post(self, request: ActorRequest, key: str) -> ArtifactDetail:
        wanted = self.body(NewArtifact)
        actor = request.actor
        with tenant_tx(actor.organization_id):
            conversation = conversation_get_for_user(actor=actor, key=key)
            metadata = {}
            if wanted.file_id is not None:
                metadata = image_attach(actor=actor, file_id=wanted.file_id, conversation_id=conversation.pk)
            version = artifact_create(
                conversation_id=conversation.pk,
                owner_id=actor.membership_id,
                title=title_clean(wanted.title),
                kind=wanted.kind,
                version=NewVersion(
                    content=wanted.content,
                    operation=Version.Operation.CREATE,
                    author_kind=Version.AuthorKind.USER,
                    author_id=actor.membership_id,
                    metadata=metadata,
                ),
            )
            url = file_url(version, actor=actor) if metadata else None
            detail = artifact_detail(version.artifact, versions=[version], latest=version, file_url=url)
        async_to_sync(notify_member)(actor.membership_id, artifact_notice(version))
        return detail


class ConversationExportView(RestView):
    """Exports a conversation as a file."""

    @operation(
        "exportConversation",
        "A conversation with its artifacts as a file",
        tag="conversations",
        query=ConversationExportQuery,
        path=KEY_PARAMETER,
        files=(MARKDOWN.mime, PDF.mime, JSON_MEDIA_TYPE),
        errors=(400, 413),
    )
    def get(self, request: ActorRequest, key: str) -> HttpResponse:
        form = self.query(ConversationExportQuery).format
        with tenant_tx(request.actor.organization_id):
            conversation = conversation_get_for_user(actor=request.actor, key=key)
            title = conversation.title or "Conversation"
            full_export = conversation_json(conversation) if form == "json" else None
            visible_branch = branch_export(conversation) if full_export is None else None
            audit(
                organization_id=request.actor.organization_id,
                actor_user_id=request.actor.user_id,
                action="conversation.export",
                object_kind="conversation",
                object_id=conversation.pk,
                detail={"format": form},
            )
        if visible_branch is None:
            return Download(file_name(title, form), JSON_MEDIA_TYPE, orjson.dumps(full_export, option=orjson.OPT_INDENT_2)).response()
        return markdown_download(title, visible_branch.markdown(), form).response()
