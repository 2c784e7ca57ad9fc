"""What a breaker does, as plain Python: the reference that the scripts in Redis are compared with."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.providers.circuit_breaker import CircuitBreakerPolicy


@dataclass(slots=True)
class BreakerModel:
    """Times in milliseconds. `rest_ends` None: closed."""

    rules: CircuitBreakerPolicy
    calls: list[bool] = field(default_factory=list)  # whether each failed
    rest_ends: int | None = None
    rest_ms: int = 0
    probe: str = ""
    probe_ends: int = 0

    def admit(self, now: int, token: str) -> str | None:
        """None: nobody may call. The token: a probe. Empty: an ordinary call."""
        if self.rest_ends is None:
            return ""
        if now < self.rest_ends or now < self.probe_ends:
            return None
        self.probe, self.probe_ends = token, now + round(self.rules.probe_s * 1000)
        return token

    def report(self, now: int, token: str, failed: bool | None) -> None:
        if self.rest_ends is None:
            self._count(now, failed)
        elif token and token == self.probe:
            self._end_probe(now, failed)

    def _count(self, now: int, failed: bool | None) -> None:
        if failed is None:
            return
        self.calls = [*self.calls, failed][-self.rules.calls :]
        enough = len(self.calls) >= self.rules.min_calls
        if failed and enough and sum(self.calls) >= self.rules.failure_share * len(self.calls):
            self._rest(now, round(self.rules.rest_s * 1000))

    def _end_probe(self, now: int, failed: bool | None) -> None:
        self.probe, self.probe_ends = "", 0
        if failed:
            self._rest(now, min(self.rest_ms * 2, round(self.rules.max_rest_s * 1000)))
        elif failed is not None:
            self.calls, self.rest_ends = [], None

    def _rest(self, now: int, rest_ms: int) -> None:
        self.rest_ends, self.rest_ms = now + rest_ms, rest_ms
