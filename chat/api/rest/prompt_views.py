"""REST views of saved prompts (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from rest_framework.response import Response

from chat.api.rest.schemas import NewSavedPrompt
from chat.conversations.saved_prompts import (
    SavedPromptItem,
    SavedPromptList,
    prompt_change,
    prompt_create,
    prompt_delete,
    prompts_list,
)
from tenants.context import tenant_tx
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "prompts"


class SavedPromptsView(RestView):
    """Lists and creates prompts."""

    @operation("listPrompts", "Prompts of the organization and your own", tag=TAG, answer=SavedPromptList, etag=True)
    def get(self, request: ActorRequest) -> SavedPromptList:
        with tenant_tx(request.actor.organization_id):
            return prompts_list(request.actor)

    @operation("createPrompt", "Save a prompt of your own", tag=TAG, answer=SavedPromptItem, status=201, body=NewSavedPrompt)
    def post(self, request: ActorRequest) -> Response:
        given = self.body(NewSavedPrompt)
        with tenant_tx(request.actor.organization_id):
            item = prompt_create(actor=request.actor, title=given.title, text=given.text)
        return Response(item.model_dump(mode="json", by_alias=True), status=201)


class SavedPromptView(RestView):
    """Changes and deletes a prompt of the member's own."""

    @operation("changePrompt", "Change a prompt of your own", tag=TAG, answer=SavedPromptItem, body=NewSavedPrompt)
    def put(self, request: ActorRequest, prompt_id: UUID) -> SavedPromptItem:
        given = self.body(NewSavedPrompt)
        with tenant_tx(request.actor.organization_id):
            return prompt_change(actor=request.actor, prompt_id=prompt_id, title=given.title, text=given.text)

    @operation("deletePrompt", "Delete a prompt of your own", tag=TAG, status=204)
    def delete(self, request: ActorRequest, prompt_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            prompt_delete(actor=request.actor, prompt_id=prompt_id)
        return Response(status=204)
