"""How much of a limit is used, in words. Read by the pages of limits and by statistics of embedded chats."""

from __future__ import annotations

from typing import Final, cast

from django.utils.translation import gettext

from limits.allowances import CHARGED, SECONDS, Allowance, Allowances, Holder, Measure, Sender
from limits.counters import limit_usages
from limits.errors import IN_WORDS, amount_text
from limits.models import OutagePolicy, RateLimit, Scope
from tenants.localization.currency import DOLLARS, currency_shown

# Whose counters one limit's page can show: those of one holder.
HOLDER_BY_SCOPE: Final[dict[Scope, Holder]] = {
    Scope.ORGANIZATION: "organization",
    Scope.MEMBER: "member",
    Scope.ASSISTANT: "assistant",
    Scope.AGENT: "agent",
    Scope.EMBED: "embed",
}


def allowances_of(limit: RateLimit, holder: Holder) -> Allowances:
    """Return the limit's numbers as what the holder has. `refuses_uncounted` is as the row says."""
    refuses = limit.when_away == OutagePolicy.REFUSE or (limit.when_away == OutagePolicy.BY_KIND and limit.measure in CHARGED)
    return tuple(
        Allowance(holder, window, count, measure_of(limit), limit.assistant_id, refuses, limit.embed_site_id, agent=limit.agent)
        for window, count in zip(SECONDS, limit.counts, strict=True)
        if count is not None
    )


def used_in_words(limit: RateLimit) -> list[str] | None:
    """Return how much of each number is used, such as "9 of 60 messages in an hour". None while Redis is away."""
    holder = HOLDER_BY_SCOPE[Scope(limit.scope)]
    numbers = allowances_of(limit, holder)
    usages = limit_usages(Sender(limit.organization_id, limit.membership_id or limit.organization_id), numbers)
    if usages is None:
        return None
    with currency_shown(lambda: DOLLARS):  # as the admin entered it
        return [usage_in_words(each, one.amount) for each, one in zip(numbers, usages, strict=True)]


def usage_in_words(limit: Allowance, amount: int) -> str:
    """Return how much of a limit is used, such as "9 of 60 messages in an hour"."""
    words = {"number": amount_text(limit, amount).split()[0], "limit": amount_text(limit), "window": IN_WORDS[limit.window]}
    return gettext("%(number)s of %(limit)s %(window)s") % words


def allowed_in_words(limit: Allowance) -> str:
    """Return what a limit allows, such as "60 messages in an hour"."""
    return f"{amount_text(limit)} {IN_WORDS[limit.window]}"


def measure_of(limit: RateLimit) -> Measure:
    return cast(Measure, limit.measure)  # the field's choices
