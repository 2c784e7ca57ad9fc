"""What each provider error means for the next step (SPEC 2.6), and the retry policy for all providers.

docs/providers.md has the same table with the messages that users read. A call is retried a few times, with growing pauses, and only
before anything was shown (PROTOCOLS f.9).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Self

from agents.engine.ports import LanguageModel
from agents.errors import (
    AddressRefused,
    AnswerCut,
    CircuitOpen,
    ContentBlocked,
    FirstByteTimeout,
    KeyMissing,
    KeyRejected,
    MemberKeyRateLimited,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
    StreamStalled,
    TooManyTools,
)
from agents.messages import ModelEvent, ModelRequest
from agents.providers.reasoning_retry import ReasoningRefused, without_metadata

MAX_ATTEMPTS = 3
FIRST_DELAY_S = 0.5  # doubles with each attempt
MAX_WAIT_S = 20.0  # a longer wait is not worth it: another endpoint is asked, or the user is told


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPolicy:
    """What to do after an error."""

    # The same endpoint may answer in a moment.
    is_retryable: bool = False
    # Another endpoint may not have this error.
    allows_failover: bool = False
    # The endpoint's breaker counts the call as failed; calls with other errors are not counted at all. Key errors don't count: a key can
    # be a member's own, while the breaker is the organization's. Rate limits of the organization's key do: waiting there helps nobody.
    counts_as_failure: bool = False


TRANSIENT = ErrorPolicy(is_retryable=True, allows_failover=True, counts_as_failure=True)
PERMANENT = ErrorPolicy()

ERROR_POLICIES: Mapping[type[ProviderError], ErrorPolicy] = {
    ProviderBusy: TRANSIENT,
    MemberKeyRateLimited: ErrorPolicy(is_retryable=True, allows_failover=True),
    ProviderUnavailable: TRANSIENT,
    FirstByteTimeout: TRANSIENT,
    StreamStalled: ErrorPolicy(allows_failover=True, counts_as_failure=True),
    AnswerCut: TRANSIENT,
    QuotaSpent: ErrorPolicy(allows_failover=True),
    KeyMissing: ErrorPolicy(allows_failover=True),
    KeyRejected: ErrorPolicy(allows_failover=True),
    AddressRefused: ErrorPolicy(allows_failover=True),
    CircuitOpen: ErrorPolicy(allows_failover=True),
    RequestRefused: PERMANENT,
    TooManyTools: PERMANENT,
    PromptTooLong: PERMANENT,
    ContentBlocked: PERMANENT,
    ProviderError: PERMANENT,
}


def error_policy(error: ProviderError) -> ErrorPolicy:
    """Return the policy of the error's class, or of its nearest base class."""
    return next(ERROR_POLICIES[kind] for kind in type(error).__mro__ if kind in ERROR_POLICIES)


class OpenStream:
    """A model's stream whose first event has arrived. Leaving the context closes it."""

    def __init__(self, first: ModelEvent | None, rest: AsyncGenerator[ModelEvent]) -> None:
        self._first, self._rest = first, rest

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._rest.aclose()

    def __aiter__(self) -> Self:
        return self

    def __anext__(self) -> Awaitable[ModelEvent]:
        """Return the next event. All but the first are the model's own awaitables, without a layer between."""
        if self._first is None:
            return self._rest.__anext__()
        first, self._first = self._first, None
        return _ready(first)


async def _ready(event: ModelEvent) -> ModelEvent:
    return event


async def open_stream(
    model: LanguageModel,
    request: ModelRequest,
    *,
    attempts: int = MAX_ATTEMPTS,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    jitter: Callable[[], float] = random.random,
) -> OpenStream:
    """Return the model's stream once its first event is there, asking up to `attempts` times while its provider fails temporarily.

    Raises the last error. `sleep` and `jitter` (returns 0 to 1) can be replaced in tests.
    """
    attempt = 1
    while True:
        try:
            return await _open_with_or_without_metadata(model, request)
        except ProviderError as error:
            delay_s = _delay_s(error, attempt, jitter())
            if attempt >= attempts or not error_policy(error).is_retryable or delay_s > MAX_WAIT_S:
                raise
        await sleep(delay_s)
        attempt += 1


async def _open_with_or_without_metadata(model: LanguageModel, request: ModelRequest) -> OpenStream:
    """Ask once more without the metadata of which the provider refuses some."""
    try:
        return await _open_once(model, request)
    except ReasoningRefused:
        reduced_request = without_metadata(request)
        if reduced_request.entries == request.entries:
            raise
    return await _open_once(model, reduced_request)


async def _open_once(model: LanguageModel, request: ModelRequest) -> OpenStream:
    events = model.stream(request)
    return OpenStream(await anext(events, None), events)


def _delay_s(error: ProviderError, attempt: int, jitter: float) -> float:
    """Return the wait in seconds: half to all of the doubled delay, but at least what the provider asked for."""
    backoff_s = FIRST_DELAY_S * 2.0 ** (attempt - 1) * (0.5 + jitter / 2)
    asked_s = error.retry_after_s if isinstance(error, ProviderBusy) else None
    return max(backoff_s, asked_s or 0.0)
