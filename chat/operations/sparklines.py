"""Small drawings beside a line of the board: when a breaker paused its endpoint within a day, and how the last calls of a source went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext, ngettext

from admin_config.services.breakers import PAUSED, Breaker, BreakerState
from agents.tools.recent_calls import RecentCall
from chat.templatetags.run_figures import milliseconds

WIDTH: Final = 120  # of a drawing, in its own units
HEIGHT: Final = 20
LOWEST: Final = 3  # of a bar, so that a quick call can be seen
NARROWEST: Final = 1.5  # of a pause
DAY: Final = timedelta(days=1)
CALLS: Final = 30  # of a source, drawn


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle from the bottom of the drawing."""

    x: float
    width: float
    height: float
    is_bad: bool = True


@dataclass(frozen=True, slots=True)
class Strip:
    """A drawing, and what it says in words."""

    bars: Sequence[Bar]
    words: str


def pauses_of(breaker: Breaker, now: datetime) -> Strip:
    """Return the last 24 hours, with a bar for each time in which the breaker paused its endpoint.

    A bar is as narrow as it gets for a pause whose end nobody knows: a breaker is forgotten when nobody calls for an hour.
    """
    pause_start, pauses = None, list[tuple[datetime, datetime]]()
    for event in reversed(breaker.history):
        if pause_start:
            pauses.append((pause_start, pause_start if event.kind == PAUSED else event.at))
        pause_start = event.at if event.kind == PAUSED else None
    if pause_start:
        pauses.append((pause_start, pause_start if breaker.status.state == BreakerState.CLOSED else now))
    start = now - DAY
    visible_pauses = [(max(first, start), min(last, now)) for first, last in pauses if last > start]
    words = ngettext("Paused %(count)s time in 24 hours", "Paused %(count)s times in 24 hours", len(visible_pauses)) % {
        "count": len(visible_pauses)
    }
    return Strip([_pause(first - start, last - first) for first, last in visible_pauses], words)


def _pause(begins: timedelta, length: timedelta) -> Bar:
    width = max(NARROWEST, WIDTH * (length / DAY))
    return Bar(round(min(WIDTH * (begins / DAY), WIDTH - width), 1), round(width, 1), HEIGHT)


def calls_of(calls: Sequence[RecentCall]) -> Strip:
    """Return a bar for each of the last calls, the newest on the right: as high as it was slow, red when it failed."""
    recent_calls = list(reversed(calls[:CALLS]))
    slowest = max((call.took_ms for call in recent_calls), default=0) or 1
    place = WIDTH / CALLS
    first = CALLS - len(recent_calls)
    bars = [
        Bar(round((first + number) * place, 1), place - 1, max(LOWEST, round(HEIGHT * call.took_ms / slowest, 1)), call.is_failed)
        for number, call in enumerate(recent_calls)
    ]
    words = gettext("Last %(calls)s calls: %(failed)s failed, the slowest took %(slowest)s")
    failed = sum(call.is_failed for call in recent_calls)
    return Strip(bars, words % {"calls": len(recent_calls), "failed": failed, "slowest": milliseconds(slowest)})
