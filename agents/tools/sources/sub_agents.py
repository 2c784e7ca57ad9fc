"""Other agents as tools (SPEC 4.2, 4.9): a sub-agent runs in the same engine, inside its caller's run.

Also determines what a sub-agent may read (SECURITY 27). Its tools are unknown before it works, so the kinds of its sources decide
(`SourceKind.reads`); an unknown kind counts as reading everything. What its tools send is asked about when they are called.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final

from admin_config.errors import RunConfigError
from admin_config.release import AgentSnapshot, ReleaseSnapshot
from admin_config.services.drafts.sub_agent_checks import MAX_DEPTH
from admin_config.validation.json_key_order import schema_of
from agents.context.policy import no_masking
from agents.engine.agent import AgentSpec, CompletionMode, RunBudget
from agents.engine.lifecycle import RunEnd, RunOutcome, finish_before_cancel
from agents.engine.loop import run_agent
from agents.engine.nested_runs import NestedJournal
from agents.engine.ports import Agent, ReplayRule, RunPorts, ToolContext, ToolOutcome, ToolTraits
from agents.engine.run_progress import call_ids_within, count_steps, final_text
from agents.engine.taint import PRIVATE_AND_UNTRUSTED, SENDING_TOOLS, UNTRUSTED, WEB_TOOLS, Reads
from agents.messages import AnswerFile, Entry, File, Notice, Source, Taint, ToolDefinition
from agents.prompts import compose_prompt, prompt_facts
from agents.runtime.argument_repair import argument_repair
from agents.runtime.budget_holds import AgentLimitSpent
from agents.runtime.call_recording import CallKind
from agents.runtime.specs import agent_spec, run_budget, with_result_limits
from agents.runtime.traced_tools import StepSpans
from agents.tools.base import LoadedTools, SourceKind, ToolBuildContext
from telemetry.spans import sub_agent_span

TIMEOUT_S: Final = 600.0  # as long as a run may take; the run's own limit ends it earlier
NO_ANSWER = "The agent gave no answer."
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
SKIPPED: Final = "sub_agent_skipped"


Kinds = Mapping[str, SourceKind]
Load = Callable[[ToolBuildContext], Awaitable[LoadedTools]]


def reads_of(agent: AgentSnapshot, snapshot: ReleaseSnapshot, kinds: Kinds) -> Reads:
    """Return what the agent and its sub-agents may read."""
    return frozenset[Taint]().union(*_reads(agent, snapshot, kinds, set()))


def _reads(agent: AgentSnapshot, snapshot: ReleaseSnapshot, kinds: Kinds, visited_keys: set[str]) -> Iterator[Reads]:
    """Yield what each source of the agent and its sub-agents may read. `visited_keys`: keys of the agents that were looked at."""
    visited_keys.add(agent.key)
    for source in snapshot.sources_of(agent):
        kind = kinds.get(source.kind)
        yield kind.reads if kind else PRIVATE_AND_UNTRUSTED
    if WEB_TOOLS.intersection(agent.builtin_tools):
        yield UNTRUSTED
    for child in snapshot.sub_agents_of(agent):
        if child.key not in visited_keys:
            yield from _reads(child, snapshot, kinds, visited_keys)


@dataclass(frozen=True)
class SubAgentTool:
    """Another agent as a tool. Implements `Tool`.

    Its entries are stored under the call. A call that runs again, after a crash or a decision, continues from them: work that already has
    a result is not repeated.
    """

    build: ToolBuildContext  # the sub-agent's own
    load: Load  # returns the sub-agent's tools, once it is called
    kinds: Kinds

    @cached_property
    def definition(self) -> ToolDefinition:
        agent = self.build.agent
        schema = schema_of(agent.input_schema)
        return ToolDefinition(agent.tool_name, agent.description, schema) if schema else _task_tool(agent.tool_name, agent.description)

    @cached_property
    def traits(self) -> ToolTraits:
        agent = self.build.agent
        template = "" if agent.input_schema else f"{agent.tool_name}: {{task}}"
        return ToolTraits(
            repeatable=True,
            confirm=agent.ask_first,
            timeout_s=TIMEOUT_S,
            compact_template=template,
            reads=reads_of(agent, self.build.models.snapshot, self.kinds),
            # The provider's own tools can't ask, so the user sees the task, which is all of the conversation that they get.
            sends=not SENDING_TOOLS.isdisjoint(agent.builtin_tools),
            destination=self._destination,
            replay=ReplayRule.RUNS,  # in a replay its own tools give what was recorded, too
        )

    def _destination(self, arguments: Mapping[str, Any]) -> str:
        agent = self.build.agent
        return "" if SENDING_TOOLS.isdisjoint(agent.builtin_tools) else f"{agent.provider} web search"

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        task = _task(arguments, self.build.agent.input_schema)
        journal = NestedJournal(context.journal, call_id=context.call_id, agent=self.build.agent.key, task=task)
        try:
            async with AsyncExitStack() as exit_stack:
                outcome = await self._work(replace(self.build, exit_stack=exit_stack), journal, context)
        except asyncio.CancelledError:
            if not self.build.run.is_handed_over():  # after a handover, another process repeats the model request
                await finish_before_cancel(journal.save_partial())
            raise
        except AgentLimitSpent as error:  # the agent that called it goes on without it
            return ToolOutcome(str(error), is_error=True)
        return ToolOutcome("", waits=True) if outcome.end.is_pause else _result(outcome, journal.entries)

    async def _work(self, build: ToolBuildContext, journal: NestedJournal, context: ToolContext) -> RunOutcome:
        loaded_tools = await self.load(build)
        await _append_new_notices(journal, loaded_tools.notices)
        masks, budget = build.run.placeholders, await _budget(build, journal, context)
        agent = Agent(
            spec=with_result_limits(_spec(build), loaded_tools.tools),
            tools=loaded_tools.tools,
            hooks=StepSpans(),
            budget=budget,
            repair=argument_repair(build.models, build.model, budget, parent_call_id=context.call_id),
            mask=masks.mask_entry if masks else no_masking,
        )
        model = build.models.model(CallKind.SUB_AGENT, parent_call_id=context.call_id)
        ports = RunPorts(model=model, journal=journal, caller=context)
        with sub_agent_span(build.agent.key):
            return await run_agent(agent, ports, first_step=count_steps(journal.entries) + 1)


async def _budget(build: ToolBuildContext, journal: NestedJournal, context: ToolContext) -> RunBudget:
    """Return the agent's own budget, less what it spent before a pause or crash, which the parent budget already includes."""
    budget = run_budget(build.agent, build.models.snapshot)
    if count_steps(journal.entries):
        budget.usage, budget.cost_usd = await build.run.spent_on_calls(call_ids_within(context.journal.entries, context.call_id))
    return replace(budget, parent=context.budget)


def _spec(build: ToolBuildContext) -> AgentSpec:
    """Return the agent's spec. It answers in plain text, because only the calling agent reads the answer."""
    system = compose_prompt(build.agent, prompt_facts(build.run))
    return replace(agent_spec(build.agent, build.model, system=system, thinking=build.run.thinking), completion=CompletionMode.PLAIN_TEXT)


@lru_cache(maxsize=1024)
def _task_tool(name: str, description: str) -> ToolDefinition:
    """Return the definition of an agent that takes a task. Cached: all runs of a release have the same."""
    return ToolDefinition(name, description, TASK_SCHEMA)


def _task(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return the task, which the sub-agent reads as its user message."""
    return json.dumps(arguments, ensure_ascii=False, indent=2) if schema else str(arguments.get("task", ""))


async def _append_new_notices(journal: NestedJournal, notices: Sequence[Notice]) -> None:
    if new_notices := [notice for notice in notices if notice not in journal.entries]:
        await journal.append(*new_notices)


def _result(outcome: RunOutcome, entries: Sequence[Entry]) -> ToolOutcome:
    """Return the answer with its sources, the files that the user sees, and a note when it is incomplete."""
    text, note = final_text(entries), NOTE_BY_END.get(outcome.end, "")
    files = [
        entry.name for entry in entries if (isinstance(entry, AnswerFile) and entry.id) or (isinstance(entry, File) and entry.from_tool)
    ]
    if not text and not files:
        return ToolOutcome(note or NO_ANSWER, is_error=True)
    pages = {entry.url: entry.title for entry in entries if isinstance(entry, Source)}
    sources = [{"url": url, "title": title} for url, title in pages.items()]
    more = {"sources": sources, "shown_to_user": files, "note": note}
    return ToolOutcome({"result": text, **{name: value for name, value in more.items() if value}})


def sub_agent_tools(build: ToolBuildContext, load: Load, kinds: Kinds) -> LoadedTools:
    """Return a tool for each sub-agent that can work under this release, and a notice for each misconfigured one.

    An agent that works by built-in tools is left out when it has none of them.
    """
    tools: list[SubAgentTool] = []
    notices: list[Notice] = []
    for agent in build.models.snapshot.sub_agents_of(build.agent):
        try:
            tools += _tool(agent, build, load, kinds)
        except RunConfigError as error:
            notices.append(Notice(SKIPPED, f"The agent {agent.tool_name} is missing in this answer: {error}", "warning"))
    return LoadedTools(tuple(tools), tuple(notices))


def _tool(agent: AgentSnapshot, build: ToolBuildContext, load: Load, kinds: Kinds) -> Iterator[SubAgentTool]:
    if agent.key in build.path or len(build.path) > MAX_DEPTH:
        raise RunConfigError(f"{' -> '.join((*build.path, agent.key))} goes in a circle or is too long.")
    child = _child(agent, build)
    if agent.works_by_builtin_tools and not (agent.tools or set(agent.builtin_tools).intersection(child.model.builtin_tools)):
        return
    yield SubAgentTool(child, load, kinds)


def _child(agent: AgentSnapshot, build: ToolBuildContext) -> ToolBuildContext:
    """Return the build context of the sub-agent, over its own provider's endpoints.

    The sub-agent knows only its task and sees no files but those that it made itself.
    """
    snapshot = build.models.snapshot
    model = snapshot.model(None, agent)
    models = replace(build.models, agent=agent, endpoints=snapshot.endpoints_of(agent.provider))
    return ToolBuildContext(
        run=build.run, agent=agent, model=model, models=models, path=(*build.path, agent.key), exit_stack=AsyncExitStack()
    )
