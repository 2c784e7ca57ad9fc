"""REST view with which admins try an HTTP tool: it first shows the request, then sends it (docs/agents.md)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from admin_config.models import ToolSource
from agents.coercion.arguments import coerce_arguments
from agents.errors import ToolFailed
from agents.runtime.masking import placeholders_open
from agents.tools.hosts import HostNeverCalled, check_never_hosts, host_of_url
from agents.tools.http.request import HttpRequest, request_of
from agents.tools.http.settings import HttpSettings
from agents.tools.sources.http import HttpToolClient
from security.audit import audit
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NotFound
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

NEVER_CALLED = "Not sent: {host} is one of the hosts that are never called, by your organization's settings."


class Trial(BaseModel):
    """Arguments of a trial. With `send` false, the request is only shown."""

    model_config = ConfigDict(extra="forbid")

    arguments: dict[str, Any] = Field(default={}, max_length=200)
    send: bool = False


class TrialOutcome(ResponseSchema):
    """The outcome of a trial. `request`: as it is sent, without the source's secret. `result` or `error`: the response, if it was sent."""

    request: str
    result: Any
    error: str | None


class ToolTrialView(RestView):
    admin = True
    scope = "session"

    @operation("tryTool", "Show the request of an HTTP tool, and send it", tag="tools", answer=TrialOutcome, body=Trial, idempotent=False)
    def post(self, request: ActorRequest, source_id: UUID) -> TrialOutcome:
        trial = self.body(Trial)
        with tenant_tx(request.actor.organization_id):
            caller = _caller(source_id, request.actor.organization_id)
        try:
            tool_request = _request(caller, trial.arguments)
        except ToolFailed as error:
            raise BadRequest(str(error)) from error
        if trial.send:
            _audit(request, source_id, caller.tool)
        result, error_text = async_to_sync(_send)(caller, tool_request) if trial.send else (None, None)
        return TrialOutcome(request=tool_request.preview(), result=result, error=error_text)


def _audit(request: ActorRequest, source_id: UUID, name: str) -> None:
    """Write down that a request with the organization's secret leaves, before it does."""
    audit(
        organization_id=request.actor.organization_id,
        actor_user_id=request.actor.user_id,
        action="tool_source.try",
        object_kind="tool_source",
        object_id=source_id,
        object_label=name,
    )


def _caller(source_id: UUID, organization_id: UUID) -> HttpToolClient:
    """Return the client of the saved tool source. Raises NotFound, and BadRequest for one that is incomplete or not an HTTP tool."""
    source = ToolSource.objects.filter(id=source_id).first()
    if source is None:
        raise NotFound
    if source.kind != "http":
        raise BadRequest(gettext("Only HTTP tools can be tried here."))
    try:
        settings = HttpSettings.model_validate(source.settings)
    except ValidationError as error:
        raise BadRequest(gettext("The settings of this tool are not complete.")) from error
    return HttpToolClient(source.name, settings, source.secret_id, organization_id, placeholders_open(membership_id=None))


def _request(caller: HttpToolClient, arguments: dict[str, Any]) -> HttpRequest:
    coercion = coerce_arguments(caller.settings.arguments_schema, arguments)
    if coercion.problem:
        raise ToolFailed(coercion.problem)
    return request_of(caller.settings, coercion.arguments)


async def _send(caller: HttpToolClient, request: HttpRequest) -> tuple[Any, str | None]:
    try:
        await check_never_hosts(host_of_url(caller.settings.origin), tool=caller.tool, organization_id=caller.organization_id)
        return await caller.answer(request), None
    except HostNeverCalled as error:
        return None, NEVER_CALLED.format(host=error.host)
    except ToolFailed as error:
        return None, str(error)
