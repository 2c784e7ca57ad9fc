"""Plugins at a run: order, what each is told, and that none of them can break the run or outlive it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from agents.engine.lifecycle import RunOutcome, RunState, RunStates
from agents.messages import (
    DataPart,
    ModelResponse,
    ReasoningDelta,
    SystemPrompt,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from agents.plugins.hooks import PluginHooks
from agents.plugins.plugin import AnotherStep, Plugin, PluginContext, PluginSettings
from agents.plugins.plugin_runner import MAX_QUEUED, PluginTimeouts
from tests.agents.plugins.scripted import CALL, DONE, RESPONSE, RESULT, Clock, RecordingPlugin, log_lines, participants

NONE = PluginSettings()
SHORT = PluginTimeouts(hook_s=0.01, background_s=0.01, finish_s=0.01)


@dataclass(frozen=True, slots=True)
class Adds(Plugin[PluginSettings]):
    """Adds its word to the prompt, to rounds and to the data parts."""

    word: str = ""

    async def process_prompts(self, context: PluginContext, system: SystemPrompt) -> SystemPrompt:
        return SystemPrompt(f"{system.stable} {self.word}{context.step}", system.changing)

    async def response_complete(self, context: PluginContext, response: ModelResponse) -> AnotherStep | None:
        return AnotherStep(f"{self.word}: more, please.") if self.word else None

    async def tool_executed(self, context: PluginContext, call: ToolCall, result: ToolResult) -> AnotherStep | None:
        return AnotherStep(f"{self.word}: {call.name} gave {result.output}.") if self.word else None

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        return (DataPart(self.word, {}),)


@dataclass(frozen=True, slots=True)
class Breaks(Plugin[PluginSettings]):
    """Raises wherever it is called."""

    async def process_prompts(self, context: PluginContext, system: SystemPrompt) -> SystemPrompt:
        raise ValueError("broken")

    async def response_complete(self, context: PluginContext, response: ModelResponse) -> AnotherStep | None:
        raise ValueError("broken")

    async def tool_executed(self, context: PluginContext, call: ToolCall, result: ToolResult) -> AnotherStep | None:
        raise ValueError("broken")

    async def on_start(self, context: PluginContext) -> None:
        raise ValueError("broken")

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        raise ValueError("broken")


@dataclass(frozen=True, slots=True)
class Hangs(Plugin[PluginSettings]):
    """Never answers; `endings`: how each of its calls ended."""

    endings: list[str] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def process_prompts(self, context: PluginContext, system: SystemPrompt) -> SystemPrompt:
        await self._hang()
        return system

    async def on_start(self, context: PluginContext) -> None:
        await self._hang()

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        await self._hang()
        return ()

    async def _hang(self) -> None:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.endings.append("cancelled")


def diary() -> RecordingPlugin:
    return RecordingPlugin(NONE)


async def test_prompts_go_through_all_plugins_in_the_agents_order() -> None:
    async with aclosing(PluginHooks(participants(Adds(NONE, word="one"), Adds(NONE, word="two")))) as hooks:
        assert await hooks.prompt(SystemPrompt("Be kind.", "Monday."), 3) == SystemPrompt("Be kind. one3 two3", "Monday.")


async def test_the_texts_of_plugins_that_ask_for_a_round_become_one_reminder_in_order() -> None:
    async with aclosing(PluginHooks(participants(Adds(NONE, word="one"), Adds(NONE), Adds(NONE, word="two")))) as hooks:
        assert await hooks.response_complete(RESPONSE, 1) == "one: more, please.\n\ntwo: more, please."
        assert await hooks.tool_executed(CALL, RESULT) == "\n\n".join(
            f"{word}: look_up gave {{'found': 'Lovelace'}}." for word in ("one", "two")
        )


async def test_without_a_wish_there_is_no_round() -> None:
    async with aclosing(PluginHooks(participants(Adds(NONE), diary()))) as hooks:
        assert await hooks.response_complete(RESPONSE, 1) is None
        assert await hooks.tool_executed(CALL, RESULT) is None


async def test_the_parts_of_the_end_come_in_the_agents_order() -> None:
    async with aclosing(PluginHooks(participants(Adds(NONE, word="one"), diary(), Adds(NONE, word="two")))) as hooks:
        assert [part.name for part in await hooks.finished(DONE)] == ["one", "two"]


async def test_a_plugin_is_told_everything_in_the_order_it_happened() -> None:
    clock, note = Clock(), diary()
    async with aclosing(PluginHooks(participants(note), clock=clock)) as hooks:
        hooks.run_started()
        hooks.message_received(UserMessage("Hello"))
        hooks.state_changed(RunState.THINKING)
        hooks.step_started(1)
        hooks.tool_started(CALL)
        clock.now_s += 1.5
        await hooks.tool_executed(CALL, RESULT)
        hooks.step_finished(1, Usage(7, 1))
        hooks.step_started(2)
    assert note.calls == [
        ("on_start", 0),
        ("user_message_received", 0, "Hello"),
        ("run_status_changed", 0, "thinking"),
        ("on_step_start", 1),
        ("on_tool_call_start", 1, "look_up"),
        ("on_tool_call_finish", 1, "look_up", 1500),
        ("on_step_finish", 1, 7),
        ("on_step_start", 2),
    ]


async def test_the_growing_answer_comes_at_most_every_quarter_of_a_second() -> None:
    clock, note = Clock(), diary()
    members = participants(note)
    async with aclosing(PluginHooks(members, clock=clock)) as hooks:
        hooks.step_started(1)
        for number in range(10):
            clock.now_s += 0.1
            hooks.response_update(TextDelta(str(number)))
            hooks.response_update(ReasoningDelta("Hm."))
            await members[0].queue.wait()
        hooks.step_started(2)
        await members[0].queue.wait()
        clock.now_s += 0.3
        hooks.response_update(TextDelta("next"))
    updates = [page[1:] for page in note.calls if page[0] == "response_update"]
    assert updates == [(1, "012"), (1, "012345"), (1, "012345678"), (2, "next")]


async def test_a_plugin_that_is_busy_gets_no_pile_of_updates() -> None:
    @dataclass(frozen=True, slots=True)
    class Slow(Plugin[PluginSettings]):
        updates: list[str] = field(default_factory=list)
        go_on: asyncio.Event = field(default_factory=asyncio.Event)

        async def response_update(self, context: PluginContext, text: str) -> None:
            self.updates.append(text)
            await self.go_on.wait()

    clock, slow = Clock(), Slow(NONE)
    async with aclosing(PluginHooks(participants(slow), clock=clock)) as hooks:
        for letter in "abcd":
            clock.now_s += 1
            hooks.response_update(TextDelta(letter))
        slow.go_on.set()
    assert slow.updates == ["a"]


async def test_a_failing_plugin_is_skipped_and_logged_with_the_runs_ids(caplog: pytest.LogCaptureFixture) -> None:
    async with aclosing(PluginHooks(participants(Breaks(NONE), Adds(NONE, word="on")))) as hooks:
        hooks.run_started()
        assert (await hooks.prompt(SystemPrompt("Go"), 1)).stable == "Go on1"
        assert await hooks.response_complete(RESPONSE, 1) == "on: more, please."
        assert (await hooks.tool_executed(CALL, RESULT) or "").startswith("on:")
        assert [part.name for part in await hooks.finished(DONE)] == ["on"]
    failures = [line for line in log_lines(caplog) if line["event"] == "plugin_failed"]
    assert sorted(line["hook"] for line in failures) == ["on_finish", "on_start", "process_prompts", "response_complete", "tool_executed"]
    assert {(line["plugin"], line["organization_id"][-1], line["run_id"][-1]) for line in failures} == {("Breaks", "1", "3")}


async def test_a_slow_plugin_is_cut_and_skipped(caplog: pytest.LogCaptureFixture) -> None:
    slow = Hangs(NONE)
    async with aclosing(PluginHooks(participants(slow, Adds(NONE, word="on"), limits=SHORT))) as hooks:
        assert (await hooks.prompt(SystemPrompt("Go"), 1)).stable == "Go on1"
        assert [part.name for part in await hooks.finished(DONE)] == ["on"]
    assert slow.endings == ["cancelled"] * 2
    assert [(line["event"], line["hook"]) for line in log_lines(caplog)] == [
        ("plugin_too_slow", "process_prompts"),
        ("plugin_too_slow", "on_finish"),
    ]


async def test_slow_background_work_holds_nobody_else_up() -> None:
    slow, note = Hangs(NONE), diary()
    members = participants(slow, note)
    async with aclosing(PluginHooks(members, drain_s=0)) as hooks:
        hooks.run_started()
        await slow.began.wait()
        await members[1].queue.wait()
        assert note.calls == [("on_start", 0)]


async def test_the_end_of_a_run_waits_for_background_work_but_not_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    slow, note = Hangs(NONE), diary()
    async with aclosing(PluginHooks(participants(slow, note), drain_s=0.01)) as hooks:
        hooks.run_started()
        hooks.step_started(1)
    assert [page[0] for page in note.calls] == ["on_start", "on_step_start"]
    assert slow.endings == ["cancelled"]
    assert [(line["event"], line.get("plugins")) for line in log_lines(caplog)] == [("plugin_work_cut", ["Hangs"])]


async def test_stopping_a_run_ends_its_background_work_at_once() -> None:
    slow, note = Hangs(NONE), diary()
    async with aclosing(PluginHooks(participants(slow, note), drain_s=3600)) as hooks:
        hooks.run_started()
        await slow.began.wait()
        hooks.state_changed(RunState.STOPPED)
        hooks.step_finished(1, Usage())
    assert slow.endings == ["cancelled"]
    assert note.calls == [("on_start", 0)]


async def test_cancelling_a_run_leaves_no_task_behind() -> None:
    before = asyncio.all_tasks()
    slow = Hangs(NONE)

    async def run() -> None:
        async with aclosing(PluginHooks(participants(slow), drain_s=3600)) as hooks:
            with RunStates(hooks.state_changed):
                hooks.run_started()
                await hooks.finished(DONE)

    task = asyncio.create_task(run())
    await slow.began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert set(slow.endings) == {"cancelled"}
    assert asyncio.all_tasks() == before


async def test_background_work_has_a_bound(caplog: pytest.LogCaptureFixture) -> None:
    note = diary()
    async with aclosing(PluginHooks(participants(note))) as hooks:
        for step in range(1, MAX_QUEUED + 3):
            hooks.step_started(step)
    assert len(note.calls) == MAX_QUEUED
    assert [line["event"] for line in log_lines(caplog)] == ["plugin_work_dropped"] * 2


async def test_later_work_comes_behind_the_plugins_earlier_work() -> None:
    @dataclass(frozen=True, slots=True)
    class Later(Plugin[PluginSettings]):
        done: list[str] = field(default_factory=list)
        go_on: asyncio.Event = field(default_factory=asyncio.Event)

        async def on_step_finish(self, context: PluginContext, usage: Usage) -> None:
            await self.go_on.wait()
            self.done.append("step")

        async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
            context.run_in_background(self._say_end)
            return ()

        async def _say_end(self) -> None:
            self.done.append("end")

    plugin = Later(NONE)
    async with aclosing(PluginHooks(participants(plugin))) as hooks:
        hooks.step_finished(1, Usage())
        await hooks.finished(DONE)
        assert plugin.done == []
        plugin.go_on.set()
    assert plugin.done == ["step", "end"]
