"""What a replay of many runs came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.engine.agent import total_cost
from evaluations.models import Replay, ReplayedRun

MAX_SHOWN: Final = 20  # of the runs that differ most


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures of a replay. Costs are of the runs that were compared, and None where a model has no price."""

    runs: int
    ended_count: int
    same_calls: int
    other_calls: int
    stopped_count: int  # at a call that was not recorded
    failed_count: int
    same_answers: int
    longer: int
    shorter: int
    cost_usd: float | None
    original_cost_usd: float | None
    most_different: Sequence[ReplayedRun]

    @property
    def cost_change_percent(self) -> int | None:
        """How much more the replayed runs cost than their originals; None where that is unknown."""
        if not self.original_cost_usd or self.cost_usd is None:
            return None
        return round(100 * (self.cost_usd / self.original_cost_usd - 1))


def summary_of(replay: Replay) -> Summary:
    """Return the figures so far. One query."""
    rows = list(ReplayedRun.objects.filter(replay=replay).select_related("original"))
    done = [row for row in rows if row.status == ReplayedRun.Status.DONE]
    whole = [row for row in done if not row.unrecorded_call]
    return Summary(
        runs=len(rows),
        ended_count=sum(row.has_ended for row in rows),
        same_calls=sum(row.same_calls for row in whole),
        other_calls=sum(not row.same_calls for row in whole),
        stopped_count=len(done) - len(whole),
        failed_count=sum(row.status == ReplayedRun.Status.FAILED for row in rows),
        same_answers=sum(row.likeness == 1 for row in whole),
        longer=sum(row.length_change > 0 for row in whole),
        shorter=sum(row.length_change < 0 for row in whole),
        cost_usd=total_cost(row.cost_usd for row in whole),
        original_cost_usd=total_cost(row.original_cost_usd for row in whole),
        most_different=sorted((row for row in rows if row.has_ended), key=_rank)[:MAX_SHOWN],
    )


def _rank(row: ReplayedRun) -> tuple[bool, bool, bool, float, int]:
    """Put runs that failed or stopped first, then those with other calls, then those with the most different answers."""
    return row.status != ReplayedRun.Status.FAILED, not row.unrecorded_call, row.same_calls, row.likeness, row.position
