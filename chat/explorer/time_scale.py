"""The time scale of a run's waterfall. Stretches without work are drawn short, and marked as such."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

SHORT: Final = 0.08  # of the working time: how long a stretch without work is drawn at most


@dataclass(frozen=True, slots=True)
class Scale:
    """Places moments of a run on a line of 100 %."""

    gaps: Sequence[tuple[int, int]]  # (start, end) of the stretches that are drawn short, in milliseconds since the run began
    short_ms: float
    drawn_ms: float

    def place(self, at_ms: int) -> float:
        """Return the place on the line, in per cent of its length."""
        cut = sum(min(max(at_ms - start, 0), end - start) * (1 - self.short_ms / (end - start)) for start, end in self.gaps)
        return round(min(100.0, 100 * (at_ms - cut) / self.drawn_ms), 2)


def time_scale(work: Iterable[tuple[int, int]], *, end_ms: int) -> Scale:
    """Return the scale for a run that lasted until `end_ms`. `work`: (start, end) of what was done, in any order."""
    idle, latest_end = [], 0
    for start, end in sorted(work):
        if start > latest_end:
            idle.append((latest_end, start))
        latest_end = max(latest_end, end)
    if end_ms > latest_end:
        idle.append((latest_end, end_ms))
    end_ms = max(end_ms, latest_end)
    short_ms = max(1.0, SHORT * (end_ms - sum(end - start for start, end in idle)))
    gaps = [(start, end) for start, end in idle if end - start > short_ms]
    return Scale(gaps, short_ms, max(1.0, end_ms - sum(end - start - short_ms for start, end in gaps)))
