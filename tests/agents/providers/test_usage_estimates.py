"""What a call is booked with when its provider gave no final figure, over each wire."""

from __future__ import annotations

from contextlib import aclosing, suppress
from pathlib import Path

import pytest

import doubles.demo
from agents.errors import ProviderError
from agents.messages import AssistantText, Entry, ReasoningDelta, TextDelta, UserMessage
from agents.runtime.call_recording import CallRecord, CallRecorder
from doubles.script import Fault, Item, Text, Thought, Usage
from doubles.signals import Gate
from tests.agents.providers.harness import TOOL, request
from tests.agents.providers.matrix.modes import ALL_MODES, ProviderMode
from tests.support.agents.model_calls import ORIGIN, routed

PROSE = (Path(doubles.demo.__file__).parent / "prose.md").read_text()
HISTORY: tuple[Entry, ...] = (UserMessage(PROSE[:3000]), AssistantText(PROSE[3000:5000]), UserMessage("Go on."))
ANSWER = PROSE[5000:7000]
THOUGHT = PROSE[2000:3000]


async def recorded(mode: ProviderMode, *items: Item, until: int | None = None) -> CallRecord:
    """The record of one call. It is stopped after this many characters of text."""
    calls: list[CallRecord] = []
    with mode.serve() as double:
        double.answer(*items)
        async with mode.open_model(double, timeout_s=1.0) as model:
            recorder = CallRecorder(origin=ORIGIN, record=calls.append, price=lambda model, usage: float(usage.output_tokens))
            model_request = request(*HISTORY, model=mode.model, tools=(TOOL,), thinking_budget=2000)
            text_length = 0
            with suppress(ProviderError):
                async with aclosing(routed(model, record=recorder).stream(model_request)) as events:
                    async for event in events:
                        text_length += len(event.text) if isinstance(event, TextDelta | ReasoningDelta) else 0
                        if until is not None and text_length >= until:
                            break
    assert model_request.meter.usage == calls[0].usage, "what a budget counts"
    return calls[0]


def near(truth: int) -> object:
    return pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("mode", ALL_MODES, ids=str)
@pytest.mark.parametrize("end", ["stopped", "cut", "not counted"])
async def test_a_call_without_a_final_figure_is_booked_near_the_truth(mode: ProviderMode, end: str) -> None:
    whole_call = await recorded(mode, Text(ANSWER))
    assert not whole_call.is_estimated
    match end:
        case "stopped":
            call = await recorded(mode, Text(ANSWER), Gate("never"), until=len(ANSWER) - 20)
        case "cut":
            call = await recorded(mode, Text(ANSWER), Fault.cut())
        case _:
            call = await recorded(mode, Text(ANSWER), Usage(reported=False))
    assert call.usage.output_tokens == near(whole_call.usage.output_tokens)
    assert call.usage.input_tokens == near(whole_call.usage.input_tokens)
    assert call.is_estimated == (mode.name != "google" or end == "not counted"), "Gemini counts all the time"
    assert call.cost_usd == call.usage.output_tokens


@pytest.mark.parametrize("mode", [mode for mode in ALL_MODES if mode.name != "compatible, XML mode"], ids=str)
async def test_reasoning_that_was_shown_counts(mode: ProviderMode) -> None:
    whole_call = await recorded(mode, Thought(THOUGHT), Text("So."))
    call = await recorded(mode, Thought(THOUGHT), Text("So."), Gate("never"), until=len(THOUGHT) + 1)
    assert call.usage.thinking_tokens == near(whole_call.usage.thinking_tokens)


@pytest.mark.parametrize("mode", ALL_MODES, ids=str)
async def test_a_refused_call_costs_nothing(mode: ProviderMode) -> None:
    call = await recorded(mode, Fault.status(400, "No."))
    assert (call.usage.input_tokens, call.usage.output_tokens, call.is_estimated) == (0, 0, False)
