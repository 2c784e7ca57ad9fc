"""Creates the models of an agent: over all endpoints of its provider, priced, recorded and masked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from admin_config.release import AgentSnapshot, EndpointSnapshot, ReleaseSnapshot
from agents.engine.ports import LanguageModel
from agents.providers.circuit_breaker import CircuitBreaker
from agents.providers.registry import language_model
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecord, CallRecorder
from agents.runtime.call_snapshots import ContextSource
from agents.runtime.connections import RunConnections
from agents.runtime.files import RunAnswerFiles, RunAttachments
from agents.runtime.model_stream import Route, RoutedModel, no_budget
from agents.runtime.placeholders import Placeholders, RequestMasker
from agents.runtime.replay.recorded_model import RecordedModels
from agents.runtime.specs import price_of_run

_ANSWER_KINDS = (CallKind.STEP, CallKind.SUB_AGENT)  # titles and suggestions have no files


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentModelFactory:
    """Creates models for one agent. No call contains a secret that `placeholders` holds (SPEC 3.17)."""

    snapshot: ReleaseSnapshot
    agent: AgentSnapshot
    endpoints: tuple[EndpointSnapshot, ...]  # best first
    connections: RunConnections
    record_call: Callable[[CallRecord], None]  # receives every call to each of them (SPEC 3.16)
    call_opened: Callable[[CallRecord], None] = lambda call: None  # receives them before they are sent
    hold: Callable[[CallRecord], Awaitable[None]] = no_budget  # holds what a call may cost (agents.runtime.budget_holds)
    placeholders: Placeholders
    attachments: RunAttachments | None = None  # files that calls may send as they are; None: none
    answer_file_store: RunAnswerFiles | None = None  # where generated files are stored; None: they are not
    recorded: RecordedModels | None = None  # answers of a recorded run, given instead of asking a provider

    def model(self, kind: CallKind, *, parent_call_id: str = "", source: ContextSource | None = None) -> LanguageModel:
        """Return a model for calls of this kind; keep it for the run.

        `source`: set for calls whose entries are already stored.
        """
        stores_files = self.attachments is not None and kind in _ANSWER_KINDS
        routed_model = RoutedModel(
            routes=[self._route(endpoint, kind, parent_call_id, source) for endpoint in self.endpoints],
            masker=RequestMasker(self.placeholders) if self.placeholders else None,
            attachments=self.attachments,
            answer_files=self.answer_file_store if stores_files else None,
            hold=self.hold,
        )
        return self.recorded.model(routed_model, self.endpoints, parent_call_id) if self.recorded else routed_model

    def _route(self, endpoint: EndpointSnapshot, kind: CallKind, parent_call_id: str, source: ContextSource | None) -> Route:
        provider, name = endpoint.provider, endpoint.name
        origin = CallOrigin(kind=kind, agent_key=self.agent.key, provider=provider, endpoint=name, parent_call_id=parent_call_id)
        price = price_of_run(self.agent, self.snapshot)

        async def connect() -> LanguageModel:
            return language_model(provider, await self.connections.open(endpoint))

        return Route(
            name=name,
            breaker=CircuitBreaker(self.connections.organization_id, endpoint.id, name),
            connect=connect,
            recorder=CallRecorder(origin=origin, record=self.record_call, call_opened=self.call_opened, price=price, source=source),
            calls_in_text=endpoint.tool_mode == "xml",
        )
