"""Compares a provider's usage export with the call log, day by day and model by model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from security.audit import audit
from tenants.access import Actor
from usage.models import Reconciliation
from usage.reading.query import Period, UsageQuery
from usage.reading.sums import Scope, Sums, sums_by_columns
from usage.reconciliation.provider_exports import ProviderSums

CENT: Final = Decimal("0.01")  # what costs may differ, as providers round theirs
MAX_KEPT: Final = 1000  # differences of one comparison
_DATED: Final = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure that the provider's file and the call log do not agree on."""

    day: str
    model: str
    field: str
    provider: str  # the provider's figure
    ledger: str  # ours


@dataclass(frozen=True, slots=True)
class Comparison:
    first: date
    last: date
    lines: int
    differences: list[Difference]


def logged_usage(provider: str, first: date, last: date) -> dict[tuple[date, str], Sums]:
    """Return what the current organization's log has of a provider. Needs its `tenant_tx`. Two statements."""
    query = UsageQuery(Period("days", first, last, first, last), "model", {"provider": provider})
    return {(day, model): sums for (day, model), sums in sums_by_columns(Scope.of(query), ("day", "model"), first, last)}


def compare(provider_sums: ProviderSums, ours: Mapping[tuple[date, str], Sums]) -> Comparison:
    """Return all differences within the days of the file. Figures that the file does not have are not compared."""
    days = sorted(day for day, _ in provider_sums)
    theirs = _by_our_names(provider_sums, {model for _, model in ours})
    fields = sorted({field for sums in provider_sums.values() for field in sums})
    keys = sorted({*theirs, *(key for key in ours if days[0] <= key[0] <= days[-1])})
    differences = [
        difference
        for key in keys
        for field in fields
        if (difference := _difference(key, field, theirs.get(key, {}).get(field, Decimal(0)), ours.get(key, Sums())))
    ]
    return Comparison(days[0], days[-1], len(keys), differences)


def _difference(key: tuple[date, str], field: str, provider: Decimal, sums: Sums) -> Difference | None:
    """Return how the two differ. A cost that has calls without a price in it is not known, whatever the provider says."""
    ledger = _our_count(sums, field)
    words = _text(ledger)
    if field == "cost_usd" and sums.unpriced_calls:
        words = f"{words} + unknown" if ledger else "unknown"
    elif abs(provider - ledger) <= (CENT if field == "cost_usd" else 0):
        return None
    return Difference(str(key[0]), key[1], field, _text(provider), words)


def days_of(provider_sums: ProviderSums) -> tuple[date, date]:
    days = [day for day, _ in provider_sums]
    return min(days), max(days)


def reconciliation_store(
    *, actor: Actor | None, organization_id: Any, provider: str, file_name: str, comparison: Comparison
) -> Reconciliation:
    """Keep the result, and write an audit event. Needs the organization's `tenant_tx`."""
    row = Reconciliation.objects.create(
        provider=provider,
        file_name=file_name[:200],
        first=comparison.first,
        last=comparison.last,
        lines=comparison.lines,
        differences=[asdict(difference) for difference in comparison.differences[:MAX_KEPT]],
        asked_by_id=actor.membership_id if actor else None,
    )
    audit(
        organization_id=organization_id,
        actor_user_id=actor.user_id if actor else None,
        action="usage.reconcile",
        object_kind="usage",
        object_id=row.pk,
        detail={"provider": provider, "lines": comparison.lines, "differences": len(comparison.differences)},
    )
    return row


def add_sums(parts: Iterable[Mapping[tuple[date, str], Sums]]) -> dict[tuple[date, str], Sums]:
    """Return the sums of several organizations together."""
    totals: defaultdict[tuple[date, str], Sums] = defaultdict(Sums)
    for part in parts:
        for key, sums in part.items():
            totals[key].add(sums)
    return dict(totals)


def _by_our_names(provider_sums: ProviderSums, names: Collection[str]) -> ProviderSums:
    """Return the file's sums under the log's names of models: providers name the dated version that answered."""
    renamed_sums: ProviderSums = {}
    for (day, model), sums in provider_sums.items():
        model_sums = renamed_sums.setdefault((day, _our_name(model, names)), dict.fromkeys(sums, Decimal(0)))
        for field, amount in sums.items():
            model_sums[field] += amount
    return renamed_sums


def _our_name(model: str, names: Collection[str]) -> str:
    plain = model.removeprefix("models/")
    return next((name for name in (model, plain, _DATED.sub("", plain)) if name in names), model)


def _our_count(sums: Sums, field: str) -> Decimal:
    if field == "output_tokens":
        return Decimal(sums.output_tokens + sums.thinking_tokens)
    return Decimal(getattr(sums, field))


def _text(amount: Decimal) -> str:
    return f"{amount.normalize():f}" if amount else "0"
