"""What a recorded call holds: enough to make its request again, and no more than the model was sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.call_snapshots import ContextSource, request_of
from agents.calls import CallKind, CallOrigin, CallRecord, RecordedModel
from agents.engine.agent import ContextPolicy
from agents.engine.context import context_of
from agents.engine.errors import AnswerCut
from agents.engine.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    Notice,
    Reasoning,
    SystemPrompt,
    TextDelta,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from agents.engine.placeholders import PlacedSecret, Placeholders
from agents.masking import masked
from security.secret_text import SecretText
from tests.agents.engine.scripted import ScriptedModel

ORIGIN = CallOrigin(kind=CallKind.STEP, agent_key="chat", provider="google", endpoint="Google Gemini")
TOOL = ToolDefinition("look_up", "Looks up.", {"type": "object", "properties": {"zeta": {"type": "string"}, "alpha": {"type": "number"}}})
SETTINGS = ModelSettings(max_output_tokens=9, temperature=1.0, stop_sequences=("END", "STOP"), tool_choice="look_up", thinking_level="low")
POLICY = ContextPolicy(window_tokens=5000, prune_reasoning="all", prune_tools=(("look_up", "before_last_message"),))
BRANCH: list[Entry] = [
    UserMessage("The key is hunter2000."),
    Reasoning("Hm.", {"provider": "google", "model": "m", "parts": [{"thoughtSignature": "s"}]}),
    ToolCall("c1", "look_up", {"zeta": "x", "alpha": 1.0}),
    Notice("stopped", "Stopped."),
    UserMessage("Go on."),
    ToolCall("c2", "look_up", {"zeta": "y"}),
    ToolResult("c2", "look_up", {"b": 1, "a": 2}),
    AssistantText("Done."),
    UserMessage("Thanks."),
]


def request_for(*entries: Entry) -> ModelRequest:
    system = SystemPrompt("Be kind.", "Today is Monday.")
    return ModelRequest(model="m", system=system, entries=entries, tools=(TOOL,), settings=SETTINGS)


async def recorded(request: ModelRequest, *, source: ContextSource | None = None, secrets: Placeholders | None = None) -> CallRecord:
    """The record of one answered call."""
    calls: list[CallRecord] = []
    scripted = ScriptedModel([ModelResponse((AssistantText("Hi."),), FinishReason.STOP)])
    model = masked(RecordedModel(scripted, origin=ORIGIN, record=calls.append, source=source), secrets or Placeholders())
    async for _ in model.stream(request):
        pass
    [call] = calls
    assert rebuilt(call, source.entries() if source else []) == scripted.requests[0]
    return call


def rebuilt(call: CallRecord, branch: Any) -> ModelRequest:
    """The request from what of the record goes through JSON."""
    prompt, settings, own_entries = json.loads(json.dumps((call.prompt, call.settings, call.own_entries)))
    return request_of(model=call.model, prompt=prompt, settings=settings, branch=branch[: call.entry_count], own_entries=own_entries)


async def test_a_call_on_a_branch_holds_no_entry_of_it() -> None:
    source = ContextSource(entries=lambda: BRANCH, policy=ContextPolicy())
    call = await recorded(request_for(*context_of(BRANCH, source.policy)), source=source)
    assert call.entry_count == len(BRANCH)
    assert [own[1] for own in call.own_entries] == ["tool_result"], "only the result that the branch has not"


async def test_a_pruned_context_is_pruned_again() -> None:
    source = ContextSource(entries=lambda: BRANCH, policy=POLICY)
    sent = context_of(BRANCH, POLICY)
    assert len(sent) < len(BRANCH) - 1
    assert (await recorded(request_for(*sent), source=source)).own_entries == []


async def test_a_call_off_the_branch_holds_its_entries() -> None:
    call = await recorded(request_for(*BRANCH[:3]))
    assert (call.entry_count, [own[0] for own in call.own_entries]) == (0, [0, 1, 2])


async def test_a_masked_entry_is_held_as_it_was_sent() -> None:
    source = ContextSource(entries=lambda: BRANCH, policy=POLICY)
    secrets = Placeholders([PlacedSecret("acme.key", SecretText("hunter2000"), "github", "https://api.github.com")])
    call = await recorded(request_for(*context_of(BRANCH, POLICY)), source=source, secrets=secrets)
    assert [(own[0], own[2]["text"]) for own in call.own_entries] == [(0, "The key is {{secret:acme.key}}.")]


@pytest.mark.parametrize(("error", "code"), [(AnswerCut("Cut."), "answer_cut"), (ValueError("A bug."), "internal_error")])
async def test_a_failed_call_is_recorded(error: Exception, code: str) -> None:
    calls: list[CallRecord] = []
    model = RecordedModel(ScriptedModel([TextDelta("Hi"), error]), origin=ORIGIN, record=calls.append)
    with pytest.raises(type(error)):
        async for _ in model.stream(request_for(*BRANCH)):
            pass
    assert [(call.error_code, call.finish_reason) for call in calls] == [(code, "")]
