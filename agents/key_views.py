"""A member's own provider keys (docs/protocol.md): entered, checked and removed, never read back."""

from __future__ import annotations

from typing import Annotated, Any

from django.contrib.sessions.models import Session
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods, require_POST
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from admin_config.own_keys import own_keys_allowed
from agents.own_keys import OwnKey, own_key_open, own_key_remove, own_key_save, own_keys
from agents.providers.base import Connection
from agents.providers.key_check import key_check
from security.egress import checked_client
from security.member_keys import KeySession, session_hash
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.errors import BadRequest, NotSignedIn
from tenants.http import OrganizationRequest, organization_view


class NewKey(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)

    provider: Annotated[str, StringConstraints(max_length=20)]
    key: str
    origin: str = ""
    session_only: bool = Field(default=False, alias="sessionOnly")


@require_http_methods(["GET", "PUT", "POST"])
@organization_view(write=True, scope="session")
def keys_view(request: OrganizationRequest) -> JsonResponse:
    with tenant_tx(request.actor.organization_id):
        if request.method != "GET":
            return JsonResponse(_item(_saved(request, _wanted(request))))
        keys = own_keys(actor=request.actor, session_id_hash=session_hash(request.session.session_key))
        return JsonResponse({"allowed": own_keys_allowed(), "keys": [_item(key) for key in keys]})


@require_http_methods(["DELETE"])
@organization_view(write=True, scope="session")
def key_view(request: OrganizationRequest, provider: str) -> HttpResponse:
    with tenant_tx(request.actor.organization_id):
        own_key_remove(actor=request.actor, provider=provider, session_id_hash=session_hash(request.session.session_key))
    return HttpResponse(status=204)


@require_POST
@organization_view(write=True, scope="session")
async def key_check_view(request: OrganizationRequest, provider: str) -> HttpResponseBase:
    """Ask the provider whether it takes the member's key."""
    checked = await in_db(
        own_key_open,
        actor=request.actor,
        provider=provider,
        session_id_hash=session_hash(request.session.session_key),
        organization_id=request.actor.organization_id,
    )
    endpoint = checked.place.endpoint
    connection = Connection(base_url=endpoint.base_url, api_version=endpoint.api_version, key=checked.value, http=checked_client())
    verdict = await key_check(provider, checked.place.label, connection)
    return JsonResponse({"result": verdict.result, "message": verdict.message})


def _wanted(request: OrganizationRequest) -> NewKey:
    try:
        return NewKey.model_validate_json(request.body)
    except ValidationError:
        # Without its cause, which quotes what was sent.
        raise BadRequest('Send {"provider", "key", "origin"?, "sessionOnly"?}.') from None


def _saved(request: OrganizationRequest, wanted: NewKey) -> OwnKey:
    return own_key_save(
        actor=request.actor,
        provider=wanted.provider,
        value=wanted.key,
        origin=wanted.origin,
        session=_session(request),
        session_only=wanted.session_only,
    )


def _session(request: OrganizationRequest) -> KeySession:
    """The session as its row has it: the end that Django would compute anew moves with the clock."""
    row = Session.objects.filter(pk=request.session.session_key).first()
    if row is None or not request.user.is_authenticated:
        raise NotSignedIn
    return KeySession(session_hash(row.pk), request.user.get_session_auth_hash(), row.expire_date)


def _item(own: OwnKey) -> dict[str, Any]:
    return {
        "provider": own.provider,
        "label": own.place.label,
        "origin": own.place.origin,
        "source": own.source,
        "key": None
        if own.key is None
        else {"lastFour": own.key.secret.last_four, "sessionOnly": own.key.is_session_only, "stale": own.is_stale},
    }
