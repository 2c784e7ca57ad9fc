from __future__ import annotations

import pytest

from agents.engine.ports import ToolContext
from agents.errors import ToolFailed
from agents.messages import NextStep, WorkflowStep
from agents.runtime.message_tool import MessageTool
from tests.support.agents.memory_journal import MemoryJournal


@pytest.mark.parametrize(
    ("kind", "next_step"), [("result", NextStep.FINISH), ("question", NextStep.WAIT_FOR_REPLY), ("progress", NextStep.GO_ON)]
)
async def test_what_is_said_decides_how_the_run_goes_on(kind: str, next_step: NextStep) -> None:
    outcome = await MessageTool().run({"type": kind, "text": " Reading the plan. "}, ToolContext("c1", MemoryJournal()))
    assert outcome.next_step is next_step
    assert outcome.entries == ((WorkflowStep("Reading the plan.", "done"),) if kind == "progress" else ())


async def test_nothing_is_no_message() -> None:
    with pytest.raises(ToolFailed):
        await MessageTool().run({"type": "result", "text": " \n"}, ToolContext("c1", MemoryJournal()))
