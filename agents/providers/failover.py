"""Several endpoints of one provider as a single model (SPEC 2.6): the next one answers when a better one can't."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from agents.engine.errors import ProviderError
from agents.engine.messages import ModelEvent, ModelRequest, ModelResponse
from agents.engine.ports import LanguageModel
from agents.providers.circuit_breaker import CircuitBreaker
from agents.providers.retry import MAX_ATTEMPTS, error_policy


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint as a way to the model."""

    name: str
    breaker: CircuitBreaker
    model: Callable[[int], LanguageModel]  # makes the model, given the number of attempts; connects on its first request


class FailoverModel:
    """A model behind `routes`, which are ordered best first and not empty."""

    def __init__(self, routes: Sequence[Route]) -> None:
        assert routes
        self._routes = routes

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer as LanguageModel does, from the first route that works.

        The next route is tried only before the first event, and only after an error that it may not have. The response of a later route
        says so in `notice`. Raises the first route's error when no route answers, and immediately an error that no route would avoid.
        """
        failures: list[ProviderError] = []
        for place, route in enumerate(self._routes):
            shown = False
            try:
                async with await route.breaker.acquire() as call, aclosing(await self._events(place, request)) as events:
                    async for event in events:
                        if not shown:
                            shown = True
                            await call.report_first_event()
                        yield self._with_fallback_notice(event, place)
                return
            except ProviderError as error:
                if shown or not error_policy(error).allows_failover:
                    raise
                failures.append(error)
        raise failures[0]

    async def _events(self, place: int, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        attempts = 1 if await self._can_go_on_after(place) else MAX_ATTEMPTS
        return self._routes[place].model(attempts).stream(request)

    async def _can_go_on_after(self, place: int) -> bool:
        """Return whether a later route's breaker is not open."""
        for route in self._routes[place + 1 :]:
            if not await route.breaker.is_open():
                return True
        return False

    def _with_fallback_notice(self, event: ModelEvent, place: int) -> ModelEvent:
        if place == 0 or not isinstance(event, ModelResponse):
            return event
        return replace(event, notice=f"{self._routes[0].name} could not answer, so {self._routes[place].name} did.")
