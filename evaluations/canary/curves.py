"""How a canary did over time: a curve for each of its main measures, and the same figures as a table (design 45)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from django.utils import timezone
from django.utils.translation import gettext

from evaluations.canary.looks import Look
from evaluations.canary.measures import Measure
from evaluations.models import CanaryLook

DRAWN: Final = ("failed", "thumbs_down", "cost", "first_token")
WIDTH: Final = 320  # of a drawing, in its own units
HEIGHT: Final = 120
MAX_POINTS: Final = 120
MAX_ROWS: Final = 30
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Point:
    """How a canary did at one time. `measures`: those that are drawn, in their order."""

    at: datetime
    canary_runs: int
    live_runs: int
    measures: Sequence[Measure]


@dataclass(frozen=True, slots=True)
class Curve:
    """The difference of a measure to the live release, with its interval. Paths and heights are in units of the drawing."""

    label: str
    unit: str
    last: Measure
    line: str
    band: str
    zero_y: float
    limit_y: float | None
    reach: float  # the difference at the upper edge; the lower one is as far below zero
    runs: int  # of the canary, at the right edge


def points_of(look: Look, last: Sequence[Measure]) -> list[Point]:
    """Return how the canary did at each look, oldest first, and now or at its end. One query."""
    points = [
        Point(row.looked_at, row.canary_runs, row.live_runs, _drawable([Measure(**figures) for figures in row.figures]))
        for row in CanaryLook.objects.filter(canary=look.canary)
    ]
    end = look.canary.ended_at or timezone.now()
    return [*points, Point(end, look.canary_runs, look.live_runs, _drawable(last))]


def curves_of(points: Sequence[Point]) -> list[Curve]:
    """Return the curves of the measures that can be drawn: those with enough data at two points or more."""
    curves = (_curve([(point.canary_runs, point.measures[place]) for point in points]) for place in range(len(DRAWN)))
    return [curve for curve in curves if curve is not None]


def rows_of(points: Sequence[Point]) -> list[Point]:
    """Return at most MAX_ROWS points, evenly spread, the last one among them."""
    return _spread(points, MAX_ROWS)


def _drawable(measures: Sequence[Measure]) -> list[Measure]:
    by_key = {measure.key: measure for measure in measures}
    return [by_key[key] for key in DRAWN]


def _curve(values: Sequence[tuple[int, Measure]]) -> Curve | None:
    points = [(runs, each) for runs, each in values if each.state != "few" and each.difference is not None]
    if len(points) < 2:
        return None
    points, last = _spread(points, MAX_POINTS), points[-1][1]
    reach = max(3 * max(last.limit or 0, 5.0), 1.2 * max(abs(each.difference or 0) for _, each in points))
    width = max(1, points[-1][0])

    def place(runs: int, value: float | None) -> str:
        return f"{WIDTH * runs / width:.1f} {_height(value or 0, reach):.1f}"

    upper = [place(runs, each.high) for runs, each in points]
    lower = [place(runs, each.low) for runs, each in reversed(points)]
    return Curve(
        label=last.label,
        unit=gettext(last.unit),
        last=last,
        line="M" + "L".join(place(runs, each.difference) for runs, each in points),
        band="M" + "L".join([*upper, *lower]) + "Z",
        zero_y=_height(0, reach),
        limit_y=None if last.limit is None else _height(last.limit, reach),
        reach=reach,
        runs=width,
    )


def _height(value: float, reach: float) -> float:
    """Return where a difference stands, from the upper edge, cut off at both edges."""
    return round(HEIGHT * (reach - min(max(value, -reach), reach)) / (2 * reach), 1)


def _spread(items: Sequence[_Item], most: int) -> list[_Item]:
    if len(items) <= most:
        return list(items)
    return [items[round(place * (len(items) - 1) / (most - 1))] for place in range(most)]
