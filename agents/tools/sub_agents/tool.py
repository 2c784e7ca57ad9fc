"""Another agent as a tool: its run is the same engine's, inside the run of the agent that calls it (SPEC 4.9)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, Final

from agents.engine.agent import AgentSpec, CompletionMode
from agents.engine.budget import RunBudget
from agents.engine.cancellation import finish_before_cancel
from agents.engine.context.model_context import no_masking
from agents.engine.errors import ToolFailed
from agents.engine.loop import run_agent
from agents.engine.messages import AnswerFile, Entry, Notice, Source, ToolDefinition
from agents.engine.nested_runs import NestedJournal, call_ids_within, count_steps, final_text
from agents.engine.outcome import RunEnd, RunOutcome
from agents.engine.ports import ToolContext, ToolOutcome, ToolTraits
from agents.prompts import compose_prompt, prompt_facts
from agents.runtime.call_recording import CallKind
from agents.runtime.specs import agent_spec, run_budget
from agents.tools.base import LoadedTools, ToolBuildContext
from agents.tools.sub_agents.taint import taint_of

TIMEOUT_S: Final = 600.0  # as long as a run may take; the run's own limit ends it earlier
NO_ANSWER = "The agent gave no answer."
SWITCHED_OFF = "The provider's search and pages are switched off in this answer, because it read private and untrusted things."
NOTE_BY_END: Mapping[RunEnd, str] = {
    RunEnd.STEP_LIMIT: "The agent used all its steps before it was done.",
    RunEnd.BUDGET: "The agent stopped because what this answer may cost is used up.",
    RunEnd.LOOP: "The agent stopped because it repeated itself.",
}

TASK_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "description": "The whole task, with all that the agent must know: it does not see this conversation.",
        }
    },
    "required": ["task"],
}


@dataclass(frozen=True, slots=True)
class SubAgentTool:
    """Implements `Tool`. `build`: the sub-agent's own; `load`: gives its tools, once it is called.

    Its entries stand under the call in the conversation. A call that is run again, after a crash or a decision, goes on from them:
    what they have a result for is not done twice.
    """

    build: ToolBuildContext
    load: Callable[[ToolBuildContext], Awaitable[LoadedTools]]

    @property
    def definition(self) -> ToolDefinition:
        agent = self.build.agent
        return ToolDefinition(agent.tool_name, agent.description, agent.input_schema or TASK_SCHEMA)

    @property
    def traits(self) -> ToolTraits:
        agent = self.build.agent
        reads, sends = taint_of(agent, self.build.models.snapshot)
        template = "" if agent.input_schema else f"{agent.tool_name}: {{task}}"
        return ToolTraits(
            repeatable=True, confirm=agent.ask_first, timeout_s=TIMEOUT_S, compact_template=template, reads=reads, sends=sends
        )

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        task = _task(arguments, self.build.agent.input_schema)
        journal = NestedJournal(context.journal, call_id=context.call_id, agent=self.build.agent.key, task=task)
        try:
            async with AsyncExitStack() as exit_stack:
                outcome = await self._work(replace(self.build, exit_stack=exit_stack), journal, context)
        except asyncio.CancelledError:
            if not self.build.run.is_handed_over():  # there the answer is asked for again
                await finish_before_cancel(journal.save_partial())
            raise
        return ToolOutcome("", waits=True) if outcome.end.is_pause else _result(outcome, journal.entries)

    async def _work(self, build: ToolBuildContext, journal: NestedJournal, context: ToolContext) -> RunOutcome:
        loaded = await self.load(build)
        if build.agent.works_by_builtin_tools and not loaded.tools and context.taint.is_mixed:
            raise ToolFailed(SWITCHED_OFF)  # it would answer from memory as if it had looked
        await _append_new_notices(journal, loaded.notices)
        masks = build.run.placeholders
        return await run_agent(
            _spec(build),
            model=build.models.model(CallKind.SUB_AGENT, parent_call_id=context.call_id),
            tools=loaded.tools,
            journal=journal,
            budget=await _budget(build, journal, context),
            first_step=count_steps(journal.entries) + 1,
            used_call_ids=context.call_ids,
            just_approved=context.just_approved,
            taint=context.taint,
            mask=masks.mask_entry if masks else no_masking,
        )


async def _budget(build: ToolBuildContext, journal: NestedJournal, context: ToolContext) -> RunBudget:
    """Its own, less what it took before a pause or a crash; the run above knows of that already."""
    budget = run_budget(build.agent, build.models.snapshot)
    if count_steps(journal.entries):
        budget.usage, budget.cost_usd = await build.run.spent_on_calls(call_ids_within(context.journal.entries, context.call_id))
    return replace(budget, parent=context.budget)


def _spec(build: ToolBuildContext) -> AgentSpec:
    """It answers in plain text: only the agent that called it reads the answer."""
    system = compose_prompt(build.agent, prompt_facts(build.run))
    return replace(agent_spec(build.agent, build.model, system=system, thinking=build.run.thinking), completion=CompletionMode.PLAIN_TEXT)


def _task(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """What the sub-agent reads as its user's message."""
    return json.dumps(arguments, ensure_ascii=False, indent=2) if schema else str(arguments.get("task", ""))


async def _append_new_notices(journal: NestedJournal, notices: Sequence[Notice]) -> None:
    if new_notices := [notice for notice in notices if notice not in journal.entries]:
        await journal.append(*new_notices)


def _result(outcome: RunOutcome, entries: Sequence[Entry]) -> ToolOutcome:
    """The answer as data, with its sources, the files that the user sees, and with what kept it from being whole."""
    text, note = final_text(entries), NOTE_BY_END.get(outcome.end, "")
    files = [entry.name for entry in entries if isinstance(entry, AnswerFile) and entry.id]
    if not text and not files:
        return ToolOutcome(note or NO_ANSWER, is_error=True)
    pages = {entry.url: entry.title for entry in entries if isinstance(entry, Source)}
    sources = [{"url": url, "title": title} for url, title in pages.items()]
    more = {"sources": sources, "shown_to_user": files, "note": note}
    return ToolOutcome({"result": text, **{name: value for name, value in more.items() if value}})
