"""Model calls as agents make them, around any model, without an organization and its endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from uuid import uuid4

from agents.engine.ports import LanguageModel
from agents.messages import ModelEvent, ModelRequest
from agents.providers.circuit_breaker import CircuitBreaker, EndpointCall
from agents.providers.retry import MAX_ATTEMPTS, open_stream
from agents.providers.xml_tools.conversion import request_as_text, with_xml_calls
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecorder
from agents.runtime.files import RunAnswerFiles, RunAttachments
from agents.runtime.model_stream import Route, RoutedModel
from agents.runtime.placeholders import Placeholders, RequestMasker

ORIGIN = CallOrigin(kind=CallKind.STEP, agent_key="chat", provider="google", endpoint="Google Gemini")


class ClosedBreaker(CircuitBreaker):
    """A breaker that lets every call through, without Redis."""

    def __init__(self) -> None:
        super().__init__(uuid4(), uuid4(), "Main")

    async def acquire(self) -> EndpointCall:
        return EndpointCall(self, "")

    async def is_open(self) -> bool:
        return False

    async def report(self, token: str, outcome: str) -> None:
        pass


def recorder() -> CallRecorder:
    """A recorder whose calls nobody reads."""
    return CallRecorder(origin=ORIGIN, record=lambda call: None)


def route_to(model: LanguageModel, name: str = "Main", breaker: CircuitBreaker | None = None, record: CallRecorder | None = None) -> Route:
    async def connect() -> LanguageModel:
        return model

    return Route(name=name, breaker=breaker or ClosedBreaker(), connect=connect, recorder=record or recorder())


def routed(
    model: LanguageModel,
    *,
    record: CallRecorder | None = None,
    secrets: Placeholders | None = None,
    attachments: RunAttachments | None = None,
    answer_files: RunAnswerFiles | None = None,
) -> RoutedModel:
    """The model as an agent calls it, behind one endpoint."""
    masker = RequestMasker(secrets) if secrets else None
    return RoutedModel(routes=[route_to(model, record=record)], masker=masker, attachments=attachments, answer_files=answer_files)


@dataclass
class OpenedModel:
    """The model as a route opens it: with its retries, and in the XML mode if `calls_in_text`."""

    model: LanguageModel
    attempts: int = MAX_ATTEMPTS
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = field(default=lambda: 1.0)
    calls_in_text: bool = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        model_request = request_as_text(request) if self.calls_in_text else request
        stream = await open_stream(self.model, model_request, attempts=self.attempts, sleep=self.sleep, jitter=self.jitter)
        async with aclosing(with_xml_calls(stream, request)) if self.calls_in_text else stream as events:
            async for event in events:
                yield event
