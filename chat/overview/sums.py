"""Sums over runs and calls that can be added up, hour by hour or over a period."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

STEP: Final = 1.05  # a class of first-token times reaches from STEP ** n to STEP ** (n + 1) milliseconds


@dataclass(slots=True)
class Sums:
    """The figures of an hour or a longer time, with the names that HourFigures has."""

    runs: int = 0  # that ended
    failed: int = 0
    stopped: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    members: set[UUID] = field(default_factory=set)
    calls: int = 0
    unpriced_calls: int = 0
    cost_usd: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    first_tokens: Counter[str] = field(default_factory=Counter)
    trial_calls: int = 0
    trial_unpriced_calls: int = 0
    trial_cost_usd: float = 0.0

    def add(self, other: Sums) -> None:
        for name in ADDED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for code, count in other.errors.items():
            self.errors[code] += count
        for place, count in other.first_tokens.items():
            self.first_tokens[place] += count
        self.members |= other.members

    @property
    def known_cost_usd(self) -> float | None:
        """What the calls with a price cost; None when there are only others."""
        return None if self.calls and self.unpriced_calls == self.calls else self.cost_usd

    @property
    def known_trial_cost_usd(self) -> float | None:
        return None if self.trial_calls and self.trial_unpriced_calls == self.trial_calls else self.trial_cost_usd

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def failed_share(self) -> float | None:
        """Of the runs that ended, in per cent; None without any."""
        return 100 * self.failed / self.runs if self.runs else None

    def first_token_ms(self, share: float) -> int | None:
        """Return the time below which this share of the answers began, within 2.5 per cent; None without an answer."""
        target, running_count = share * sum(self.first_tokens.values()), 0
        for place, count in sorted((int(place), count) for place, count in self.first_tokens.items()):
            running_count += count
            if running_count >= target:
                return round(float(STEP ** (place + 0.5)))
        return None


ADDED: Final = (
    "runs",
    "failed",
    "stopped",
    "calls",
    "unpriced_calls",
    "cost_usd",
    "input_tokens",
    "output_tokens",
    "trial_calls",
    "trial_unpriced_calls",
    "trial_cost_usd",
)


def total(parts: Iterable[Sums]) -> Sums:
    sums = Sums()
    for part in parts:
        sums.add(part)
    return sums
