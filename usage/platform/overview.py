"""The table of organizations on the operator's overview (design 57)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from math import ceil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import ProviderEndpoint
from chat.operations.open_breakers import paused_endpoints
from limits.models import Plan
from tenants.localization.figures import money, percent, us_dollars
from usage.pages.figure_texts import UNKNOWN, short, sparkline
from usage.platform.attention import needs_of
from usage.platform.filters import ACTIVE, HEALTH, NO_PLAN, OF_PLAN, OrganizationFilters
from usage.platform.organization_health import Badge, badges_of
from usage.platform.organizations import ON_PAGE, SORTS, WEEKS, OrganizationFigures, OrganizationQuery, organizations_page

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_PAGE = 10_000
HEADS = {
    "name": gettext_lazy("Organization"),
    "plan": gettext_lazy("Plan"),
    "members": gettext_lazy("Members"),
    "calls": gettext_lazy("Calls"),
    "errors": gettext_lazy("Failed"),
    "cost": gettext_lazy("Cost this month"),
    "cost_before": gettext_lazy("Last month"),
    "storage": gettext_lazy("Storage"),
    "active": gettext_lazy("Last active"),
}


@dataclass(frozen=True, slots=True)
class Head:
    """A column that the table can be sorted by."""

    label: str
    href: str
    aria_sort: str  # empty: by another column
    is_text: bool  # else numbers, which stand at the right


@dataclass(frozen=True, slots=True)
class Choice:
    """A menu of a filter."""

    name: str  # in the address
    label: str
    options: Mapping[str, StrOrPromise]
    value: str  # one of their keys; "": any


@dataclass(frozen=True, slots=True)
class Week:
    """A week of the trend: the days as a table says them."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Row:
    """An organization in words."""

    figures: OrganizationFigures
    tokens: str
    cost: str
    cost_before: str
    budget: str  # how much of the month's budget is spent; "": there is none
    budget_look: str  # "good", "warning" or "bad", with the budget
    spark: str  # the path of its trend; "": nothing was called
    weeks: Sequence[tuple[date, int]]  # the first day of each and its calls, the oldest first
    badges: Sequence[Badge]


def platform_part(request: HttpRequest) -> dict[str, Any]:
    """Return what the operator's overview shows above and in its table. Redis is asked once for both what is paused."""
    paused = paused_endpoints()
    return {"needs": needs_of(paused), **_organizations_part(request, paused)}


def organizations_query(parameters: Mapping[str, str], paused: Sequence[ProviderEndpoint] | None) -> OrganizationQuery:
    """Return which organizations an address asks for."""
    sort = parameters.get("sort", "") if parameters.get("sort") in SORTS else "name"
    return OrganizationQuery(
        today=timezone.now().astimezone(UTC).date(),
        filters=OrganizationFilters.of(parameters),
        sort=sort,
        is_turned=parameters.get("turned") == "1",
        paused=None if paused is None else [endpoint.organization_id for endpoint in paused],
    )


def _organizations_part(request: HttpRequest, paused: Sequence[ProviderEndpoint] | None) -> dict[str, Any]:
    """Two statements; three when there is no such page, which shows the first."""
    query = organizations_query(request.GET.dict(), paused)
    page_text = request.GET.get("page", "")
    number = min(int(page_text), MAX_PAGE) if page_text.isdecimal() and 0 < len(page_text) < 10 and int(page_text) else 1
    organizations, count = organizations_page(query, number)
    if not organizations and number > 1:
        number = 1
        organizations, count = organizations_page(query, number)
    filter_params = query.filters.query()
    order = {**({} if query.sort == "name" else {"sort": query.sort}), **({"turned": "1"} if query.is_turned else {})}
    here = {**filter_params, **order}
    weeks = _weeks(query)
    return {
        "organizations": [_row(figures, weeks, is_pause_known=paused is not None) for figures in organizations],
        "organization_count": count,
        "organization_heads": [_head(key, query, filter_params) for key in HEADS],
        "organization_filters": query.filters,
        "organization_order": order,
        "organization_unfiltered": f"?{urlencode(order)}",
        "organization_choices": _choices(query.filters),
        "organization_weeks": [Week(first, first + timedelta(days=6)) for first in weeks],
        "organization_export": reverse("admin:usage_modelsum_export"),
        "organization_pages": {
            "number": number,
            "count": max(1, ceil(count / ON_PAGE)),
            "before": f"?{urlencode({**here, 'page': number - 1})}" if number > 1 else "",
            "after": f"?{urlencode({**here, 'page': number + 1})}" if number * ON_PAGE < count else "",
        },
    }


def _choices(filters: OrganizationFilters) -> list[Choice]:
    """Return the menus of filters. One statement, for the plans' names."""
    names = Plan.objects.using("auth").values_list("name", flat=True)
    plans = {NO_PLAN: gettext("No plan"), **{f"{OF_PLAN}{name}": name for name in names}}
    return [
        Choice("plan", gettext("Plan"), plans, filters.plan),
        Choice("health", gettext("Health"), HEALTH, filters.health),
        Choice("active", gettext("Last active"), ACTIVE, filters.active),
    ]


def _weeks(query: OrganizationQuery) -> list[date]:
    return [query.weeks_since + timedelta(days=7 * number) for number in range(WEEKS)]


def _head(key: str, query: OrganizationQuery, filter_params: dict[str, str]) -> Head:
    is_sorted = key == query.sort
    direction = "descending" if (" desc" in SORTS[key]) != query.is_turned else "ascending"
    turn_params = {"turned": "1"} if is_sorted and not query.is_turned else {}
    address = f"?{urlencode({**filter_params, 'sort': key, **turn_params})}"
    return Head(str(HEADS[key]), address, direction if is_sorted else "", is_text=key == "plan")


def _row(figures: OrganizationFigures, weeks: Sequence[date], *, is_pause_known: bool) -> Row:
    return Row(
        figures,
        short(figures.tokens),
        _cost(float(figures.cost_usd), figures.unpriced_calls),
        _cost(float(figures.cost_before_usd), figures.unpriced_before),
        *_budget(figures),
        sparkline(figures.weeks),
        list(zip(weeks, figures.weeks, strict=True)),
        badges_of(figures, is_pause_known=is_pause_known),
    )


def _budget(figures: OrganizationFigures) -> tuple[str, str]:
    """Return how much of the month's budget is spent, in words and as a look. Budgets are set in US dollars."""
    spent_percent, near_percent = figures.budget_percent, figures.budget_near_percent
    if spent_percent is None or near_percent is None or figures.budget_usd is None:
        return "", ""
    words = gettext("%(share)s of %(amount)s") % {"share": percent(int(spent_percent)), "amount": us_dollars(figures.budget_usd)}
    return words, "bad" if spent_percent >= 100 else "warning" if spent_percent >= near_percent else "good"


def _cost(usd: float, unpriced_calls: int) -> str:
    """Return the cost; what has no price is unknown, never 0."""
    if not unpriced_calls:
        return money(usd)
    return gettext("%(cost)s + unknown") % {"cost": money(usd)} if usd else str(UNKNOWN)
