"""The models that an agent's work is done with: priced, recorded in the call log, and behind the placeholders of registered secrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from admin_config.release import AgentSnapshot, EndpointSnapshot, ReleaseSnapshot
from agents.call_snapshots import ContextSource
from agents.calls import CallKind, CallOrigin, CallRecord, RecordedModel
from agents.engine.placeholders import Placeholders
from agents.engine.ports import LanguageModel
from agents.masking import masked
from agents.providers.base import Connection
from agents.providers.registry import language_model
from agents.specs import price_list


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentModels:
    """`record_call` gets every call (SPEC 3.16); no call carries a secret that `placeholders` names (3.17)."""

    snapshot: ReleaseSnapshot
    agent: AgentSnapshot
    endpoint: EndpointSnapshot
    connection: Connection
    record_call: Callable[[CallRecord], None]
    placeholders: Placeholders

    def model(self, kind: CallKind, *, parent_call_id: str = "", source: ContextSource | None = None) -> LanguageModel:
        """A model for calls of this kind; keep it for the run. `source`: of a call whose entries are stored already."""
        origin = CallOrigin(
            kind=kind,
            agent_key=self.agent.key,
            provider=self.endpoint.provider,
            endpoint=self.endpoint.name,
            parent_call_id=parent_call_id,
        )
        recorded = RecordedModel(
            language_model(self.endpoint.provider, self.connection),
            origin=origin,
            record=self.record_call,
            price=price_list(self.agent, self.snapshot),
            source=source,
        )
        return masked(recorded, self.placeholders)  # outermost: the log has what was sent
