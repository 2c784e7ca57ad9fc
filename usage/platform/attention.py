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
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from admin_config.models import ProviderEndpoint
from admin_config.services.platform.releases import content_changes, draft_content, newest
from chat.models import Run
from chat.storage.open_runs import STUCK_S
from limits.violations.reading import KIND, REPEATED_WITHIN
from tenants.localization.figures import figure, us_dollars
from usage.platform.organization_health import NEAR_BUDGETS, REPEATED_REFUSALS

MAX_NAMES: Final = 3  # organizations of a kind; the others are counted

_STUCK: Final = """\
select o.name, count(*), count(*) over () from chat_run r
join chat_conversation c on c.organization_id = r.organization_id and c.id = r.conversation_id
join tenants_organization o on o.id = r.organization_id
where r.finished_at is null and not c.is_trial and (
    (r.status = any(%(active)s) and r.lease_expires_at < now() - %(stuck_s)s * interval '1 second')
    or r.stop_requested_at < now() - %(stuck_s)s * interval '1 second'
)
group by o.id, o.name order by 2 desc, o.name limit %(shown)s"""
_BUDGETS: Final = f"""\
select name, spent_usd, amount_usd, count(*) over () from ({NEAR_BUDGETS}) as near
order by spent_usd / nullif(amount_usd, 0) desc nulls first, name limit %(shown)s"""  # noqa: S608 - no value is in it
_REFUSALS: Final = f"""\
select name, words, refusals, count(*) over () from ({REPEATED_REFUSALS}) as repeated
order by refusals desc, name limit %(shown)s"""  # noqa: S608 - no value is in it
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


def needs_of(paused: Sequence[ProviderEndpoint] | None) -> list[Need]:
    """Return what the operator's overview shows above its table, what is urgent first. A statement for each kind, three for the draft.

    `paused`: the endpoints that are paused; None: Redis, which knows, is away.
    """
    needs = [_breakers(paused), _need_of_stuck_runs(), _budgets(), _need_of_refusals(), _draft(), _need_of_suspensions()]
    return sorted((need for need in needs if need), key=lambda need: not need.is_urgent)


def _breakers(paused: Sequence[ProviderEndpoint] | None) -> Need | None:
    href = reverse("admin:chat_run_changelist")
    if paused is None:
        title = gettext("Whether endpoints are paused is not known")
        return Need(title, gettext("Redis, which knows what is paused, can't be reached."), href, is_urgent=True)
    if not paused:
        return None
    title = ngettext("%(number)s endpoint is paused", "%(number)s endpoints are paused", len(paused)) % {"number": figure(len(paused))}
    return Need(title, _names([f"{each.organization}: {each.name}" for each in paused[:MAX_NAMES]], len(paused)), href, is_urgent=True)


def _need_of_stuck_runs() -> Need | None:
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
    count, is_used_up = rows[0][3], any(spent_usd >= amount_usd for _, spent_usd, amount_usd, _ in rows)
    title = ngettext(
        "The plan's budget of %(number)s organization goes to its end",
        "The plan's budgets of %(number)s organizations go to their end",
        count,
    ) % {"number": count}
    words = [_spending_text(name, spent_usd, amount_usd) for name, spent_usd, amount_usd, _ in rows]
    return Need(title, _names(words, count), f"{reverse('admin:index')}?{urlencode({'health': 'budget'})}", is_urgent=is_used_up)


def _spending_text(name: str, spent_usd: Decimal, amount_usd: Decimal) -> str:
    return gettext("%(name)s: %(spent)s of %(amount)s") % {"name": name, "spent": us_dollars(spent_usd), "amount": us_dollars(amount_usd)}


def _need_of_refusals() -> Need | None:
    rows = _read(_REFUSALS, kind=KIND, within=REPEATED_WITHIN)
    if not rows:
        return None
    count = rows[0][3]
    title = ngettext(
        "A limit of %(number)s organization refuses again and again", "Limits of %(number)s organizations refuse again and again", count
    ) % {"number": count}
    names = [
        gettext("%(name)s: %(times)s times “%(limit)s”") % {"name": name, "times": figure(n), "limit": words} for name, words, n, _ in rows
    ]
    detail = gettext("Within the last hour: %(names)s") % {"names": _names(names, count)}
    return Need(title, detail, f"{reverse('admin:index')}?{urlencode({'health': 'limits'})}", is_urgent=False)


def _draft() -> Need | None:
    groups = content_changes(newest()[1], draft_content())
    if not groups:
        return None
    number = sum(len(group.changes) for group in groups)
    title = ngettext("Platform defaults: draft with %(number)s change", "Platform defaults: draft with %(number)s changes", number) % {
        "number": number
    }
    kinds = [str(group.title) for group in groups]
    return Need(title, _names(kinds[:MAX_NAMES], len(kinds)), reverse("admin:admin_config_platformdraft_publish"), is_urgent=False)


def _need_of_suspensions() -> Need | None:
    rows = _read(_SUSPENDED)
    if not rows:
        return None
    count = rows[0][2]
    title = ngettext("%(number)s organization is suspended", "%(number)s organizations are suspended", count) % {"number": count}
    names = [f"{name}: {message}" if message else name for name, message, _ in rows]
    return Need(title, _names(names, count), f"{reverse('admin:tenants_organization_changelist')}?is_active__exact=0", is_urgent=False)


def _names(texts: Sequence[str], count: int) -> str:
    """Return what is shown, and how many more there are."""
    words = "; ".join(texts)
    more = count - len(texts)
    return ngettext("%(words)s; %(number)s more", "%(words)s; %(number)s more", more) % {"words": words, "number": more} if more else words


def _read(sql: str, **values: Any) -> list[tuple[Any, ...]]:
    with connections["system"].cursor() as cursor:
        cursor.execute(sql, {"shown": MAX_NAMES, **values})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
