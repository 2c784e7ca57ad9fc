"""The demo's scenes about the engine: interjections, approvals, the message tool, loops, the step limit. Played with the engine itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd
from agents.engine.loop import NO_TOOL_CALL_TEXT
from agents.engine.open_calls import INTERRUPTED
from agents.messages import (
    AssistantText,
    File,
    ModelSettings,
    Notice,
    NoToolCallRetry,
    Reminder,
    ToolCall,
    ToolResult,
)
from doubles.demo import DemoScript
from doubles.demo.interjections import PAUSE_S, STORY, slow_story
from doubles.demo.tool_scenes import QUESTION
from doubles.script import Pause, ReceivedRequest, Text
from tests.agents.engine.scripted import AGENT
from tests.doubles.demo_talk import MODEL, Talk, demo, document_agent, message_tool
from tests.support.agents.gemini import ServedGemini

__all__ = ["demo"]

NO_SIGNATURES = "gemini-2.5-flash"  # takes calls that no model made
DOCUMENT = {"id": "7f0c", "title": "Solar energy", "kind": "text", "version": 1, "operation": "create"}


class TestInterjections:
    async def test_a_slow_story_comes_whole(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent())
        await talk.say("Tell me a slow story")
        assert talk.text == STORY

    def test_the_story_is_slow_at_a_real_pace_only(self) -> None:
        contents = [{"role": "user", "parts": [{"text": "A story"}]}]
        request = ReceivedRequest(1, "", {}, {}, model=MODEL, user_text="A story", contents=contents)
        pauses = [[item.seconds for item in DemoScript(pace=pace)(request).items if isinstance(item, Pause)] for pace in (0, 1, 2)]
        assert pauses[0] == []
        assert set(pauses[1]) == {PAUSE_S}
        assert sum(pauses[1]) > 10
        assert sum(pauses[2]) == sum(pauses[1]) / 2
        assert "".join(item.text for item in slow_story() if isinstance(item, Text)) == STORY

    @pytest.mark.parametrize("length", [30, 400])
    async def test_a_message_in_the_middle_is_taken_up(self, demo: ServedGemini, length: int) -> None:
        talk = Talk(demo)
        await talk.say("Tell me a slow story", AssistantText(STORY[:length], partial=True), "Make it about cats")
        assert talk.text.startswith("You said in between: \u201cMake it about cats\u201d; so I go on with that.\n\n")
        assert "demo provider" in talk.text

    async def test_a_second_message_in_the_middle_is_taken_up(self, demo: ServedGemini) -> None:
        talk = Talk(demo)
        await talk.say("A story", AssistantText(STORY[:99], partial=True), "Another story")
        again = talk.text
        assert again.endswith(STORY)
        await talk.say("A story", AssistantText(again[:200], partial=True), "Show me a table")
        assert talk.text.startswith("You said in between: \u201cShow me a table\u201d")
        assert "| Month |" in talk.text

    async def test_a_message_after_a_whole_answer_is_just_the_next_one(self, demo: ServedGemini) -> None:
        talk = Talk(demo)
        await talk.say("A story", AssistantText(STORY), "Show me a table")
        assert "in between" not in talk.text

    async def test_a_message_while_a_tool_works(self, demo: ServedGemini) -> None:
        call = ToolCall("c1", "document_agent", {"operation": "create"})
        talk = Talk(demo, document_agent(), model=NO_SIGNATURES)
        await talk.say("Write a report", call, ToolResult("c1", "document_agent", INTERRUPTED, is_error=True), "Show me a table")
        assert talk.text.startswith("You wrote while I was working: \u201cShow me a table\u201d")


class TestApprovals:
    async def test_the_demo_says_how_to_try_approvals(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent())
        await talk.say("How do I try approvals?")
        assert "**Ask the user before each call**" in talk.text

    @pytest.mark.parametrize(
        ("result", "answer"),
        [
            (ToolResult("c1", "document_agent", DOCUMENT), "It is ready to read"),
            (
                ToolResult("c1", "document_agent", "The user did not allow this call.", is_error=True),
                "You did not allow that, so I left it",
            ),
            (
                ToolResult("c1", "document_agent", "The user did not allow this call. Reason: Too early", is_error=True),
                "You wrote: \u201cToo early\u201d. What would you like instead?",
            ),
            (ToolResult("c1", "document_agent", "The user refused this call.", is_error=True), "You did not allow that"),
        ],
    )
    async def test_the_demo_answers_to_the_decision(self, demo: ServedGemini, result: ToolResult, answer: str) -> None:
        talk = Talk(demo, document_agent(), model=NO_SIGNATURES)
        await talk.say("Write a report", ToolCall("c1", "document_agent", {"operation": "create"}), result)
        assert answer in talk.text
        assert talk.calls == []


class TestMessageTool:
    async def test_a_question_is_asked_with_it_and_the_reply_is_taken_up(self, demo: ServedGemini) -> None:
        talk = Talk(demo, message_tool())
        outcome = await talk.say("Ask me something")
        assert (outcome.end, [call.arguments for call in talk.calls]) == (
            RunEnd.WAITING_FOR_REPLY,
            [{"type": "question", "text": QUESTION}],
        )
        await talk.say("Blue.")
        assert "You like **Blue**." in talk.text

    async def test_without_the_message_tool_the_question_is_the_answer(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent())
        await talk.say("Ask me something")
        assert talk.text.startswith(QUESTION)

    @pytest.mark.parametrize("instruction", ["prompt", "choice"])
    async def test_an_agent_that_must_answer_with_it_does(self, demo: ServedGemini, instruction: str) -> None:
        settings = ModelSettings(tool_choice="required" if instruction == "choice" else "auto")
        system = replace(
            AGENT.system, stable="Send the answer with the tool `message`, type `result`." if instruction == "prompt" else "Be kind."
        )
        talk = Talk(demo, message_tool(), settings=settings, system=system)
        outcome = await talk.say("Show me a table")
        [call] = talk.calls
        assert (outcome.end, call.name, call.arguments["type"], talk.text) == (RunEnd.ANSWERED, "message", "result", "")
        assert "| Month |" in call.arguments["text"]

    async def test_a_reminded_agent_answers_with_the_message_tool(self, demo: ServedGemini) -> None:
        talk = Talk(demo, message_tool())
        await talk.say("Hm?", AssistantText("So it is."), NoToolCallRetry(NO_TOOL_CALL_TEXT, 1))
        assert [call.arguments for call in talk.calls] == [{"type": "result", "text": "So it is."}]

    async def test_an_agent_without_that_rule_answers_in_text(self, demo: ServedGemini) -> None:
        talk = Talk(demo, message_tool())
        await talk.say("Show me a table")
        assert (talk.calls, "| Month |" in talk.text) == ([], True)

    async def test_a_tool_that_may_not_be_called_is_not_called(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent(), settings=ModelSettings(tool_choice="none"))
        await talk.say("Write a report about rain")
        assert talk.calls == []


@pytest.mark.parametrize("tool", [document_agent, message_tool])
class TestEndlessWork:
    async def test_a_loop_is_detected_before_the_step_limit(self, demo: ServedGemini, tool: Any) -> None:
        talk = Talk(demo, tool())
        outcome = await talk.say("Get stuck in a loop")
        assert outcome.end is RunEnd.LOOP
        assert "play an agent that is stuck" in talk.text
        assert "loop" in [entry.code for entry in talk.answer if isinstance(entry, Reminder)]

    async def test_a_long_task_goes_on_after_the_step_limit(self, demo: ServedGemini, tool: Any) -> None:
        talk = Talk(demo, tool(), max_steps=5)
        ends, numbers = list[RunEnd](), list[str]()
        for message in ("Work in many steps", "Continue", "Continue"):
            ends.append((await talk.say(message)).end)
            numbers += [str(call.arguments) for call in talk.calls]
        assert ends == [RunEnd.STEP_LIMIT, RunEnd.STEP_LIMIT, RunEnd.ANSWERED]
        assert [f"Step {number} of 12" in text for number, text in enumerate(numbers, start=1)] == [True] * 12
        assert "All 12 steps are done." in talk.text


class TestErrors:
    async def test_a_malformed_call_is_reminded_of_and_then_answered(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent())
        outcome = await talk.say("/error malformed")
        assert [type(entry).__name__ for entry in talk.answer] == ["Reminder", "AssistantText"]
        assert (outcome.end, outcome.step) == (RunEnd.ANSWERED, 2)

    async def test_an_empty_answer_can_be_asked_for(self, demo: ServedGemini) -> None:
        talk = Talk(demo, document_agent())
        assert (await talk.say("/error empty")).end is RunEnd.EMPTY
        assert [entry.code for entry in talk.answer if isinstance(entry, Notice)] == ["empty_answer"]


async def test_an_attached_file_is_not_taken_for_the_users_words(demo: ServedGemini) -> None:
    talk = Talk(demo, document_agent())
    await talk.say("Show me a table", File("f1", "plan.txt", "text/plain", 20, "Write a report."))
    assert "| Month |" in talk.text


async def test_without_tools_the_scenes_say_what_they_need(demo: ServedGemini) -> None:
    talk = Talk(demo)
    for message in ("Get stuck in a loop", "Work in many steps"):
        await talk.say(message)
        assert "needs an agent with a tool" in talk.text
