"""Reads the limits that apply to a member's messages, the rows that they come from, and what is used of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from limits.allowances import PERSONAL, SECONDS, Allowance, Allowances, Holder, Sender
from limits.budgets import Budgets
from limits.counters import LimitUsage, limit_usages
from limits.models import RateLimit, Scope
from limits.periods import utc_today
from limits.usage_text import allowances_of
from tenants.models import ApiToken, GroupMember, Membership

NAME_RELATIONS: Final = ("group", "membership__user", "assistant")  # what the name of a row needs
_NARROWEST_FIRST: Final = tuple(PERSONAL)
_HOLDERS: Final[dict[str, Holder]] = {
    **PERSONAL,
    Scope.ORGANIZATION: "organization",
    Scope.EACH_TOKEN: "token",
    Scope.ASSISTANT: "assistant",
    Scope.AGENT: "agent",
}


@dataclass(frozen=True, slots=True)
class ApplicableLimit:
    """A limit that applies. `token`: the name of the API token that it counts, else "". `usage`: None while Redis is away."""

    row: RateLimit
    allowance: Allowance
    usage: LimitUsage | None
    token: str = ""


def is_in_force() -> Q:
    """Return the condition on limits and budgets that have not ended."""
    return Q(last_day=None) | Q(last_day__gte=utc_today())


def limits_of(member: Membership, member_budgets: Budgets, tokens: Sequence[ApiToken]) -> list[ApplicableLimit]:
    """Return the limits that messages of the member meet: all, and those of the agents, assistants and API tokens that may be used.

    `member_budgets`: what decides for the member's messages with the first of `tokens`. One statement, and one question to Redis, and one more for each token.
    """
    rows = list(_rows_for(member))
    agent_limits = (limit for agent in member_budgets.agents.values() for limit in agent.limits)
    distinct_limits = dict.fromkeys((*member_budgets.limits, *agent_limits, *_of_assistants(rows)))
    own = tuple(limit for limit in distinct_limits if limit.holder != "token")
    of_token = tuple(limit for limit in distinct_limits if limit.holder == "token")
    applicable_limits = _with_usage(Sender(member.organization_id, member.pk), own, rows)
    for token in tokens if of_token else ():
        applicable_limits += _with_usage(Sender(member.organization_id, member.pk, token.pk), of_token, rows, token.name)
    return applicable_limits


def _rows_for(member: Membership) -> Iterable[RateLimit]:
    groups = GroupMember.objects.filter(membership=member).values("group_id")
    return RateLimit.objects.filter(
        is_in_force(),
        Q(group=None) | Q(group_id__in=groups),
        Q(membership=None) | Q(membership=member),
        role__in=("", member.role),
        embed_site=None,
    ).select_related(*NAME_RELATIONS)


def _of_assistants(rows: Iterable[RateLimit]) -> Allowances:
    return tuple(limit for row in rows if row.scope == Scope.ASSISTANT for limit in allowances_of(row, "assistant"))


def _with_usage(sender: Sender, limits: Allowances, rows: Sequence[RateLimit], token: str = "") -> list[ApplicableLimit]:
    usages = limit_usages(sender, limits)
    return [
        ApplicableLimit(row, limit, usages[place] if usages is not None else None, token)
        for place, limit in enumerate(limits)
        if (row := _row_of(limit, rows)) is not None
    ]


def _row_of(limit: Allowance, rows: Sequence[RateLimit]) -> RateLimit | None:
    """Return the row that the limit comes from; None if it was changed just now. For a member, the narrowest row with a number decides."""
    place = tuple(SECONDS).index(limit.window)
    fitting = [
        row
        for row in rows
        if (row.measure, row.counts[place], _HOLDERS[row.scope]) == (limit.measure, limit.count, limit.holder)
        and (row.agent, row.assistant_id) == (limit.agent, limit.assistant_id)
    ]
    return min(fitting, key=_width, default=None)


def _width(row: RateLimit) -> int:
    scope = "plan_member" if row.from_plan and row.scope == Scope.EACH_MEMBER else row.scope
    return _NARROWEST_FIRST.index(scope) if scope in PERSONAL else 0
