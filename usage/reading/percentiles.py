"""Percentiles of the time to the first token and of whole calls, from counts of classes: within five per cent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from usage.call_sums import STEP, TIME_KEYS
from usage.reading.query import TIMES
from usage.reading.sums import Scope, key_column

HAVE_TIMES: Final = (*TIME_KEYS, *TIMES)  # dimensions of which times are counted


@dataclass(frozen=True, slots=True)
class Times:
    """How many calls took a time of each class."""

    first: Counter[int] = field(default_factory=Counter)
    whole: Counter[int] = field(default_factory=Counter)

    @property
    def first_p50(self) -> int | None:
        return percentile_ms(self.first, 0.5)

    @property
    def first_p95(self) -> int | None:
        return percentile_ms(self.first, 0.95)

    @property
    def whole_p50(self) -> int | None:
        return percentile_ms(self.whole, 0.5)

    @property
    def whole_p95(self) -> int | None:
        return percentile_ms(self.whole, 0.95)


def percentile_ms(counts: Mapping[int, int], share: float) -> int | None:
    """Return the time below which this share of the calls lies; None without a call."""
    threshold, total = share * sum(counts.values()), 0
    for place, calls in sorted(counts.items()):
        total += calls
        if total >= threshold:
            return round(float(STEP ** (place + 0.5)))
    return None


def times_by_key(scope: Scope) -> dict[str, Times] | None:
    """Return the times of each key of the query's dimension, and under "" of all. One statement; none where times are not counted: None."""
    query = scope.query
    if any(name not in HAVE_TIMES for name in query.filters):
        return None
    by = (key_column(query.by) if query.by in HAVE_TIMES else "''", "measure", "place")
    times: defaultdict[str, Times] = defaultdict(Times)
    for key, measure, place, calls in scope.rows(by, "sum(calls)", {"measure"}, first=query.period.first, last=query.period.last):
        for group_key in {key, ""}:
            getattr(times[group_key], measure)[place] += int(calls)
    return dict(times)
