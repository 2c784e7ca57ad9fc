"""Views of the OpenAI-compatible API (docs/api.md): parse the request, start the answer, return it whole or as a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from uuid import uuid4

import structlog
from django.http import JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from admin_config.defaults.platform import CHAT_AGENT, agent_name
from chat.api.sse import EventStream, request_keys, watched_connection, while_access_lasts
from chat.openai_api.agent_completion import AgentCompletion
from chat.openai_api.agent_questions import CONVERSATION_HEADER, Question, parse_turns
from chat.openai_api.completion import Completion, CompletionSource
from chat.openai_api.completion_format import CompletionFormat, sse_event
from chat.openai_api.errors import bad_request, error_body, openai_view, public_error
from chat.openai_api.message_counting import MessageCount, catalogue_and_limits
from chat.openai_api.model_catalogue import Catalogue, catalogue_load
from chat.openai_api.pass_through import PassThroughCompletion
from chat.openai_api.requests import CompletionRequest, request_parse
from tenants.db import in_db
from tenants.rest.http import OrganizationRequest
from tenants.rest.throttles import rate_check_async

log = structlog.get_logger(__name__)

AGENT_HEADER = "x-parley-agent"  # whose answer it is, over all providers, as limits name it
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
FIRST_EVENT_TIMEOUT_S = 10  # how long the HTTP status waits for the first event; afterwards errors are sent within the stream


@openai_view("GET", "HEAD")
async def models(request: OrganizationRequest) -> JsonResponse:
    """List the models."""
    await rate_check_async("read", request.actor, request.token)
    catalogue = await in_db(catalogue_load, request.actor, organization_id=request.actor.organization_id)
    return JsonResponse({"object": "list", "data": catalogue.items()})


@openai_view("GET", "HEAD")
async def model(request: OrganizationRequest, name: str) -> JsonResponse:
    """Return one model."""
    await rate_check_async("read", request.actor, request.token)
    catalogue = await in_db(catalogue_load, request.actor, organization_id=request.actor.organization_id)
    return JsonResponse(catalogue.item(name))


@openai_view("POST", write=True)
async def chat_completions(request: OrganizationRequest) -> HttpResponseBase:
    """Answer a chat. With tools or a JSON format in the request, the model is called with these; without, the chat agent answers."""
    await rate_check_async("chat", request.actor, request.token)
    return await while_access_lasts(request, _respond(request, request_parse(request.body)))


async def _respond(request: OrganizationRequest, completion_request: CompletionRequest) -> HttpResponseBase:
    token_id = request.token.token_id if request.token else None
    catalogue, limits = await catalogue_and_limits(request.actor, token_id, completion_request.model)
    count = MessageCount(request.actor, token_id, limits)
    answer = await _begin(request, completion_request, _prepare(request, completion_request, catalogue), count)
    completion_format = CompletionFormat(answer_id=uuid4(), model=completion_request.model, usage=completion_request.wants_usage)
    response = await (_stream_response if completion_request.stream else _json_response)(request, completion_format, answer)
    if isinstance(answer, AgentCompletion):
        response[CONVERSATION_HEADER] = str(answer.conversation_id)
    response[AGENT_HEADER] = agent_name(catalogue.assistant(completion_request.model) or CHAT_AGENT)
    for name, value in count.headers.items():
        response[name] = value
    return response


def _prepare(request: OrganizationRequest, completion_request: CompletionRequest, catalogue: Catalogue) -> PassThroughCompletion | Question:
    """Return the call with the request's own tools or format, or else the question to the agent. Raises ApiError and NotFound."""
    model_id, assistant = catalogue.model(completion_request.model).id, catalogue.assistant(completion_request.model)
    conversation = request.headers.get(CONVERSATION_HEADER, "")
    if completion_request.answer_format and conversation:
        raise bad_request(f"response_format can't be used with {CONVERSATION_HEADER}.", param="response_format")
    if completion_request.tools or completion_request.answer_format:
        return PassThroughCompletion(request.actor, completion_request, model_id, assistant, request_keys(request))
    return Question(
        turns=parse_turns(completion_request),
        model_config_id=model_id,
        assistant=assistant,
        thinking=completion_request.wants_thinking,
        request_overrides=completion_request.request_overrides(),
        conversation=conversation,
    )


async def _begin(
    request: OrganizationRequest, completion_request: CompletionRequest, prepared: PassThroughCompletion | Question, count: MessageCount
) -> CompletionSource:
    if isinstance(prepared, PassThroughCompletion):
        await prepared.begin(count)
        return prepared
    return await AgentCompletion.begin(request.actor, prepared, request_keys(request), count, streamed=bool(completion_request.stream))


async def _json_response(request: OrganizationRequest, completion_format: CompletionFormat, answer: CompletionSource) -> HttpResponseBase:
    """Return the whole answer. A caller that leaves cancels this view, and thereby the answer."""
    async with aclosing(answer.parts()) as parts:
        async for part in parts:
            if isinstance(part, Completion):
                return JsonResponse(completion_format.completion(text=part.text, calls=part.calls, reason=part.reason, usage=part.usage))
    raise AssertionError("a completion source ends with a Completion or an error")


async def _stream_response(request: OrganizationRequest, completion_format: CompletionFormat, answer: CompletionSource) -> HttpResponseBase:
    events = _Events(completion_format, answer)
    stream = EventStream(events.generate())
    try:
        await stream.begin(FIRST_EVENT_TIMEOUT_S)
    except BaseException:
        await stream.close()
        raise
    events.is_streaming = True
    connection = await watched_connection(request, stream.end)
    return StreamingHttpResponse(stream.events(connection), content_type="text/event-stream", headers=HEADERS)


class _Events:
    """The server-sent events of an answer.

    Errors before `is_streaming` is set are raised; later ones become the last event, without [DONE].
    """

    def __init__(self, completion_format: CompletionFormat, answer: CompletionSource) -> None:
        self._shape, self._answer = completion_format, answer
        self.is_streaming = False

    async def generate(self) -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(self._generate()) as events:
                async for part in events:
                    yield part
        except Exception as exc:
            if not self.is_streaming:
                raise
            if (error := public_error(exc)).status == 500:
                log.exception("openai_api_failed")
            yield sse_event(error_body(error))

    async def _generate(self) -> AsyncGenerator[bytes, None]:
        start = self._shape.start()
        async with aclosing(self._answer.parts()) as parts:
            async for part in parts:
                if isinstance(part, Completion):
                    calls = self._shape.calls(part.calls) if part.calls else b""
                    yield start + calls + self._shape.end(part.reason, part.usage)
                else:
                    yield start + self._shape.text(part)
                start = b""
