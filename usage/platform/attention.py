"""What needs the operator, on the overview (design 57): one statement for each kind, each with its whole count.

Reads as the system role: the organizations' own rows are nobody else's, and only names and figures leave this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from django.db import connections
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from admin_config.services.platform.releases import content_changes, draft_content, newest
from chat.models import Run
from chat.operations.open_breakers import open_breakers
from chat.storage.open_runs import STUCK_S
from limits.periods import FIRST_DAY
from limits.violations.reading import KIND, REPEATED_WITHIN
from tenants.localization.figures import figure, us_dollars

SHOWN: Final = 3  # organizations of a kind; the others are counted

_STUCK: Final = """\
select o.name, count(*), count(*) over () from chat_run r
join chat_conversation c on c.organization_id = r.organization_id and c.id = r.conversation_id
join tenants_organization o on o.id = r.organization_id
where r.finished_at is null and not c.is_trial and (
    (r.status = any(%(active)s) and r.lease_expires_at < now() - %(stuck_s)s * interval '1 second')
    or r.stop_requested_at < now() - %(stuck_s)s * interval '1 second'
)
group by o.id, o.name order by 2 desc, o.name limit %(shown)s"""
# Of a plan, which nobody but the operator can change, the most used one of each organization.
_BUDGETS: Final = f"""\
select name, spent_usd, amount_usd, count(*) over () from (
    select distinct on (o.id) o.name, a.spent_usd, b.amount_usd from limits_budgetaccount a
    join limits_budget b on b.organization_id = a.organization_id and b.id = a.budget_id
    join tenants_organization o on o.id = a.organization_id
    where o.is_active and b.is_active and b.from_plan and b.scope = 'organization' and a.spent_usd > 0
        and a.spent_usd >= b.amount_usd * b.warn_percent / 100 and a.starts_on = case b.period
            when 'day' then (now() at time zone 'UTC')::date
            when 'month' then date_trunc('month', now() at time zone 'UTC')::date else date '{FIRST_DAY}' end
    order by o.id, a.spent_usd / nullif(b.amount_usd, 0) desc nulls first
) as near order by spent_usd / nullif(amount_usd, 0) desc nulls first, name limit %(shown)s"""  # noqa: S608 - no value is in it
_REFUSED: Final = """\
select o.name, refused.count, count(*) over () from tenants_organization o
join admin_config_appsettings s on s.organization_id = o.id
cross join lateral (
    select sum(e.count)::bigint as count from security_auditevent e
    where e.organization_id = o.id and e.object_kind = %(kind)s and e.created_at >= now() - %(within)s
) as refused
where o.is_active and refused.count >= s.refusals_alert order by 2 desc, o.name limit %(shown)s"""
_SUSPENDED: Final = """\
select o.name, o.suspension_message, count(*) over () from tenants_organization o
where not o.is_active order by o.name limit %(shown)s"""


@dataclass(frozen=True, slots=True)
class Need:
    """Something that needs the operator, in words, with the page where it is dealt with."""

    title: str
    detail: str
    href: str
    is_urgent: bool  # people are kept from their work


def needs_part(request: HttpRequest) -> dict[str, Any]:
    """Return what the operator's overview shows above its table. A statement for each kind, three for breakers and the draft, two questions to Redis."""
    found = [_breakers(), _stuck(), _budgets(), _refused(), _draft(), _suspended()]
    return {"needs": sorted((need for need in found if need), key=lambda need: not need.is_urgent)}


def _breakers() -> Need | None:
    breakers = open_breakers()
    if not breakers:
        return None
    title = ngettext("%(number)s endpoint is paused", "%(number)s endpoints are paused", len(breakers)) % {"number": len(breakers)}
    names = [f"{each.endpoint.organization}: {each.endpoint.name}" for each in breakers]
    return Need(title, _names(names[:SHOWN], len(names)), reverse("admin:chat_run_changelist"), is_urgent=True)


def _stuck() -> Need | None:
    rows = _read(_STUCK, active=list(Run.ACTIVE), stuck_s=STUCK_S)
    if not rows:
        return None
    count = rows[0][2]
    title = ngettext("Runs of %(number)s organization are stuck", "Runs of %(number)s organizations are stuck", count) % {"number": count}
    return Need(
        title, _names([f"{name}: {figure(runs)}" for name, runs, _ in rows], count), reverse("admin:chat_run_changelist"), is_urgent=True
    )


def _budgets() -> Need | None:
    rows = _read(_BUDGETS)
    if not rows:
        return None
    count, is_used_up = rows[0][3], any(spent >= amount for _, spent, amount, _ in rows)
    title = ngettext(
        "The plan's budget of %(number)s organization goes to its end",
        "The plan's budgets of %(number)s organizations go to their end",
        count,
    ) % {"number": count}
    words = [_spent(name, spent, amount) for name, spent, amount, _ in rows]
    return Need(title, _names(words, count), reverse("admin:limits_plan_changelist"), is_urgent=is_used_up)


def _spent(name: str, spent: Decimal, amount: Decimal) -> str:
    return gettext("%(name)s: %(spent)s of %(amount)s") % {"name": name, "spent": us_dollars(spent), "amount": us_dollars(amount)}


def _refused() -> Need | None:
    rows = _read(_REFUSED, kind=KIND, within=REPEATED_WITHIN)
    if not rows:
        return None
    count = rows[0][2]
    title = ngettext(
        "Limits of %(number)s organization refuse again and again", "Limits of %(number)s organizations refuse again and again", count
    ) % {"number": count}
    detail = gettext("Within the last hour: %(names)s") % {"names": _names([f"{name}: {figure(times)}" for name, times, _ in rows], count)}
    return Need(title, detail, f"{reverse('admin:index')}?{urlencode({'q': rows[0][0]})}", is_urgent=False)


def _draft() -> Need | None:
    groups = content_changes(newest()[1], draft_content())
    if not groups:
        return None
    number = sum(len(group.changes) for group in groups)
    title = ngettext("Platform defaults: draft with %(number)s change", "Platform defaults: draft with %(number)s changes", number) % {
        "number": number
    }
    kinds = [str(group.title) for group in groups]
    return Need(title, _names(kinds[:SHOWN], len(kinds)), reverse("admin:admin_config_platformdraft_publish"), is_urgent=False)


def _suspended() -> Need | None:
    rows = _read(_SUSPENDED)
    if not rows:
        return None
    count = rows[0][2]
    title = ngettext("%(number)s organization is suspended", "%(number)s organizations are suspended", count) % {"number": count}
    names = [f"{name}: {message}" if message else name for name, message, _ in rows]
    return Need(title, _names(names, count), f"{reverse('admin:tenants_organization_changelist')}?is_active__exact=0", is_urgent=False)


def _names(shown: Sequence[str], count: int) -> str:
    """Return what is shown, and how many more there are."""
    words = "; ".join(shown)
    more = count - len(shown)
    return ngettext("%(words)s; %(number)s more", "%(words)s; %(number)s more", more) % {"words": words, "number": more} if more else words


def _read(sql: str, **values: Any) -> list[tuple[Any, ...]]:
    with connections["system"].cursor() as cursor:
        cursor.execute(sql, {"shown": SHOWN, **values})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
