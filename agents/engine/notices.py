"""What the user is told when a run ends otherwise than by a whole answer (SPEC 3.4)."""

from __future__ import annotations

from collections.abc import Mapping

from agents.engine.messages import AnswerFile, AssistantText, FinishReason, ModelResponse, Notice
from agents.engine.outcome import RunEnd

STEP_LIMIT = Notice("step_limit", "The agent used all its steps for this message.", "info", "continue")
BUDGET = Notice("budget", "This answer has used up what one answer may use. What was written so far is kept.", "warning", "continue")
LOOP = Notice("loop", "The agent kept repeating the same call, so the answer was ended.", "warning", "retry")
NO_TOOL_CALL = Notice("no_tool_call", "The agent did not mark its answer as final; what it wrote last is kept.", "info")
EMPTY_ANSWER = Notice("empty_answer", "The model gave no answer.", "warning", "retry")
LENGTH_LIMIT = Notice("length_limit", "The answer reached its maximum length.", "warning", "continue")
CONTENT_FILTER = Notice("content_filter", "The provider's safety filter ended the answer.", "warning")

ENDED_EARLY = Notice("ended_early", "The provider ended the answer early, without saying why.", "warning", "continue")

_NOTICE_BY_END: Mapping[RunEnd, Notice] = {
    RunEnd.STEP_LIMIT: STEP_LIMIT,
    RunEnd.BUDGET: BUDGET,
    RunEnd.LOOP: LOOP,
    RunEnd.NO_TOOL_CALL: NO_TOOL_CALL,
    RunEnd.EMPTY: EMPTY_ANSWER,
}


def closing_notice(end: RunEnd, last: ModelResponse) -> Notice | None:
    """The notice for this end; how the last model call ended says more than that the answer is empty."""
    if end in (RunEnd.ANSWERED, RunEnd.EMPTY):
        if last.finish_reason is FinishReason.LENGTH:
            return LENGTH_LIMIT
        if last.finish_reason is FinishReason.CONTENT_FILTER:
            return CONTENT_FILTER
        if last.finish_reason is FinishReason.OTHER and end is RunEnd.ANSWERED:
            return ENDED_EARLY
    return _NOTICE_BY_END.get(end)


def has_content(response: ModelResponse) -> bool:
    """Whether the user got a text or a file."""
    return any(isinstance(entry, AnswerFile) or (isinstance(entry, AssistantText) and entry.text) for entry in response.entries)
