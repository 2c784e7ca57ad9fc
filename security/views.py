"""A member's own secrets for tools (docs/protocol.md): written and deleted, never read back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods
from pydantic import BaseModel, ConfigDict, ValidationError

from security.models import RegisteredSecret
from security.registered import (
    registered_secret_delete,
    registered_secret_get_for_member,
    registered_secret_save,
    registered_secrets_of_member,
)
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.http import OrganizationRequest, organization_view


class NewSecret(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)

    name: str
    tool: str
    url: str
    value: str


@require_http_methods(["GET", "POST"])
@organization_view(write=True, scope="session")
def secrets_view(request: OrganizationRequest) -> JsonResponse:
    with tenant_tx(request.actor.organization_id):
        if request.method == "POST":
            return JsonResponse(_item(_created(request.actor, _wanted(request))), status=201)
        return JsonResponse({"secrets": [_item(row) for row in registered_secrets_of_member(actor=request.actor)]})


@require_http_methods(["DELETE"])
@organization_view(write=True, scope="session")
def secret_view(request: OrganizationRequest, secret_id: UUID) -> HttpResponse:
    with tenant_tx(request.actor.organization_id):
        row = registered_secret_get_for_member(secret_id=secret_id, actor=request.actor)
        registered_secret_delete(registered=row, actor_user_id=request.actor.user_id)
    return HttpResponse(status=204)


def _wanted(request: OrganizationRequest) -> NewSecret:
    try:
        return NewSecret.model_validate_json(request.body)
    except ValidationError:
        # Without its cause, which quotes what was sent.
        raise BadRequest('Send {"name", "tool", "url", "value"}, all texts.') from None


def _created(actor: Actor, wanted: NewSecret) -> RegisteredSecret:
    row = RegisteredSecret(name=wanted.name, tool=wanted.tool, membership_id=actor.membership_id)
    registered_secret_save(registered=row, value=wanted.value, url=wanted.url, actor_user_id=actor.user_id)
    return row


def _item(row: RegisteredSecret) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "name": row.name,
        "placeholder": f"{{{{secret:{row.placeholder}}}}}",
        "tool": row.tool,
        "origin": row.secret.bound_origin,
        "state": str(row.secret),
    }
