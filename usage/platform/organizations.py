"""Figures of all organizations, from the sums of days: one statement for a page of them, whatever they used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import connections

from limits.violations.reading import KIND, REPEATED_WITHIN
from usage.platform.filters import OrganizationFilters
from usage.platform.organization_health import MONTHLY_BUDGETS, NEAR_BUDGETS, REPEATED_REFUSALS, TROUBLES_SQL

ON_PAGE: Final = 50
WEEKS: Final = 8  # of the trend, the last one up to today
# The columns that a page can be sorted by, each with the direction that it begins with.
SORTS: Final = {
    "name": "name",
    "plan": "plan",
    "members": "members desc",
    "calls": "calls desc",
    "cost": "cost_usd desc",
    "cost_before": "cost_before_usd desc",
    "errors": "failed_share desc",
    "storage": "storage_bytes desc nulls last",
    "active": "active_at desc nulls last",
}
_PAGE: Final = f"""\
with used as (
    select organization_id,
        coalesce(sum(calls) filter (where day >= %(month)s), 0)::bigint as calls,
        coalesce(sum(failed_calls) filter (where day >= %(month)s), 0)::bigint as failed_calls,
        coalesce(sum(input_tokens + output_tokens + thinking_tokens) filter (where day >= %(month)s), 0)::bigint as tokens,
        coalesce(sum(unpriced_calls) filter (where day >= %(month)s), 0)::bigint as unpriced_calls,
        coalesce(sum(unpriced_calls) filter (where day < %(month)s), 0)::bigint as unpriced_before,
        coalesce(sum(cost_usd) filter (where day >= %(month)s), 0) as cost_usd,
        coalesce(sum(cost_usd) filter (where day < %(month)s), 0) as cost_before_usd,
        coalesce(sum(calls) filter (where day >= %(yesterday)s), 0)::bigint as recent_calls,
        coalesce(sum(failed_calls) filter (where day >= %(yesterday)s), 0)::bigint as recent_failed
    from usage_modelsum where day >= %(before)s group by 1
), people as (
    select m.organization_id, count(*) as members from tenants_membership m join tenants_user u on u.id = m.user_id
    where m.is_active and u.is_active and m.role <> 'visitor' and not u.is_service_account group by 1
), pauses as (
    select organization_id, count(*) as endpoints from unnest(%(paused)s::uuid[]) as p(organization_id) group by 1
), near as (
    {NEAR_BUDGETS}
), monthly as (
    {MONTHLY_BUDGETS}
), repeated as (
    {REPEATED_REFUSALS}
), found as (
    select o.id, o.name, o.slug, o.is_active, o.suspension_message, o.deletion_due_at,
        coalesce((select g.name from limits_organizationplan g where g.organization_id = o.id), '') as plan,
        coalesce(people.members, 0) as members, coalesce(u.calls, 0) as calls, coalesce(u.failed_calls, 0) as failed_calls,
        coalesce(u.tokens, 0) as tokens, coalesce(u.unpriced_calls, 0) as unpriced_calls, coalesce(u.unpriced_before, 0) as unpriced_before,
        coalesce(u.cost_usd, 0) as cost_usd, coalesce(u.cost_before_usd, 0) as cost_before_usd, s.size_bytes as storage_bytes,
        (select max(r.created_at) from chat_run r where r.organization_id = o.id) as active_at,
        coalesce(u.recent_calls, 0) as recent_calls, coalesce(u.recent_failed, 0) as recent_failed, coalesce(pauses.endpoints, 0) as paused_endpoints,
        near.spent_usd, near.amount_usd, monthly.budget_spent_usd, monthly.budget_usd, monthly.budget_near_percent,
        coalesce(monthly.budget_from_plan, false) as budget_from_plan, repeated.refusals, coalesce(repeated.words, '') as refusing_limit,
        coalesce(u.failed_calls::float8 / nullif(u.calls, 0), 0) as failed_share
    from tenants_organization o
    left join used u on u.organization_id = o.id
    left join people on people.organization_id = o.id
    left join pauses on pauses.organization_id = o.id
    left join near on near.id = o.id
    left join monthly on monthly.id = o.id
    left join repeated on repeated.id = o.id
    left join usage_organizationstorage s on s.organization_id = o.id
    where o.slug <> 'deleted-' || o.id
), judged as (
    select f.*, {TROUBLES_SQL} as troubles from found f
), page as (
    select f.*, row_number() over (order by {{order}}, name, id) as place, count(*) over () as count from judged f where {{condition}}
    order by place limit %(limit)s offset %(skipped)s
)
select {{columns}}, array(
    select coalesce(w.calls, 0) from generate_series(0, {WEEKS - 1}) as week left join (
        select (m.day - %(weeks_since)s) / 7 as week, sum(m.calls)::bigint as calls from usage_modelsum m
        where m.organization_id = page.id and m.day >= %(weeks_since)s and m.day <= %(today)s group by 1
    ) w using (week) order by week
), count from page order by place"""  # noqa: S608 - no value is in it


@dataclass(frozen=True, slots=True)
class OrganizationFigures:
    """An organization in this month and the one before, and what is wrong there now."""

    id: UUID
    name: str
    slug: str
    is_active: bool
    suspension_message: str
    deletion_due_at: datetime | None  # None: nobody has it deleted
    plan: str
    members: int
    calls: int
    failed_calls: int
    tokens: int
    unpriced_calls: int  # whose cost is in no sum
    unpriced_before: int
    cost_usd: Decimal
    cost_before_usd: Decimal
    storage_bytes: int | None  # of files, as quotas count them; None: not counted yet (storage.py)
    active_at: datetime | None  # when the last run began
    recent_calls: int  # today and yesterday
    recent_failed: int
    paused_endpoints: int
    spent_usd: Decimal | None  # of the plan's budget that goes to its end; None: there is none
    amount_usd: Decimal | None
    budget_spent_usd: Decimal | None  # this month, of its monthly budget of which the least is left; None: there is none
    budget_usd: Decimal | None
    budget_near_percent: int | None
    budget_from_plan: bool
    refusals: int | None  # how often a limit refused within the last hour, where that is often; None: it did not
    refusing_limit: str  # the limit in words
    troubles: Sequence[str]  # keys of organization_health.TROUBLES, worst first
    weeks: Sequence[int]  # calls in each of the last WEEKS, the oldest first

    @property
    def budget_percent(self) -> float | None:
        """How much of the month's budget is spent, 100 at most; None without one. What allows nothing is used up."""
        if self.budget_usd is None or self.budget_spent_usd is None:
            return None
        return min(100.0, float(100 * self.budget_spent_usd / self.budget_usd)) if self.budget_usd else 100.0

    @property
    def failed_percent(self) -> float | None:
        return 100 * self.failed_calls / self.calls if self.calls else None


_COLUMNS: Final = ", ".join(one.name for one in fields(OrganizationFigures) if one.name != "weeks")


@dataclass(frozen=True, slots=True)
class OrganizationQuery:
    """Which organizations are read, and in which order. `paused`: the organization of each paused endpoint; None: Redis, which knows, is away."""

    today: date
    filters: OrganizationFilters = field(default_factory=OrganizationFilters)
    sort: str = "name"  # a key of SORTS
    is_turned: bool = False  # the other way round
    paused: Sequence[UUID] | None = ()

    @property
    def weeks_since(self) -> date:
        """The first day of the trend."""
        return self.today - timedelta(days=7 * WEEKS - 1)


def organizations_page(query: OrganizationQuery, page: int) -> tuple[list[OrganizationFigures], int]:
    """Return a page of organizations, counted from 1, and how many there are in all. One statement."""
    order = _reverse_order(SORTS[query.sort]) if query.is_turned else SORTS[query.sort]
    rows = _read(query, "true", order=order, limit=ON_PAGE, skipped=(page - 1) * ON_PAGE)
    return [OrganizationFigures(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def organizations_after(query: OrganizationQuery, after: UUID | None, size: int) -> list[OrganizationFigures]:
    """Return the next organizations by id, from the first on after None. One statement."""
    condition = "f.id > %(after)s" if after else "true"
    return [OrganizationFigures(*row[:-1]) for row in _read(query, condition, order="id", limit=size, skipped=0, after=after)]


def _read(query: OrganizationQuery, condition: str, *, order: str, **values: Any) -> list[tuple[Any, ...]]:
    """Read as the system role: the organizations' own rows are nobody else's, and only figures leave this module."""
    month = query.today.replace(day=1)
    filter_sql, filter_values = query.filters.sql()
    parameters: dict[str, Any] = {
        **filter_values,
        **values,
        "paused": list(query.paused or ()),
        "kind": KIND,
        "within": REPEATED_WITHIN,
        "month": month,
        "before": (month - timedelta(days=1)).replace(day=1),
        "yesterday": query.today - timedelta(days=1),
        "today": query.today,
        "weeks_since": query.weeks_since,
    }
    statement = _PAGE.format(order=order, condition=f"{condition} and {filter_sql}", columns=_COLUMNS)
    with connections["system"].cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _reverse_order(order: str) -> str:
    column, *rest = order.split(" ", 1)
    return f"{column} asc nulls first" if rest else f"{column} desc"
