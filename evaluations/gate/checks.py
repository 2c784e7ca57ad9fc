"""Which checks a draft needs before it goes live, and how they stand. All functions need the organization's `tenant_tx`.

A check is a required data set asked of one agent. It is asked only if something changed that the agent can reach, and is found again by its
content: the same part of a release, the same cases and judge are not asked twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from django.utils.translation import gettext

from admin_config.defaults.platform import CHAT_AGENT, KINDS, PROVIDER_CHOICES
from admin_config.errors import AgentNotConfigured
from admin_config.models import Release
from admin_config.release import AgentSnapshot, ReleaseSnapshot
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.trials import live_snapshot, trial_snapshot
from evaluations.gate.verdicts import Figures, Limits, Outcome, Verdict, judge
from evaluations.models import Case, Experiment, Requirement
from evaluations.services.content import Content, content_of
from evaluations.services.matrix import Column, pooled_column

MAX_POOLED: Final = 10  # experiments with the same content that are counted together

State = Literal["unchanged", "missing", "running", "passed", "failed"]


@dataclass(frozen=True, slots=True)
class Side:
    """The draft or the live release, as far as the agent can reach it, with all answers to just that."""

    snapshot: ReleaseSnapshot
    source: Experiment.Source
    column: Column | None = None
    ended_early: str = ""  # why the newest experiment doesn't count, when none does

    @property
    def has_ended(self) -> bool:
        return self.column is not None and not self.column.is_running


@dataclass(frozen=True, slots=True)
class Check:
    """A required data set, asked of one agent. `before` is None when the live release doesn't have the agent."""

    requirement: Requirement
    agent_key: str
    agent_name: str
    content: Content
    state: State
    now: Side
    before: Side | None
    verdict: Verdict | None = None
    failing: Sequence[Case] = ()

    @property
    def name(self) -> str:
        return str(self.requirement.data_set)

    @property
    def sides(self) -> list[Side]:
        return [side for side in (self.now, self.before) if side is not None]

    @property
    def ended_count(self) -> int:
        return sum(side.column.ended_count for side in self.sides if side.column)

    @property
    def answers(self) -> int:
        return sum(side.column.answers for side in self.sides if side.column)

    @property
    def missing_sides(self) -> list[Side]:
        """The sides that have to be asked before there is a verdict."""
        return [side for side in self.sides if side.column is None] if self.state == "missing" else []

    @property
    def missing_answers(self) -> int:
        return len(self.missing_sides) * sum(self.requirement.samples_of(case) for case in self.requirement.data_set.cases.all())

    @property
    def reasons(self) -> list[str]:
        """Why it stands against publishing, in sentences."""
        where = f"{self.name} ({self.agent_name})"
        match self.state:
            case "missing":
                early = next((side.ended_early for side in self.sides if side.ended_early), "")
                missing = gettext("%(where)s has not been asked with this draft.") % {"where": where}
                return [missing + (" " + gettext("The last try ended early: %(reason)s") % {"reason": early} if early else "")]
            case "running":
                return [
                    gettext("%(where)s is being asked: %(ended)s of %(answers)s answers.")
                    % {"where": where, "ended": self.ended_count, "answers": self.answers}
                ]
            case "failed" if self.verdict:
                return [f"{where}: {problem}" for problem in self.verdict.problems]
        return []


def gate(candidate: ReleaseSnapshot) -> list[str]:
    """Return why the release may not go live (admin_config.publish_gate). One query when nothing is required."""
    return [reason for check in checks_of(candidate) for reason in check.reasons]


def checks_of(candidate: ReleaseSnapshot) -> list[Check]:
    """Return the checks of a release, by data set and agent. Their queries grow with the checks, not with cases or answers."""
    requirements = list(Requirement.objects.select_related("data_set").prefetch_related("data_set__cases__expectations"))
    if not requirements:
        return []
    live = live_snapshot()
    candidate = with_current_keys(candidate)
    return [check for requirement in requirements for check in _checks(requirement, candidate, live)]


def agents_of(requirement: Requirement, snapshot: ReleaseSnapshot) -> list[AgentSnapshot]:
    """Return the agents of a release that the data set is to be asked of: those that members talk to."""
    providers = {snapshot.active_provider, *snapshot.offered_providers}
    talking = [
        agent
        for key, agent in sorted(snapshot.agents.items())
        if agent.is_enabled and (KINDS[agent.kind].is_custom or (agent.kind == CHAT_AGENT and agent.provider in providers))
    ]
    agent_key = requirement.agent_key
    if agent_key == "":
        return [agent for agent in talking if agent.kind == CHAT_AGENT or (agent.assistant is not None and agent.assistant.is_offered)]
    return [agent for agent in talking if agent_key in (agent.key, agent.kind)]


def _checks(requirement: Requirement, candidate: ReleaseSnapshot, live: ReleaseSnapshot | None) -> list[Check]:
    content = content_of(requirement.data_set, live)
    checks = []
    for agent in agents_of(requirement, candidate):
        now = Side(trial_snapshot(candidate, agent.key, ask=requirement.asks_first), Experiment.Source.DRAFT)
        before = _live_side(requirement, agent.key, live)
        checks.append(_with_state(Check(requirement, agent.key, _name(agent), content, "unchanged", now, before)))
    return checks


def _with_state(check: Check) -> Check:
    """Return the check with its state, and its verdict when all answers are there."""
    if check.before is not None and _answers_alike(check.now.snapshot, check.before.snapshot):
        return check
    new_check = replace(check, now=_with_column(check, check.now), before=_with_column(check, check.before) if check.before else None)
    if all(side.has_ended for side in new_check.sides):
        return _with_verdict(new_check)
    return replace(new_check, state="running" if all(side.column for side in new_check.sides) else "missing")


def _live_side(requirement: Requirement, key: str, live: ReleaseSnapshot | None) -> Side | None:
    """Return the agent as it is live, or None when members can't talk to it yet: then all of the draft is new to them."""
    if live is None or key not in {agent.key for agent in agents_of(requirement, live)}:
        return None
    try:
        return Side(trial_snapshot(live, key, ask=requirement.asks_first), Experiment.Source.LIVE)
    except AgentNotConfigured:
        return None


def _answers_alike(one: ReleaseSnapshot, other: ReleaseSnapshot) -> bool:
    """Return whether they differ in nothing that an answer depends on: prices are updated every night."""
    return _without_prices(one).content_hash() == _without_prices(other).content_hash()


def _without_prices(snapshot: ReleaseSnapshot) -> ReleaseSnapshot:
    return snapshot.model_copy(update={"models": tuple(model.model_copy(update={"prices": ()}) for model in snapshot.models)})


def _with_column(check: Check, side: Side) -> Side:
    """Return the side with the answers of all experiments that asked just this.

    One that was stopped, ran out of money, or answered cases that were changed meanwhile does not count.
    """
    requirement = check.requirement
    releases = Release.objects.filter(is_trial=True, content_hash=side.snapshot.content_hash())
    equal = Experiment.objects.filter(
        data_set=requirement.data_set,
        release__in=releases,
        agent_key=check.agent_key,
        samples=requirement.samples,
        marked_samples=requirement.marked_samples,
        **check.content,
    )
    whole = equal.filter(status__in=(Experiment.Status.RUNNING, Experiment.Status.DONE), error="")
    column = pooled_column(list(whole.select_related("release").defer("release__content")[:MAX_POOLED]))
    if column is not None:
        return replace(side, column=column)
    return replace(side, ended_early=equal.values_list("error", flat=True).first() or "")


def _with_verdict(check: Check) -> Check:
    cases = {str(case.pk): case for case in check.requirement.data_set.cases.all()}
    now, before = check.now.column, check.before.column if check.before else None
    assert now is not None
    requirement = check.requirement
    verdict = judge(
        _outcomes(now, cases),
        _outcomes(before, cases) if before else None,
        Limits(requirement.tolerance_points, requirement.max_cost_percent, requirement.max_slower_percent),
        (_figures(before), _figures(now)) if before else None,
    )
    state: State = "passed" if verdict.passes else "failed"
    failing = [cases[key] for key in verdict.failing if key in cases]
    return replace(check, state=state, verdict=verdict, failing=failing)


def _outcomes(column: Column, cases: dict[str, Case]) -> dict[str, Outcome]:
    outcomes = ((str(case_id), cell) for case_id, cell in column.cells.items())
    return {key: Outcome(cases[key].name, cell.passed_count, cell.samples, cases[key].marked) for key, cell in outcomes if key in cases}


def _figures(column: Column) -> Figures:
    return Figures(column.cost_usd / column.answer_count if column.answer_count and column.cost_usd is not None else None, column.slow_ms)


def _name(agent: AgentSnapshot) -> str:
    if agent.assistant is not None:
        return agent.assistant.title
    return f"{agent.name or KINDS[agent.kind].label}, {dict(PROVIDER_CHOICES).get(agent.provider, agent.provider)}"
