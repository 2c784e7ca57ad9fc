"""REST view that creates an artifact in a conversation (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any
from uuid import UUID

from asgiref.sync import async_to_sync
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from artifacts.images import file_url, image_attach
from artifacts.kinds import IMAGE, KINDS
from artifacts.models import MAX_TITLE_CHARS, Version
from artifacts.schemas import ArtifactDetail, artifact_detail, artifact_notice
from artifacts.services import NewVersion, artifact_create, title_clean
from chat.api.rest.schemas import KEY_PARAMETER
from chat.conversations.selectors import conversation_get_for_user
from tenants.context import tenant_tx
from tenants.redis.notifications import notify_member
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "artifacts"


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

    title: Annotated[str, StringConstraints(min_length=1, max_length=MAX_TITLE_CHARS, pattern=r"\S")]
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
        body = self.body(NewArtifact)
        actor = request.actor
        with tenant_tx(actor.organization_id):
            conversation = conversation_get_for_user(actor=actor, key=key)
            metadata = {}
            if body.file_id is not None:
                metadata = image_attach(actor=actor, file_id=body.file_id, conversation_id=conversation.pk)
            version = artifact_create(
                conversation_id=conversation.pk,
                owner_id=actor.membership_id,
                title=title_clean(body.title),
                kind=body.kind,
                version=NewVersion(
                    content=body.content,
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
