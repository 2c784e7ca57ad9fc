"""Which limits apply to what a member asks for. Knows neither Django nor Redis."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Literal
from uuid import UUID

Window = Literal["minute", "hour", "day", "month"]
Holder = Literal["organization", "group", "member", "token", "assistant", "agent", "embed", "visitor"]
Measure = Literal["messages", "runs", "tokens", "cost"]

MEASURES: Final[tuple[Measure, ...]] = ("messages", "runs", "tokens", "cost")
CHARGED: Final = frozenset[Measure]({"tokens", "cost"})  # what is known after a model call, and charged then
MICRO: Final = 1_000_000  # costs are counted in millionths of a US dollar

VISITOR: Final = "visitor"  # the role of tenants.models.Membership

# Rules of the member's own part, the narrowest first, and who is said to be limited by them.
PERSONAL: Final[dict[str, Holder]] = {
    "member": "member",
    "group": "member",
    "stranger": "visitor",
    "visitor": "visitor",
    "role": "member",
    "each_member": "member",
    "plan_member": "member",
}

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
    refuses_uncounted: bool = False
    embed_id: UUID | None = None
    agent: str = ""  # its name, over all providers


@dataclass(frozen=True, slots=True)
class Allowance:
    """So much of the measure the holder (all members, the member, the API token, the assistant, the agent, the embedded chat) has within the window.

    `count`: messages, runs, tokens, or millionths of a US dollar. `refuses_uncounted`: what comes while Redis can't count is refused.
    """

    holder: Holder
    window: Window
    count: int
    measure: Measure = "messages"
    assistant_id: UUID | None = None  # of the holder "assistant"
    refuses_uncounted: bool = False
    embed_id: UUID | None = None  # of the holders "embed" and "visitor"
    for_visitor: bool = False  # a visitor of an embedded chat reads of it, who is told nothing of tokens, money and the organization
    agent: str = ""  # the name of the holder "agent"


Allowances = tuple[Allowance, ...]


@dataclass(frozen=True, slots=True)
class Sender:
    """Whose message is counted."""

    organization_id: UUID
    membership_id: UUID
    token_id: UUID | None = None  # of the API token that it came with

    def holder_id(self, allowance: Allowance) -> UUID | str | None:
        return {
            "organization": self.organization_id,
            "member": self.membership_id,
            "token": self.token_id,
            "assistant": allowance.assistant_id,
            "agent": allowance.agent,
            "embed": allowance.embed_id,
            "visitor": self.membership_id,
        }[allowance.holder]


def allowances(rules: Sequence[Rule], *, role: str, groups: Collection[UUID], with_token: bool) -> Allowances:
    """Return what applies to a member's message. `rules`: those of the organization that may apply to the member, none that has ended.

    All holders count; of assistants, `rules` have the one that answers, and of embedded chats the visitor's. For the member, the narrowest
    rule with a number decides: the member's own, else the most generous of the groups', else the embedded chat's for visitors without an
    account, else its one for each visitor, else the role's, else that for each member, else the plan's for each member. Of a plan's and the
    organization's own for all members together, or for each token, the stricter one counts. Rules of agents are for `agent_allowances`.
    """
    message_allowances = _allowances([rule for rule in rules if not rule.agent], role, groups, with_token)
    return tuple(replace(each, for_visitor=True) for each in message_allowances) if role == VISITOR else tuple(message_allowances)


def agent_allowances(rules: Sequence[Rule]) -> dict[str, Allowances]:
    """Return the limits of agents by their names. There is one rule for an agent and a measure."""
    by_agent: dict[str, Allowances] = {}
    for rule in rules:
        if rule.agent:
            own = (
                Allowance("agent", window, count, rule.measure, refuses_uncounted=rule.refuses_uncounted, agent=rule.agent)
                for window, count in zip(SECONDS, rule.counts, strict=True)
                if count is not None
            )
            by_agent[rule.agent] = (*by_agent.get(rule.agent, ()), *own)
    return by_agent


_RuleNumber = tuple[int, bool]  # a number, and whether its rule refuses what can't be counted


def _pick(scope: str, one: _RuleNumber, other: _RuleNumber) -> _RuleNumber:
    """Return one of two rows of a scope: the most generous of the groups'; else the stricter of a plan's and the organization's own.

    Of two with the same number, one may refuse what can't be counted; then that counts.
    """
    if one[0] == other[0]:
        return one[0], one[1] or other[1]
    return max(one, other) if scope == "group" else min(one, other)


def _allowances(rules: Sequence[Rule], role: str, groups: Collection[UUID], with_token: bool) -> Iterator[Allowance]:
    for measure, (place, window) in product(MEASURES, enumerate(SECONDS)):
        numbers: dict[str, _RuleNumber] = {}
        assistant_id = embed_id = None
        for rule in rules:
            number = rule.counts[place] if rule.measure == measure else None
            if number is not None and rule.role in ("", role) and (rule.group_id is None or rule.group_id in groups):
                rule_number = (number, rule.refuses_uncounted)
                numbers[rule.scope] = _pick(rule.scope, rule_number, numbers.get(rule.scope, rule_number))
                assistant_id = rule.assistant_id or assistant_id
                embed_id = rule.embed_id or embed_id
        if own := next((scope for scope in PERSONAL if scope in numbers), None):
            yield _allowance(PERSONAL[own], window, measure, numbers[own], embed_id=embed_id if PERSONAL[own] == "visitor" else None)
        if "organization" in numbers:
            yield _allowance("organization", window, measure, numbers["organization"])
        if with_token and "each_token" in numbers:
            yield _allowance("token", window, measure, numbers["each_token"])
        if "assistant" in numbers:
            yield _allowance("assistant", window, measure, numbers["assistant"], assistant_id=assistant_id)
        if "embed" in numbers:
            yield _allowance("embed", window, measure, numbers["embed"], embed_id=embed_id)


def _allowance(
    holder: Holder,
    window: Window,
    measure: Measure,
    rule_number: _RuleNumber,
    *,
    assistant_id: UUID | None = None,
    embed_id: UUID | None = None,
) -> Allowance:
    return Allowance(holder, window, rule_number[0], measure, assistant_id, refuses_uncounted=rule_number[1], embed_id=embed_id)
