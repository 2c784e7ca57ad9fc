"""Usage as the REST API lists it, of the organization or of one member: pages of sums by day, model or conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Final, Literal
from uuid import UUID

from django.utils.translation import gettext

from chat.conversations.selectors import parse_uuid
from tenants.errors import BadRequest
from tenants.rest.pagination import Page, page_slice
from usage.call_sums import FIGURES
from usage.reading.conversations import conversations_after
from usage.reading.query import DAY, FIRST, LAST, MAX_DAYS, UsageQuery
from usage.reading.sums import Scope, Sums, sums_by_columns
from usage.shapes import UsageItem

Group = Literal["day", "model", "conversation"]
KEY: Final = "([0-9a-f]{2}){1,300}"  # form of a cursor: the last key in UTF-8
DEFAULT_DAYS: Final = 30
_COUNTS: Final = tuple(name for name in FIGURES if name in UsageItem.model_fields and name != "cost_usd")


@dataclass(frozen=True, slots=True)
class Days:
    """A range of days in UTC, also one on which nothing can have been used."""

    first: date
    last: date  # included

    def scope(self, member_id: UUID | None = None) -> Scope | None:
        """Return what reads the sums of these days: a member's without trials, or all. None: there can be no calls. One statement."""
        first, last = max(self.first, FIRST), min(self.last, LAST - DAY)
        if first > last:
            return None
        parameters = {"from": first, "to": last, "member": member_id or ""}
        return Scope.of(replace(UsageQuery.of(parameters, last), with_trials=member_id is None))


def days_of(first: date | None, last: date | None) -> Days:
    """Return the days, by default the last 30. Raises BadRequest when they are more than MAX_DAYS."""
    last = last or datetime.now(UTC).date()
    first = first or last - min(DEFAULT_DAYS - 1, (last - date.min).days) * DAY
    if (last - first).days >= MAX_DAYS:
        raise BadRequest(
            gettext("Ask for at most %(max_days)s days at a time: `from` and `to` are too far apart.") % {"max_days": MAX_DAYS}
        )
    return Days(first, last)


def usage_list(*, days: Days, group: Group, cursor: str, limit: int, member_id: UUID | None) -> Page[UsageItem]:
    """Return a page of sums, ordered by key: of a member's own calls, or of all. Two statements.

    Conversations that are gone count: they were paid for.
    """
    scope, after = days.scope(member_id), bytes.fromhex(cursor).decode(errors="replace").replace("\x00", "")
    if scope is None:
        return Page([], None)
    rows: Sequence[tuple[object, Sums]]
    if group == "conversation":
        rows = conversations_after(scope, parse_uuid(after) or UUID(int=0), limit + 1, member_id)
    else:
        rows = _by_column(scope, group, after)
    return page_slice([_item(str(key), sums) for key, sums in rows], limit, lambda item: item.key.encode().hex())


def _by_column(scope: Scope, column: str, after: str) -> list[tuple[object, Sums]]:
    """Return the sums of all days or models after one: few."""
    where = f"{column}::text > %(after)s" if after else "true"
    period = scope.query.period
    return [(key, sums) for (key,), sums in sums_by_columns(scope, (column,), period.first, period.last, where, after=after)]


def _item(key: str, sums: Sums) -> UsageItem:
    return UsageItem(key=key, cost_usd=sums.known_cost_usd, **{name: getattr(sums, name) for name in _COUNTS})
