"""What the usage page shows of an organization (design 52)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from chat.overview.chart_drawing import Chart, Series, chart
from tenants.localization.figures import money
from tenants.localization.language import date_in_words
from usage.models import Reconciliation, Repricing, UsageConversation
from usage.pages.cards import cards_of
from usage.pages.figure_texts import cost_text, short
from usage.pages.table import WEEK, WEEKS, by_cost, runs_address, table_of, weight
from usage.reading.labels import labels_of
from usage.reading.later_prices import repriced_in
from usage.reading.percentiles import times_by_key
from usage.reading.query import DAY, DIMENSIONS, TIMES, Period, UsageQuery
from usage.reading.sums import Scope, Sums, keys_by_cost, sums_by_day, sums_by_key, total_of
from usage.rollup import next_month
from usage.savings.hints import stored_hints

COLOURED: Final = 3  # keys with a colour of their own in the chart; all others together have a grey
SPARKED: Final = 20  # lines with their last weeks
TOP: Final = 8  # conversations


@dataclass(frozen=True, slots=True)
class TopConversation:
    id: str
    member: str
    calls: int
    tokens: int
    cost: str
    runs: str


def usage_page_context(query: UsageQuery, *, open_key: str) -> dict[str, Any]:
    """Return the template's context: at most thirteen statements, whatever happened. `open_key`: the key of the line that shows its parts."""
    now = timezone.now()
    scope = Scope.of(query)
    sums, before = sums_by_key(scope)
    coloured_keys = keys_by_cost(sums)[:COLOURED]
    days = sums_by_day(scope, keys_by_cost(sums)[:SPARKED], min(query.period.first, query.period.last - WEEKS * WEEK + DAY))
    times = times_by_key(scope)
    table = table_of(scope, sums, before, days=days, times=times, open_key=open_key)
    labels = {line.key: line.label for line in table.lines}
    return {
        "query": query,
        "period": query.period,
        "periods": period_links(query, now.astimezone(UTC).date()),
        "compared": comparison_text(query.period),
        "filters": [
            (DIMENSIONS[name], labels_of(name, [key])[key], f"?{query.address(without=name)}") for name, key in query.filters.items()
        ],
        "dimensions": [(label, f"?{query.address(by=name)}", name == query.by) for name, label in DIMENSIONS.items()],
        "cards": cards_of(total_of(sums.values()), total_of(before.values()), query.period, now),
        "chart": _chart(query, coloured_keys, labels, days, by_cost(sums)),
        "table": table,
        "dimension": DIMENSIONS[query.by],
        "tools_url": f"{reverse('admin:usage_usagesum_tools')}?{query.of_tools().address()}",
        "runs": runs_address(query),
        "top": _costliest_conversations(query),
        "top_month": query.period.last.replace(day=1),
        "hints": stored_hints(scope.hints) if not query.filters else [],
        "reconciled": Reconciliation.objects.order_by("-created_at").first(),
        "repriced": repriced_in(query.period),
        "repricing": _repricing(query.period),
        "unpriced": any(row.unpriced_calls for row in sums.values()),
        "export_url": reverse("admin:usage_usagesum_export"),
        "statement_url": f"{reverse('admin:usage_usagesum_statement')}?month={query.period.last:%Y-%m}",
    }


def _repricing(period: Period) -> Repricing | None:
    """Return the newest calculation for days of the period, while it is under way."""
    newest = Repricing.objects.filter(first__lte=period.last, last__gte=period.first).order_by("-created_at").first()
    return None if newest is None or newest.is_done else newest


def period_links(query: UsageQuery, today: date) -> list[tuple[str, str, bool]]:
    """Return the words, address and choice of each period."""
    shown_month = query.period.first if query.period.key == "month" else today.replace(day=1)
    day_links = [
        (words, f"?{query.in_period(period=key)}", query.period.key == key)
        for key, words in (("today", gettext("Today")), ("7", gettext("7 days")))
    ]
    months = [((shown_month - DAY).replace(day=1), "\N{LEFTWARDS ARROW}"), (shown_month, date_format(shown_month, "F Y"))]
    months += [(next_month(shown_month), "\N{RIGHTWARDS ARROW}")] if next_month(shown_month) <= today else []
    return day_links + [
        (words, f"?{query.in_period(period='month', month=f'{month:%Y-%m}')}", query.period.key == "month" and month == shown_month)
        for month, words in months
    ]


def comparison_text(period: Period) -> str:
    """Return the days that a period is compared with."""
    if period.before == period.before_last:
        return date_in_words(period.before, "j F")
    return gettext("%(date_format)s to %(date_format_2)s") % {
        "date_format": date_in_words(period.before, "j F"),
        "date_format_2": date_in_words(period.before_last, "j F"),
    }


def _chart(
    query: UsageQuery, coloured_keys: Sequence[str], labels: Mapping[str, str], days: Mapping[str, Mapping[date, Sums]], is_cost: bool
) -> Chart:
    steps = query.period.steps()
    if query.by in TIMES:
        everything = {day: sums for values in days.values() for day, sums in values.items()}
        days, coloured_keys = {"": everything}, []
    series = [
        Series(labels[key], str(place), _values(days.get(key, {}), steps, is_cost)) for place, key in enumerate(coloured_keys, start=1)
    ]
    rest = [total_of(values.get(day, Sums()) for key, values in days.items() if key not in coloured_keys) for day in steps]
    if not coloured_keys or any(sums.calls for sums in rest):
        series.append(
            Series(
                gettext("Others") if coloured_keys else gettext("All"),
                "rest" if coloured_keys else "1",
                [weight(sums, is_cost) for sums in rest],
            )
        )
    unpriced = [sum(values.get(day, Sums()).unpriced_tokens for values in days.values()) for day in steps]
    return chart(
        "usage",
        gettext("Cost by day") if is_cost else gettext("Tokens by day"),
        labels=[date_in_words(day, "j M") for day in steps],
        series=series,
        words=money if is_cost else short,
        is_bars=True,
        notes=[gettext("%(short)s tokens without a price") % {"short": short(tokens)} if tokens else "" for tokens in unpriced]
        if is_cost and any(unpriced)
        else (),
    )


def _values(days: Mapping[date, Sums], steps: Sequence[date], is_cost: bool) -> list[float]:
    return [weight(days.get(day, Sums()), is_cost) for day in steps]


def _costliest_conversations(query: UsageQuery) -> list[TopConversation]:
    """Return the conversations that cost most in the month, without their titles. Two statements, none when the page is filtered."""
    if query.filters:
        return []
    month = query.period.last.replace(day=1)
    rows = list(UsageConversation.objects.filter(month=month).order_by("-cost_usd", "-tokens")[:TOP])
    names = labels_of("member", {str(row.member_id) for row in rows})
    runs = reverse("admin:chat_run_changelist")
    return [
        TopConversation(
            id=str(row.conversation_id),
            member=names[str(row.member_id)],
            calls=row.calls,
            tokens=row.tokens,
            cost=cost_text(float(row.cost_usd), row.unpriced_tokens, is_known=bool(row.cost_usd or not row.unpriced_tokens)),
            runs=f"{runs}?q={row.conversation_id}&period=all",
        )
        for row in rows
    ]
