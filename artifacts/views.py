"""REST calls on artifacts (docs/protocol.md). Each view opens one transaction of the actor's organization."""

from __future__ import annotations

from uuid import UUID

from django.http import JsonResponse
from django.views.decorators.http import require_GET, require_POST
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from artifacts.models import Artifact
from artifacts.selectors import artifact_get_for_member, version_get, versions_of
from artifacts.services import artifact_revert
from artifacts.shapes import artifact_detail, version_detail
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.http import OrganizationRequest, organization_view


class RevertRequest(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    number: int = Field(ge=1)


@require_GET
@organization_view()
def artifact_view(request: OrganizationRequest, artifact_id: UUID) -> JsonResponse:
    with tenant_tx(request.actor.organization_id):
        return _artifact_response(artifact_get_for_member(artifact_id=artifact_id, actor=request.actor))


@require_GET
@organization_view()
def version_view(request: OrganizationRequest, artifact_id: UUID, number: int) -> JsonResponse:
    with tenant_tx(request.actor.organization_id):
        artifact = artifact_get_for_member(artifact_id=artifact_id, actor=request.actor)
        return JsonResponse(version_detail(version_get(artifact=artifact, number=number)))


@require_POST
@organization_view(write=True)
def revert_view(request: OrganizationRequest, artifact_id: UUID) -> JsonResponse:
    try:
        wanted = RevertRequest.model_validate_json(request.body)
    except ValidationError as error:
        raise BadRequest('Send the number of the version to go back to: {"number": 1}.') from error
    with tenant_tx(request.actor.organization_id):
        version = artifact_revert(artifact_id=artifact_id, actor=request.actor, number=wanted.number)
        return _artifact_response(version.artifact)


def _artifact_response(artifact: Artifact) -> JsonResponse:
    latest = version_get(artifact=artifact, number=artifact.latest_number)
    return JsonResponse(artifact_detail(artifact, versions_of([artifact])[artifact.pk], latest))
