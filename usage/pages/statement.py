"""The statement of a month: by agent, model and member, as a page, Markdown for the PDF, and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final

from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from security.csv_cells import csv_text
from tenants.localization.figures import figure, money
from tenants.localization.language import date_in_words
from tenants.models import Organization
from usage.pages.figure_texts import cost, currency_note, short
from usage.reading.labels import labels_of
from usage.reading.later_prices import RepricedModel, repriced_in
from usage.reading.query import Period, UsageQuery, month_of, period_of
from usage.reading.sums import Scope, Sums, keys_by_cost, sums_by_key, total_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PARTS: Final = (
    ("agent", gettext_lazy("By agent")),
    ("model", gettext_lazy("By model")),
    ("member", gettext_lazy("By member")),
    ("kind", gettext_lazy("By kind of call")),
)
# Of the CSV, which programs read, in English; the page looks them up, and shows costs in the organization's currency.
_COUNTS: Final = (_("Name"), _("Calls"), _("Input tokens"), _("Cached"), _("Output"), _("Thinking"), _("Without a price"))
HEAD: Final = (*_COUNTS, "Cost (USD)")
PAGE_HEAD: Final = (*_COUNTS, _("Cost"))


@dataclass(frozen=True, slots=True)
class Part:
    """A table of the statement."""

    title: StrOrPromise
    lines: Sequence[tuple[str, Sums]]

    @property
    def rows(self) -> list[tuple[str, Sums, str]]:
        return [(label, sums, cost(sums)) for label, sums in self.lines]


@dataclass(frozen=True, slots=True)
class Statement:
    """What an organization used in a month."""

    organization: str
    period: Period
    is_final: bool  # the month is over
    made_at: datetime
    total: Sums
    parts: Sequence[Part]
    repriced: Sequence[RepricedModel]

    @property
    def title(self) -> str:
        return gettext("Usage of %(organization)s, %(date_format)s") % {
            "organization": self.organization,
            "date_format": date_format(self.period.first, "F Y"),
        }

    @property
    def cost(self) -> str:
        return cost(self.total)


def statement_of(*, organization_id: Any, month: str, now: datetime) -> Statement:
    """Return the statement; of this month for a text that is no month of the past. Needs the organization's `tenant_tx`."""
    today = now.astimezone(UTC).date()
    period = period_of({"period": "month", "month": month}, today)
    parts = []
    total = Sums()
    for dimension, title in PARTS:
        sums, _ = sums_by_key(Scope.of(UsageQuery(period, dimension)))
        labels = labels_of(dimension, list(sums))
        parts.append(Part(title, [(labels[key], sums[key]) for key in keys_by_cost(sums)]))
        total = total_of(sums.values())
    return Statement(
        organization=Organization.objects.get(pk=organization_id).name,
        period=period,
        is_final=period.last < today,
        made_at=now,
        total=total,
        parts=parts,
        repriced=repriced_in(period),
    )


def months_before(today: date, count: int) -> list[date]:
    """Return the first days of the last months, the running one first."""
    months = [today.replace(day=1)]
    while len(months) < count:
        months.append(month_of(months[-1], today).before)
    return months


def statement_csv(statement: Statement) -> str:
    """Return the statement as CSV: a line for each line of its tables. What has no known price has no cost."""
    rows: list[tuple[object, ...]] = [("Part", *HEAD)]
    for part in statement.parts:
        rows += [(part.title, *_cells(label, sums)) for label, sums in part.lines]
    rows.append(("Total", *_cells("Total", statement.total)))
    return csv_text(rows)


def statement_markdown(statement: Statement) -> str:
    """Return the statement as Markdown: the period and its total, what has no known price, then a table for each part."""
    lines = _introduction(statement)
    lines += [_repriced_text(row) for row in statement.repriced]
    for part in statement.parts:
        lines += [f"## {part.title}", _markdown_table(part)]
    return "\n\n".join(lines) + "\n"


def _introduction(statement: Statement) -> list[str]:
    total, period = statement.total, statement.period
    until = date_in_words(period.last, "j F Y") + ("" if statement.is_final else gettext(", so far"))
    lines = [
        gettext("%(first)s to %(last)s (UTC). Made on %(made_at)s UTC.")
        % {
            "first": date_in_words(period.first, "j F Y"),
            "last": until,
            "made_at": date_in_words(statement.made_at, "j F Y, H:i"),
        },
        gettext("**Total: %(cost)s**, %(calls)s calls of models.") % {"cost": statement.cost, "calls": figure(total.calls)},
    ]
    if total.unpriced_calls:
        unpriced_text = gettext("%(unpriced_tokens)s tokens of %(unpriced_calls)s calls") % {
            "unpriced_tokens": figure(total.unpriced_tokens),
            "unpriced_calls": figure(total.unpriced_calls),
        }
        lines.append(gettext("%(counted)s have no known price. They are in no sum of money.") % {"counted": unpriced_text})
    if note := currency_note():
        lines.append(note)
    return lines


def _repriced_text(row: RepricedModel) -> str:
    """Return what calls without a price cost by a price that came later."""
    days = gettext("%(first)s to %(last)s") % {
        "first": date_in_words(row.first, "j F"),
        "last": date_in_words(row.last, "j F Y"),
    }
    amount_text = gettext("%(tokens)s tokens without a price come to %(dollars)s") % {
        "tokens": figure(row.tokens),
        "dollars": money(row.cost_usd),
    }
    return gettext("%(model)s, %(days)s: %(counted)s by the prices of %(date_format)s. This is beside the total.") % {
        "model": row.model,
        "days": days,
        "counted": amount_text,
        "date_format": date_format(row.asked_at, "j F Y"),
    }


def _markdown_table(part: Part) -> str:
    head = gettext("| Name | Calls | Input | Cached | Output | Cost |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    rows = [
        f"| {_plain(label)} | {figure(sums.calls)} | {short(sums.input_tokens)} | {short(sums.cached_tokens)} "
        f"| {short(sums.output_tokens + sums.thinking_tokens)} | {words} |"
        for label, sums, words in part.rows
    ]
    return "\n".join([head, *rows])


def _plain(label: str) -> str:
    """Return a name that Markdown shows as it is: names are people's own."""
    return "".join(
        f"\\{character}" if character in "\\`*_{}[]<>()#+-.!|~" else " " if character in "\r\n" else character for character in label
    )


def _cells(label: str, sums: Sums) -> tuple[object, ...]:
    cost_usd = sums.known_cost_usd
    return (
        label,
        sums.calls,
        sums.input_tokens,
        sums.cached_tokens,
        sums.output_tokens,
        sums.thinking_tokens,
        sums.unpriced_tokens,
        None if cost_usd is None else f"{cost_usd:.6f}",
    )
