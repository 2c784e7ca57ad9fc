"""REST views of a member's API tokens (docs/protocol.md): created, listed and revoked in the browser only.

A token's text is shown once.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from rest_framework.response import Response

from security.api_tokens import MAX_LIFETIME_DAYS, api_token_create, api_token_revoke, api_tokens_of
from tenants.context import tenant_tx
from tenants.models import ApiToken
from tenants.rest.schemas import ResponseSchema, WholeNumber, operation
from tenants.rest.views import ActorRequest, RestView
from tenants.tokens import SCOPES, Scope

TAG = "tokens"


class NewToken(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    name: str = Field(json_schema_extra={"minLength": 1, "maxLength": 60, "pattern": r"[^\s\x00]"})
    scopes: list[str] = Field(json_schema_extra={"minItems": 1, "items": {"enum": [*SCOPES]}})
    days: WholeNumber | None = Field(default=None, json_schema_extra={"minimum": 1, "maximum": MAX_LIFETIME_DAYS})


class Token(ResponseSchema):
    id: UUID
    name: str
    last_four: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class MadeToken(Token):
    """`token` is its text, which is not shown again."""

    token: str


class TokenList(ResponseSchema):
    tokens: list[Token]


class TokensView(RestView):
    scope = "session"

    @operation("listTokens", "Your API tokens that are not revoked, newest first", tag=TAG, answer=TokenList)
    def get(self, request: ActorRequest) -> TokenList:
        with tenant_tx(request.actor.organization_id):
            return TokenList(tokens=[_item(row) for row in api_tokens_of(actor=request.actor)])

    @operation("createToken", "Make an API token", tag=TAG, answer=MadeToken, status=201, body=NewToken, idempotent=False)
    def post(self, request: ActorRequest) -> Response:
        wanted = self.body(NewToken, 'Send {"name", "scopes": [...], "days"?}.')
        with tenant_tx(request.actor.organization_id):
            row, text = api_token_create(actor=request.actor, name=wanted.name, scopes=wanted.scopes, days=wanted.days)
        return Response(MadeToken(**dict(_item(row)), token=text), status=201, headers={"Cache-Control": "private, no-store"})


class TokenView(RestView):
    scope = "session"

    @operation("revokeToken", "Revoke an API token", tag=TAG, status=204)
    def delete(self, request: ActorRequest, token_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            api_token_revoke(actor=request.actor, token_id=token_id)
        return Response(status=204)


def _item(row: ApiToken) -> Token:
    return Token(
        id=row.pk,
        name=row.name,
        last_four=row.last_four,
        scopes=row.scopes,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
    )
