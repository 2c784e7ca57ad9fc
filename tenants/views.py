"""REST view of a member's own choices (docs/protocol.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, cast

from asgiref.sync import async_to_sync
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from tenants.members import ChangedChoices, MemberChoices, choices_of, choices_save
from tenants.models import MAX_PREFERENCES_CHARS
from tenants.redis.notifications import notify_member
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class Me(ResponseSchema):
    """`default_assistant`: the key of the assistant with which new chats begin; empty: the chat agent. `comment_mails`: about shared links.

    `shows_cost`: whether the page shows tokens and cost below answers. `code_ligatures`: whether it draws `!=` in code as one sign.
    """

    preferences: str
    default_assistant: str
    comment_mails: bool
    shows_cost: bool
    code_ligatures: bool

    @classmethod
    def of(cls, choices: MemberChoices) -> Me:
        return cls(**asdict(choices))


class MeChange(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel, json_schema_extra={"minProperties": 1})

    preferences: Annotated[str, StringConstraints(max_length=MAX_PREFERENCES_CHARS)] | None = None
    default_assistant: Annotated[str, StringConstraints(max_length=80, pattern=r"^[a-z0-9_]*$")] | None = Field(
        default=None, description="The key of an assistant; empty: the chat agent. Once it is withdrawn, the chat agent answers."
    )
    comment_mails: bool | None = Field(default=None, description="Whether you get mails about comments on what you share and comment on.")
    shows_cost: bool | None = Field(default=None, description="Whether the page shows tokens and cost below answers.")
    code_ligatures: bool | None = Field(default=None, description="Whether the page draws signs such as != in code as one.")

    @model_validator(mode="after")
    def _changes_something(self) -> MeChange:
        if not self.model_fields_set:
            raise ValueError("nothing to change")
        return self


class MeView(RestView):
    @operation("getMe", "What you chose for your chats: which answers you want, and who gives them", tag="me", answer=Me, etag=True)
    def get(self, request: ActorRequest) -> Me:
        return Me.of(choices_of(actor=request.actor))

    @operation("changeMe", "Say which answers you want, and who gives them", tag="me", answer=Me, body=MeChange)
    def patch(self, request: ActorRequest) -> Me:
        change = self.body(
            MeChange, f'Send {{"preferences": "..."}} with at most {MAX_PREFERENCES_CHARS:,} characters, or {{"defaultAssistant": "..."}}.'
        )
        choices = choices_save(actor=request.actor, **cast(ChangedChoices, change.model_dump()))
        async_to_sync(notify_member)(request.actor.membership_id, {"type": "me"})  # other tabs read the choices again
        return Me.of(choices)
