"""The addresses under /v1/ (docs/api.md): parse, begin the answer, give it whole or as a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from uuid import uuid4

import structlog
from django.http import JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from chat.api.sse import EventStream, request_keys, watched_by_access, while_admitted
from chat.openai_api.agent_answer import AgentAnswer
from chat.openai_api.answer import Answer, Whole
from chat.openai_api.catalogue import catalogue_load
from chat.openai_api.errors import error_body, openai_view, told
from chat.openai_api.passed_call import PassedAnswer
from chat.openai_api.questions import CONVERSATION_HEADER, Question, turns_said
from chat.openai_api.requests import CompletionRequest, request_parse
from chat.openai_api.shapes import CompletionShape, event
from tenants.db import in_db
from tenants.rest.http import OrganizationRequest
from tenants.rest.throttles import rate_check_async

log = structlog.get_logger(__name__)

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
STATUS_KNOWN_S = 10  # so long the status waits for the first words; then it is 200 and errors come in the stream


@openai_view("GET", "HEAD")
async def models(request: OrganizationRequest) -> JsonResponse:
    await rate_check_async("read", request.actor, request.token)
    known = await in_db(catalogue_load, organization_id=request.actor.organization_id)
    return JsonResponse({"object": "list", "data": known.items()})


@openai_view("GET", "HEAD")
async def model(request: OrganizationRequest, name: str) -> JsonResponse:
    await rate_check_async("read", request.actor, request.token)
    known = await in_db(catalogue_load, organization_id=request.actor.organization_id)
    return JsonResponse(known.item(name))


@openai_view("POST", write=True)
async def chat_completions(request: OrganizationRequest) -> HttpResponseBase:
    """With tools in it the model is called with them; without, the chat agent answers with its own."""
    await rate_check_async("chat", request.actor, request.token)
    return await while_admitted(request, _answered(request, request_parse(request.body)))


async def _answered(request: OrganizationRequest, wanted: CompletionRequest) -> HttpResponseBase:
    answer = await _begin(request, wanted)
    shape = CompletionShape(answer_id=uuid4(), model=wanted.model, usage=wanted.wants_usage)
    response = await (_streamed if wanted.stream else _whole)(request, shape, answer)
    if isinstance(answer, AgentAnswer):
        response[CONVERSATION_HEADER] = str(answer.conversation_id)
    return response


async def _begin(request: OrganizationRequest, wanted: CompletionRequest) -> Answer:
    known = await in_db(catalogue_load, organization_id=request.actor.organization_id)
    model_id = known.model(wanted.model).id
    if wanted.tools:
        return PassedAnswer(request.actor, wanted, model_id, request_keys(request))
    question = Question(
        said=turns_said(wanted),
        model_config_id=model_id,
        thinking=wanted.thinks,
        wishes=wanted.wishes(),
        conversation=request.headers.get(CONVERSATION_HEADER, ""),
    )
    return await AgentAnswer.begin(request.actor, question, request_keys(request), streamed=bool(wanted.stream))


async def _whole(request: OrganizationRequest, shape: CompletionShape, answer: Answer) -> HttpResponseBase:
    """A caller that leaves cancels this view, and with it the answer."""
    async with aclosing(answer.parts()) as parts:
        async for part in parts:
            if isinstance(part, Whole):
                return JsonResponse(shape.completion(text=part.text, calls=part.calls, reason=part.reason, usage=part.usage))
    raise AssertionError("an answer ends with Whole or an error")


async def _streamed(request: OrganizationRequest, shape: CompletionShape, answer: Answer) -> HttpResponseBase:
    events = _Events(shape, answer)
    stream = EventStream(events.generate())
    try:
        await stream.begin(STATUS_KNOWN_S)
    except BaseException:
        await stream.close()
        raise
    events.is_streaming = True
    watched = await watched_by_access(request, stream.end)
    return StreamingHttpResponse(stream.events(watched), content_type="text/event-stream", headers=HEADERS)


class _Events:
    """Server-sent events of an answer. What fails before `is_streaming` is raised; afterwards it is an event, without [DONE]."""

    def __init__(self, shape: CompletionShape, answer: Answer) -> None:
        self._shape, self._answer = shape, answer
        self.is_streaming = False

    async def generate(self) -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(self._generate()) as events:
                async for part in events:
                    yield part
        except Exception as exc:
            if not self.is_streaming:
                raise
            if (error := told(exc)).status == 500:
                log.exception("openai_api_failed")
            yield event(error_body(error))

    async def _generate(self) -> AsyncGenerator[bytes, None]:
        start = self._shape.start()
        async with aclosing(self._answer.parts()) as parts:
            async for part in parts:
                if isinstance(part, Whole):
                    calls = self._shape.calls(part.calls) if part.calls else b""
                    yield start + calls + self._shape.end(part.reason, part.usage)
                else:
                    yield start + self._shape.text(part)
                start = b""
