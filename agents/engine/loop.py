"""The engine: steps of one model call and the tools that it asks for, until the model answers in plain text (SPEC 3.3, 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.engine.context import model_context, open_calls, with_unique_call_ids
from agents.engine.errors import AnswerCut
from agents.engine.messages import (
    AssistantText,
    FinishReason,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    Notice,
    ReasoningDelta,
    SystemPrompt,
    TextDelta,
    Usage,
)
from agents.engine.ports import Journal, LanguageModel, Tool
from agents.engine.states import RunState, RunStates
from agents.engine.toolset import ToolPolicy, Toolset

STEP_LIMIT = Notice("step_limit", "The agent used all its steps for this message.", "info", "continue")
EMPTY_ANSWER = Notice("empty_answer", "The model gave no answer.", "warning", "retry")
LENGTH_LIMIT = Notice("length_limit", "The answer reached its maximum length.", "warning", "continue")
CONTENT_FILTER = Notice("content_filter", "The provider's safety filter ended the answer.", "warning")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """An agent as the engine runs it. `model`: the provider's id of the model."""

    model: str
    system: SystemPrompt
    settings: ModelSettings = field(default_factory=ModelSettings)
    max_steps: int = 5
    tool_policy: ToolPolicy = ToolPolicy.PARALLEL


class RunEnd(StrEnum):
    """How a run that neither failed nor was stopped came to its end."""

    ANSWERED = "answered"
    EMPTY = "empty"
    STEP_LIMIT = "step_limit"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """`finish_reason`: the last model call's. `usage`: the sum over this execution. `step`: the number of the last step."""

    end: RunEnd
    finish_reason: FinishReason
    usage: Usage
    step: int


async def run_agent(
    agent: AgentSpec,
    *,
    model: LanguageModel,
    tools: Sequence[Tool],
    journal: Journal,
    first_step: int = 1,
    on_state: Callable[[RunState], None] | None = None,
) -> RunOutcome:
    """Run until the model answers in plain text or the steps are used up; all that happens goes through `journal`.

    A run that was taken over goes on from `journal.entries`: calls without results are settled first, then step `first_step` begins.
    Raises the model's ProviderError and the journal's errors; the caller records them. Cancelling the task closes the model's
    stream and ends the tools before it gets out.
    """
    toolset = Toolset(tools, agent.tool_policy)
    with RunStates(on_state) as states:
        run = _Run(agent, model, toolset, journal, states)
        await run.settle_interrupted_step()
        outcome, notice = await run.steps(first_step)
        states.change_to(RunState.FINALIZING)
        if notice:
            await journal.append(notice)
        states.change_to(RunState.DONE)
        return outcome


@dataclass(frozen=True, slots=True)
class _Run:
    agent: AgentSpec
    model: LanguageModel
    toolset: Toolset
    journal: Journal
    states: RunStates

    async def settle_interrupted_step(self) -> None:
        if calls := open_calls(self.journal.entries):
            self.states.change_to(RunState.EXECUTING_TOOL)
            await self.toolset.settle(calls, self.journal)

    async def steps(self, first_step: int) -> tuple[RunOutcome, Notice | None]:
        usage = Usage()
        for step in range(first_step, self.agent.max_steps + 1):
            response = await self._step(step)
            usage += response.usage
            if not response.tool_calls:
                end = RunEnd.ANSWERED if _has_text(response) else RunEnd.EMPTY
                return RunOutcome(end, response.finish_reason, usage, step), _closing_notice(response)
        last_step = max(self.agent.max_steps, first_step - 1)
        return RunOutcome(RunEnd.STEP_LIMIT, FinishReason.TOOL_CALLS, usage, last_step), STEP_LIMIT

    async def _step(self, step: int) -> ModelResponse:
        self.states.change_to(RunState.THINKING)
        await self.journal.step_start(step)
        response = await self._think()
        if response.entries:
            await self.journal.append(*response.entries)
        if response.tool_calls:
            self.states.change_to(RunState.EXECUTING_TOOL)
            await self.toolset.run(response.tool_calls, self.journal)
        await self.journal.step_finish(step, response.usage)
        return response

    async def _think(self) -> ModelResponse:
        """One model call; its deltas are in the journal, its entries not yet. Raises AnswerCut when no response came."""
        response = None
        # Closed at once, also when the task is cancelled: garbage collection would leave the provider generating.
        async with aclosing(self.model.stream(self._request())) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        self.journal.text_delta(text)
                    case ReasoningDelta(text):
                        self.journal.reasoning_delta(text)
                    case ModelResponse():
                        response = event
        if response is None:
            raise AnswerCut("The answer ended before it was complete.")
        return replace(response, entries=with_unique_call_ids(response.entries, self.journal.entries))

    def _request(self) -> ModelRequest:
        return ModelRequest(
            model=self.agent.model,
            system=self.agent.system,
            entries=model_context(self.journal.entries),
            tools=self.toolset.definitions,
            settings=self.agent.settings,
        )


def _has_text(response: ModelResponse) -> bool:
    return any(isinstance(entry, AssistantText) and entry.text for entry in response.entries)


def _closing_notice(response: ModelResponse) -> Notice | None:
    match response.finish_reason:
        case FinishReason.LENGTH:
            return LENGTH_LIMIT
        case FinishReason.CONTENT_FILTER:
            return CONTENT_FILTER
        case _:
            return None if _has_text(response) else EMPTY_ANSWER
