"""REST views of a member's own secrets for tools (docs/protocol.md), which can be written and deleted but never read."""

from __future__ import annotations

from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from rest_framework.response import Response

from security.models import RegisteredSecret
from security.secrets.registered_secrets import (
    registered_secret_delete,
    registered_secret_get_for_member,
    registered_secret_save,
    registered_secrets_of_member,
)
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "secrets"


NAME = "^[a-z][a-z0-9_]{0,39}$"


class NewSecret(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(json_schema_extra={"pattern": NAME})
    tool: str = Field(json_schema_extra={"pattern": NAME})
    url: str
    value: str = Field(json_schema_extra={"minLength": 8})


class Secret(ResponseSchema):
    """`placeholder` stands for it in conversations; only `tool` sends its value, to `origin` alone."""

    id: UUID
    name: str
    placeholder: str
    tool: str
    origin: str
    state: str


class SecretList(ResponseSchema):
    secrets: list[Secret]


class SecretsView(RestView):
    write = True
    scope = "session"

    @operation("listSecrets", "Your secrets by name, without their values", tag=TAG, answer=SecretList)
    def get(self, request: ActorRequest) -> SecretList:
        with tenant_tx(request.actor.organization_id):
            return SecretList(secrets=[_item(row) for row in registered_secrets_of_member(actor=request.actor)])

    @operation("createSecret", "Register a secret for a tool", tag=TAG, answer=Secret, status=201, body=NewSecret, proof=True)
    def post(self, request: ActorRequest) -> Secret:
        new_secret = self.body(NewSecret, 'Send {"name", "tool", "url", "value"}, all texts.')
        with tenant_tx(request.actor.organization_id):
            return _item(_register_secret(request.actor, new_secret))


class SecretView(RestView):
    write = True
    scope = "session"

    @operation("deleteSecret", "Delete a secret", tag=TAG, status=204)
    def delete(self, request: ActorRequest, secret_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            row = registered_secret_get_for_member(secret_id=secret_id, actor=request.actor)
            registered_secret_delete(registered=row, actor_user_id=request.actor.user_id)
        return Response(status=204)


def _register_secret(actor: Actor, new_secret: NewSecret) -> RegisteredSecret:
    row = RegisteredSecret(name=new_secret.name, tool=new_secret.tool, membership_id=actor.membership_id)
    registered_secret_save(registered=row, value=new_secret.value, url=new_secret.url, actor_user_id=actor.user_id)
    return row


def _item(row: RegisteredSecret) -> Secret:
    return Secret(
        id=row.pk,
        name=row.name,
        placeholder=f"{{{{secret:{row.placeholder}}}}}",
        tool=row.tool,
        origin=row.secret.bound_origin,
        state=str(row.secret),
    )
