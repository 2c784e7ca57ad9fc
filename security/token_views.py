"""A member's API tokens (docs/protocol.md): made, listed and revoked in the browser only; a token's text is shown once."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from pydantic import BaseModel, ConfigDict, ValidationError

from security.api_tokens import api_token_create, api_token_revoke, api_tokens_of
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.http import OrganizationRequest, organization_view
from tenants.models import ApiToken


class NewToken(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    name: str
    scopes: list[str]
    days: int | None = None


@never_cache
@require_http_methods(["GET", "POST"])
@organization_view(scope="session")
def tokens_view(request: OrganizationRequest) -> JsonResponse:
    with tenant_tx(request.actor.organization_id):
        if request.method == "GET":
            return JsonResponse({"tokens": [_item(row) for row in api_tokens_of(actor=request.actor)]})
        wanted = _wanted(request)
        row, text = api_token_create(actor=request.actor, name=wanted.name, scopes=wanted.scopes, days=wanted.days)
    return JsonResponse({**_item(row), "token": text}, status=201)


@require_http_methods(["DELETE"])
@organization_view(scope="session")
def token_view(request: OrganizationRequest, token_id: UUID) -> HttpResponse:
    with tenant_tx(request.actor.organization_id):
        api_token_revoke(actor=request.actor, token_id=token_id)
    return HttpResponse(status=204)


def _wanted(request: OrganizationRequest) -> NewToken:
    try:
        return NewToken.model_validate_json(request.body)
    except ValidationError as error:
        raise BadRequest('Send {"name", "scopes": [...], "days"?}.') from error


def _item(row: ApiToken) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "name": row.name,
        "lastFour": row.last_four,
        "scopes": row.scopes,
        "createdAt": row.created_at.isoformat(),
        "expiresAt": row.expires_at.isoformat() if row.expires_at else None,
        "lastUsedAt": row.last_used_at.isoformat() if row.last_used_at else None,
    }
