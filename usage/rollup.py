"""Adds the call log up by day, so that no page reads the calls of weeks (docs/decisions/0058).

A round adds the calls since the last one, up to ten minutes ago: later no open transaction can store a call of that time any more. What is
not added up yet is read from the calls themselves (usage.reading.sums), so a worker that is late makes pages slower, never wrong.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime, time as clock, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connections
from django.db.models import Min, QuerySet, Sum
from django.utils import timezone

from chat.models import ModelCall
from tenants.context import current_alias, current_organization_id, tenant_tx
from usage.call_sums import (
    CONVERSATIONS,
    CONVERSATIONS_OF_TIME,
    FIGURES,
    GRAINS,
    SUMS,
    THESE_CONVERSATIONS,
    TIME_KEYS,
    TIMES,
)
from usage.models import ConversationSum, MemberSum, ModelSum, UsageProgress, UsageSum, UsageTime
from usage.tools import rollup as tools

DAY: Final = timedelta(days=1)
AT_ONCE: Final = timedelta(minutes=30)  # of one statement, which may take five seconds: a large organization makes 7,000 calls in that time
SETTLED_AFTER: Final = timedelta(minutes=10)  # longer than any transaction that stores a call
CONVERSATIONS_AT_ONCE: Final = 200  # of one statement when they are made anew
LATE: Final = timedelta(days=3)  # how far back each round looks for calls that were stored late


SUMMED: Final = (UsageSum, ModelSum, MemberSum, ConversationSum, UsageTime)  # by day


def _upsert_statement(table: str, keys: Sequence[str], figures: Sequence[str], source: str, unique: Sequence[str] = ()) -> str:
    """Return the statement that adds the rows of `source` to a table, whose rows are one for each combination of `unique`, else `keys`."""
    columns, sums = ", ".join(keys), ", ".join(f"sum({name})" for name in figures)
    added = ", ".join(f"{name} = t.{name} + excluded.{name}" for name in figures)
    return (
        f"insert into {table} as t (id, organization_id, {columns}, {', '.join(figures)}) "  # noqa: S608 - constants
        f"select gen_random_uuid(), %(organization)s, {columns}, {sums} from {source} group by {columns} "
        f"on conflict (organization_id, {', '.join(unique or keys)}) do update set {added}"
    )


# One pass over the calls for all tables of sums.
_ADD_SUMS: Final = "with calls as materialized ({}), {} select".format(
    SUMS,
    ", ".join(f"into_{table} as ({_upsert_statement(table, ('day', *keys), FIGURES, 'calls')})" for table, keys in GRAINS.items()),
)
_ADD_TIMES: Final = _upsert_statement("usage_usagetime", ("day", *TIME_KEYS, "measure", "place"), ("calls",), f"({TIMES}) s")
_CONVERSATION_FIGURES: Final = ("calls", "tokens", "unpriced_tokens", "cost_usd")
_ADD_CONVERSATIONS: Final = _upsert_statement(
    "usage_usageconversation",
    ("month", "conversation_id", "member_id"),
    _CONVERSATION_FIGURES,
    f"({CONVERSATIONS}) s",
    ("month", "conversation_id"),
)
# A conversation of which the log has fewer calls lost some to the purge, and stays as it is.
_REPLACE_CONVERSATIONS: Final = (
    "insert into usage_usageconversation as t "  # noqa: S608 - constants
    f"(id, organization_id, month, conversation_id, member_id, {', '.join(_CONVERSATION_FIGURES)}) "
    f"select gen_random_uuid(), %(organization)s, s.* from ({THESE_CONVERSATIONS}) s "
    "on conflict (organization_id, month, conversation_id) do update set "
    f"{', '.join(f'{name} = excluded.{name}' for name in _CONVERSATION_FIGURES)} where excluded.calls >= t.calls"
)


def usage_fill(*, organization_id: UUID, until: float) -> int:
    """Add up what was stored since the last round, then days to which calls came late; return how many steps that took.

    `until`: when to begin nothing more, by time.monotonic(). Opens its own transactions.
    """
    steps, settled_until = 0, timezone.now() - SETTLED_AFTER
    while time.monotonic() < until:
        with tenant_tx(organization_id):
            if not _add_next(settled_until):
                break
            steps += 1
    with tenant_tx(organization_id):
        late = days_with_late_calls()
    usage_rebuild(organization_id=organization_id, days=late)
    tools_rebuild(organization_id=organization_id, days=late)
    return steps + len(late)


def usage_rebuild(*, organization_id: UUID, days: Collection[date]) -> None:
    """Make the sums of these days, and of their conversations in these months, anew from the calls that are there.

    What a conversation had before calls of it were purged is kept.
    """
    for day in sorted(days):
        with tenant_tx(organization_id):
            summed_until = _lock_progress()
            for table in SUMMED:
                table.objects.filter(day=day).delete()
            _add((_ADD_SUMS, _ADD_TIMES), day_start(day), min(day_start(day + DAY), summed_until))
    for month in sorted({day.replace(day=1) for day in days}):
        of_month = [day for day in days if day.replace(day=1) == month]
        with tenant_tx(organization_id):
            conversation_ids = sorted({one for day in of_month for one in _conversations_of(day)})
        for place in range(0, len(conversation_ids), CONVERSATIONS_AT_ONCE):
            with tenant_tx(organization_id):
                end = min(day_start(next_month(month)), _lock_progress())
                _run(_REPLACE_CONVERSATIONS, day_start(month), end, conversations=conversation_ids[place : place + CONVERSATIONS_AT_ONCE])


def tools_rebuild(*, organization_id: UUID, days: Collection[date]) -> None:
    """Make the sums of tools of these days anew from the results that are stored. A day that lost some to a purge keeps its sums.

    Opens its own transactions.
    """
    for day in sorted(days):
        with tenant_tx(organization_id):
            ends = min(day_start(day + DAY), _lock_progress())
            result_count = sum(tools.results_count(*hours) for hours in hours_with(tools.parts_with_results(), day_start(day), ends))
            if result_count >= tools.summed_results_count(day):
                tools.sums_delete(day)
                _add_results(day_start(day), ends)


def days_with_late_calls(first: date | None = None) -> list[date]:
    """Return the days, by default of the last three, of which the log has more calls than were added up. Two statements.

    A day with fewer lost calls to the purge: its sums are all that is left, and stay.
    """
    progress = UsageProgress.objects.first()
    if progress is None:
        return []
    first = first or (progress.summed_until - LATE).date()
    summed_calls = dict(ModelSum.objects.filter(day__gte=first).order_by().values_list("day").annotate(calls=Sum("calls")))
    logged_calls = calls_by_day(day_start(first), progress.summed_until)
    return sorted(day for day, calls in logged_calls.items() if calls > summed_calls.get(day, 0))


def calls_by_day(first: datetime, end: datetime) -> dict[date, int]:
    """Return how many calls the log has of each day. One statement on an index."""
    statement = (
        "select (created_at at time zone 'UTC')::date, count(*) from chat_modelcall "
        "where organization_id = %s and created_at >= %s and created_at < %s group by 1"
    )
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, [current_organization_id(), first, end])
        return dict(cursor.fetchall())


def day_start(day: date) -> datetime:
    return datetime.combine(day, clock.min, UTC)


def next_month(month: date) -> date:
    return (month.replace(day=28) + 4 * DAY).replace(day=1)


def hours_with(rows: QuerySet[Any], first: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Give the parts of a time that have such rows, none longer than one statement may read."""
    earlier_rows = rows.filter(created_at__lt=end)
    while begins := earlier_rows.filter(created_at__gte=first).aggregate(at=Min("created_at"))["at"]:
        first = min(begins + AT_ONCE, end)
        yield begins, first


def _add_next(settled_until: datetime) -> bool:
    """Add up to a day of calls; return False when all are added that were stored before `settled_until`.

    Days without any are passed over at once: an organization that was quiet for a year had a transaction for each of them.
    """
    progress = UsageProgress.objects.select_for_update().first() or _begin(settled_until)
    if progress.summed_until >= settled_until:
        return False
    first = _next_stored(progress.summed_until, settled_until)
    end = min(first + DAY, settled_until)
    _add((_ADD_SUMS, _ADD_TIMES, _ADD_CONVERSATIONS), first, end)
    _add_results(first, end)
    progress.summed_until = end
    progress.save(update_fields=["summed_until"])
    return True


def _next_stored(first: datetime, end: datetime) -> datetime:
    """Return when the next call or result of this time was stored, or the end."""
    next_hours = (next(hours_with(rows, first, end), (end, end)) for rows in (ModelCall.objects.all(), tools.parts_with_results()))
    return min(begins for begins, _ in next_hours)


def _begin(settled_until: datetime) -> UsageProgress:
    """Start where the log does. Another worker that starts at the same time waits here, and finds the row."""
    begins = ModelCall.objects.aggregate(at=Min("created_at"))["at"] or settled_until
    UsageProgress.objects.bulk_create([UsageProgress(summed_until=min(begins, settled_until))], ignore_conflicts=True)
    return UsageProgress.objects.select_for_update().get()


def _lock_progress() -> datetime:
    """Hold off all other rounds, and return until when calls are added up. First of all, or what a round adds is added twice."""
    return UsageProgress.objects.select_for_update().get().summed_until


def _add(statements: Sequence[str], first: datetime, end: datetime) -> None:
    """Add what was stored in this time, some hours at once; hours without a call are passed over."""
    for begins, ends in hours_with(ModelCall.objects.all(), first, end):
        for statement in statements:
            _run(statement, begins, ends)


def _add_results(first: datetime, end: datetime) -> None:
    """Add the results of tools that were stored in this time."""
    for begins, ends in hours_with(tools.parts_with_results(), first, end):
        _run(tools.ADD, begins, ends)


def _conversations_of(day: date) -> set[UUID]:
    """Return the conversations with calls on a day."""
    conversation_ids = set[UUID]()
    with connections[current_alias()].cursor() as cursor:
        for begins, ends in hours_with(ModelCall.objects.all(), day_start(day), day_start(day + DAY)):
            cursor.execute(CONVERSATIONS_OF_TIME, {"organization": current_organization_id(), "first": begins, "end": ends})
            conversation_ids |= {conversation_id for (conversation_id,) in cursor.fetchall()}
    return conversation_ids


def _run(statement: str, first: datetime, end: datetime, **values: Any) -> None:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, {"organization": current_organization_id(), "first": first, "end": end, **values})
