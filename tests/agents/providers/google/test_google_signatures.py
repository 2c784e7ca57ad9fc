"""Signatures of a step go back as the model wants them (Gemini API, thought signatures)."""

from __future__ import annotations

import pytest

from agents.messages import (
    AssistantText,
    TextDelta,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.providers.registry import language_model
from doubles.script import Call, Item, Text, Thought
from tests.agents.providers.harness import MODEL, MODEL_3, TOOL, ask, body_of, collect, connection, request
from tests.support.agents.gemini import ServedGemini
from tests.support.agents.model_calls import OpenedModel


class TestSignatures:
    """The double is as strict as the API: a lost, moved or altered signature is a 400."""

    @pytest.mark.parametrize(
        "answer",
        [
            [Call("look_up", {"word": "a"}, id="c1")],
            [Thought("Hm."), Text("Looking."), Call("look_up", {"word": "a"}, id="c1"), Call("look_up", {"word": "b"}, id="c2")],
        ],
    )
    async def test_a_step_with_calls_goes_back_as_the_model_wants_it(self, gemini: ServedGemini, answer: list[Item]) -> None:
        gemini.answer(*answer)
        gemini.answer(Text("Done."))
        first = request(UserMessage("Go"), model=MODEL_3, tools=(TOOL,), thinking_level="low")
        response = await ask(gemini, first)
        results = [ToolResult(call.id, call.name, "ok") for call in response.tool_calls]
        await ask(gemini, request(UserMessage("Go"), *response.entries, *results, model=MODEL_3, tools=(TOOL,)))
        parts = body_of(gemini)["contents"][1]["parts"]
        signed = ["thoughtSignature" in part for part in parts if "functionCall" in part]
        assert signed == [True] + [False] * (len(results) - 1)  # of parallel calls only the first has one

    async def test_a_text_answer_keeps_its_signed_empty_part(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Hello", pieces=["He", "llo"]))
        gemini.answer(Text("Again"))
        response = await ask(gemini, request(model=MODEL_3))
        await ask(gemini, request(UserMessage("Hello"), *response.entries, UserMessage("More"), model=MODEL_3))
        hello, signed_part = body_of(gemini)["contents"][1]["parts"]
        assert hello == {"text": "Hello"}
        assert signed_part["text"] == ""
        assert signed_part["thoughtSignature"]

    @pytest.mark.parametrize("model", [MODEL_3, "gemini-flash-latest"])
    async def test_a_step_that_another_model_made_is_taken_up(self, gemini: ServedGemini, model: str) -> None:
        """Its calls have no signature, and none is asked for."""
        gemini.answer(Text("Found."))
        call, other = ToolCall("c1", "look_up", {}), ToolCall("c2", "look_up", {})
        results = [ToolResult(each.id, "look_up", "ok") for each in (call, other)]
        await ask(gemini, request(UserMessage("Go"), call, other, *results, model=model, tools=(TOOL,)))
        parts = body_of(gemini)["contents"][1]["parts"]
        assert [part.get("thoughtSignature") for part in parts] == ["skip_thought_signature_validator", None]

    async def test_signatures_that_the_api_does_not_take_back_are_left_out(self, gemini: ServedGemini) -> None:
        """They are bound to the key's account, too: another endpoint or key answers on without them."""
        gemini.answer(Text("Found."))
        parts = [{"functionCall": {"name": "look_up", "args": {}}, "thoughtSignature": "AAAA"}]
        call = ToolCall("c1", "look_up", {}, {"provider": "google", "model": MODEL_3, "parts": parts})
        model_request = request(UserMessage("Go"), call, ToolResult("c1", "look_up", "ok"), model=MODEL_3, tools=(TOOL,))
        async with connection(gemini.base_url) as template:
            events = await collect(OpenedModel(language_model("google", template)), model_request)
        assert events[0] == TextDelta("Found.")
        assert [http_request.refusal is None for http_request in gemini.requests] == [False, True]

    async def test_signatures_of_another_model_are_left_out(self, gemini: ServedGemini) -> None:
        gemini.answer(Call("look_up", {"word": "a"}, id="c1"))
        gemini.answer(Text("Done."))
        response = await ask(gemini, request(model=MODEL_3, tools=(TOOL,)))
        history = [UserMessage("Go"), *response.entries, ToolResult("c1", "look_up", "ok"), AssistantText("Ok."), UserMessage("More")]
        await ask(gemini, request(*history, model=MODEL, tools=(TOOL,)))
        assert "thoughtSignature" not in str(body_of(gemini)["contents"])
