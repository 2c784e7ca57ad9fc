"""Tokens and cost of one conversation and its answers, from the call log (SPEC 3.16). Sums of days: the app `usage`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Count, Max, Min, Q, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.shapes import AnswerUsage, ConversationUsage, UsageSums
from chat.conversations.ui_messages import duration_ms
from chat.models import ModelCall
from tenants.access import Actor

_TOKENS = ("input_tokens", "cached_tokens", "cache_write_tokens", "tool_tokens", "output_tokens", "thinking_tokens")


def conversation_usage(*, actor: Actor, key: str, run_ids: Collection[UUID]) -> ConversationUsage:
    """Return what the actor's conversation used in all, and what these of its runs did. Two queries.

    Raises NotFound.
    """
    conversation = conversation_get_for_user(actor=actor, key=key)
    calls = ModelCall.objects.filter(Q(run__conversation=conversation) | Q(run=None, conversation=conversation))
    times = {
        "first_token_ms": _FIRST_TOKEN,
        "begun": Max("run__created_at"),
        "ended": Max("run__finished_at"),
        "waited_ms": Max("run__waited_ms"),
    }
    rows = list(calls.values("run_id").annotate(answers=_ANSWERS, **times, **_SUMS))
    requested_ids = set(run_ids)
    return ConversationUsage(
        total=_total_of(rows),
        answers=[_answer(row) for row in rows if row["run_id"] in requested_ids],
    )


def _answer(row: Mapping[str, Any]) -> AnswerUsage:
    took_ms = max(0, duration_ms(row["begun"], row["ended"]) - row["waited_ms"]) if row["ended"] else None
    return AnswerUsage(run_id=row["run_id"], first_token_ms=row["first_token_ms"], duration_ms=took_ms, **_sums(row))


def _total_of(rows: Sequence[Mapping[str, Any]]) -> UsageSums:
    costs = [row["cost"] for row in rows if row["cost"] is not None]
    names = ("answers", "calls", "unpriced", "estimated", *_TOKENS)
    return UsageSums(**_sums({name: sum(row[name] for row in rows) for name in names} | {"cost": sum(costs) if costs else None}))


def _sum(name: str) -> Any:
    return Coalesce(Sum(Cast(KeyTextTransform(name, "usage"), BigIntegerField())), 0)


# As in the sums of days (usage.call_sums).
_ANSWERS = Count("id", filter=Q(kind=ModelCall.Kind.STEP, step=1, error_code__in=("", "stopped")))
_FIRST_TOKEN = Min("first_token_ms", filter=Q(kind=ModelCall.Kind.STEP, step=1))
_SUMS: Mapping[str, Any] = {
    "calls": Count("id"),
    "unpriced": Count("id", filter=Q(cost_usd=None)),
    "estimated": Count("id", filter=Q(is_estimated=True)),
    "cost": Sum("cost_usd"),
    **{name: _sum(name) for name in _TOKENS},
}


def _sums(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of UsageSums."""
    return {
        "answers": row["answers"],
        "cost_usd": row["cost"],
        "calls": row["calls"],
        "unpriced_calls": row["unpriced"],
        "estimated_calls": row["estimated"],
        **{name: row[name] for name in _TOKENS},
    }
