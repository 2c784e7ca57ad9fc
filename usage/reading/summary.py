"""What a member used, for the page *My usage*."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from chat.conversations.shapes import UsageSums
from chat.models import Conversation
from usage.call_sums import FIGURES
from usage.reading.conversations import top_conversations
from usage.reading.lists import Days
from usage.reading.sums import Scope, Sums, sums_by_columns
from usage.shapes import UsageConversation, UsageDay, UsageSummary

TOP_CONVERSATIONS: Final = 8
_COUNTS: Final = tuple(name for name in FIGURES if name in UsageSums.model_fields and name != "cost_usd")


def usage_summary(*, days: Days, member_id: UUID) -> UsageSummary:
    """Return what the member used: sums by day and model, and the conversations that cost most. Four statements."""
    scope = days.scope(member_id)
    if scope is None:
        return UsageSummary(first=days.first, last=days.last, days=[], conversations=[])
    period = scope.query.period
    rows = sums_by_columns(scope, ("day", "model"), period.first, period.last)
    return UsageSummary(
        first=days.first,
        last=days.last,
        days=[UsageDay(day=day, model=model, **_sums(sums)) for (day, model), sums in rows],
        conversations=_conversations(scope, member_id),
    )


def _conversations(scope: Scope, member_id: UUID) -> list[UsageConversation]:
    """Return those that cost most. One that was deleted, or handed over to somebody else, has neither id nor title."""
    rows = top_conversations(scope, TOP_CONVERSATIONS, member_id)
    there = Conversation.objects.filter(pk__in=[key for key, _ in rows], owner_id=member_id, deleted_at=None)
    titles = dict(there.order_by().values_list("pk", "title"))
    return [UsageConversation(id=key if key in titles else None, title=titles.get(key, ""), **_sums(sums)) for key, sums in rows]


def _sums(sums: Sums) -> dict[str, Any]:
    return {"cost_usd": sums.known_cost_usd, **{name: getattr(sums, name) for name in _COUNTS}}
