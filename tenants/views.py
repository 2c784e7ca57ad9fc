"""REST view of a member's own membership (docs/protocol.md)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from tenants.members import preferences_of, preferences_save
from tenants.models import MAX_PREFERENCES_LENGTH
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class Me(ResponseSchema):
    preferences: str


class MeChange(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    preferences: Annotated[str, StringConstraints(max_length=MAX_PREFERENCES_LENGTH)]


class MeView(RestView):
    @operation("getMe", "What you wrote about the answers that you want", tag="me", answer=Me, etag=True)
    def get(self, request: ActorRequest) -> Me:
        return Me(preferences=preferences_of(actor=request.actor))

    @operation("changeMe", "Say which answers you want", tag="me", answer=Me, body=MeChange)
    def patch(self, request: ActorRequest) -> Me:
        wanted = self.body(MeChange, f'Send {{"preferences": "..."}} with at most {MAX_PREFERENCES_LENGTH:,} characters.')
        return Me(preferences=preferences_save(actor=request.actor, text=wanted.preferences))
