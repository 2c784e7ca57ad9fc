"""How much of a limit is used, in words. Read by the pages of limits and by statistics of embedded chats."""

from __future__ import annotations

from typing import Final, cast

from django.utils.translation import gettext

from limits.allowances import SECONDS, Allowance, Holder, Measure, Sender
from limits.counters import limits_used
from limits.errors import IN_WORDS, amount_words
from limits.models import RateLimit, Scope
from tenants.localization.currency import DOLLARS, currency_shown

# Whose counters one limit's page can show: those of one holder.
COUNTED: Final[dict[Scope, Holder]] = {
    Scope.ORGANIZATION: "organization",
    Scope.MEMBER: "member",
    Scope.ASSISTANT: "assistant",
    Scope.AGENT: "agent",
    Scope.EMBED: "embed",
}


def used_in_words(limit: RateLimit) -> list[str] | None:
    """Return how much of each number is used, such as "9 of 60 messages in an hour". None while Redis is away."""
    holder = COUNTED[Scope(limit.scope)]
    numbers = tuple(
        Allowance(holder, window, count, measure_of(limit), limit.assistant_id, embed_id=limit.embed_site_id, agent=limit.agent)
        for window, count in zip(SECONDS, limit.counts, strict=True)
        if count is not None
    )
    found = limits_used(Sender(limit.organization_id, limit.membership_id or limit.organization_id), numbers)
    if found is None:
        return None
    with currency_shown(lambda: DOLLARS):  # as the admin entered it
        return [_used_of(each, one.used) for each, one in zip(numbers, found, strict=True)]


def _used_of(limit: Allowance, used: int) -> str:
    words = {"number": amount_words(limit, used).split()[0], "amount_words": amount_words(limit), "value": IN_WORDS[limit.window]}
    return gettext("%(number)s of %(amount_words)s %(value)s") % words


def measure_of(limit: RateLimit) -> Measure:
    return cast(Measure, limit.measure)  # the field's choices
