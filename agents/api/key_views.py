"""REST views of a member's own provider keys (docs/protocol.md): saved, checked and removed, never read back."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from asgiref.sync import async_to_sync
from django.http import HttpRequest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from rest_framework.response import Response

from admin_config.defaults.github import GITHUB
from admin_config.services.own_keys import own_keys_allowed
from agents.providers import key_check
from agents.runtime.connections import keyless_connection
from agents.runtime.key_lookup import KeySource
from agents.runtime.member_keys import OwnKey, own_key_open, own_key_remove, own_key_save, own_keys
from agents.tools.github.connection import token_check
from security.secrets.member_keys import KeySession
from tenants.access import Actor
from tenants.authentication.sessions import session_hash
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.errors import NotSignedIn
from tenants.models import Session
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "keys"


class NewKey(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)

    provider: Annotated[str, StringConstraints(max_length=20)]
    key: str
    origin: str = ""
    session_only: bool = Field(default=False, alias="sessionOnly")


class OwnKeyState(ResponseSchema):
    """The member's own key. `stale`: it was entered for another address and is not used."""

    last_four: str
    session_only: bool
    stale: bool


class ProviderKey(ResponseSchema):
    """A provider that takes keys. `origin`: where a key is sent. `source`: whose key the next answer uses."""

    provider: str
    label: str
    origin: str
    source: KeySource | None
    key: OwnKeyState | None


class ProviderKeys(ResponseSchema):
    allowed: bool
    keys: list[ProviderKey]


class KeyVerdict(ResponseSchema):
    """`unreachable`: nothing is known about the key. `message`: a sentence for the user."""

    result: Literal["ok", "refused", "unreachable"]
    message: str


class KeysView(RestView):
    write = True
    scope = "session"

    @operation("listKeys", "The providers that take keys, and your own keys for them", tag=TAG, answer=ProviderKeys)
    def get(self, request: ActorRequest) -> ProviderKeys:
        with tenant_tx(request.actor.organization_id):
            keys = own_keys(actor=request.actor, session_id_hash=session_hash(self.http.session.session_key))
            return ProviderKeys(allowed=own_keys_allowed(), keys=[_item(key) for key in keys])

    @operation("saveKey", "Enter your own key for a provider", tag=TAG, answer=ProviderKey, body=NewKey, errors=(409,), proof=True)
    def put(self, request: ActorRequest) -> ProviderKey:
        # The hint describes the expected body without quoting what was sent, which contains a key.
        new_key = self.body(NewKey, 'Send {"provider", "key", "origin"?, "sessionOnly"?}.')
        with tenant_tx(request.actor.organization_id):
            return _item(_save(self.http, request.actor, new_key))


class KeyView(RestView):
    write = True
    scope = "session"

    @operation("removeKey", "Remove your key, the saved one and this session's", tag=TAG, status=204)
    def delete(self, request: ActorRequest, provider: str) -> Response:
        with tenant_tx(request.actor.organization_id):
            own_key_remove(actor=request.actor, provider=provider, session_id_hash=session_hash(self.http.session.session_key))
        return Response(status=204)


class KeyCheckView(RestView):
    """Asks the provider whether it accepts the member's key."""

    write = True
    scope = "session"

    @operation("checkKey", "Try your key with the provider", tag=TAG, answer=KeyVerdict, errors=(409,), idempotent=False)
    def post(self, request: ActorRequest, provider: str) -> KeyVerdict:
        verdict = async_to_sync(_check)(request.actor, provider, session_hash(self.http.session.session_key))
        return KeyVerdict(result=verdict.result, message=verdict.message)


async def _check(actor: Actor, provider: str, session_id_hash: str) -> key_check.KeyVerdict:
    own_key = await in_db(
        own_key_open, actor=actor, provider=provider, session_id_hash=session_id_hash, organization_id=actor.organization_id
    )
    endpoint = own_key.place.endpoint
    if provider == GITHUB:
        return await token_check(endpoint.base_url, own_key.value)
    return await key_check.key_check(provider, own_key.place.label, replace(keyless_connection(endpoint), key=own_key.value))


def _save(request: HttpRequest, actor: Actor, new_key: NewKey) -> OwnKey:
    return own_key_save(
        actor=actor,
        provider=new_key.provider,
        value=new_key.key,
        origin=new_key.origin,
        session=_session(request),
        session_only=new_key.session_only,
    )


def _session(request: HttpRequest) -> KeySession:
    """Return the session with the expiry date of its row: the date that Django would compute changes with the clock."""
    row = Session.objects.filter(pk=session_hash(request.session.session_key)).first()
    if row is None or not request.user.is_authenticated:
        raise NotSignedIn
    return KeySession(row.pk, request.user.get_session_auth_hash(), row.expire_date)


def _item(own: OwnKey) -> ProviderKey:
    key = own.key
    state = key and OwnKeyState(last_four=key.secret.last_four, session_only=key.is_session_only, stale=own.is_stale)
    return ProviderKey(provider=own.provider, label=own.place.label, origin=own.place.origin, source=own.source, key=state)
