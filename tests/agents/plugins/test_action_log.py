"""The log action: what it writes, and what it never writes."""

from __future__ import annotations

import logging
from contextlib import aclosing

import pytest

from agents.messages import ToolCall, Usage
from agents.plugins.hooks import PluginHooks
from agents.plugins.lifecycle import LifecycleEvent, LifecycleSettings
from agents.plugins.log import LogPlugin, arguments_hash
from tests.agents.plugins.scripted import CALL, DONE, EXCHANGE, RESULT, Clock, facts, log_lines, participants

ALL = LifecycleSettings(events=tuple(LifecycleEvent))


async def lines_of_a_run(settings: LifecycleSettings, caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    caplog.set_level(logging.INFO)
    clock = Clock()
    async with aclosing(PluginHooks(participants(LogPlugin(settings), run=facts(*EXCHANGE)), clock=clock)) as hooks:
        hooks.run_started()
        hooks.step_started(1)
        hooks.tool_started(CALL)
        clock.now_s += 0.25
        await hooks.tool_executed(CALL, RESULT)
        hooks.step_finished(1, Usage(10, 2))
        await hooks.finished(DONE)
    return log_lines(caplog)


async def test_a_line_for_every_chosen_event_in_order(caplog: pytest.LogCaptureFixture) -> None:
    assert [line["on"] for line in await lines_of_a_run(ALL, caplog)] == [event.value for event in LifecycleEvent]


async def test_events_that_were_not_chosen_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    lines = await lines_of_a_run(LifecycleSettings(events=(LifecycleEvent.STEP_FINISHED,)), caplog)
    assert [line["on"] for line in lines] == ["step.finished"]


async def test_a_tool_call_is_logged_in_detail(caplog: pytest.LogCaptureFixture) -> None:
    [line] = [line for line in await lines_of_a_run(ALL, caplog) if line["on"] == "tool.finished"]
    names = ("event", "agent", "step", "tool", "call_id", "is_error", "duration_ms", "arguments_hash")
    assert {name: line[name] for name in names} == {
        "event": "agent_event",
        "agent": "chat_model_agent_google",
        "step": 1,
        "tool": "look_up",
        "call_id": "c1",
        "is_error": False,
        "duration_ms": 250,
        "arguments_hash": arguments_hash({"name": "Ada"}),
    }
    assert [str(line[f"{kind}_id"])[-1] for kind in ("organization", "conversation", "run", "membership")] == ["1", "2", "3", "4"]


async def test_no_text_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    log_text = str(await lines_of_a_run(ALL, caplog))
    assert not [text for text in ("Ada", "Lovelace", "comet", "ball of ice") if text in log_text]


def test_equal_arguments_have_equal_hashes() -> None:
    first, same, other = (ToolCall("c", "t", arguments) for arguments in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1}))
    assert arguments_hash(first.arguments) == arguments_hash(same.arguments) != arguments_hash(other.arguments)
    assert arguments_hash({"atoms": 10**30}) != arguments_hash({"atoms": 10**30 + 1})
