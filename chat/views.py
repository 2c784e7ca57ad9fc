"""The chat page and the REST calls of docs/protocol.md. Views parse, call one service or selector and shape the answer."""

from __future__ import annotations

from typing import Annotated, TypeVar
from uuid import UUID

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from artifacts.selectors import artifacts_of_conversation, versions_of
from artifacts.shapes import artifact_item
from chat import steering
from chat.boot import boot_data
from chat.eventlog import wake_stop
from chat.frames import ClientId, unreadable
from chat.notify import announce_conversation, announce_deleted
from chat.selectors import branch_messages, conversation_get_for_user, conversation_item_load, conversation_list, open_run_state, parse_uuid
from chat.services import conversation_change, conversation_delete, conversation_seen
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NotFound
from tenants.http import OrganizationRequest, organization_view

Shape = TypeVar("Shape", bound=BaseModel)


class ConversationChange(BaseModel):
    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    title: Annotated[str, StringConstraints(max_length=1000)] | None = None
    model_config_id: UUID | None = Field(default=None, alias="modelId")


class RunMessage(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: ClientId
    text: str


class Decision(BaseModel):
    model_config = ConfigDict(extra="forbid")

    approved: bool
    reason: Annotated[str, StringConstraints(max_length=500, strip_whitespace=True)] = ""


@require_GET
@organization_view(scope="session")
def chat_page(request: OrganizationRequest, conversation_id: UUID | None = None) -> HttpResponse:
    """The application's shell; the conversation itself is fetched by the page."""
    return render(request, "chat/app.html", {"boot": boot_data(request, conversation_id=conversation_id)})


@require_GET
@organization_view()
def conversations(request: OrganizationRequest) -> JsonResponse:
    limit = request.GET.get("limit", "30")
    if not limit.isdecimal():
        raise BadRequest("`limit` is a number.")
    with tenant_tx(request.actor.organization_id):
        page = conversation_list(actor=request.actor, cursor=request.GET.get("cursor"), limit=int(limit))
    return JsonResponse({"items": page.items, "nextCursor": page.next_cursor})


@require_http_methods(["GET", "PATCH", "DELETE"])
@organization_view()
def conversation(request: OrganizationRequest, key: str) -> HttpResponseBase:
    if request.method == "PATCH":
        return _change(request, key)
    if request.method == "DELETE":
        return _delete(request, key)
    return _read(request, key)


@require_POST
@organization_view(write=True)
async def conversation_stop(request: OrganizationRequest, key: str) -> JsonResponse:
    stopping = await steering.stop(request.actor, key=key)
    return JsonResponse({"stopping": stopping is not None}, status=202)


@require_POST
@organization_view(write=True)
async def conversation_input(request: OrganizationRequest, key: str) -> JsonResponse:
    """A message into the answer that is being written, or that waits."""
    sent = _parse(request, RunMessage)
    delivered = await steering.message_into_run(request.actor, key=key, text=sent.text, client_id=sent.id)
    return JsonResponse({"runId": str(delivered.run_id), "messageId": str(delivered.answer_id), "resumed": delivered.resumed}, status=202)


@require_POST
@organization_view(write=True)
async def approval(request: OrganizationRequest, key: str, approval_id: UUID) -> JsonResponse:
    """Allow or refuse a tool call."""
    made = _parse(request, Decision)
    delivered = await steering.decision(request.actor, key=key, approval_id=approval_id, approved=made.approved, reason=made.reason)
    return JsonResponse({"runId": str(delivered.run_id), "resumed": delivered.resumed}, status=202)


@require_POST
@organization_view()
def seen(request: OrganizationRequest, key: str) -> HttpResponse:
    """The member looks at the conversation: its answers are read, on all of the member's screens. Viewers may, too: it is their mark."""
    with tenant_tx(request.actor.organization_id):
        conversation_id = conversation_seen(actor=request.actor, key=key)
    if conversation_id is not None:
        async_to_sync(announce_conversation)(organization_id=request.actor.organization_id, conversation_id=conversation_id)
    return HttpResponse(status=204)


def _read(request: OrganizationRequest, key: str) -> JsonResponse:
    before = request.GET.get("before")
    before_id = parse_uuid(before) if before else None
    if before and before_id is None:
        raise NotFound
    with tenant_tx(request.actor.organization_id):
        row = conversation_get_for_user(actor=request.actor, key=key)
        messages, has_more = branch_messages(row, before=before_id)
        state = open_run_state(row)
        artifacts = artifacts_of_conversation(conversation_id=row.pk, owner_id=row.owner_id)
        versions = versions_of(artifacts)
    return JsonResponse(
        {
            "id": str(row.pk),
            "title": row.title,
            "modelId": str(row.model_config_id) if row.model_config_id else None,
            **state,
            "messages": messages,
            "artifacts": [artifact_item(artifact, versions[artifact.pk]) for artifact in artifacts],
            "hasMore": has_more,
        }
    )


def _change(request: OrganizationRequest, key: str) -> JsonResponse:
    change = _parse(request, ConversationChange)
    with tenant_tx(request.actor.organization_id):
        row = conversation_change(actor=request.actor, key=key, title=change.title, model_config_id=change.model_config_id)
        found = conversation_item_load(row.pk)
    if found is None:
        raise NotFound
    async_to_sync(announce_conversation)(organization_id=request.actor.organization_id, conversation_id=row.pk)
    return JsonResponse(found[0])


def _delete(request: OrganizationRequest, key: str) -> HttpResponse:
    with tenant_tx(request.actor.organization_id):
        conversation_id, run_id = conversation_delete(actor=request.actor, key=key)
    if run_id is not None:
        async_to_sync(wake_stop)(run_id)
    async_to_sync(announce_deleted)(membership_id=request.actor.membership_id, conversation_id=conversation_id)
    return HttpResponse(status=204)


def _parse(request: HttpRequest, shape: type[Shape]) -> Shape:
    """The body. Raises BadRequest."""
    try:
        return shape.model_validate_json(request.body)
    except ValidationError as exc:
        raise unreadable(exc) from exc
