"""What each provider error means for the next step (SPEC 2.6), and the retry policy for all providers.

docs/providers.md has the same table with the messages that users read. A call is retried a few times, with growing pauses, and only
before anything was shown (PROTOCOLS f.9).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from agents.engine.errors import (
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
)
from agents.engine.messages import ModelEvent, ModelRequest
from agents.engine.ports import LanguageModel

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
    PromptTooLong: PERMANENT,
    ContentBlocked: PERMANENT,
    ProviderError: PERMANENT,
}


def error_policy(error: ProviderError) -> ErrorPolicy:
    """Return the policy of the error's class, or of its nearest base class."""
    return next(ERROR_POLICIES[kind] for kind in type(error).__mro__ if kind in ERROR_POLICIES)


class RetryingModel:
    """A model that is asked up to `attempts` times when its provider fails temporarily before the first event.

    `sleep` and `jitter` (returns 0 to 1) can be replaced in tests.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        attempts: int = MAX_ATTEMPTS,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._model = model
        self._attempts = attempts
        self._sleep = sleep
        self._jitter = jitter

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer as the wrapped model does. Raises its last error."""
        for attempt in range(1, self._attempts + 1):
            shown = False
            try:
                async with aclosing(self._model.stream(request)) as events:
                    async for event in events:
                        shown = True
                        yield event
                    return
            except ProviderError as error:
                delay_s = self._delay_s(error, attempt)
                if shown or attempt == self._attempts or not error_policy(error).is_retryable or delay_s > MAX_WAIT_S:
                    raise
            await self._sleep(delay_s)

    def _delay_s(self, error: ProviderError, attempt: int) -> float:
        """Return the wait in seconds: half to all of the doubled delay, but at least what the provider asked for."""
        backoff_s = FIRST_DELAY_S * 2.0 ** (attempt - 1) * (0.5 + self._jitter() / 2)
        asked_s = error.retry_after_s if isinstance(error, ProviderBusy) else None
        return max(backoff_s, asked_s or 0.0)
