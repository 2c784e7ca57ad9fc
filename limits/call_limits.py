"""Whose limits the model calls of a run are counted in: plain values, without Django and Redis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from limits.allowances import CHARGED, Allowances, Sender

if TYPE_CHECKING:
    from limits.errors import LimitReached


@dataclass(slots=True)
class Charge:
    """Whose calls they are, by which limits on tokens and cost they are charged, and which of them was found used up by the last call."""

    sender: Sender
    limits: Allowances  # on tokens and cost alone
    reached: LimitReached | None = None


@dataclass(slots=True)
class AgentLimits:
    """The limits of one agent that a run may call."""

    sender: Sender
    limits: Allowances
    charge: Charge | None = None  # of those on tokens and cost; None without any

    def __post_init__(self) -> None:
        if charged_limits := tuple(limit for limit in self.limits if limit.measure in CHARGED):
            self.charge = Charge(self.sender, charged_limits)
