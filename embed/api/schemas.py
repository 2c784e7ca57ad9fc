"""The JSON of embedded chats, in and out."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from chat.api.boot import BootOrganization, ChatSwitch
from tenants.localization.figures import figure
from tenants.rest.schemas import ResponseSchema


class SessionRequest(BaseModel):
    """What begins a session: the host's token, or else the visitor's own; blank: a new visitor.

    With both, what this browser's visitor wrote before the page signed them in becomes theirs.
    """

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    host_token: Annotated[str, StringConstraints(max_length=8192)] = ""
    visitor_token: Annotated[str, StringConstraints(max_length=200)] = ""


class EmbedSession(ResponseSchema):
    """`visitorToken`: of a visitor who is new here, for the next visit; else blank. `conversationId`: what the visitor goes on with."""

    bearer: str
    life_s: int
    visitor_token: str
    conversation_id: UUID | None


class VisitorTransfer(ResponseSchema):
    """Where a member signs in to take the visitor's conversations over: once, within ten minutes."""

    url: str


class EmbedAuthentication(BaseModel):
    """The first frame of a visitor's socket."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["authenticate"]
    bearer: str


class VisitorTitle(ResponseSchema):
    """A frame of a visitor's socket: a model has named the conversation. It answers no request."""

    type: Literal["title"] = "title"
    request_id: Literal[""] = ""  # the AI SDK takes no frame without one, and passes over those that it did not ask for
    conversation_id: str
    title: str


class EarlierMessage(BaseModel):
    """A message that the page says was exchanged before."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=8000)]


MAX_CHARS: Final = 64_000  # of all of them: each later message sends them to the model again


class EarlierMessages(BaseModel):
    """What a conversation begins with. The two take turns, and the assistant had the last word."""

    model_config = ConfigDict(extra="forbid")

    messages: Annotated[list[EarlierMessage], Field(min_length=1, max_length=50)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        roles = [message.role for message in self.messages]
        if roles[-1] != "assistant" or any(one == other for one, other in pairwise(roles)):
            raise ValueError(gettext("Visitor and assistant take turns, and the assistant has the last word."))
        if sum(len(message.text) for message in self.messages) > MAX_CHARS:
            raise ValueError(gettext("The messages have more than %(number)s characters together.") % {"number": figure(MAX_CHARS)})
        return self


class StartedConversation(ResponseSchema):
    conversation_id: UUID


class VisitorVersion(ResponseSchema):
    """A version of a document, without who wrote it and how. Empty for pictures, which visitors don't get."""

    title: str
    kind: str
    number: int
    content: str


class EmbedTexts(ResponseSchema):
    """The words of the chat. Blank ones are the product's, in the visitor's language."""

    title: str
    subtitle: str
    greeting: str
    placeholder: str
    starters: list[str]
    shows_brand: bool


class EmbedBoot(ResponseSchema):
    """What the frame's page knows from the start. The names that the chat page has, too, mean the same there (chat.api.boot)."""

    organization: BootOrganization
    role: Literal["visitor"]
    language: str
    api: str
    socket_url: str
    session_url: str
    sandbox_url: str
    site: str
    origins: list[str]
    anonymous_allowed: bool
    members_may_keep: bool
    switches: list[ChatSwitch]
    look: EmbedTexts
