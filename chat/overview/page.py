"""What the overview shows of an organization's activity (design 40)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Count, Min, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from chat.explorer.filters import STUCK_AFTER
from chat.feedback.selectors import unseen_count
from chat.models import MessageFeedback, Run
from chat.overview.budget_chart import budget_chart
from chat.overview.chart_drawing import Chart, Series, chart
from chat.overview.periods import DEFAULT, PERIODS, Figures, Period, figures_of_period
from chat.overview.rollup import HOUR
from chat.overview.sums import Sums
from chat.templatetags.run_figures import milliseconds
from limits.budget_admin import budgets_on_overview
from tenants.admin import actor_of
from tenants.localization.figures import MINUS, figure, money, percent
from tenants.postgres.replica import read_from_replica


@dataclass(frozen=True, slots=True)
class Change:
    """A figure against the one of the period before."""

    words: str  # "+8 %"
    look: str  # "good", "bad" or ""


@dataclass(frozen=True, slots=True)
class OpenRuns:
    """Runs that have not ended."""

    running: int
    waiting: int
    stuck: int
    oldest_wait: datetime | None


def activity_context(request: HttpRequest) -> dict[str, Any]:
    """Return the template's context. Seven statements, and one for the feedback that the sidebar counts."""
    period_name = request.GET.get("period", "")
    period = Period(period_name if period_name in PERIODS else DEFAULT, timezone.now())
    read = read_from_replica(actor_of(request).organization_id, partial(_read_activity, request, period))
    budgets = budgets_on_overview()
    return {**read, **budgets, "budget_chart": budget_chart(budgets["own_budgets"], read["month"], period.now)}


def _read_activity(request: HttpRequest, period: Period) -> dict[str, Any]:
    figures = figures_of_period(period)
    now, before = figures.now, figures.before
    return {
        "period": period,
        "periods": [(key, label) for key, (label, _) in PERIODS.items()],
        "compared_with": gettext("yesterday up to this hour")
        if period.days == 1
        else gettext("the %(days)s days before") % {"days": period.days},
        "now": now,
        "cost": None if now.known_cost_usd is None else money(now.known_cost_usd),
        "first_p50": now.first_token_ms(0.5),
        "first_p95": now.first_token_ms(0.95),
        "changes": {
            "runs": change(now.runs, before.runs),
            "members": change(len(now.members), len(before.members)),
            "failed": change(now.failed_share, before.failed_share, more_is="bad"),
            "first": change(now.first_token_ms(0.5), before.first_token_ms(0.5), more_is="bad"),
            "cost": None if now.unpriced_calls or before.unpriced_calls else change(now.cost_usd, before.cost_usd),
            "tokens": change(now.tokens, before.tokens),
        },
        "errors": [(code, code.replace("_", " ") or "unknown", count) for code, count in now.errors.most_common(6)],
        "thumbs": _thumbs(period),
        "open": _open_runs(period.now),
        "unseen": unseen_count(request),
        "charts": _charts(figures),
        "month": figures.month,
        "runs_period": {"today": "1", "7": "7", "30": "30"}[period.key],
    }


def change(now: float | None, before: float | None, *, more_is: str = "") -> Change | None:
    """Return how a figure has changed; None where one of the two is not known, or was 0."""
    if now is None or not before:
        return None
    share = round(100 * (now - before) / before)
    opposite = {"bad": "good", "good": "bad"}.get(more_is, "")
    look = "" if share == 0 else more_is if share > 0 else opposite
    return Change(gettext("No change") if share == 0 else f"{'+' if share > 0 else MINUS}{percent(abs(share))}", look)


def _thumbs(period: Period) -> dict[str, int]:
    feedback = MessageFeedback.objects.filter(created_at__gte=period.first, message__conversation__is_trial=False)
    counts = feedback.order_by().aggregate(up=Count("id", filter=Q(rating="up")), down=Count("id", filter=Q(rating="down")))
    rating_count = counts["up"] + counts["down"]
    return {**counts, "rated": rating_count, "share": round(100 * counts["up"] / rating_count) if rating_count else 0}


def _open_runs(now: datetime) -> OpenRuns:
    """One statement on the index of open runs."""
    runs = Run.objects.filter(finished_at=None, conversation__is_trial=False).order_by()
    counts = runs.aggregate(
        running=Count("id", filter=Q(status__in=Run.ACTIVE)),
        waiting=Count("id", filter=Q(status__in=Run.WAITING)),
        stuck=Count("id", filter=Q(status__in=Run.ACTIVE, lease_expires_at__lt=now - STUCK_AFTER)),
        oldest_wait=Min("paused_at", filter=Q(status__in=Run.WAITING)),
    )
    return OpenRuns(**counts)


def _charts(figures: Figures) -> list[Chart]:
    steps, period = figures.steps, figures.period
    labels = [_label(at, period.step) for at in steps]
    past = [sums if at <= period.now else None for at, sums in steps.items()]
    by = gettext("hour") if period.step == HOUR else gettext("day")
    return [_runs_chart(past, labels, by), _first_token_chart(past, labels, by), _cost_chart(past, labels, by)]


def _runs_chart(past: Sequence[Sums | None], labels: Sequence[str], by: str) -> Chart:
    return chart(
        "runs",
        gettext("Runs by %(by)s") % {"by": by},
        labels=labels,
        series=[
            Series(gettext("Completed or stopped"), "1", [sums.runs - sums.failed if sums else None for sums in past]),
            Series(gettext("Failed"), "bad", [sums.failed if sums else None for sums in past]),
        ],
        words=_number,
        is_bars=True,
    )


def _first_token_chart(past: Sequence[Sums | None], labels: Sequence[str], by: str) -> Chart:
    return chart(
        "first",
        gettext("Time to first token by %(by)s") % {"by": by},
        labels=labels,
        series=[Series("p50", "1", _first_token_ms(past, 0.5)), Series("p95", "2", _first_token_ms(past, 0.95))],
        words=lambda value: milliseconds(round(value)),
        is_bars=False,
    )


def _cost_chart(past: Sequence[Sums | None], labels: Sequence[str], by: str) -> Chart:
    unpriced_notes = [
        gettext("%(unpriced_calls)s calls without a price") % {"unpriced_calls": sums.unpriced_calls}
        if sums and sums.unpriced_calls
        else ""
        for sums in past
    ]
    return chart(
        "cost",
        gettext("Cost by %(by)s") % {"by": by},
        labels=labels,
        series=[Series(gettext("Cost"), "1", [sums.known_cost_usd if sums else None for sums in past])],
        words=money,
        is_bars=True,
        notes=unpriced_notes if any(unpriced_notes) else (),
    )


def _first_token_ms(past: Sequence[Sums | None], share: float) -> list[float | None]:
    return [sums.first_token_ms(share) if sums else None for sums in past]


def _number(value: float) -> str:
    return figure(value, 0 if value == round(value) else 1)


def _label(at: datetime, step: timedelta) -> str:
    return f"{at:%H}:00" if step == HOUR else date_format(at, "j M")
