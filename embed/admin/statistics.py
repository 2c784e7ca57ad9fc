"""How much an embedded chat is used: visitors, conversations, messages and refusals of the last days (UTC)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from django.db.models import Aggregate, Count, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext

from chat.models import Conversation, Message
from chat.overview.chart_drawing import Chart, Series, chart
from embed.models import EmbedSite, EmbedVisitor
from limits.models import RateLimit, Scope
from limits.usage_text import used_in_words
from limits.violations.reading import KIND
from security.models import AuditEvent
from tenants.localization.language import date_in_words

DAYS: Final = 30
_ROWS: Final = Count("pk")


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """`visitors`: all that are kept; the others are of the last DAYS days."""

    visitors: int
    conversations: int
    messages: int
    refusals: int  # by limits and budgets
    usage_texts: list[str] | None  # of the limits for all visitors together; None while Redis is away
    chart: Chart


def site_figures(site: EmbedSite) -> SiteFigures:
    """Return the figures. Five queries. Needs the organization's `tenant_tx`."""
    visitors = EmbedVisitor.objects.filter(site=site)
    today = timezone.now().date()
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    owners = visitors.values("membership_id")
    users = visitors.values("membership__user_id")
    conversations = _by_day(Conversation.objects.filter(owner_id__in=owners), days[0])
    # What the page says was said before has no sender's id.
    visitor_messages = Message.objects.filter(conversation__owner_id__in=owners, role=Message.Role.USER).exclude(client_msg_id="")
    messages = _by_day(visitor_messages, days[0])
    refusals = _by_day(AuditEvent.objects.filter(object_kind=KIND, actor_user_id__in=users), days[0], Sum("count"))
    return SiteFigures(
        visitors=visitors.count(),
        conversations=sum(conversations.values()),
        messages=sum(messages.values()),
        refusals=sum(refusals.values()),
        usage_texts=_usage_texts(site),
        chart=_chart(days, conversations, messages, refusals),
    )


def _usage_texts(site: EmbedSite) -> list[str] | None:
    texts = [used_in_words(limit) for limit in RateLimit.objects.filter(embed_site=site, scope=Scope.EMBED)]
    return None if None in texts else [words for limit in texts for words in limit or ()]


def _by_day(rows: QuerySet[Any], since: date, number: Aggregate = _ROWS) -> dict[date, int]:
    recent = rows.filter(created_at__date__gte=since).annotate(day=TruncDate("created_at"))
    return dict(recent.order_by().values_list("day").annotate(number=number))


def _chart(days: list[date], conversations: dict[date, int], messages: dict[date, int], refusals: dict[date, int]) -> Chart:
    lines = (
        (gettext("Messages"), "1", messages),
        (gettext("Conversations"), "2", conversations),
        (gettext("Refused by limits"), "bad", refusals),
    )
    return chart(
        "embed",
        gettext("Messages and conversations a day"),
        labels=[date_in_words(day, "j M") for day in days],
        series=[Series(label, look, [counts.get(day, 0) for day in days]) for label, look, counts in lines],
        words=lambda value: f"{value:g}",
        is_bars=False,
    )
