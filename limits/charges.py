"""The limits on tokens and cost that model calls of a run are charged to. Knows neither Django nor Redis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from limits.allowances import Allowances, Sender

if TYPE_CHECKING:
    from limits.errors import LimitReached


@dataclass(slots=True)
class Charge:
    """Whose calls they are, by which limits, and which of them was found used up by the last call."""

    sender: Sender
    limits: Allowances  # on tokens and cost alone
    reached: LimitReached | None = None
