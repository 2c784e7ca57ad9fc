"""REST views of a member's API tokens (docs/protocol.md): created, listed and revoked in the browser only.

A token's text is shown once.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from rest_framework.response import Response

from security.api_tokens import (
    MAX_LIFETIME_DAYS,
    MAX_OVERLAP_HOURS,
    api_token_create,
    api_token_revoke,
    api_token_rotate,
    api_tokens_of,
    token_max_days,
)
from tenants.authentication.tokens import SCOPES, Scope
from tenants.context import tenant_tx
from tenants.models import ApiToken
from tenants.rest.schemas import ResponseSchema, WholeNumber, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "tokens"


class NewToken(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    name: str = Field(json_schema_extra={"minLength": 1, "maxLength": 60, "pattern": r"[^\s\x00]"})
    scopes: list[str] = Field(json_schema_extra={"minItems": 1, "items": {"enum": [*SCOPES]}})
    days: WholeNumber | None = Field(default=None, json_schema_extra={"minimum": 1, "maximum": MAX_LIFETIME_DAYS})
    networks: list[str] = Field(default_factory=list, description="CIDR texts from which it works; none: from everywhere")


class Rotation(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    overlap_hours: WholeNumber = Field(default=24, json_schema_extra={"minimum": 0, "maximum": MAX_OVERLAP_HOURS})


class Token(ResponseSchema):
    id: UUID
    name: str
    last_four: str
    scopes: list[Scope]
    networks: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class CreatedToken(Token):
    """`token` is its text, which is not shown again."""

    token: str


class TokenList(ResponseSchema):
    """`maxDays`: the longest life of a token by the organization's policy; null: any."""

    tokens: list[Token]
    max_days: int | None


class TokensView(RestView):
    scope = "session"

    @operation("listTokens", "Your API tokens that are not revoked, newest first", tag=TAG, answer=TokenList)
    def get(self, request: ActorRequest) -> TokenList:
        with tenant_tx(request.actor.organization_id):
            tokens = [_item(row) for row in api_tokens_of(actor=request.actor)]
            return TokenList(tokens=tokens, max_days=token_max_days(request.actor.organization_id))

    @operation("createToken", "Make an API token", tag=TAG, answer=CreatedToken, status=201, body=NewToken, idempotent=False, proof=True)
    def post(self, request: ActorRequest) -> Response:
        new_token = self.body(NewToken, 'Send {"name", "scopes": [...], "days"?}.')
        with tenant_tx(request.actor.organization_id):
            row, text = api_token_create(
                actor=request.actor, name=new_token.name, scopes=new_token.scopes, days=new_token.days, networks=new_token.networks
            )
        return _created_response(row, text)


class TokenView(RestView):
    scope = "session"

    @operation("revokeToken", "Revoke an API token", tag=TAG, status=204)
    def delete(self, request: ActorRequest, token_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            api_token_revoke(actor=request.actor, token_id=token_id)
        return Response(status=204)


class TokenRotationView(RestView):
    scope = "session"

    @operation(
        "rotateToken",
        "Replace an API token by a new one",
        tag=TAG,
        answer=CreatedToken,
        status=201,
        body=Rotation,
        idempotent=False,
        proof=True,
    )
    def post(self, request: ActorRequest, token_id: UUID) -> Response:
        rotation = self.body(Rotation, 'Send {"overlapHours"?}.')
        with tenant_tx(request.actor.organization_id):
            row, text = api_token_rotate(actor=request.actor, token_id=token_id, overlap_hours=rotation.overlap_hours)
        return _created_response(row, text)


def _created_response(row: ApiToken, text: str) -> Response:
    return Response(CreatedToken(**dict(_item(row)), token=text), status=201, headers={"Cache-Control": "private, no-store"})


def _item(row: ApiToken) -> Token:
    return Token(
        id=row.pk,
        name=row.name,
        last_four=row.last_four,
        scopes=row.scopes,
        networks=row.networks,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
    )
