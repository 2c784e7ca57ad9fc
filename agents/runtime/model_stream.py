"""One model call, from an agent's request to the provider's stream.

Before the first event: secrets are masked and files attached, an endpoint is chosen whose breaker is closed, its key is opened, and it
is asked again or the next one is asked while that may help. After it, the provider's own stream is passed on; nothing is tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, replace

from agents.engine.ports import LanguageModel
from agents.errors import CircuitOpen, ProviderError
from agents.messages import ModelEvent, ModelRequest, ModelResponse, TextDelta
from agents.providers.circuit_breaker import CircuitBreaker
from agents.providers.retry import MAX_ATTEMPTS, error_policy, open_stream
from agents.providers.xml_tools.conversion import request_as_text, with_xml_calls
from agents.runtime.call_recording import CallRecord, CallRecorder
from agents.runtime.files import CallFiles, RunAnswerFiles, RunAttachments
from agents.runtime.placeholders import RequestMasker
from telemetry.bounded_labels import model_label, provider_label
from telemetry.families import MODEL_CALLS

PAUSED = "paused"  # how a call ended that was not made, because the endpoint's breaker is open


async def no_budget(call: CallRecord) -> None:
    """Hold nothing, for calls that no budget limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One endpoint as a way to the model."""

    name: str
    breaker: CircuitBreaker
    connect: Callable[[], Awaitable[LanguageModel]]  # opens the key, on the first request; an error is recorded like any failed call
    recorder: CallRecorder  # each endpoint's calls are recorded separately, so that the log shows which one failed
    calls_in_text: bool = False  # whether the model writes its tool calls into its text


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedModel:
    """A LanguageModel behind `routes`, which are ordered best first and not empty."""

    routes: Sequence[Route]
    masker: RequestMasker | None = None  # so that providers and the call log see placeholders only (SPEC 3.17)
    attachments: RunAttachments | None = None  # files that calls may send as they are; None: none
    answer_files: RunAnswerFiles | None = None  # where generated files are stored; None: they are passed on as they are
    hold: Callable[[CallRecord], Awaitable[None]] = no_budget  # holds what a call may cost; raises a RunError when there is no room
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer as LanguageModel does, from the first route that works.

        The next route is tried only before the first event, and only after an error that it may not have. The response of a later route
        says so in `notice`. Raises the first route's error when no route answers, and immediately an error that no route would avoid, such as
        that of `hold`.
        """
        request = await self.prepare(request)
        files = CallFiles(self.answer_files) if self.answer_files else None
        failures: list[ProviderError] = []
        for place, route in enumerate(self.routes):
            has_shown = False
            try:
                async with await route.breaker.acquire() as permit:
                    attempts = 1 if await self._can_go_on_after(place) else MAX_ATTEMPTS
                    with route.recorder.recording(request) as call:
                        await self.hold(call)
                        async with await self._open(route, call.request, attempts) as events:
                            async for event in events:
                                if not has_shown:
                                    has_shown = True
                                    call.note_first_event()
                                    await permit.report_first_event()
                                if isinstance(event, ModelResponse):
                                    call.note_response(event)
                                yield event if isinstance(event, TextDelta) else await self._complete_event(event, place, files)
                return
            except ProviderError as error:
                if isinstance(error, CircuitOpen):  # the call was not made, so it is not recorded
                    origin = route.recorder.origin
                    MODEL_CALLS.labels(provider_label(origin.provider), model_label(request.model), PAUSED).inc()
                if has_shown or not error_policy(error).allows_failover:
                    raise
                failures.append(error)
        raise failures[0]

    async def prepare(self, request: ModelRequest) -> ModelRequest:
        """Return the request without secrets and with the contents of files."""
        masked_request = self.masker.mask_request(request) if self.masker else request
        return await self.attachments.attach(masked_request) if self.attachments else masked_request

    async def _open(self, route: Route, request: ModelRequest, attempts: int) -> AbstractAsyncContextManager[AsyncIterator[ModelEvent]]:
        model = await route.connect()
        if not route.calls_in_text:
            return await open_stream(model, request, attempts=attempts, sleep=self.sleep)
        stream = await open_stream(model, request_as_text(request), attempts=attempts, sleep=self.sleep)
        return aclosing(with_xml_calls(stream, request))

    async def _can_go_on_after(self, place: int) -> bool:
        """Return whether a later route's breaker is not open."""
        for route in self.routes[place + 1 :]:
            if not await route.breaker.is_open():
                return True
        return False

    async def _complete_event(self, event: ModelEvent, place: int, files: CallFiles | None) -> ModelEvent:
        """Return the event with its files stored, and a response with the notice that another endpoint answered."""
        if place and isinstance(event, ModelResponse):
            event = replace(event, notice=f"{self.routes[0].name} could not answer, so {self.routes[place].name} did.")
        return await files.store(event) if files else event
