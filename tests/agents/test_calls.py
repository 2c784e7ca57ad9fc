"""What a recorded call holds: enough to make its request again, and no more than the model was sent."""

from __future__ import annotations

import json

import pytest

from agents.context.policy import ContextPolicy
from agents.context.view import build_context
from agents.errors import AnswerCut
from agents.messages import (
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
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecord, CallRecorder
from agents.runtime.call_snapshots import ContextSource, OwnEntry, own_entries, prompt_snapshot, rebuild_request, settings_snapshot
from agents.runtime.placeholders import Placeholders, RegisteredSecret
from security.secrets.secret_text import SecretText
from tests.agents.engine.scripted import ScriptedModel
from tests.support.agents.model_calls import routed

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


async def recorded(request: ModelRequest, *, source: ContextSource | None = None, secrets: Placeholders | None = None) -> list[OwnEntry]:
    """What is stored of an answered call besides its branch."""
    calls: list[CallRecord] = []
    inner_model = ScriptedModel([ModelResponse((AssistantText("Hi."),), FinishReason.STOP)])
    model = routed(inner_model, record=CallRecorder(origin=ORIGIN, record=calls.append, source=source), secrets=secrets)
    async for _ in model.stream(request):
        pass
    [call] = calls
    assert rebuilt(call) == inner_model.requests[0]
    return own_entries(call.request.entries, call.branch)


def rebuilt(call: CallRecord) -> ModelRequest:
    """The request from its JSON and the branch."""
    request = call.request
    snapshots = (prompt_snapshot(request, call.policy), settings_snapshot(request), own_entries(request.entries, call.branch))
    prompt, settings, own = json.loads(json.dumps(snapshots))
    return rebuild_request(model=request.model, prompt=prompt, settings=settings, branch=call.branch, own_entries=own)


async def test_a_call_on_a_branch_holds_no_entry_of_it() -> None:
    source = ContextSource(entries=lambda: BRANCH, policy=ContextPolicy())
    own = await recorded(request_for(*build_context(BRANCH, source.policy)), source=source)
    assert [kind for _, kind, *_ in own] == ["tool_result"], "only the result that the branch has not"


async def test_a_pruned_context_is_pruned_again() -> None:
    source = ContextSource(entries=lambda: BRANCH, policy=POLICY)
    context_entries = build_context(BRANCH, POLICY)
    assert len(context_entries) < len(BRANCH) - 1
    assert await recorded(request_for(*context_entries), source=source) == []


async def test_a_call_off_the_branch_holds_its_entries() -> None:
    assert [place for place, *_ in await recorded(request_for(*BRANCH[:3]))] == [0, 1, 2]


async def test_a_masked_entry_is_held_as_it_was_sent() -> None:
    source = ContextSource(entries=lambda: BRANCH, policy=POLICY)
    secrets = Placeholders([RegisteredSecret("acme.key", SecretText("hunter2000"), "github", "https://api.github.com")])
    own = await recorded(request_for(*build_context(BRANCH, POLICY)), source=source, secrets=secrets)
    assert [(place, content["text"]) for place, _, content, _ in own] == [(0, "The key is {{secret:acme.key}}.")]


@pytest.mark.parametrize(("error", "code"), [(AnswerCut("Cut."), "answer_cut"), (ValueError("A bug."), "internal_error")])
async def test_a_failed_call_is_recorded(error: Exception, code: str) -> None:
    calls: list[CallRecord] = []
    model = routed(ScriptedModel([TextDelta("Hi"), error]), record=CallRecorder(origin=ORIGIN, record=calls.append))
    with pytest.raises(type(error)):
        async for _ in model.stream(request_for(*BRANCH)):
            pass
    assert [(call.error_code, call.finish_reason) for call in calls] == [(code, "")]
