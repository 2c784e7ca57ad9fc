"""REST calls on artifacts (docs/protocol.md). Each view opens one transaction of the actor's organization."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from asgiref.sync import async_to_sync
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from rest_framework.response import Response

from artifacts.answers import ArtifactDetail, ArtifactPage, VersionDetail, VersionPage
from artifacts.kinds import KINDS
from artifacts.models import Artifact
from artifacts.selectors import artifact_get_for_member, artifact_list, version_get, version_list, versions_of
from artifacts.services import artifact_revert
from artifacts.shapes import artifact_detail, artifact_list_item, artifact_notice, version_detail, version_item
from tenants.context import tenant_tx
from tenants.pages import PageQuery
from tenants.rest import ActorRequest, RestView
from tenants.rest_schema import operation
from tenants.screens import screens_tell

TAG = "artifacts"


def _known_kind(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"one of {', '.join(KINDS)}")
    return name


class ArtifactQuery(PageQuery):
    conversation: UUID | None = Field(default=None, description="Only those of this conversation.")
    kind: Annotated[str, AfterValidator(_known_kind)] | None = Field(
        default=None, json_schema_extra={"enum": [*KINDS]}, description="Only those of this kind."
    )


class RevertRequest(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    number: int = Field(ge=1)


class ArtifactsView(RestView):
    @operation("listArtifacts", "Your artifacts, newest first", tag=TAG, answer=ArtifactPage, query=ArtifactQuery, etag=True)
    def get(self, request: ActorRequest) -> Response:
        query = self.query(ArtifactQuery)
        with tenant_tx(request.actor.organization_id):
            page = artifact_list(
                actor=request.actor, conversation_id=query.conversation, kind=query.kind, cursor=query.cursor, limit=query.limit
            )
        return Response({"items": [artifact_list_item(row) for row in page.items], "nextCursor": page.next_cursor})


class ArtifactView(RestView):
    @operation("getArtifact", "An artifact with its latest content", tag=TAG, answer=ArtifactDetail, etag=True)
    def get(self, request: ActorRequest, artifact_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            artifact = artifact_get_for_member(artifact_id=artifact_id, actor=request.actor)
            self.etag_check(artifact.pk, artifact.updated_at, artifact.latest_number)
            return _artifact_response(artifact)


class VersionsView(RestView):
    @operation("listVersions", "An artifact's versions, newest first", tag=TAG, answer=VersionPage, query=PageQuery, etag=True)
    def get(self, request: ActorRequest, artifact_id: UUID) -> Response:
        query = self.query(PageQuery)
        with tenant_tx(request.actor.organization_id):
            artifact = artifact_get_for_member(artifact_id=artifact_id, actor=request.actor)
            page = version_list(artifact=artifact, cursor=query.cursor, limit=query.limit)
        return Response({"items": [version_item(row) for row in page.items], "nextCursor": page.next_cursor})


class VersionView(RestView):
    @operation("getVersion", "One version with its content; it never changes", tag=TAG, answer=VersionDetail, etag=True)
    def get(self, request: ActorRequest, artifact_id: UUID, number: int) -> Response:
        with tenant_tx(request.actor.organization_id):
            version = version_get(artifact=artifact_get_for_member(artifact_id=artifact_id, actor=request.actor), number=number)
        return Response(version_detail(version))


class RevertView(RestView):
    write = True

    @operation("revertArtifact", "Go back to an earlier version, as a new one", tag=TAG, answer=ArtifactDetail, body=RevertRequest)
    def post(self, request: ActorRequest, artifact_id: UUID) -> Response:
        wanted = self.body(RevertRequest, 'Send the number of the version to go back to: {"number": 1}.')
        with tenant_tx(request.actor.organization_id):
            version = artifact_revert(artifact_id=artifact_id, actor=request.actor, number=wanted.number)
            response = _artifact_response(version.artifact)
        async_to_sync(screens_tell)(request.actor.membership_id, artifact_notice(version))
        return response


def _artifact_response(artifact: Artifact) -> Response:
    latest = version_get(artifact=artifact, number=artifact.latest_number)
    return Response(artifact_detail(artifact, versions_of([artifact])[artifact.pk], latest))
