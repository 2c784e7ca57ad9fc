"""What a member may see and change of the own membership (docs/protocol.md)."""

from __future__ import annotations

from typing import Annotated

from django.http import JsonResponse
from django.views.decorators.http import require_http_methods
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from tenants.errors import BadRequest
from tenants.http import OrganizationRequest, organization_view
from tenants.models import PREFERENCES_MAX, Membership
from tenants.services import preferences_save


class MeChange(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    preferences: Annotated[str, StringConstraints(max_length=PREFERENCES_MAX)]


@require_http_methods(["GET", "PATCH"])
@organization_view()
def me(request: OrganizationRequest) -> JsonResponse:
    if request.method == "PATCH":
        return JsonResponse({"preferences": preferences_save(actor=request.actor, text=_change(request).preferences)})
    own = Membership.objects.get(id=request.actor.membership_id, organization_id=request.actor.organization_id)
    return JsonResponse({"preferences": own.preferences})


def _change(request: OrganizationRequest) -> MeChange:
    try:
        return MeChange.model_validate_json(request.body)
    except ValidationError as error:
        raise BadRequest(f'Send {{"preferences": "..."}} with at most {PREFERENCES_MAX:,} characters.') from error
