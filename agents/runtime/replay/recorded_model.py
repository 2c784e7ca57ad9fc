"""A recorded run's answers in the place of its models, so that what would be sent can be compared with what was sent.

No provider is asked. Each request is written by the adapter of the endpoint that got the recorded one, and its body's hash is kept.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from admin_config.release import EndpointSnapshot
from agents.engine.ports import LanguageModel
from agents.errors import ProviderError, RunError
from agents.messages import (
    AnswerFile,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderToolCall,
    ResponseEntry,
    Source,
    Usage,
)
from agents.providers.registry import adapter_class
from agents.providers.xml_tools.conversion import request_as_text
from agents.runtime.connections import keyless_connection
from agents.runtime.model_stream import RoutedModel

ANSWERED = ("", "stopped")  # the error codes of calls whose answer was recorded, if only in part


class RecordEnded(RunError):
    """The recorded run made no further call here."""

    code = "record_ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedModelCall:
    """A call as the log has it, with the entries that were recorded of its answer."""

    id: UUID
    parent_call_id: str  # the tool call that a sub-agent works for; "": the chat agent's own
    endpoint: str
    error_code: str
    finish_reason: str
    usage: Usage
    answer: tuple[ResponseEntry, ...]


class RecordedModels:
    """The answers of a run's model calls, in their order, and the hashes of the requests that asked for them."""

    def __init__(self, calls: Iterable[RecordedModelCall]) -> None:
        self.hashes: dict[UUID, str] = {}  # by the recorded call; "": no request could be written
        self._waiting: dict[str, deque[RecordedModelCall]] = defaultdict(deque)
        for call in calls:
            self._waiting[call.parent_call_id].append(call)

    def model(self, routed_model: RoutedModel, endpoints: Sequence[EndpointSnapshot], parent_call_id: str) -> LanguageModel:
        return _RecordedModel(self, routed_model, {endpoint.name: endpoint for endpoint in endpoints}, parent_call_id)

    def answer(self, request: ModelRequest, endpoints: dict[str, EndpointSnapshot], parent_call_id: str) -> RecordedModelCall:
        """Return the next call that was answered, and note what all calls up to it would send. Raises RecordEnded."""
        calls = self._waiting[parent_call_id]
        while calls:
            call = calls.popleft()
            endpoint = endpoints.get(call.endpoint)
            self.hashes[call.id] = request_hash_for(request, endpoint) if endpoint else ""
            if call.error_code in ANSWERED:
                return call
        raise RecordEnded("The recorded run ends here.")


@dataclass(frozen=True, slots=True)
class _RecordedModel:
    models: RecordedModels
    routed: RoutedModel
    endpoints: dict[str, EndpointSnapshot]
    parent_call_id: str

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        call = self.models.answer(await self.routed.prepare(request), self.endpoints, self.parent_call_id)
        for entry in call.answer:
            if isinstance(entry, ProviderToolCall | Source | AnswerFile):
                yield entry
        finish_reason = FinishReason(call.finish_reason) if call.finish_reason else FinishReason.OTHER
        yield ModelResponse(call.answer, finish_reason, call.usage)


def request_hash_for(request: ModelRequest, endpoint: EndpointSnapshot) -> str:
    """Return the SHA-256 (hex) of the body that this endpoint is sent; "" when the request can't be written."""
    wire_request = request_as_text(request) if endpoint.tool_mode == "xml" else request
    try:
        return adapter_class(endpoint.provider)(keyless_connection(endpoint), endpoint.provider).request_hash(wire_request)
    except ProviderError:
        return ""
