"""The model call of one step: its request, the answer while it streams, and what of it is recorded (SPEC 2.6, 3.3, 3.8).

What the answer leads to is decided by agents.engine.loop. Its calls are run by agents.engine.step_tools.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.context.tokens import estimate_prompt
from agents.context.view import ContextView
from agents.engine.agent import AgentSpec, CompletionMode, ToolPolicy
from agents.engine.answers import AnswerStream
from agents.engine.lifecycle import run_unless_interrupted
from agents.engine.open_calls import refusal
from agents.engine.ports import Agent, RunPorts
from agents.engine.run_progress import FALLBACK, last_fallback_notice
from agents.engine.taint import TaintRule, tools_off_notices
from agents.engine.toolset import Toolset
from agents.errors import PromptTooLong, RequestRefused
from agents.messages import AnswerFile, Entry, File, FinishReason, ModelRequest, ModelResponse, Notice, ToolCall, Usage
from agents.messages.prefix_cache import question_index

ANSWER_CUT = "Not run: your answer ended before it was complete, so this call may be cut. Ask again, with less at once."
REPAIRED: Final = "arguments_repaired"
REPAIRED_TEXT: Final = "Arguments that did not fit their tool were corrected: {names}."


class StepModel:
    """Makes the model calls of an agent, one in each step. `known_call_ids`: those that new calls must not repeat."""

    def __init__(self, agent: Agent, ports: RunPorts, toolset: Toolset, taint: TaintRule, known_call_ids: set[str]) -> None:
        entries = ports.journal.entries
        self._agent, self._hooks, self._budget, self._repair = agent.spec, agent.hooks, agent.budget, agent.repair
        self._model, self._journal, self._inbox, self._prefix_cache = ports.model, ports.journal, ports.inbox, ports.prefix_cache
        self._stores_at_once = ports.caller is not None or agent.hooks.needs_stored_answer
        self._toolset, self._taint, self._call_ids = toolset, taint, known_call_ids
        self._view = ContextView.resume(entries, agent.spec.context, ports.prefix_cache, templates=toolset.templates, mask=agent.mask)
        self._fallback = last_fallback_notice(entries)
        self._answered_length = len(entries)  # number of entries up to the newest answer
        self._files_as_text = False  # in the rest of the run: the provider refused a request with files
        self.usage = Usage()  # of all calls so far
        self.last_response = ModelResponse((), FinishReason.STOP)

    async def answer(self, agent: AgentSpec, step: int) -> ModelResponse | None:
        """Return the model's answer after recording it. Raises ContextTooLong and the model's ProviderError.

        Returns None when a message interrupted it; then what was already shown of the answer is recorded.
        """
        request = await self._request(agent, step)
        stream = AnswerStream(self._journal, self._hooks, self._call_ids)
        try:
            response = await run_unless_interrupted(stream.read(self._model, request), self._inbox.arrival())
        except RequestRefused as error:
            if stream.partial.entries():
                raise
            request = await self._request_with_less(agent, step, request, error)
            response = await run_unless_interrupted(stream.read(self._model, request), self._inbox.arrival())
        if response is None:
            self._spend(agent.model, request.meter.usage, request.meter.usages)
            await self._journal.append(*stream.partial.entries())
            return None
        self._spend(agent.model, response.usage, response.usages)
        self._view.calibrate(response.usage.input_tokens if response.prompt_tokens is None else response.prompt_tokens)
        response = replace(response, entries=self._toolset.with_coerced_arguments(response.entries))
        repaired = await self._repaired_calls(response, agent)
        entries = (repaired.get(entry.id, entry) if isinstance(entry, ToolCall) else entry for entry in response.entries)
        self.last_response = replace(response, entries=tuple(entries))
        # What an answer itself has read is no news in it: the next one says so.
        builtin_tools = request.settings.builtin_tools
        tools_off = tools_off_notices(agent.settings.builtin_tools, builtin_tools, self._journal.entries) if step == 1 else []
        await self._record(self.last_response, [*_repair_notices(repaired.values()), *tools_off])
        return self.last_response

    async def _repaired_calls(self, response: ModelResponse, agent: AgentSpec) -> Mapping[str, ToolCall]:
        """Return, by id, the calls that got other arguments (SPEC 3.11). A message that arrives comes first: none are repaired then."""
        if self._repair is None or response.may_be_cut:
            return {}
        calls = response.tool_calls[:1] if agent.tool_policy is ToolPolicy.SINGLE else response.tool_calls
        work = self._toolset.repaired_calls(calls, agent, self._repair)
        return await run_unless_interrupted(work, self._inbox.arrival()) or {}

    async def _request(self, agent: AgentSpec, step: int) -> ModelRequest:
        """Return the next model request, after compacting the context if necessary (SPEC 3.8). Raises ContextTooLong."""
        system = await self._hooks.prompt(agent.system, step)
        tools = self._toolset.definitions(agent)
        self._view.update(self._journal.entries)
        if changes := self._view.compaction_entries(estimate_prompt(system, tools)):
            await self._journal.append(*changes)
            self._view.update(self._journal.entries)
        choice = agent.settings.tool_choice
        is_offered = choice in ("auto", "none", "required") or any(tool.name == choice for tool in tools)
        settings = agent.settings if tools and is_offered else replace(agent.settings, tool_choice="auto")
        if self._files_as_text:
            settings = replace(settings, native_files=())
        return ModelRequest(
            model=agent.model,
            system=system,
            entries=self._view.context_entries(),
            tools=tools,
            settings=replace(settings, builtin_tools=self._taint.offered_provider_tools(settings.builtin_tools, self._journal.entries)),
            prefix_cache=self._prefix_cache,
        )

    async def _request_with_less(self, agent: AgentSpec, step: int, request: ModelRequest, error: RequestRefused) -> ModelRequest:
        """Return a request after a compaction, if it was too long, or else with its files as text. Raises `error`, ContextTooLong.

        A provider that can't take a file of an older message would refuse the chat for ever: its model may see no images, or fewer. A file
        of the question itself is not replaced for that, since its user reads what the provider says.
        """
        if isinstance(error, PromptTooLong):
            entry_count = len(self._journal.entries)
            self._view.calibrate(agent.context.window_tokens)
            request = await self._request(agent, step)
            if len(self._journal.entries) > entry_count:
                return request
        elif type(error) is not RequestRefused or _has_files(request.entries[question_index(request.entries) :]):
            raise error
        if not (request.settings.native_files and _has_files(request.entries)):
            raise error
        self._files_as_text = True
        return replace(request, settings=replace(request.settings, native_files=()))

    async def _record(self, response: ModelResponse, notices: Sequence[Notice]) -> None:
        # Appended together: to a process that takes over, a call that may be cut must not look like one still to run.
        refusals = [refusal(call, ANSWER_CUT) for call in response.tool_calls] if response.may_be_cut else []
        new = (*response.entries, *refusals, *self._fallback_notices(response), *notices)
        await self._journal.append(*new, ends_run=self._ends_run(response))
        self._answered_length = len(self._journal.entries)

    def _ends_run(self, response: ModelResponse) -> bool:
        """Return whether the run's end follows this answer, as far as is known, and nobody needs it stored before."""
        goes_on = response.tool_calls or response.malformed_call or self._inbox.has_messages
        return not (self._stores_at_once or goes_on or self._agent.completion is CompletionMode.MESSAGE_TOOL)

    def _fallback_notices(self, response: ModelResponse) -> list[Notice]:
        """Return a notice when another endpoint answered (SPEC 2.6), unless the user was already told about the same one.

        That is the case when the previous answer, or a tool since then, came from it.
        """
        last_notice = last_fallback_notice(self._journal.entries[self._answered_length :]) or self._fallback
        self._fallback = response.notice
        return [Notice(FALLBACK, response.notice)] if response.notice and response.notice != last_notice else []

    def _spend(self, model: str, usage: Usage, usages: Collection[Usage]) -> None:
        self.usage += usage
        self._budget.spend(model, *usages)


def _repair_notices(calls: Iterable[ToolCall]) -> list[Notice]:
    names = ", ".join(dict.fromkeys(call.name for call in calls))
    return [Notice(REPAIRED, REPAIRED_TEXT.format(names=names))] if names else []


def _has_files(entries: Sequence[Entry]) -> bool:
    return any(isinstance(entry, File | AnswerFile) for entry in entries)
