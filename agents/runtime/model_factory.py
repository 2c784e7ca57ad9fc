"""Creates the models of an agent: over all endpoints of its provider, priced, recorded and masked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from admin_config.release import AgentSnapshot, EndpointSnapshot, ReleaseSnapshot
from agents.engine.errors import MemberKeyRateLimited, ProviderBusy
from agents.engine.messages import ModelEvent, ModelRequest
from agents.engine.ports import LanguageModel
from agents.providers.circuit_breaker import CircuitBreaker
from agents.providers.failover import FailoverModel, Route
from agents.providers.registry import language_model
from agents.providers.xml_tools import XmlToolsModel
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecord, RecordingModel
from agents.runtime.call_snapshots import ContextSource
from agents.runtime.connections import RunConnections
from agents.runtime.files import FileAttachingModel, RunAnswerFiles, RunAttachments
from agents.runtime.masking import with_masking
from agents.runtime.placeholders import Placeholders
from agents.runtime.specs import price_list

_ANSWER_KINDS = (CallKind.STEP, CallKind.SUB_AGENT)  # titles and suggestions have no files


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentModelFactory:
    """Creates models for one agent. No call contains a secret that `placeholders` holds (SPEC 3.17)."""

    snapshot: ReleaseSnapshot
    agent: AgentSnapshot
    endpoints: tuple[EndpointSnapshot, ...]  # best first
    connections: RunConnections
    record_call: Callable[[CallRecord], None]  # receives every call to each of them (SPEC 3.16)
    placeholders: Placeholders
    attachments: RunAttachments | None = None  # files that calls may send as they are; None: none
    answer_file_store: RunAnswerFiles | None = None  # where generated files are stored; None: they are not

    def model(self, kind: CallKind, *, parent_call_id: str = "", source: ContextSource | None = None) -> LanguageModel:
        """Return a model for calls of this kind; keep it for the run.

        `source`: set for calls whose entries are already stored.
        """
        routes = [self._route(endpoint, kind, parent_call_id, source) for endpoint in self.endpoints]
        model: LanguageModel = FailoverModel(routes)
        if self.attachments is not None:
            model = FileAttachingModel(model, self.attachments, self.answer_file_store if kind in _ANSWER_KINDS else None)
        return with_masking(model, self.placeholders)  # outermost, so that the log contains what was sent

    def _route(self, endpoint: EndpointSnapshot, kind: CallKind, parent_call_id: str, source: ContextSource | None) -> Route:
        """Return the route over one endpoint. Each call to it is recorded separately, so that the log shows which one failed."""
        provider, name = endpoint.provider, endpoint.name
        origin = CallOrigin(kind=kind, agent_key=self.agent.key, provider=provider, endpoint=name, parent_call_id=parent_call_id)
        price = price_list(self.agent, self.snapshot)

        def recorded(attempts: int) -> LanguageModel:
            model = _LazyModel(lambda: self._open(endpoint, attempts))
            return RecordingModel(model, origin=origin, record=self.record_call, price=price, source=source)

        return Route(name, CircuitBreaker(self.connections.organization_id, endpoint.id, name), recorded)

    async def _open(self, endpoint: EndpointSnapshot, attempts: int) -> LanguageModel:
        connection = await self.connections.open(endpoint)
        model = language_model(endpoint.provider, connection, attempts=attempts)
        if connection.is_member_key:
            model = _MemberKeyModel(model)
        return XmlToolsModel(model) if endpoint.tool_mode == "xml" else model


@dataclass(frozen=True, slots=True)
class _MemberKeyModel:
    """A model that is called with a member's own key: its rate limits say nothing about the endpoint."""

    model: LanguageModel

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        try:
            async with aclosing(self.model.stream(request)) as events:
                async for event in events:
                    yield event
        except ProviderBusy as error:
            raise MemberKeyRateLimited(str(error), error.retry_after_s) from error


@dataclass(frozen=True, slots=True)
class _LazyModel:
    """A model that is created when it is first called, so that an error in creating it is recorded like any failed call."""

    make: Callable[[], Awaitable[LanguageModel]]

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        model = await self.make()
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                yield event
