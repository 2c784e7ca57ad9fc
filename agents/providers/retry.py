"""The one retry policy, for every provider: only before the first thing was shown, a few times, politely (PROTOCOLS f.9)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from agents.engine.errors import ProviderBusy, ProviderError
from agents.engine.messages import ModelEvent, ModelRequest
from agents.engine.ports import LanguageModel
from agents.providers.policy import error_policy

MAX_ATTEMPTS = 3
FIRST_DELAY_S = 0.5  # doubles with each attempt
MAX_WAIT_S = 20.0  # a provider that asks for more is not waited for: another endpoint is asked, or the user is told


class RetryingModel:
    """A model that is asked up to `attempts` times when its provider had a passing fault before its first event (agents.providers.policy).

    `sleep` and `jitter` (0 to 1) are the clock and the dice.
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
        """Like the wrapped model's; raises its last error."""
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
        """Half to all of the doubled delay, but never less than the provider asked for."""
        backoff_s = FIRST_DELAY_S * 2.0 ** (attempt - 1) * (0.5 + self._jitter() / 2)
        asked_s = error.retry_after_s if isinstance(error, ProviderBusy) else None
        return max(backoff_s, asked_s or 0.0)
