"""The histogram above the list of runs: how many ended in each hour, day or month, by how they ended.

It comes from the sums of hours (chat.overview.rollup), and from the runs of the time since. Those sums know no other filter than the time
and how a run ended, so the bars don't follow the others, and the page says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from django.db.models import Count, DateTimeField, DurationField, ExpressionWrapper, F, Func, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Trunc
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy

from chat.explorer.filters import STUCK, RunFilters
from chat.explorer.periods import MOMENTS, asked_time, begin_of, moment_text
from chat.models import Conversation, HourFigures, Run
from chat.overview.chart_drawing import Chart, Link, Series, chart
from chat.overview.rollup import HOUR, hour_of
from tenants.localization.figures import figure
from tenants.localization.language import date_in_words

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Grain = Literal["hour", "day"]  # of the statement
Step = Literal["hour", "day", "month"]  # of the bars
Counts = Mapping[datetime, Counter[str]]  # by the beginning of a step: how many runs ended how

DAY: Final = timedelta(days=1)
MAX_TIME_BY_HOUR: Final = timedelta(days=8)  # a longer time is drawn by day
MAX_TIME_BY_DAY: Final = timedelta(days=92)  # a longer one by month
LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
ENDS: Final[Mapping[str, tuple[StrOrPromise, str]]] = {  # a state: its name, its look
    "done": (gettext_lazy("Done"), "1"),
    "stopped": (gettext_lazy("Stopped"), "rest"),
    "failed": (gettext_lazy("Failed"), "bad"),
}
STEP_TITLES: Final[Mapping[Step, StrOrPromise]] = {
    "hour": gettext_lazy("Runs that ended, by hour (UTC)"),
    "day": gettext_lazy("Runs that ended, by day (UTC)"),
    "month": gettext_lazy("Runs that ended, by month (UTC)"),
}
# Filters that the sums don't know, as the page calls them.
OTHER_FILTERS: Final[Mapping[str, StrOrPromise]] = {
    "q": gettext_lazy("Run, conversation or error"),
    "text": gettext_lazy("Words in chats"),
    "assistant": gettext_lazy("Agent"),
    "model": gettext_lazy("Model"),
    "rating": gettext_lazy("Rating"),
    "member": gettext_lazy("Member"),
    "member_id": gettext_lazy("Member"),
    "release": gettext_lazy("Release"),
    "tool": gettext_lazy("Tool"),
    "cost": gettext_lazy("Cost"),
    "seconds": gettext_lazy("Duration"),
    "tokens": gettext_lazy("Tokens"),
    "agent": gettext_lazy("Agent"),
    "called": gettext_lazy("Model"),
    "project": gettext_lazy("Project"),
    "token": gettext_lazy("API token"),
}


@dataclass(frozen=True, slots=True)
class Histogram:
    """What the page draws above the list."""

    chart: Chart
    ignored: Sequence[str]  # names of filters that the bars don't follow


def histogram_of(filters: RunFilters, now: datetime) -> Histogram | None:
    """Return the histogram of the filters' time; None while only runs that go on are asked for. One statement."""
    if filters.state in {"running", "waiting", STUCK}:
        return None
    first, end = _drawn_time(filters, now)
    grain: Grain = "hour" if end - first <= MAX_TIME_BY_HOUR else "day"
    step = _step(first, end, grain)
    counts = _counts(_begin(step, first), _end(step, end), grain)
    if step == "month":
        first = min((at for at in counts if at < end), default=end - DAY)  # the bars begin where there are runs
        step = _step(first, end, grain)
    counts = _by_month(counts) if step == "month" else counts
    ignored_names = dict.fromkeys(str(name) for key, name in OTHER_FILTERS.items() if getattr(filters, key))
    return Histogram(_chart(filters, step, list(_begins(step, first, end)), counts, now), list(ignored_names))


def _drawn_time(filters: RunFilters, now: datetime) -> tuple[datetime, datetime]:
    """Return the time of the bars, between LONG_AGO and the end of today. Of some hours it is the days around them, in which their bars are marked."""
    interval = asked_time(filters.period, filters.first, filters.last)
    if interval is None:
        return begin_of(filters.period, filters.first, filters.last, now) or LONG_AGO, now
    today = _begin("day", now)
    first, end = min(max(interval[0], LONG_AGO), today), min(max(interval[1], LONG_AGO + DAY), today + DAY)
    if _marked_time(filters) is not None:
        first = _begin("day", first)
        return first, max(_end("day", end), first + DAY)
    return min(first, end - DAY), end


def _step(first: datetime, end: datetime, grain: Grain) -> Step:
    return "month" if end - first > MAX_TIME_BY_DAY else grain


def ended_rows(begins: datetime, end: datetime, step: Grain) -> QuerySet[Any]:
    """Return rows of how many runs ended how by hour or day: from the sums of hours, and from the runs since the newest of them."""
    figures = (
        HourFigures.objects.filter(hour__gte=begins, hour__lt=end).order_by().annotate(at=Trunc("hour", step, tzinfo=UTC)).values("at")
    )
    since = _unsummed_runs(begins, end).annotate(at=Trunc("finished_at", step, tzinfo=UTC)).values("at")
    return figures.annotate(ended=Sum("runs"), failed_runs=Sum("failed"), stopped_runs=Sum("stopped")).union(
        since.annotate(
            ended=Count("id"),
            failed_runs=Count("id", filter=Q(status=Run.Status.FAILED)),
            stopped_runs=Count("id", filter=Q(status=Run.Status.STOPPED)),
        ),
        all=True,
    )


def _counts(begins: datetime, end: datetime, grain: Grain) -> Counts:
    """One statement."""
    counts: dict[datetime, Counter[str]] = defaultdict(Counter)
    for row in ended_rows(begins, end, grain):
        done = row["ended"] - row["failed_runs"] - row["stopped_runs"]
        counts[row["at"]].update(done=done, failed=row["failed_runs"], stopped=row["stopped_runs"])
    return counts


def _unsummed_runs(begins: datetime, end: datetime) -> QuerySet[Run]:
    """Return the runs that ended after the newest hour that is summed up.

    The plan depends on how both are asked. Where an hour is missing is settled inside the subquery: row security keeps a condition with
    `coalesce` from the index. Whether a run is a trial is asked for each of these few: for a join the planner reads all conversations.
    """
    newest = Func(F("hour"), function="max", output_field=DateTimeField())  # no Aggregate, which would group by row
    summed_until = HourFigures.objects.order_by().annotate(
        ends=ExpressionWrapper(Coalesce(newest, Value(LONG_AGO)) + Value(HOUR, DurationField()), DateTimeField())
    )
    is_trial = Subquery(Conversation.objects.filter(pk=OuterRef("conversation_id")).values("is_trial")[:1])
    runs = Run.objects.filter(finished_at__gte=begins, finished_at__lt=end).order_by()
    return runs.filter(finished_at__gte=Subquery(summed_until.values("ends"))).alias(of_trial=is_trial).filter(of_trial=False)


def _by_month(counts: Counts) -> Counts:
    month_counts: dict[datetime, Counter[str]] = defaultdict(Counter)
    for at, ends in counts.items():
        month_counts[_begin("month", at)].update(ends)
    return month_counts


def _begins(step: Step, first: datetime, end: datetime) -> Iterator[datetime]:
    at = _begin(step, first)
    while at < end:
        yield at
        at = _next(step, at)


def _begin(step: Step, moment: datetime) -> datetime:
    """Return when the step began in which a moment lies."""
    hour = hour_of(moment.astimezone(UTC))
    return hour if step == "hour" else hour.replace(hour=0, day=1 if step == "month" else hour.day)


def _end(step: Step, end: datetime) -> datetime:
    """Return when the last step ends. A bar counts all of its step, because its link leads to all of it."""
    return _next(step, _begin(step, end - datetime.resolution))


def _next(step: Step, at: datetime) -> datetime:
    if step == "month":
        return (at + 31 * DAY).replace(day=1)
    return at + (HOUR if step == "hour" else DAY)


def _chart(filters: RunFilters, step: Step, begins: Sequence[datetime], counts: Counts, now: datetime) -> Chart:
    visible_ends = {state: ends for state, ends in ENDS.items() if filters.state not in ENDS or filters.state == state}
    return chart(
        "runs",
        str(STEP_TITLES[step]),
        labels=[_label(step, at) for at in begins],
        series=[
            Series(str(name), look, [None if at > now else counts[at][state] if at in counts else 0 for at in begins])
            for state, (name, look) in visible_ends.items()
        ],
        words=lambda value: figure(value, 0 if value == round(value) else 1),
        is_bars=True,
        links=[_link(filters, step, at) for at in begins],
    )


def _link(filters: RunFilters, step: Step, first: datetime) -> Link:
    """Return where a bar leads. Up to a day or a month means all of it, up to an hour means when it ends."""
    end = _next(step, first)
    last = _label(step, end if step == "hour" else first)
    interval = _marked_time(filters)
    is_shown = interval is not None and interval[0] <= first and end <= interval[1]
    return Link(f"?{filters.query(period=MOMENTS, first=moment_text(first), last=moment_text(end))}", is_shown=is_shown, last=last)


def _marked_time(filters: RunFilters) -> tuple[datetime, datetime] | None:
    """Return the hours that the list has, where the bars are those of the days around them; None where it has the time of all bars."""
    interval = asked_time(filters.period, filters.first, filters.last) if filters.period == MOMENTS else None
    return interval if interval is not None and interval[1] - interval[0] < DAY else None


def _label(step: Step, at: datetime) -> str:
    if step == "month":
        return date_format(at, "F Y")
    return date_in_words(at, "j M") if step == "day" else f"{date_in_words(at, 'j M')}, {at:%H}:00"
