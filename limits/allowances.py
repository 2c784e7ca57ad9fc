"""Which limits apply to a member's message. Knows neither Django nor Redis."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

Window = Literal["minute", "hour", "day", "month"]
Holder = Literal["organization", "member", "token"]

SECONDS: Final[dict[Window, int]] = {"minute": 60, "hour": 3600, "day": 86_400, "month": 30 * 86_400}


@dataclass(frozen=True, slots=True)
class Rule:
    """A limit as an admin set it. `counts`: for each window, in the order of SECONDS; None: a wider rule decides."""

    scope: str  # one of limits.models.Scope
    role: str
    group_id: UUID | None
    counts: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many messages the holder (all members, the member, or the API token) may send within the window."""

    holder: Holder
    window: Window
    count: int


Allowances = tuple[Allowance, ...]


def allowances(rules: Sequence[Rule], *, role: str, groups: Collection[UUID], with_token: bool) -> Allowances:
    """Return what applies to a member's message. `rules`: those of the organization that may apply to the member, none that has ended.

    All three holders count. For the member, the narrowest rule with a number decides: the member's own, else the most generous of the
    groups', else the role's, else that for each member.
    """
    return tuple(_allowances(rules, role, groups, with_token))


def _allowances(rules: Sequence[Rule], role: str, groups: Collection[UUID], with_token: bool) -> Iterator[Allowance]:
    for place, window in enumerate(SECONDS):
        numbers: dict[str, int] = {}
        for rule in rules:
            number = rule.counts[place]
            if number is not None and rule.role in ("", role) and (rule.group_id is None or rule.group_id in groups):
                numbers[rule.scope] = max(number, numbers.get(rule.scope, 0))
        own = [numbers[scope] for scope in ("member", "group", "role", "each_member") if scope in numbers]
        if own:
            yield Allowance("member", window, own[0])
        if "organization" in numbers:
            yield Allowance("organization", window, numbers["organization"])
        if with_token and "each_token" in numbers:
            yield Allowance("token", window, numbers["each_token"])
