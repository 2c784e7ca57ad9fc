"""What the page "What applies to" shows: each limit and budget of a member's messages in words, the tightest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db.models import F, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from limits.applicable.budgets import ApplicableBudget, budgets_of
from limits.applicable.limits import ApplicableLimit, limits_of
from limits.budget_accounts import budgets_load
from limits.budget_admin import dollars
from limits.errors import amount_text
from limits.models import RateLimit, Scope, ScopedModel
from limits.plans.counters import measures_of_plan
from limits.spending import share_percent
from limits.usage_text import allowed_in_words, usage_in_words
from tenants.localization.currency import DOLLARS, currency_shown
from tenants.models import ApiToken, Membership

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_TOKENS: Final = 10  # those that were used last
_ONLY_SOME: Final = (Scope.AGENT, Scope.ASSISTANT, Scope.EACH_TOKEN)  # scopes that don't meet each message


@dataclass(frozen=True, slots=True)
class Line:
    """A limit or a budget. `percent`: how much of it is used; None while nobody knows. `resets_at`: None: never, or not known."""

    row: ScopedModel
    href: str
    token: str
    left: str
    usage_text: str
    percent: int | None
    refuses: bool  # now
    resets_at: datetime | None

    @property
    def name(self) -> str:
        return f"{self.row}: {self.token}" if self.token else str(self.row)

    @property
    def meets_each_message(self) -> bool:
        return self.row.scope not in _ONLY_SOME

    @property
    def tightness(self) -> tuple[bool, int, str]:
        """The key by which the tightest is last, and what nobody knows first."""
        return self.refuses, -1 if self.percent is None else self.percent, self.usage_text


def applicable_context(request: HttpRequest) -> dict[str, Any]:
    """Return the template's context. One statement, and seven for a member who is chosen."""
    members = active_members()
    chosen_member = member_chosen(members, request.GET.get("member", ""))
    context: dict[str, Any] = {
        "members": members,
        "member": chosen_member,
        "is_unknown": bool(request.GET.get("member")) and chosen_member is None,
    }
    return {**context, **_what_applies(chosen_member)} if chosen_member else context


def active_members() -> list[Membership]:
    """Return the members whose limits can be looked at, by name. One statement."""
    return list(Membership.objects.of_members().filter(is_active=True).select_related("user").order_by("user__name", "user__email"))


def member_chosen(members: Iterable[Membership], key: str) -> Membership | None:
    """Return the member whose key a request names."""
    return next((member for member in members if str(member.pk) == key), None)


def _what_applies(member: Membership) -> dict[str, Any]:
    tokens = _tokens_of(member.pk)
    member_budgets = budgets_load(membership_id=member.pk, token_id=tokens[0].pk if tokens else None)
    with currency_shown(lambda: DOLLARS):  # as the admin entered it
        applicable_limits = limits_of(member, member_budgets, tokens)
        limits = [_limit_line(limit) for limit in applicable_limits]
        budgets = [_budget_line(budget) for budget in budgets_of(member_budgets, tokens)]
    lines = sorted([*limits, *budgets], key=lambda line: line.tightness, reverse=True)
    return {
        "lines": lines,
        "is_refused": any(line.refuses and line.meets_each_message for line in lines),
        "is_away": any(line.percent is None for line in limits),
        "measures": _measures_to_forget(applicable_limits),
    }


def _measures_to_forget(applicable_limits: Iterable[ApplicableLimit]) -> list[tuple[str, StrOrPromise]]:
    """Return the measures, with their labels, of which an admin may empty the member's own counters. One statement."""
    counted: set[str] = {each.allowance.measure for each in applicable_limits if each.allowance.holder == "member"}
    by_plan = measures_of_plan(Scope.MEMBER)
    return [choice for choice in RateLimit.Measure.choices if choice[0] in counted - by_plan]


def _tokens_of(membership_id: UUID) -> list[ApiToken]:
    works = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    tokens = ApiToken.objects.filter(works, membership_id=membership_id, revoked_at=None)
    return list(tokens.order_by(F("last_used_at").desc(nulls_last=True), "-created_at")[:MAX_TOKENS])


def _limit_line(limit: ApplicableLimit) -> Line:
    allowance, usage = limit.allowance, limit.usage
    place = (limit.row, reverse("admin:limits_ratelimit_change", args=[limit.row.pk]), limit.token)
    if usage is None:
        words = gettext("Refuses meanwhile") if allowance.refuses_uncounted else gettext("Lets through meanwhile")
        return Line(*place, words, allowed_in_words(allowance), None, allowance.refuses_uncounted, None)
    left = max(0, allowance.count - usage.amount)
    return Line(
        *place,
        left=gettext("%(amount)s left") % {"amount": amount_text(allowance, left)},
        usage_text=usage_in_words(allowance, usage.amount),
        percent=min(100, usage.amount * 100 // allowance.count) if allowance.count else 100,
        refuses=not left,
        resets_at=timezone.now() + timedelta(seconds=usage.resets_in_s) if allowance.count else None,
    )


def _budget_line(budget: ApplicableBudget) -> Line:
    row, total_usd = budget.row, budget.spent_usd + budget.held_usd
    spent_text = gettext("%(spent)s of %(amount)s") % {"spent": dollars(budget.spent_usd), "amount": dollars(row.amount_usd)}
    usage_text = f"{row.get_period_display()}: {spent_text}"
    if budget.held_usd:
        usage_text = gettext("%(used)s, and %(held)s reserved for calls under way") % {"used": usage_text, "held": dollars(budget.held_usd)}
    return Line(
        row,
        reverse("admin:limits_budget_change", args=[row.pk]),
        budget.token,
        left=gettext("%(amount)s left") % {"amount": dollars(max(row.amount_usd - total_usd, Decimal()))},
        usage_text=usage_text,
        percent=min(100, share_percent(total_usd, row.amount_usd)),
        refuses=total_usd >= row.amount_usd,
        resets_at=datetime.combine(row.begins_anew, time(), UTC) if row.begins_anew else None,
    )
