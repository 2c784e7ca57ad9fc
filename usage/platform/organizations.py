"""Figures of all organizations, from the sums of days: one statement for a page of them, whatever they used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django.db import connections

ON_PAGE: Final = 50
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
_PAGE: Final = """\
with used as (
    select organization_id,
        coalesce(sum(calls) filter (where day >= %(month)s), 0)::bigint as calls,
        coalesce(sum(failed_calls) filter (where day >= %(month)s), 0)::bigint as failed_calls,
        coalesce(sum(input_tokens + output_tokens + thinking_tokens) filter (where day >= %(month)s), 0)::bigint as tokens,
        coalesce(sum(unpriced_calls) filter (where day >= %(month)s), 0)::bigint as unpriced_calls,
        coalesce(sum(unpriced_calls) filter (where day < %(month)s), 0)::bigint as unpriced_before,
        coalesce(sum(cost_usd) filter (where day >= %(month)s), 0) as cost_usd,
        coalesce(sum(cost_usd) filter (where day < %(month)s), 0) as cost_before_usd
    from usage_modelsum where day >= %(before)s group by 1
), people as (
    select m.organization_id, count(*) as members from tenants_membership m join tenants_user u on u.id = m.user_id
    where m.is_active and u.is_active and m.role <> 'visitor' and not u.is_service_account group by 1
)
select o.id, o.name, o.slug, o.is_active, o.suspension_message,
    coalesce((select g.name from limits_organizationplan g where g.organization_id = o.id), '') as plan, coalesce(p.members, 0) as members,
    coalesce(u.calls, 0) as calls, coalesce(u.failed_calls, 0), coalesce(u.tokens, 0), coalesce(u.unpriced_calls, 0),
    coalesce(u.unpriced_before, 0), coalesce(u.cost_usd, 0) as cost_usd, coalesce(u.cost_before_usd, 0) as cost_before_usd,
    s.size_bytes as storage_bytes,
    (select max(r.created_at) from chat_run r where r.organization_id = o.id) as active_at,
    coalesce(u.failed_calls::float8 / nullif(u.calls, 0), 0) as failed_share, count(*) over ()
from tenants_organization o
left join used u on u.organization_id = o.id
left join people p on p.organization_id = o.id
left join usage_organizationstorage s on s.organization_id = o.id
where %(q)s = '' or strpos(lower(o.name), lower(%(q)s)) > 0 or strpos(o.slug, lower(%(q)s)) > 0
order by {order}, name, o.id limit {limit} offset %(skipped)s"""


@dataclass(frozen=True, slots=True)
class OrganizationFigures:
    """An organization in this month and the one before."""

    id: Any
    name: str
    slug: str
    is_active: bool
    suspension_message: str
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

    @property
    def failed_percent(self) -> float | None:
        return 100 * self.failed_calls / self.calls if self.calls else None


def organizations_page(*, today: date, sort: str, is_turned: bool, q: str, page: int) -> tuple[list[OrganizationFigures], int]:
    """Return a page of organizations, counted from 1, and how many there are in all. `is_turned`: the other way round. One statement.

    Reads as the system role: the organizations' own rows are nobody else's, and only figures leave this function.
    """
    month = today.replace(day=1)
    order = _turned(SORTS[sort]) if is_turned else SORTS[sort]
    values: dict[str, Any] = {
        "month": month,
        "before": (month - timedelta(days=1)).replace(day=1),
        "q": q,
        "skipped": (page - 1) * ON_PAGE,
    }
    with connections["system"].cursor() as cursor:
        cursor.execute(_PAGE.format(order=order, limit=ON_PAGE), values)
        rows = cursor.fetchall()
    return [OrganizationFigures(*row[:16]) for row in rows], rows[0][17] if rows else 0


def _turned(order: str) -> str:
    column, *rest = order.split(" ", 1)
    return f"{column} asc nulls first" if rest else f"{column} desc"
