"""What is wrong at an organization, for the operator: as SQL that finds it, and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from limits.periods import FIRST_DAY
from limits.spending import NEAR_PERCENT
from tenants.localization.figures import figure, percent

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from usage.platform.organizations import OrganizationFigures

FEWEST_CALLS: Final = 20  # of which a share says something
FAILED_PERCENT: Final = 5  # of the calls of today and yesterday; below it is everyday life with providers
QUIET_DAYS: Final = 7

# Of a plan, which nobody but the operator can change, the most used budget of each organization that goes to its end.
NEAR_BUDGETS: Final = f"""\
select distinct on (o.id) o.id, o.name, a.spent_usd, b.amount_usd from limits_budgetaccount a
join limits_budget b on b.organization_id = a.organization_id and b.id = a.budget_id
join tenants_organization o on o.id = a.organization_id
where o.is_active and b.is_active and b.from_plan and b.scope = 'organization' and a.spent_usd > 0
    and a.spent_usd >= b.amount_usd * {NEAR_PERCENT.format("b")} / 100 and a.starts_on = case b.period
        when 'day' then (now() at time zone 'UTC')::date
        when 'month' then date_trunc('month', now() at time zone 'UTC')::date else date '{FIRST_DAY}' end
order by o.id, a.spent_usd / nullif(b.amount_usd, 0) desc nulls first"""  # noqa: S608 - no value is in it
# The monthly budget of each organization as a whole of which the least is left: its plan's, or its own.
MONTHLY_BUDGETS: Final = f"""\
select distinct on (b.organization_id) b.organization_id as id, coalesce(a.spent_usd, 0) as budget_spent_usd, b.amount_usd as budget_usd,
    {NEAR_PERCENT.format("b")} as budget_near_percent, b.from_plan as budget_from_plan
from limits_budget b left join limits_budgetaccount a on a.organization_id = b.organization_id and a.budget_id = b.id
    and a.starts_on = date_trunc('month', now() at time zone 'UTC')::date
where b.is_active and b.scope = 'organization' and b.period = 'month'
    and (b.last_day is null or b.last_day >= (now() at time zone 'UTC')::date)
order by b.organization_id, b.amount_usd - coalesce(a.spent_usd, 0), b.id"""  # noqa: S608 - no value is in it
# The limit of each organization that refused most within the last hour, where that is as often as its owners are told of.
REPEATED_REFUSALS: Final = """\
select distinct on (o.id) o.id, o.name, e.words, e.refusals from tenants_organization o
join admin_config_appsettings s on s.organization_id = o.id
cross join lateral (
    select max(v.object_label) as words, sum(v.count)::bigint as refusals from security_auditevent v
    where v.organization_id = o.id and v.object_kind = %(kind)s and v.created_at >= now() - %(within)s group by v.object_id
) as e
where o.is_active and e.refusals >= s.refusals_alert order by o.id, e.refusals desc"""
# The keys of TROUBLES that an organization has, worst first. Its columns: usage.platform.organizations.
TROUBLES_SQL: Final = f"""\
array_remove(array[
    case when not f.is_active then 'suspended' end,
    case when f.deletion_due_at is not null then 'deletion' end,
    case when f.paused_endpoints > 0 then 'paused' end,
    case when f.spent_usd is not null then 'budget' end,
    case when f.recent_calls >= {FEWEST_CALLS} and f.recent_failed * 100 >= f.recent_calls * {FAILED_PERCENT} then 'errors' end,
    case when f.refusals is not null then 'limits' end,
    case when f.is_active and (f.active_at is null or f.active_at < now() - interval '{QUIET_DAYS} days') then 'quiet' end
], null)"""

TROUBLES: Final[Mapping[str, StrOrPromise]] = {
    "suspended": gettext_lazy("Suspended"),
    "deletion": gettext_lazy("Will be deleted"),
    "paused": gettext_lazy("Endpoint paused"),
    "budget": gettext_lazy("Budget goes to its end"),
    "errors": gettext_lazy("Calls fail"),
    "limits": gettext_lazy("Limit refuses"),
    "quiet": gettext_lazy("Quiet"),
}


class Badge(NamedTuple):
    """A state in words. `look`: "good", "warning", "bad", or "" for what is neither."""

    words: str
    look: str
    title: str = ""  # more of it


def badges_of(one: OrganizationFigures, *, is_pause_known: bool) -> list[Badge]:
    """Return an organization's troubles, worst first; that there is none where all is known. `is_pause_known`: Redis answered."""
    badges = [_WORDS[trouble](one) for trouble in one.troubles]
    if not is_pause_known and one.is_active:
        badges.append(Badge(gettext("Pauses not known"), "", gettext("Redis, which knows what is paused, can't be reached.")))
    return badges or [Badge(gettext("Healthy"), "good")]


def _suspended_badge(one: OrganizationFigures) -> Badge:
    return Badge(gettext("Suspended"), "bad", one.suspension_message)


def _deletion(one: OrganizationFigures) -> Badge:
    assert one.deletion_due_at is not None
    return Badge(gettext("Will be deleted on %(day)s") % {"day": date_format(one.deletion_due_at, "j F")}, "bad")


def _paused_badge(one: OrganizationFigures) -> Badge:
    count = one.paused_endpoints
    words = ngettext("%(number)s endpoint paused", "%(number)s endpoints paused", count) % {"number": figure(count)}
    return Badge(words, "bad")


def _budget(one: OrganizationFigures) -> Badge:
    spent_usd, amount_usd = one.spent_usd or Decimal(), one.amount_usd or Decimal()
    if spent_usd >= amount_usd:
        return Badge(gettext("Budget used up"), "bad", gettext("The budget of its plan"))
    share = percent(int(100 * spent_usd / amount_usd))
    return Badge(gettext("Budget %(share)s") % {"share": share}, "warning", gettext("The budget of its plan"))


def _errors(one: OrganizationFigures) -> Badge:
    share = percent(100 * one.recent_failed / one.recent_calls)
    return Badge(gettext("%(share)s failed") % {"share": share}, "warning", gettext("Calls of models since yesterday"))


def _limits(one: OrganizationFigures) -> Badge:
    times = one.refusals or 0
    words = ngettext("Limit refused %(number)s time", "Limit refused %(number)s times", times) % {"number": figure(times)}
    return Badge(words, "warning", gettext("Within the last hour: %(names)s") % {"names": one.refusing_limit})


def _quiet(one: OrganizationFigures) -> Badge:
    if one.active_at is None:
        return Badge(gettext("Never used"), "")
    days = (timezone.now() - one.active_at) // timedelta(days=1)
    return Badge(ngettext("Quiet for %(number)s day", "Quiet for %(number)s days", days) % {"number": figure(days)}, "")


_WORDS: Final[Mapping[str, Callable[[OrganizationFigures], Badge]]] = {
    "suspended": _suspended_badge,
    "deletion": _deletion,
    "paused": _paused_badge,
    "budget": _budget,
    "errors": _errors,
    "limits": _limits,
    "quiet": _quiet,
}
