"""REST views of artifacts (docs/protocol.md). Each opens one transaction of the actor's organization."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from asgiref.sync import async_to_sync
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from rest_framework.response import Response

from artifacts.access import artifact_audience, artifact_get_for_editor
from artifacts.edits import Edit, Selection, artifact_revert, version_save
from artifacts.errors import EditConflict
from artifacts.images import file_url
from artifacts.kinds import IMAGE, KINDS
from artifacts.merge_context import conflict_sides, open_conflict
from artifacts.models import FILE_ID_KEY, Artifact, Version
from artifacts.schemas import (
    ArtifactDetail,
    ArtifactListItem,
    ArtifactPage,
    ConflictError,
    DecisionResult,
    DiffAnswer,
    SavedVersion,
    VersionDetail,
    VersionPage,
    artifact_detail,
    artifact_list_item,
    artifact_notice,
    both_sides,
    diff_hunks,
    suggestion_item,
    version_detail,
    version_item,
)
from artifacts.selectors import (
    artifact_list,
    undecided_suggestions,
    version_get,
    version_list,
    versions_of,
)
from artifacts.services import artifact_rename
from artifacts.suggestions import suggestions_decide
from artifacts.text.diffs import diff
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.redis.notifications import notify_members
from tenants.rest.http import error_detail
from tenants.rest.pagination import LimitQuery, PageQuery, cursor_field
from tenants.rest.schemas import WHOLE, WholeNumber, operation, requires_field
from tenants.rest.views import ActorRequest, RestView

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


class VersionQuery(LimitQuery):
    cursor: str = cursor_field("[0-9]{1,9}")


class RequestSchema(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class RevertRequest(RequestSchema):
    number: WholeNumber = Field(ge=1)


class ArtifactChange(RequestSchema):
    title: str = Field(min_length=1, max_length=1000)


class NewVersionRequest(RequestSchema):
    """`base`: the number of the version that was changed. `start`, `end`: for a patch, the selection in it (UTF-16 code units). An image
    has no content, but the `fileId` of an attached picture.
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["content"]}, requires_field("fileId")]})

    content: str = ""
    base: WholeNumber = Field(ge=1)
    autosave: bool = False
    operation: Literal["edit", "patch", "merge"] = "edit"
    start: Annotated[int, Field(ge=0), WHOLE] | None = None
    end: Annotated[int, Field(ge=0), WHOLE] | None = None
    file_id: UUID | None = Field(default=None, alias="fileId")

    @model_validator(mode="after")
    def _check_content(self) -> NewVersionRequest:
        if ("content" in self.model_fields_set) == (self.file_id is not None):
            raise ValueError("send the content, or for an image the fileId")
        return self

    def edit(self) -> Edit:
        selection = None if self.start is None or self.end is None else Selection(self.start, self.end)
        return Edit(
            content=self.content,
            base=self.base,
            operation=Version.Operation(self.operation),
            selection=selection,
            is_autosave=self.autosave,
            file_id=self.file_id,
        )


class DecisionRequest(BaseModel):
    """`ids`: the suggestions' ids, or "all" for all undecided ones."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[UUID], Field(min_length=1, max_length=500)] | Literal["all"]
    decision: Literal["accept", "reject"]


class DiffQuery(BaseModel):
    model_config = ConfigDict(extra="forbid")

    old: int = Field(alias="from", ge=1, description="Number of the version to start from.")
    new: int = Field(alias="to", ge=1, description="Number of the version to come to.")


class ArtifactsView(RestView):
    @operation("listArtifacts", "Your artifacts, newest first", tag=TAG, answer=ArtifactPage, query=ArtifactQuery, etag=True)
    def get(self, request: ActorRequest) -> ArtifactPage:
        query = self.query(ArtifactQuery)
        with tenant_tx(request.actor.organization_id):
            page = artifact_list(
                actor=request.actor, conversation_id=query.conversation, kind=query.kind, cursor=query.cursor, limit=query.limit
            )
        return ArtifactPage(items=[artifact_list_item(row) for row in page.items], next_cursor=page.next_cursor)


class ArtifactView(RestView):
    @operation("getArtifact", "An artifact with its latest content", tag=TAG, answer=ArtifactDetail, etag=True)
    def get(self, request: ActorRequest, artifact_id: UUID) -> ArtifactDetail:
        with tenant_tx(request.actor.organization_id):
            artifact = artifact_get_for_editor(artifact_id=artifact_id, actor=request.actor)
            if artifact.kind != IMAGE.name:  # an image's URL is new each time
                self.etag_check(artifact.pk, artifact.updated_at, artifact.latest_number)
            return _artifact_detail(artifact, request.actor)

    @operation("renameArtifact", "Give an artifact another title", tag=TAG, answer=ArtifactListItem, body=ArtifactChange)
    def patch(self, request: ActorRequest, artifact_id: UUID) -> ArtifactListItem:
        change = self.body(ArtifactChange)
        with tenant_tx(request.actor.organization_id):
            artifact = artifact_rename(artifact_id=artifact_id, actor=request.actor, title=change.title)
            latest = version_get(artifact=artifact, number=artifact.latest_number)
        _notify(request.actor, latest)
        return artifact_list_item(artifact)


class VersionsView(RestView):
    @operation("listVersions", "An artifact's versions, newest first", tag=TAG, answer=VersionPage, query=VersionQuery, etag=True)
    def get(self, request: ActorRequest, artifact_id: UUID) -> VersionPage:
        query = self.query(VersionQuery)
        with tenant_tx(request.actor.organization_id):
            artifact = artifact_get_for_editor(artifact_id=artifact_id, actor=request.actor)
            page = version_list(artifact=artifact, cursor=query.cursor, limit=query.limit)
        return VersionPage(items=[version_item(row) for row in page.items], next_cursor=page.next_cursor)

    @operation(
        "saveVersion",
        "Save an edit as the next version",
        tag=TAG,
        answer=SavedVersion,
        status=201,
        also=(200,),
        body=NewVersionRequest,
        errors=(409, 413),
        shapes={409: ConflictError},
    )
    def post(self, request: ActorRequest, artifact_id: UUID) -> Response:
        """Changes that others wrote since `base` are merged in: then `merged` is true, and `content` is the current text. When both changed
        the same lines, nothing is stored, and the 409 has both sides. 200: nothing had changed, so no version was created.
        """
        body = self.body(NewVersionRequest)
        try:
            with tenant_tx(request.actor.organization_id):
                result = version_save(artifact_id=artifact_id, actor=request.actor, edit=body.edit())
                item = version_item(result.version)
        except EditConflict as conflict:
            return Response(ConflictError(error=error_detail(conflict), **dict(both_sides(conflict.sides))), status=conflict.status)
        if result.is_new:
            _notify(request.actor, result.version)
        answer = SavedVersion(version=item, content=result.version.content, merged=result.is_merged)
        return Response(answer, status=201 if result.is_new else 200)


class VersionView(RestView):
    @operation("getVersion", "One version with its content; it never changes", tag=TAG, answer=VersionDetail, etag=True)
    def get(self, request: ActorRequest, artifact_id: UUID, number: int) -> VersionDetail:
        with tenant_tx(request.actor.organization_id):
            version = version_get(artifact=artifact_get_for_editor(artifact_id=artifact_id, actor=request.actor), number=number)
            url = _file_url(version, request.actor)
        return version_detail(version, file_url=url)


class RevertView(RestView):
    write = True

    @operation("revertArtifact", "Go back to an earlier version, as a new one", tag=TAG, answer=ArtifactDetail, body=RevertRequest)
    def post(self, request: ActorRequest, artifact_id: UUID) -> ArtifactDetail:
        body = self.body(RevertRequest, 'Send the number of the version to go back to: {"number": 1}.')
        with tenant_tx(request.actor.organization_id):
            version = artifact_revert(artifact_id=artifact_id, actor=request.actor, number=body.number)
            detail = _artifact_detail(version.artifact, request.actor)
        _notify(request.actor, version)
        return detail


class DiffView(RestView):
    @operation("diffVersions", "What changed between two versions", tag=TAG, answer=DiffAnswer, query=DiffQuery, etag=True)
    def get(self, request: ActorRequest, artifact_id: UUID) -> DiffAnswer:
        query = self.query(DiffQuery)
        with tenant_tx(request.actor.organization_id):
            artifact = artifact_get_for_editor(artifact_id=artifact_id, actor=request.actor)
            self.etag_check(artifact.pk, query.old, query.new)  # versions never change
            old, new = (version_get(artifact=artifact, number=number) for number in (query.old, query.new))
        difference = diff(old.content, new.content)
        return DiffAnswer(hunks=diff_hunks(difference), added=difference.added, removed=difference.removed)


class DecisionView(RestView):
    write = True

    @operation("decideSuggestions", "Accept or reject suggestions", tag=TAG, answer=DecisionResult, body=DecisionRequest, errors=(413,))
    def post(self, request: ActorRequest, artifact_id: UUID) -> DecisionResult:
        """All suggestions that are accepted together make one version. One whose place in the text is gone becomes `stale`."""
        body = self.body(DecisionRequest)
        with tenant_tx(request.actor.organization_id):
            result = suggestions_decide(artifact_id=artifact_id, actor=request.actor, ids=body.ids, decision=body.decision)
            answer = DecisionResult(
                version=version_item(result.version),
                content=result.version.content,
                suggestions=[suggestion_item(suggestion) for suggestion in result.suggestions],
            )
        _notify(request.actor, result.version)
        return answer


def _artifact_detail(artifact: Artifact, actor: Actor) -> ArtifactDetail:
    latest = version_get(artifact=artifact, number=artifact.latest_number)
    versions = versions_of([artifact])[artifact.pk]
    conflict = open_conflict(versions)
    return artifact_detail(
        artifact,
        versions=versions,
        latest=latest,
        suggestions=undecided_suggestions(artifact),
        conflict=conflict_sides(conflict) if conflict else None,
        is_own=artifact.owner_id == actor.membership_id,
        file_url=_file_url(latest, actor),
    )


def _file_url(version: Version, actor: Actor) -> str | None:
    return file_url(version, actor=actor) if FILE_ID_KEY in version.metadata else None


def _notify(actor: Actor, version: Version) -> None:
    """Tell the open pages of all who edit the artifact."""
    with tenant_tx(actor.organization_id):
        audience = artifact_audience(version.artifact)
    async_to_sync(notify_members)(audience, artifact_notice(version))
