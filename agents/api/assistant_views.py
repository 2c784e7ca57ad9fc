"""REST views of the assistants that the caller may choose (docs/rest.md)."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from django.http import HttpResponse

from admin_config.errors import RunConfigError
from admin_config.models import AssistantPicture
from admin_config.release import AgentSnapshot, AssistantSnapshot, ReleaseSnapshot
from admin_config.services.selectors import live_release
from agents.assistants import assistants_for
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.input.pictures import picture_response
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

KEY_PARAMETER = {"key": {"type": "string", "pattern": "^[a-z0-9_]{1,80}$", "description": "The assistant's key."}}


class Starter(ResponseSchema):
    """A message to begin with. `text` is sent, `title` says what it is about."""

    title: str
    text: str


class AssistantItem(ResponseSchema):
    """An assistant. `modelChoice`: whether its model is `fixed` (then `modelName` is its name) or the `member` chooses one."""

    key: str
    name: str
    description: str
    picture_url: str | None
    starters: list[Starter]
    model_choice: Literal["fixed", "member"]
    model_name: str | None
    supports_thinking: bool


class AssistantList(ResponseSchema):
    items: list[AssistantItem]


class AssistantsView(RestView):
    @operation("listAssistants", "The assistants that you can choose", tag="agents", answer=AssistantList, etag=True)
    def get(self, request: ActorRequest) -> AssistantList:
        with tenant_tx(request.actor.organization_id):
            try:
                snapshot = live_release(organization_id=request.actor.organization_id, membership_id=request.actor.membership_id).snapshot
            except RunConfigError:
                return AssistantList(items=[])
            return AssistantList(items=assistant_items(snapshot, request.actor))


class AssistantPictureView(RestView):
    @operation("getAssistantPicture", "An assistant's picture", tag="agents", files=("image/png",), path=KEY_PARAMETER)
    def get(self, request: ActorRequest, key: str) -> HttpResponse:
        with tenant_tx(request.actor.organization_id):
            content = _picture(request.actor, key)
        return picture_response(content)


def assistant_items(snapshot: ReleaseSnapshot, actor: Actor) -> list[AssistantItem]:
    """Return the assistants that the actor may choose. Needs the organization's `tenant_tx`; at most one query."""
    items = ((agent, agent.assistant) for agent in assistants_for(snapshot, actor))
    return [_item(agent, assistant, snapshot, actor) for agent, assistant in items if assistant is not None]


def _item(agent: AgentSnapshot, assistant: AssistantSnapshot, snapshot: ReleaseSnapshot, actor: Actor) -> AssistantItem:
    model = snapshot.model(None, agent) if assistant.model_choice == "fixed" else None
    return AssistantItem(
        key=agent.key,
        name=assistant.title,
        description=assistant.description,
        picture_url=_picture_path(agent.key, assistant.picture_id, actor),
        starters=[Starter(title=starter.title, text=starter.text) for starter in assistant.starters],
        model_choice=assistant.model_choice,
        model_name=model.display_name if model else None,
        supports_thinking=model.supports_thinking if model else False,
    )


def _picture_path(key: str, picture_id: UUID | None, actor: Actor) -> str | None:
    return f"/o/{actor.organization_slug}/api/assistants/{key}/picture/?v={picture_id.hex[:12]}" if picture_id else None


def _picture(actor: Actor, key: str) -> bytes:
    """Return the picture that the live release names. Raises NotFound, also for an assistant that the actor may not choose."""
    try:
        snapshot = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot
    except RunConfigError:
        raise NotFound from None
    assistant = next((agent.assistant for agent in assistants_for(snapshot, actor) if agent.key == key), None)
    picture = AssistantPicture.objects.filter(pk=assistant.picture_id).first() if assistant and assistant.picture_id else None
    if picture is None:
        raise NotFound
    return bytes(picture.content)
