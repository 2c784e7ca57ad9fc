"""The organization's usage as the REST API lists it: pages of sums by day, model or conversation."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from chat.conversations.selectors import parse_uuid
from chat.conversations.shapes import UsageItem
from chat.conversations.usage import Group, Period, key_after, usage_page
from tenants.rest.pagination import Page
from usage.ledger import FIGURES, NEW_CONVERSATION_SUMS
from usage.reading.facts import ADDED, Scope, Sums, sums_by_columns
from usage.reading.query import DAY, FIRST, LAST, UsageQuery

_COUNTS: Final = tuple(name for name in FIGURES if name in UsageItem.model_fields and name != "cost_usd")
_COLUMNS: Final = ", ".join(("conversation_id", *FIGURES))
_NEW: Final = f"union all select {_COLUMNS} from ({NEW_CONVERSATION_SUMS}) n where conversation_id > %(after)s"  # noqa: S608 - constants
# The first ids of all days are among the first ones of each day, which an index has in order. So a page reads as many rows of a day as it
# has lines, however many conversations there are.
_BY_CONVERSATION: Final = f"""\
select conversation_id, {ADDED} from (
    select f.* from generate_series(0, %(last_day)s::date - %(first_day)s::date) n cross join lateral (
        select {_COLUMNS} from usage_conversationsum
        where organization_id = %(organization)s and day = %(first_day)s::date + n and conversation_id > %(after)s
        order by conversation_id limit %(limit)s
    ) f {{new}}
) s group by conversation_id order by conversation_id limit %(limit)s"""  # noqa: S608 - constants


def organization_usage_list(*, period: Period, group: Group, cursor: str, limit: int) -> Page[UsageItem]:
    """Return a page of sums over all calls of the organization, also of conversations that are gone, ordered by key. Two statements."""
    first, last = max(period.first, FIRST), min(period.last, LAST - DAY)  # days on which there can be calls
    if first > last:
        return Page([], None)
    scope, after = Scope.of(UsageQuery.of({"from": first, "to": last}, last)), key_after(cursor)
    found = _by_conversation(scope, after, limit + 1) if group == "conversation" else _by_column(scope, group, after)
    return usage_page([_item(key, sums) for key, sums in found], limit)


def _by_column(scope: Scope, column: str, after: str) -> list[tuple[str, Sums]]:
    """Return the sums of all days or models after one: few, from sums without members."""
    where = f"{column}::text > %(after)s" if after else "true"
    period = scope.query.period
    return [(str(key), sums) for (key,), sums in sums_by_columns(scope, (column,), period.first, period.last, where, after=after)]


def _by_conversation(scope: Scope, after: str, limit: int) -> list[tuple[str, Sums]]:
    """Return the sums of the first conversations after one, from the beginning when `after` is not an id."""
    period = scope.query.period
    statement = _BY_CONVERSATION.format(new="" if scope.is_summed(period.last) else _NEW)
    rows = scope.run(statement, period.first, period.last, after=parse_uuid(after) or UUID(int=0), limit=limit)
    return [(str(key), Sums.of(figures)) for key, *figures in rows]


def _item(key: str, sums: Sums) -> UsageItem:
    return UsageItem(key=key, cost_usd=sums.known_cost_usd, **{name: getattr(sums, name) for name in _COUNTS})
