"""Which calls of an answer the engine has repaired (SPEC 3.11)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.engine.agent import ToolPolicy
from agents.engine.toolset import MAX_REPAIRS
from agents.messages import FinishReason, ModelResponse, Notice, ToolCall, ToolDefinition, ToolResult, Usage
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, ScriptedModel, answer, call, calls_response
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal

SCHEMA = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
WRONG = [call(f"c{number}", count=f"the {number}") for number in range(MAX_REPAIRS + 2)]


class Repair:
    """Says 7 to all; `call_ids`: the ids of the calls."""

    def __init__(self) -> None:
        self.call_ids: list[str] = []

    async def __call__(self, tool: ToolDefinition, tool_call: ToolCall, problem: str) -> Mapping[str, Any] | None:
        assert (tool.name, "is not of type 'integer'" in problem) == (tool_call.name, True)
        self.call_ids.append(tool_call.id)
        return {"count": "7"}


async def test_only_so_many_of_one_answer_and_what_comes_back_is_corrected() -> None:
    tool, repair, journal = FunctionTool(schema=SCHEMA), Repair(), MemoryJournal([QUESTION])
    calls = [call("fits", count=1), *WRONG]
    await run_agent(AGENT, model=ScriptedModel([calls_response(*calls)], [answer()]), tools=[tool], journal=journal, repair=repair)
    repaired_ids = [each.id for each in WRONG[:MAX_REPAIRS]]
    assert repair.call_ids == repaired_ids
    assert tool.runs == [{"count": 1}, *[{"count": 7}] * MAX_REPAIRS]
    assert [entry.arguments for entry in journal.appended if isinstance(entry, ToolCall) and entry.id in repaired_ids] == tool.runs[1:]
    assert [entry.code for entry in journal.appended if isinstance(entry, Notice)] == ["arguments_repaired"]
    assert sum(entry.is_error for entry in journal.appended if isinstance(entry, ToolResult)) == 2


async def test_what_does_not_run_is_not_repaired() -> None:
    hidden, checks_itself = FunctionTool("hidden", schema=SCHEMA), FunctionTool("own", schema=SCHEMA, checks_arguments=True)
    tools, repair = [FunctionTool(schema=SCHEMA), hidden, checks_itself], Repair()
    spec = replace(AGENT, hidden_tools=frozenset({"hidden"}), tool_policy=ToolPolicy.SINGLE)
    cut = ModelResponse((WRONG[0],), FinishReason.LENGTH, Usage(1, 1))
    model = ScriptedModel(
        [calls_response(call("a", "hidden", count="x"))],
        [calls_response(call("b", "gone", count="x"))],
        [calls_response(call("c", "own", count="x"))],
        [calls_response(call("d", count=1), call("later", count="x"))],
        [cut],
        [answer()],
    )
    await run_agent(replace(spec, max_steps=9), model=model, tools=tools, journal=MemoryJournal([QUESTION]), repair=repair)
    assert repair.call_ids == []


async def test_a_message_ends_it() -> None:
    journal, inbox = MemoryJournal([QUESTION]), MemoryInbox()

    async def repair(tool: ToolDefinition, tool_call: ToolCall, problem: str) -> Mapping[str, Any] | None:
        inbox.message("Wait, something else.")
        await asyncio.Event().wait()
        return {"count": 7}

    tool, model = FunctionTool(schema=SCHEMA), ScriptedModel([calls_response(WRONG[0])], [answer()])
    await run_agent(AGENT, model=model, tools=[tool], journal=journal, inbox=inbox.of(journal), repair=repair)
    assert (journal.appended[0], tool.runs) == (WRONG[0], [])
    assert [type(entry).__name__ for entry in journal.appended] == ["ToolCall", "ToolResult", "UserMessage", "AssistantText"]
