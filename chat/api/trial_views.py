"""The chat with a draft, on an agent's admin page: an event stream like that of `chat.api.sse`."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django.views.decorators.http import require_POST
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.runtime.replay.recorded_calls import GivenResult, json_or_text
from chat.api.run_streams import RunStream
from chat.api.sends import run_start
from chat.api.sse import event_stream, request_keys
from chat.conversations.services import MAX_MESSAGE_CHARS
from chat.conversations.trials import TrialQuestion, trial_post
from chat.entries import json_safe
from tenants.errors import BadRequest, TooLarge
from tenants.rest.http import OrganizationRequest, organization_view
from tenants.rest.throttles import rate_check_async

CONVERSATION_HEADER: Final = "X-Parley-Conversation"
MAX_RESULTS: Final = 50  # that an admin enters for one answer
MAX_RESULT_CHARS: Final = 100_000


class EnteredResult(BaseModel):
    """What a tool would have given to a call, as an admin entered it: JSON, or a text."""

    model_config = ConfigDict(extra="forbid")

    tool: str = Field(max_length=200)
    arguments: dict[str, Any]
    result: str = Field(max_length=MAX_RESULT_CHARS)

    def given_result(self) -> GivenResult:
        result = json_safe(json_or_text(self.result))
        return GivenResult(tool=json_safe(self.tool), arguments=json_safe(self.arguments), output=result, is_error=False)


class TrialRequest(BaseModel):
    """A question to an agent. `release`: as the agent's page has prepared it. `conversation`: a trial to continue.

    `results`: tools give these, and those of the run `results_of`, instead of running. `again`: the last question is asked again.
    """

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=MAX_MESSAGE_CHARS)
    release: UUID
    conversation: UUID | None = None
    model: UUID | None = None
    again: bool = False
    results: list[EnteredResult] | None = Field(default=None, max_length=MAX_RESULTS)
    results_of: UUID | None = None


@require_POST
@organization_view(write=True, admin=True, scope="session")
async def trial(request: OrganizationRequest, agent_id: UUID) -> HttpResponseBase:
    """POST api/agents/<id>/trial: ask the agent as the draft has it, and follow the answer. The header names the conversation."""
    await rate_check_async("chat", request.actor, request.token)
    body, keys = _parse(request), request_keys(request)
    question = TrialQuestion(
        agent_id=agent_id,
        release_id=body.release,
        text=body.text,
        conversation=body.conversation,
        model_config_id=body.model,
        again=body.again,
        results=None if body.results is None else [each.given_result() for each in body.results],
        results_of=body.results_of,
    )
    store = partial(trial_post, actor=request.actor, question=question, keys=keys)
    started = await run_start(store, keys, organization_id=request.actor.organization_id)
    response = await event_stream(request, RunStream(started.run_id, request.actor.organization_id))
    response[CONVERSATION_HEADER] = str(started.conversation_id)
    return response


def _parse(request: OrganizationRequest) -> TrialRequest:
    try:
        return TrialRequest.model_validate_json(request.body)
    except RequestDataTooBig as error:
        raise TooLarge from error
    except ValidationError as error:
        raise BadRequest(gettext("This question can't be read. Shorten it, or reload the page.")) from error
