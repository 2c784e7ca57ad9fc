"""Conversations with the demo over the wire, and the tools that an agent has in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunOutcome
from agents.engine.ports import ToolContext, ToolOutcome
from agents.messages import (
    AssistantText,
    Entry,
    NextStep,
    ToolCall,
    UserMessage,
)
from agents.providers.registry import language_model
from doubles.demo import DemoScript
from tests.agents.engine.scripted import AGENT, FunctionTool
from tests.agents.providers.harness import connection
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.agents.memory_journal import MemoryJournal

MODEL = "demo-standard"


@pytest.fixture(scope="module")
def demo() -> Iterator[ServedGemini]:
    with gemini_double(keys=None, models=None, fallback=DemoScript(pace=0)) as double:
        yield double


async def refuse(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
    return ToolOutcome("There is no such document.", is_error=True)


async def say(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
    steps = {"result": NextStep.FINISH, "question": NextStep.WAIT_FOR_REPLY}
    return ToolOutcome("sent", next_step=steps.get(arguments["type"], NextStep.GO_ON))


def document_agent() -> FunctionTool:
    return FunctionTool("document_agent", refuse)


def message_tool() -> FunctionTool:
    return FunctionTool("message", say)


class Talk:
    """A conversation with the demo over the wire; what it says is read from the journal."""

    def __init__(self, demo: ServedGemini, *tools: FunctionTool, **changes: Any) -> None:
        self._demo, self._tools = demo, tools
        self._agent = replace(AGENT, **{"model": MODEL, **changes})
        self.journal = MemoryJournal()

    async def say(self, *entries: Entry | str) -> RunOutcome:
        await self.journal.append(*(UserMessage(entry) if isinstance(entry, str) else entry for entry in entries))
        self._known_count = len(self.journal.entries)
        request_count = len(self._demo.requests)
        async with connection(self._demo.base_url) as provider_connection:
            model = language_model("google", provider_connection)
            outcome = await run_agent(self._agent, model=model, tools=self._tools, journal=self.journal)
        assert [request.refusal for request in self._demo.requests[request_count:] if request.refusal] == []
        return outcome

    @property
    def answer(self) -> list[Entry]:
        return list(self.journal.entries[self._known_count :])

    @property
    def text(self) -> str:
        return "".join(entry.text for entry in self.answer if isinstance(entry, AssistantText))

    @property
    def calls(self) -> list[ToolCall]:
        return [entry for entry in self.answer if isinstance(entry, ToolCall)]
