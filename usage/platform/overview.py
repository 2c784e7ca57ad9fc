"""The table of organizations on the operator's overview (design 57)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from functools import partial
from math import ceil
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from tenants.localization.figures import money
from usage.pages.words import UNKNOWN, short
from usage.platform.organizations import ON_PAGE, SORTS, OrganizationFigures, organizations_page

MAX_SEARCH = 60  # characters
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
    sorted: str  # a value of aria-sort; empty: by another column
    is_text: bool  # else numbers, which stand at the right


@dataclass(frozen=True, slots=True)
class Row:
    """An organization in words."""

    figures: OrganizationFigures
    tokens: str
    cost: str
    cost_before: str


def organizations_part(request: HttpRequest) -> dict[str, Any]:
    """Return what the operator's overview shows of organizations. One statement; two when there is no such page, which shows the first."""
    given = request.GET
    sort = given.get("sort", "") if given.get("sort") in SORTS else "name"
    is_turned, q = given.get("turned") == "1", given.get("q", "").replace("\x00", "").strip()[:MAX_SEARCH]
    asked = given.get("page", "")
    number = min(int(asked), MAX_PAGE) if asked.isdecimal() and 0 < len(asked) < 10 and int(asked) else 1
    today = timezone.now().astimezone(UTC).date()
    read = partial(organizations_page, today=today, sort=sort, is_turned=is_turned, q=q)
    found, count = read(page=number)
    if not found and number > 1:
        number = 1
        found, count = read(page=number)
    kept = {"q": q} if q else {}
    here = {**kept, "sort": sort, **({"turned": "1"} if is_turned else {})}
    return {
        "organizations": [_row(figures) for figures in found],
        "organization_count": count,
        "organization_heads": [_head(key, sort, is_turned, kept) for key in HEADS],
        "organization_query": q,
        "organization_pages": {
            "number": number,
            "count": max(1, ceil(count / ON_PAGE)),
            "before": f"?{urlencode({**here, 'page': number - 1})}" if number > 1 else "",
            "after": f"?{urlencode({**here, 'page': number + 1})}" if number * ON_PAGE < count else "",
        },
    }


def _head(key: str, sort: str, is_turned: bool, kept: dict[str, str]) -> Head:
    is_sorted = key == sort
    direction = "descending" if (" desc" in SORTS[key]) != is_turned else "ascending"
    turned = {"turned": "1"} if is_sorted and not is_turned else {}
    address = f"?{urlencode({**kept, 'sort': key, **turned})}"
    return Head(str(HEADS[key]), address, direction if is_sorted else "", is_text=key == "plan")


def _row(figures: OrganizationFigures) -> Row:
    return Row(
        figures,
        short(figures.tokens),
        _cost(float(figures.cost_usd), figures.unpriced_calls),
        _cost(float(figures.cost_before_usd), figures.unpriced_before),
    )


def _cost(usd: float, unpriced_calls: int) -> str:
    """Return the cost; what has no price is unknown, never 0."""
    if not unpriced_calls:
        return money(usd)
    return gettext("%(cost)s + unknown") % {"cost": money(usd)} if usd else str(UNKNOWN)
