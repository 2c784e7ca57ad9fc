"""Which limits apply to what a member asks for. Knows neither Django nor Redis."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal
from uuid import UUID

Window = Literal["minute", "hour", "day", "month"]
Holder = Literal["organization", "member", "token", "assistant"]
Measure = Literal["messages", "runs", "tokens", "cost"]

MEASURES: Final[tuple[Measure, ...]] = ("messages", "runs", "tokens", "cost")
CHARGED: Final = frozenset[Measure]({"tokens", "cost"})  # what is known after a model call, and charged then
MICRO: Final = 1_000_000  # costs are counted in millionths of a US dollar

SECONDS: Final[dict[Window, int]] = {"minute": 60, "hour": 3600, "day": 86_400, "month": 30 * 86_400}


@dataclass(frozen=True, slots=True)
class Rule:
    """A limit as an admin set it. `counts`: for each window, in the order of SECONDS; None: a wider rule decides."""

    scope: str  # one of limits.models.Scope, or "plan_member"
    role: str
    group_id: UUID | None
    counts: tuple[int | None, ...]
    measure: Measure = "messages"
    assistant_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """So much of the measure the holder (all members, the member, the API token or the assistant) has within the window.

    `count`: messages, runs, tokens, or millionths of a US dollar.
    """

    holder: Holder
    window: Window
    count: int
    measure: Measure = "messages"
    assistant_id: UUID | None = None  # of the holder "assistant"


Allowances = tuple[Allowance, ...]


@dataclass(frozen=True, slots=True)
class Sender:
    """Whose message is counted."""

    organization_id: UUID
    membership_id: UUID
    token_id: UUID | None = None  # of the API token that it came with

    def holder_id(self, allowance: Allowance) -> UUID | None:
        return {
            "organization": self.organization_id,
            "member": self.membership_id,
            "token": self.token_id,
            "assistant": allowance.assistant_id,
        }[allowance.holder]


def allowances(rules: Sequence[Rule], *, role: str, groups: Collection[UUID], with_token: bool) -> Allowances:
    """Return what applies to a member's message. `rules`: those of the organization that may apply to the member, none that has ended.

    All holders count; of assistants, `rules` have the one that answers. For the member, the narrowest rule with a number decides: the
    member's own, else the most generous of the groups', else the role's, else that for each member, else the plan's for each member. Of a
    plan's and the organization's own for all members together, or for each token, the stricter one counts.
    """
    return tuple(_allowances(rules, role, groups, with_token))


# Of several rows of a scope: the most generous of the groups'; else the stricter of a plan's and the organization's own.
_PICKS: Final[dict[str, Callable[[int, int], int]]] = {"group": max}


def _allowances(rules: Sequence[Rule], role: str, groups: Collection[UUID], with_token: bool) -> Iterator[Allowance]:
    for measure, (place, window) in product(MEASURES, enumerate(SECONDS)):
        numbers: dict[str, int] = {}
        assistant_id: UUID | None = None
        for rule in rules:
            number = rule.counts[place] if rule.measure == measure else None
            if number is not None and rule.role in ("", role) and (rule.group_id is None or rule.group_id in groups):
                numbers[rule.scope] = _PICKS.get(rule.scope, min)(number, numbers.get(rule.scope, number))
                assistant_id = rule.assistant_id or assistant_id
        own = [numbers[scope] for scope in ("member", "group", "role", "each_member", "plan_member") if scope in numbers]
        if own:
            yield Allowance("member", window, own[0], measure)
        if "organization" in numbers:
            yield Allowance("organization", window, numbers["organization"], measure)
        if with_token and "each_token" in numbers:
            yield Allowance("token", window, numbers["each_token"], measure)
        if "assistant" in numbers:
            yield Allowance("assistant", window, numbers["assistant"], measure, assistant_id)
