"""What a model may send that is no proper answer, played by the double: each case has its one outcome (docs/engine.md, "Bad input")."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.errors import AnswerCut
from agents.messages import (
    AssistantText,
    FinishReason,
    Notice,
    Reminder,
    ToolResult,
)
from agents.providers.registry import language_model
from doubles.script import Call, Fault, Finish, Item, Text, Thought, Usage
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, kinds
from tests.agents.providers.harness import MODEL_3, connection
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.gemini import ServedGemini
from tests.support.agents.memory_journal import MemoryJournal

# What the loop does not do yet; strict, so that the mark goes when it does.
MALFORMED = Finish("MALFORMED_FUNCTION_CALL", "Malformed function call: look_up(word=", bare=True)
SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
A_CALL = Call("look_up", {"word": "a"}, id="c1")


class Play:
    """One run of a model of generation 3, whose calls are signed, against the double; `tool` counts its runs."""

    def __init__(self, double: ServedGemini) -> None:
        self._double = double
        self.journal = MemoryJournal([QUESTION])
        self.tool = FunctionTool(schema=SCHEMA)

    async def __call__(self, *answers: list[Item], **changes: Any) -> RunOutcome:
        for answer in answers:
            self._double.answer(*answer)
        agent = replace(AGENT, model=MODEL_3, **changes)
        async with connection(self._double.base_url) as provider_connection:
            outcome = await run_agent(agent, model=language_model("google", provider_connection), tools=[self.tool], journal=self.journal)
        assert [request.refusal for request in self._double.requests if request.refusal] == []
        assert self._double.queued_count == 0
        return outcome

    @property
    def kinds_of_entries(self) -> list[str]:
        """What was appended, by kind."""
        return kinds(self.journal.appended)

    @property
    def results(self) -> list[ToolResult]:
        return [entry for entry in self.journal.appended if isinstance(entry, ToolResult)]

    @property
    def notices(self) -> list[str]:
        return [entry.code for entry in self.journal.appended if isinstance(entry, Notice)]

    @property
    def last_request(self) -> list[dict[str, Any]]:
        contents: list[dict[str, Any]] = self._double.requests[-1].body["contents"]
        return contents

    @property
    def sent_texts(self) -> list[str]:
        """All texts of the last request."""
        return [part["text"] for content in self.last_request for part in content["parts"] if "text" in part]


@pytest.fixture
def play(gemini: ServedGemini) -> Play:
    return Play(gemini)


class TestCallsThatCannotBeRead:
    @pytest.mark.parametrize(
        ("answer", "problem"),
        [
            ([MALFORMED], "it was not valid JSON (Malformed function call: look_up(word=)."),
            ([Finish("MALFORMED_FUNCTION_CALL")], "it was not valid JSON."),
            ([Finish("UNEXPECTED_TOOL_CALL", bare=True)], "there is no such tool, or calling tools is not allowed now."),
            ([Call("", {"word": "a"})], "it named no tool."),
            ([Call("look_up", ["a"])], "the arguments of look_up were no JSON object."),
            ([Call("look_up", "a")], "the arguments of look_up were no JSON object."),
            ([A_CALL, Call("look_up", [])], "the arguments of look_up were no JSON object."),  # the good one waits, too
        ],
    )
    async def test_the_model_is_told_and_asked_again(self, play: Play, answer: list[Item], problem: str) -> None:
        outcome = await play([Thought("Hm."), *answer], [A_CALL], [Text("Done.")])
        [reminder] = [entry for entry in play.journal.appended if isinstance(entry, Reminder)]
        assert problem in reminder.text
        assert reminder.code == "malformed_call"
        assert (outcome.end, outcome.step, play.tool.runs) == (RunEnd.ANSWERED, 3, [{"word": "a"}])
        assert play.kinds_of_entries[-4:] == ["Reminder", "ToolCall", "ToolResult", "AssistantText"]
        assert f"<reminder>\n{reminder.text}\n</reminder>" in play.sent_texts

    async def test_text_before_it_is_kept(self, play: Play) -> None:
        await play([Text("I look it up."), Finish("MALFORMED_FUNCTION_CALL")], [Text("Done.")])
        assert play.kinds_of_entries == ["AssistantText", "Reminder", "AssistantText"]
        assert [content["role"] for content in play.last_request] == ["user", "model", "user"]

    async def test_after_two_reminders_the_run_ends(self, play: Play) -> None:
        outcome = await play([MALFORMED], [MALFORMED], [MALFORMED], max_reminders=2)
        assert (outcome.end, play.kinds_of_entries, play.notices) == (RunEnd.EMPTY, ["Reminder", "Reminder", "Notice"], ["empty_answer"])


class TestCallsThatCannotRun:
    async def test_an_unknown_tool_is_answered_with_the_tools_there_are(self, play: Play) -> None:
        outcome = await play([Call("search", {})], [Text("Done.")])
        [result] = play.results
        assert (outcome.end, result.is_error) == (RunEnd.ANSWERED, True)
        assert result.output == "There is no tool named 'search'. Tools: look_up."

    async def test_arguments_that_do_not_fit_the_schema(self, play: Play) -> None:
        await play([Call("look_up", {"word": {"deep": 1}})], [Text("Done.")])
        [result] = play.results
        assert result.is_error
        assert "$.word" in result.output
        assert play.tool.runs == []

    async def test_a_call_of_an_answer_that_was_cut_by_its_length(self, play: Play) -> None:
        """It may be half of what the model meant."""
        outcome = await play([Text("So:"), A_CALL, Finish("MAX_TOKENS")], [Text("Shorter.")])
        [result] = play.results
        assert (outcome.end, result.is_error, play.tool.runs) == (RunEnd.ANSWERED, True, [])
        assert "Not run: your answer ended before it was complete" in result.output

    async def test_a_call_of_an_answer_that_the_safety_filter_ended(self, play: Play) -> None:
        outcome = await play([A_CALL, Finish("SAFETY")])
        assert (outcome.finish_reason, play.tool.runs) == (FinishReason.CONTENT_FILTER, [])
        assert (play.kinds_of_entries, play.notices) == (["ToolCall", "ToolResult", "Notice"], ["content_filter"])

    @pytest.mark.parametrize("reason", ["OTHER", "TOO_MANY_TOOL_CALLS", "A_REASON_OF_TOMORROW"])
    async def test_a_call_of_an_answer_that_ended_for_another_reason(self, play: Play, reason: str) -> None:
        outcome = await play([A_CALL, Finish(reason)], [Text("Done.")])
        assert (outcome.end, [result.is_error for result in play.results], play.tool.runs) == (RunEnd.ANSWERED, [True], [])


class TestOddOrders:
    async def test_repeated_call_ids_are_made_unique(self, play: Play) -> None:
        await play([A_CALL, replace(A_CALL, arguments={"word": "b"})], [replace(A_CALL, arguments={"word": "c"})], [Text("Done.")])
        assert [result.call_id for result in play.results] == ["c1", "c1-2", "c1-3"]
        assert len(play.tool.runs) == 3

    async def test_text_after_a_call_stands_after_it_on_the_screen_too(self, play: Play) -> None:
        """Shown as it comes it would stand before the call, which is shown when the answer is whole."""
        await play([Text("First. "), A_CALL, Thought("Hm."), Text("Then."), Finish("STOP")], [Text("Done.")])
        assert play.kinds_of_entries[:4] == ["AssistantText", "ToolCall", "AssistantText", "ToolResult"]
        log_values = [value for name, value in play.journal.log if name in ("text", "append")]
        first_append = next(place for place, value in enumerate(log_values) if isinstance(value, tuple))
        assert "".join(str(text) for text in log_values[:first_append]) == "First. "


class TestEndings:
    @pytest.mark.parametrize(
        "answer",
        [[], [Finish("STOP", bare=True)], [Text("", pieces=[""])], [Finish("OTHER", bare=True)], [Thought("Hm.")]],
    )
    async def test_an_empty_answer_is_said_and_can_be_tried_again(self, play: Play, answer: list[Item]) -> None:
        outcome = await play(answer)
        assert (outcome.end, play.notices) == (RunEnd.EMPTY, ["empty_answer"])
        [notice] = [entry for entry in play.journal.appended if isinstance(entry, Notice)]
        assert notice.action == "retry"

    @pytest.mark.parametrize(
        ("reason", "finish", "notice"),
        [
            ("MAX_TOKENS", FinishReason.LENGTH, "length_limit"),
            ("SAFETY", FinishReason.CONTENT_FILTER, "content_filter"),
            ("IMAGE_SAFETY", FinishReason.CONTENT_FILTER, "content_filter"),
            ("OTHER", FinishReason.OTHER, "ended_early"),
            ("LANGUAGE", FinishReason.OTHER, "ended_early"),
            ("TOO_MANY_TOOL_CALLS", FinishReason.OTHER, "ended_early"),
            ("A_REASON_OF_TOMORROW", FinishReason.OTHER, "ended_early"),
        ],
    )
    async def test_an_answer_that_did_not_end_by_itself_is_kept_and_says_so(
        self, play: Play, reason: str, finish: FinishReason, notice: str
    ) -> None:
        outcome = await play([Text("Half an"), Finish(reason)])
        assert (outcome.end, outcome.finish_reason) == (RunEnd.ANSWERED, finish)
        assert isinstance(play.journal.appended[0], AssistantText)
        assert play.notices == [notice]

    @pytest.mark.parametrize("end", [Fault.cut(), Finish(None), Finish("FINISH_REASON_UNSPECIFIED")])
    async def test_a_stream_without_its_end_mark_is_cut(self, play: Play, end: Item) -> None:
        """What was shown of it is kept by the journal's owner as partial; a call in it never runs."""
        with pytest.raises(AnswerCut):
            await play([Text("Half an"), A_CALL, end])
        assert (play.journal.appended, play.tool.runs) == ((), [])

    async def test_missing_usage_is_estimated(self, play: Play) -> None:
        outcome = await play([Text("Hi."), Usage(reported=False)])
        assert (outcome.end, outcome.usage.output_tokens) == (RunEnd.ANSWERED, 1)
        assert outcome.usage.input_tokens > 10
