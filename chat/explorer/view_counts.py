"""How many runs each view of the list shows, for the page's script, which asks when the page is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import IntegerField, Subquery

from chat.explorer.filters import RunFilters, conditions, look_up_filters
from chat.models import Run
from tenants.context import current_organization_id
from tenants.localization.figures import figure
from tenants.models import Organization

MAX_COUNT: Final = 1000  # a view with more is shown as "1,000+", so that counting ends


class _Count(Subquery):
    """The number of rows of a query, which may have a limit."""

    template = "(SELECT count(*) FROM (%(subquery)s) AS counted)"


def view_counts(views: Sequence[RunFilters]) -> list[str]:
    """Return how many runs each view has, in its place, as the reader writes it.

    "" for a view that searches texts, because each search is an event of the audit log. One statement for all of them, one for
    all names, and one for all ratings.
    """
    filters_by_place = {place: filters for place, filters in enumerate(views) if not filters.text}
    lookups = look_up_filters([*filters_by_place.values()])
    counts: dict[str, Any] = {
        f"view_{place}": _Count(
            Run.objects.filter(conditions(filters, lookups)).order_by().values("pk")[: MAX_COUNT + 1], output_field=IntegerField()
        )
        for place, filters in filters_by_place.items()
    }
    row = Organization.objects.filter(pk=current_organization_id()).annotate(**counts).values_list(*counts).get()
    texts = dict(zip(filters_by_place, map(_count_text, row), strict=True))
    return [texts.get(place, "") for place in range(len(views))]


def _count_text(count: int | None) -> str:
    """`count`: None where no run can match."""
    return f"{figure(MAX_COUNT)}+" if (count or 0) > MAX_COUNT else figure(count or 0)
