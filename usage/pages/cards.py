"""The figures on top of the usage page."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from chat.overview.page import Change, change
from tenants.localization.figures import figure, money, percent
from usage.pages.figure_texts import UNKNOWN, short
from usage.reading.query import Period
from usage.reading.sums import Sums
from usage.rollup import day_start


@dataclass(frozen=True, slots=True)
class Card:
    """One figure."""

    name: str
    value: str
    notes: Sequence[str] = ()
    change: Change | None = None
    is_warning: bool = False
    link: tuple[str, str] | None = None  # words, address


def cards_of(now: Sums, before: Sums, period: Period, at: datetime) -> list[Card]:
    """Return the cards of a period's sums. `before`: the sums of the days that it is compared with."""
    return [
        _cost(now, before),
        *_projection(now, period, at),
        _answer_cost(now),
        _tokens(now, before),
        _cache(now),
        *([_failed_calls(now)] if now.failed_calls else []),
        *([_unpriced_calls(now)] if now.unpriced_calls else []),
    ]


def _cost(now: Sums, before: Sums) -> Card:
    cost_before = UNKNOWN if before.known_cost_usd is None else money(before.known_cost_usd)
    return Card(
        gettext("Cost"),
        str(UNKNOWN) if now.known_cost_usd is None else money(now.known_cost_usd),
        [gettext("%(value)s before") % {"value": cost_before}] if before.calls else [],
        _cost_change(now, before),
    )


def _cost_change(now: Sums, before: Sums) -> Change | None:
    return None if now.unpriced_calls or before.unpriced_calls else change(float(now.cost_usd), float(before.cost_usd), more_is="bad")


def _projection(now: Sums, period: Period, at: datetime) -> list[Card]:
    """Return what the running month comes to at this pace, from its second day on."""
    elapsed = (at - day_start(period.first)) / timedelta(days=1)
    if period.key != "month" or period.last != at.astimezone(UTC).date() or elapsed < 1 or not now.cost_usd:
        return []
    whole = float(now.cost_usd) / elapsed * monthrange(period.first.year, period.first.month)[1]
    return [
        Card(
            gettext("Projected"),
            money(whole),
            [gettext("by the end of %(date_format)s") % {"date_format": date_format(period.first, "F")}],
        )
    ]


def _answer_cost(now: Sums) -> Card:
    cost_usd, answers = now.known_cost_usd, now.answers
    return Card(
        gettext("Cost of an answer"),
        money(cost_usd / answers) if cost_usd and answers and not now.unpriced_calls else str(UNKNOWN),
        [f"{_answers_in_words(answers)}, {_calls_in_words(now.calls)}"],
    )


def _tokens(now: Sums, before: Sums) -> Card:
    output = {"output": short(now.output_tokens), "thinking": short(now.thinking_tokens)}
    return Card(
        gettext("Tokens"),
        gettext("%(input)s in") % {"input": short(now.input_tokens)},
        [gettext("%(output)s out, %(thinking)s thinking") % output],
        change(now.tokens, before.tokens),
    )


def _cache(now: Sums) -> Card:
    share = gettext("None") if now.cached_share is None else percent(now.cached_share)
    return Card(gettext("Read from cache"), share, [gettext("of the tokens that were sent")])


def _failed_calls(now: Sums) -> Card:
    share = figure(100 * now.failed_calls / now.calls, 1)
    return Card(gettext("Failed calls"), figure(now.failed_calls), [gettext("%(value)s %% of all") % {"value": share}])


def _unpriced_calls(now: Sums) -> Card:
    return Card(
        gettext("Without a price"),
        gettext("%(tokens)s tokens") % {"tokens": short(now.unpriced_tokens)},
        [_calls_in_words(now.unpriced_calls)],
        is_warning=True,
        link=(gettext("Set a price"), reverse("admin:admin_config_modelconfig_changelist")),
    )


def _answers_in_words(number: int) -> str:
    return ngettext("%(number)s answer", "%(number)s answers", number) % {"number": figure(number)}


def _calls_in_words(number: int) -> str:
    return ngettext("%(number)s call", "%(number)s calls", number) % {"number": figure(number)}
