"""The tools of one run: which of them the model is offered, and how a single call runs (SPEC 3.9, 3.11, 3.12)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agents.coercion.arguments import coerce_arguments
from agents.engine.agent import AgentSpec
from agents.engine.ports import Danger, RepairArguments, Tool, ToolContext, ToolOutcome
from agents.errors import JournalError, RunError, ToolFailed
from agents.messages import ResponseEntry, Taint, ToolCall, ToolDefinition

logger = logging.getLogger(__name__)

# SECURITY 25
MAX_ARGUMENT_CHARS = 256 * 1024  # of JSON
MAX_OUTPUT_CHARS = 64 * 1024
MAX_REPAIRS = 4  # of one answer: each is a model call

INTERNAL_ERROR = "The tool failed because of an internal error."
ARGUMENTS_TOO_LARGE = "Not run: the arguments are larger than {limit:,} characters. Send less at once."
OUTPUT_TRUNCATED = "\n[cut: {total:,} characters, the first {limit:,} are shown]"


class Toolset:
    """The tools of one run, by name. Raises ValueError when two have the same name."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.definition.name: tool for tool in tools}
        if len(self._tools) < len(tools):
            raise ValueError("Two tools have the same name.")
        self._definitions_cache: dict[tuple[frozenset[str] | None, frozenset[str]], tuple[ToolDefinition, ...]] = {}

    @property
    def templates(self) -> Mapping[str, str]:
        """The tools' lines in a compacted history, by tool name."""
        return {name: tool.traits.compact_template for name, tool in self._tools.items()}

    def definitions(self, agent: AgentSpec) -> tuple[ToolDefinition, ...]:
        """Return the definitions that the model is sent.

        Returns the same object until the filter changes, which keeps the provider's cache valid.
        """
        cache_key = (agent.active_tools, agent.hidden_tools)
        if cache_key not in self._definitions_cache:
            self._definitions_cache[cache_key] = tuple(tool.definition for name, tool in self._tools.items() if _is_active(name, agent))
        return self._definitions_cache[cache_key]

    def reads_of(self, name: str) -> frozenset[Taint] | None:
        """Return what kinds of data the tool's results contain; None when there is no such tool."""
        tool = self._tools.get(name)
        return tool.traits.reads if tool else None

    def find(self, name: str) -> Tool | None:
        """Return the tool of a recorded call, whether or not it is offered now."""
        return self._tools.get(name)

    def with_coerced_arguments(self, response: Iterable[ResponseEntry]) -> tuple[ResponseEntry, ...]:
        """Return `response` as it is recorded: with arguments corrected against the schema where possible (SPEC 3.11)."""
        return tuple(self._with_coerced_arguments(entry) if isinstance(entry, ToolCall) else entry for entry in response)

    def _with_coerced_arguments(self, call: ToolCall) -> ToolCall:
        tool = self._tools.get(call.name)
        if tool is None:
            return call
        if tool.traits.by_client:
            call = replace(call, by_client=True)
        if _is_too_large(call) or tool.traits.checks_arguments:
            return call
        coercion = coerce_arguments(tool.definition.input_schema, call.arguments)
        return call if coercion.problem or coercion.arguments is call.arguments else replace(call, arguments=coercion.arguments)

    def refusal(self, call: ToolCall, agent: AgentSpec) -> str | None:
        """Return a text for the model that says why this call can't run, or None."""
        tool = self.find(call.name)
        if tool is None or not _is_active(call.name, agent):
            names = ", ".join(definition.name for definition in self.definitions(agent))
            return f"There is no tool named {call.name!r}. Tools: {names or 'none'}."
        if _is_too_large(call):
            return ARGUMENTS_TOO_LARGE.format(limit=MAX_ARGUMENT_CHARS)
        return _misfit(tool, call)

    async def repaired_calls(self, calls: Iterable[ToolCall], agent: AgentSpec, repair: RepairArguments) -> Mapping[str, ToolCall]:
        """Return, by id, the calls whose arguments did not fit, with arguments that do (SPEC 3.11). Each is repaired once at most."""
        repaired: dict[str, ToolCall] = {}
        misfits = [
            (call, tool, problem) for call in calls if (tool := self.find(call.name)) and (problem := self._repairable(tool, call, agent))
        ]
        for call, tool, problem in misfits[:MAX_REPAIRS]:
            if (arguments := await repair(tool.definition, call, problem)) is not None:
                repaired_call = self._with_coerced_arguments(replace(call, arguments=arguments))
                if self.refusal(repaired_call, agent) is None:
                    repaired[call.id] = repaired_call
        return repaired

    def _repairable(self, tool: Tool, call: ToolCall, agent: AgentSpec) -> str | None:
        """Return what is wrong with the arguments of a call that could run with others, or None."""
        return _misfit(tool, call) if _is_active(call.name, agent) and not _is_too_large(call) else None


async def run_tool(tool: Tool, call: ToolCall, context: ToolContext) -> ToolOutcome:
    """Return the tool's outcome; failures become error outcomes. Only cancellation and JournalError are raised."""
    if tool.traits.danger is not Danger.SAFE:
        logger.info("tool_called", extra={"tool": call.name, "call_id": call.id, "danger": tool.traits.danger.value})
    limit = asyncio.timeout(tool.traits.timeout_s)
    try:
        async with limit:
            return _truncate(await tool.run(dict(call.arguments), context))
    except (ToolFailed, RunError) as error:
        return failure(str(error))
    except JournalError:
        raise
    except Exception as error:  # a tool is foreign code: its bug must not end the run
        if isinstance(error, TimeoutError) and limit.expired():
            return failure(f"The tool took longer than {tool.traits.timeout_s:g} seconds and was ended.")
        logger.exception("The tool %s raised an error.", call.name)
        return failure(INTERNAL_ERROR)


def failure(text: str) -> ToolOutcome:
    return ToolOutcome(text, is_error=True)


def _truncate(outcome: ToolOutcome) -> ToolOutcome:
    text = outcome.output if isinstance(outcome.output, str) else json.dumps(outcome.output, ensure_ascii=False)
    if len(text) <= MAX_OUTPUT_CHARS or outcome.is_recorded:
        return outcome
    return replace(outcome, output=text[:MAX_OUTPUT_CHARS] + OUTPUT_TRUNCATED.format(total=len(text), limit=MAX_OUTPUT_CHARS))


def _misfit(tool: Tool, call: ToolCall) -> str | None:
    """Return why the arguments do not fit the tool's schema and can't be corrected, or None."""
    return None if tool.traits.checks_arguments else coerce_arguments(tool.definition.input_schema, call.arguments).problem


def _is_too_large(call: ToolCall) -> bool:
    return len(json.dumps(dict(call.arguments))) > MAX_ARGUMENT_CHARS


def _is_active(name: str, agent: AgentSpec) -> bool:
    return name not in agent.hidden_tools and (agent.active_tools is None or name in agent.active_tools)
