"""The loop that reads a provider's stream, once for all vendors: send, decode, convert, and say how it ended.

A vendor's folder adds what is its own: the request, the assembler of the response, the errors and the facts about its models.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

import httpx2
import orjson

from agents.errors import MemberKeyRateLimited, ProviderBusy, ProviderError, ProviderUnavailable
from agents.messages import AnswerEvent, ModelEvent, ModelRequest, ModelResponse, Usage
from agents.providers.connection import Connection
from agents.providers.errors import UNREADABLE, connection_error
from agents.providers.http_requests import get_json
from agents.providers.key_redaction import KeyFilter, redact_key
from agents.providers.streaming import EventReader, EventTooLarge, StallDetector
from agents.providers.tool_names import with_own_names, with_wire_names
from agents.providers.usage_estimates import estimated_usage
from security.egress.errors import EgressRefused

_FAULTS = (httpx2.HTTPError, httpx2.InvalidURL, EgressRefused, TimeoutError, UnicodeDecodeError, EventTooLarge)


class Assembler(Protocol):
    """Assembles a stream's events into a response."""

    @property
    def usages(self) -> Sequence[Usage]:
        """The usage that the provider reported so far, one item per request."""
        ...

    @property
    def model_version(self) -> str: ...

    def add(self, event: Mapping[str, Any]) -> Sequence[AnswerEvent]:
        """Return what `event` adds to the visible answer, in order. Raises a ProviderError for the error that it reports."""
        ...

    def response(self) -> ModelResponse:
        """Return the complete answer. Raises AnswerCut when the provider's end marker is missing."""
        ...


A = TypeVar("A", bound=Assembler)


class ProviderModel(ABC, Generic[A]):
    """A LanguageModel over one vendor's API. `provider` marks metadata that may only go back to the same provider and model."""

    def __init__(self, connection: Connection, provider: str) -> None:
        self._connection = connection
        self._provider = provider

    @abstractmethod
    def build_request(self, request: ModelRequest) -> httpx2.Request:
        """Return the HTTP request, with the key. Raises RequestRefused."""

    def request_hash(self, request: ModelRequest) -> str:
        """Return the SHA-256 (hex) of the body that `stream` sends first. Raises RequestRefused."""
        return body_hash(self.build_request(with_wire_names(request)))

    @abstractmethod
    def assembler(self, request: ModelRequest) -> A: ...

    @abstractmethod
    def api_error(self, status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
        """Return the error for an error response. With `status` None, as inside a stream, the body decides."""

    @abstractmethod
    async def key_status(self) -> int:
        """Return the status of the answer to a cheap call that needs the key. Raises the HTTP client's errors, or ValueError."""

    @abstractmethod
    async def model_ids(self) -> list[str]:
        """Return the ids of the models that the endpoint lists, as a request names them; at most the first thousand.

        Raises ProviderError, the HTTP client's errors, and ValueError for an answer that is no list of models.
        """

    async def _listed_ids(self, path: str, headers: Mapping[str, str]) -> list[str]:
        """Return the ids of a list in the form of OpenAI and Anthropic. Raises like `model_ids`."""
        return [str(model["id"]) for model in await self._list_models(path, headers, field="data") if model.get("id")]

    async def _list_models(self, path: str, headers: Mapping[str, str], *, field: str) -> list[dict[str, Any]]:
        """Return the models that the answer to a GET has in `field`. Raises like `model_ids`."""
        listing = await get_json(self._connection, path, headers)
        if listing.status >= 400:
            raise self.api_error(listing.status, listing.body, listing.headers)
        if not isinstance(listing.body, dict) or not isinstance(listing.body.get(field), list):
            raise ValueError("not a list of models")
        return [model for model in listing.body[field] if isinstance(model, dict)]

    @staticmethod
    def options(settings: Any, thinking_model: str | None) -> dict[str, Any]:
        """Return an agent's settings (WireSpec.settings) as fields of the request.

        `thinking_model`: the model that thinks; without it, thinking settings are left out.
        """
        return {}

    def reports_error(self, event: Mapping[str, Any]) -> bool:
        """Return whether an event of the stream reports an error."""
        return bool(event.get("error")) or event.get("type") == "error"

    def next_part(self, request: ModelRequest, answer: A) -> httpx2.Request | None:
        """Return the request for the rest of an answer that the API has paused; None when there is no more."""
        return None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one answer, without retries; see LanguageModel."""
        wire_request = with_wire_names(request)
        answer, guard = self.assembler(wire_request), StallDetector(self._connection)
        response: ModelResponse | None = None
        key_filter = KeyFilter(self._connection.key) if self._connection.key else None
        events: list[AnswerEvent] = []  # of the part that is being read
        fault, is_sent = None, False
        request.meter.progress = lambda: estimated_usage(answer.usages[-1], wire_request, events) if is_sent else Usage()
        try:
            first = self.build_request(wire_request)
            request.meter.request_hash = body_hash(first)
            part: httpx2.Request | None = first
            while part:
                is_sent, events = True, []
                async with EventReader(self._connection, guard) as reader:
                    await reader.open(part, self.api_error)
                    while (block := await reader.read()) is not None:
                        for data in block:
                            for delta in answer.add(self._event(data, guard)):
                                events.append(delta)
                                for visible in key_filter.add(delta) if key_filter else (delta,):
                                    yield visible
                part = self.next_part(wire_request, answer)
            for visible in key_filter.end() if key_filter else ():
                yield visible
            response = _with_usage(with_own_names(answer.response(), request.tools), wire_request, events)
        except ProviderError as error:
            fault = self._error_of_call(error)
        except _FAULTS as error:
            fault = self._error_of_call(connection_error(error))
        finally:
            used_nothing = not is_sent or (fault is not None and not events)
            _meter(request, answer, wire_request, events, used_nothing=used_nothing, is_finished=response is not None)
        if fault:
            raise fault  # raised here, so that an exception holding the key is not its context
        assert response, "the answer ended in a response or a fault"
        yield key_filter.response(response) if key_filter else response

    def _event(self, data: bytes, guard: StallDetector) -> Mapping[str, Any]:
        """Return an event's JSON object. Raises the error that it reports, or ProviderUnavailable when it is not an object."""
        event = _json_object(data)
        if self.reports_error(event):
            raise self.api_error(None, event, {})
        guard.note_event(event)
        return event

    def _error_of_call(self, error: ProviderError) -> ProviderError:
        """Return the error without the key. Rate limits of a member's own key say nothing about the endpoint."""
        if self._connection.key:
            error.args = (redact_key(str(error), self._connection.key.reveal()),)
        if self._connection.is_member_key and isinstance(error, ProviderBusy):
            return MemberKeyRateLimited(str(error), error.retry_after_s)
        return error


def body_hash(request: httpx2.Request) -> str:
    return sha256(request.content).hexdigest()


def _json_object(data: bytes) -> Mapping[str, Any]:
    try:
        event = orjson.loads(data)
    except orjson.JSONDecodeError:
        event = None
    if isinstance(event, list) and len(event) == 1:  # Google's servers write errors like this, also behind other wires
        event = event[0]
    if not isinstance(event, dict):
        raise ProviderUnavailable(UNREADABLE)
    return event


def _with_usage(response: ModelResponse, wire_request: ModelRequest, events: Sequence[AnswerEvent]) -> ModelResponse:
    """Return the response with an estimated usage if the server does not count."""
    return response if response.usage != Usage() else replace(response, usage=estimated_usage(Usage(), wire_request, events))


def _meter(
    request: ModelRequest,
    answer: Assembler,
    wire_request: ModelRequest,
    events: Sequence[AnswerEvent],
    *,
    used_nothing: bool,
    is_finished: bool,
) -> None:
    """Add the attempt, with estimates where the provider gave no final figure."""
    *before, last = answer.usages
    is_final = used_nothing or (is_finished and last != Usage())
    usage = last if is_final else estimated_usage(last, wire_request, events)
    request.meter.add(answer.model_version, *before, usage, is_estimated=usage != last)
