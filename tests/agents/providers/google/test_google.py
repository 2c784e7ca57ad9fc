"""The Google adapter over a real connection: what it sends, and what it gives back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.errors import (
    RequestRefused,
)
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelResponse,
    Reasoning,
    ReasoningDelta,
    SystemPrompt,
    TextDelta,
    Usage as EngineUsage,
    UserMessage,
)
from agents.providers.google.adapter import GoogleModel
from doubles.script import Call, Fault, Finish, Text, Thought, Usage
from doubles.signals import Gate
from tests.agents.providers.harness import MODEL, MODEL_2, MODEL_3, TOOL, ask, body_of, collect, connection, google_model, request
from tests.support.agents.gemini import ServedGemini
from tests.support.suite.cpu_time import min_cpu_s


class TestRequests:
    async def test_every_setting_is_in_the_request(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Hi"))
        await ask(gemini, request(UserMessage("Hello"), tools=(TOOL,), temperature=0.5, max_output_tokens=100, thinking_budget=512))
        http_request = gemini.requests[0]
        assert http_request.path == f"/v1beta/models/{MODEL}:streamGenerateContent"
        assert http_request.key_is("test-key")
        assert http_request.headers["accept-encoding"] == "identity"
        assert http_request.headers["x-server-timeout"] == "600"
        assert http_request.body["systemInstruction"]["parts"] == [{"text": "Be kind.\n\nToday is Monday."}]
        assert http_request.body["contents"] == [{"role": "user", "parts": [{"text": "Hello"}]}]
        declaration = {"name": TOOL.name, "description": TOOL.description, "parametersJsonSchema": TOOL.input_schema}
        assert http_request.body["tools"] == [{"functionDeclarations": [declaration]}]
        assert http_request.body["generationConfig"] == {
            "temperature": 0.5,
            "maxOutputTokens": 100,
            "thinkingConfig": {"thinkingBudget": 512, "includeThoughts": True},
        }

    async def test_the_least_request_sends_no_settings(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Hi"))
        await ask(gemini, request(model=MODEL_2))
        assert not body_of(gemini).get("generationConfig")
        assert "tools" not in body_of(gemini)

    @pytest.mark.parametrize(
        ("settings_of_model", "thinking"),
        [
            ({"thinking_budget": 0}, {"thinkingBudget": 0}),
            ({"thinking_budget": -1}, {"thinkingBudget": -1, "includeThoughts": True}),
            ({"thinking_level": "low"}, {"thinkingLevel": "LOW", "includeThoughts": True}),
            ({"thinking_level": "high", "thinking_budget": 512}, {"thinkingLevel": "HIGH", "includeThoughts": True}),  # both are refused
        ],
    )
    async def test_thinking_settings_are_sent_as_the_model_takes_them(
        self, gemini: ServedGemini, settings_of_model: dict[str, Any], thinking: dict[str, Any]
    ) -> None:
        gemini.answer(Text("Hi"))
        await ask(gemini, request(model=MODEL_3, **settings_of_model))
        assert body_of(gemini)["generationConfig"]["thinkingConfig"] == thinking

    @pytest.mark.parametrize(
        ("model", "thinking"),
        [
            ("gemini-2.0-flash", None),
            ("gemini-2.5-flash", {"thinkingBudget": 0}),
            ("gemini-2.5-flash-lite", {"thinkingBudget": 0}),
            ("gemini-2.5-pro", {"thinkingBudget": 128}),
            ("gemini-3-flash-preview", {"thinkingLevel": "MINIMAL"}),
            ("gemini-3-pro-preview", {"thinkingLevel": "LOW"}),
            ("gemini-flash-latest", None),  # nobody knows what it takes
        ],
    )
    async def test_a_model_that_shall_not_think_is_told_so(self, gemini: ServedGemini, model: str, thinking: dict[str, Any] | None) -> None:
        """Without a word the models of today think, unseen and billed; each takes another one, and refuses the others'."""
        gemini.answer(Thought("Hm."), Text("Hi"))
        response = await ask(gemini, request(model=model))
        assert body_of(gemini).get("generationConfig", {}).get("thinkingConfig") == thinking
        if thinking == {"thinkingBudget": 0}:
            assert response.usage.thinking_tokens == 0

    async def test_an_admins_own_setting_of_thinking_stands_alone(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Hi"))
        config = {"thinkingBudget": 1024, "includeThoughts": True}
        await ask(gemini, request(model=MODEL_3, provider_options={"generationConfig": {"thinkingConfig": config}}))
        assert body_of(gemini)["generationConfig"]["thinkingConfig"] == config

    async def test_sampling_settings_are_sent(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Hi"))
        sampling: dict[str, Any] = {
            "top_p": 0.9,
            "top_k": 40,
            "presence_penalty": 0.5,
            "frequency_penalty": -0.5,
            "seed": 7,
            "stop_sequences": ("END", "\n\n"),
        }
        await ask(gemini, request(model=MODEL_2, **sampling))
        assert body_of(gemini)["generationConfig"] == {
            "topP": 0.9,
            "topK": 40,
            "presencePenalty": 0.5,
            "frequencyPenalty": -0.5,
            "seed": 7,
            "stopSequences": ["END", "\n\n"],
        }

    async def test_a_setting_that_the_model_does_not_take_is_told_in_the_providers_words(self, gemini: ServedGemini) -> None:
        async with google_model(gemini) as model:
            with pytest.raises(RequestRefused, match="Penalty is not enabled for models/gemini-2"):
                await collect(model, request(presence_penalty=0.5))

    @pytest.mark.parametrize(
        ("choice", "calling"),
        [
            ("auto", None),
            ("none", {"mode": "NONE"}),
            ("required", {"mode": "ANY"}),
            ("look_up", {"mode": "ANY", "allowedFunctionNames": ["look_up"]}),
            ("not_offered_now", None),
        ],
    )
    async def test_the_tool_choice_is_sent(self, gemini: ServedGemini, choice: str, calling: dict[str, Any] | None) -> None:
        gemini.answer(Text("Hi"))
        await ask(gemini, request(tools=(TOOL,), tool_choice=choice))
        assert body_of(gemini).get("toolConfig") == (calling and {"functionCallingConfig": calling})

    @pytest.mark.parametrize("choice", ["auto", "none", "required", "look_up"])
    async def test_without_tools_there_is_no_choice(self, gemini: ServedGemini, choice: str) -> None:
        gemini.answer(Text("Hi"))
        await ask(gemini, request(tool_choice=choice))
        assert "toolConfig" not in body_of(gemini)

    async def test_the_environment_changes_nothing(self, gemini: ServedGemini, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in {
            "GOOGLE_API_KEY": "other",
            "GEMINI_API_KEY": "other",
            "GOOGLE_GENAI_API_VERSION": "v9",
            "GOOGLE_GENAI_USE_ENTERPRISE": "true",
            "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1",
            "HTTP_PROXY": "http://127.0.0.1:1",
        }.items():
            monkeypatch.setenv(name, value)
        gemini.answer(Text("Hi"))
        await ask(gemini, request())
        assert gemini.requests[0].key_is("test-key")
        assert gemini.requests[0].path.startswith("/v1beta/")

    async def test_a_long_history_does_not_block_the_loop(self, gemini: ServedGemini) -> None:
        """A model object for each entry would take the SDK half a second here."""
        history: list[Entry] = [UserMessage("Hello " * 20), AssistantText("Hi " * 20)] * 1000
        async with connection(gemini.base_url) as template:

            async def make() -> None:
                GoogleModel(template).build_request(request(*history))

            assert await min_cpu_s(make) < 0.1

    async def test_many_tools_do_not_block_the_loop(self, gemini: ServedGemini) -> None:
        """The SDK takes 5 ms for an agent's prompt and tools."""
        gemini.default(Text("Hi"))
        schema = {"type": "object", "properties": {f"word{number}": {"type": "string"} for number in range(10)}}
        tools = tuple(replace(TOOL, name=f"look_up_{number}", input_schema=schema) for number in range(20))
        async with connection(gemini.base_url) as template:

            async def make() -> None:
                GoogleModel(template).build_request(request(tools=tools))

            assert await min_cpu_s(make) < 0.003

    async def test_what_was_made_once_serves_no_other_words_key_or_settings(self, gemini: ServedGemini) -> None:
        gemini.default(Text("Hi"))
        async with google_model(gemini) as model:
            await collect(model, request(UserMessage("One")))
            await collect(model, replace(request(UserMessage("Two")), system=SystemPrompt("Another.")))
            await collect(model, replace(request(UserMessage("Two")), system=SystemPrompt("")))
            await collect(model, request(UserMessage("Two"), tools=(TOOL,), temperature=0.25))
        bodies = [http_request.body for http_request in gemini.requests]
        assert [body["contents"][0]["parts"][0]["text"] for body in bodies] == ["One", "Two", "Two", "Two"]
        assert bodies[1]["systemInstruction"]["parts"] == [{"text": "Another."}]
        assert "systemInstruction" not in bodies[2]
        assert ["tools" in body for body in bodies] == [False, False, False, True]
        assert bodies[3]["generationConfig"]["temperature"] == 0.25


class TestAnswers:
    async def test_deltas_then_the_whole_answer(self, gemini: ServedGemini) -> None:
        usage = Usage(input_tokens=9, output_tokens=2, thinking_tokens=5, cached_tokens=4)
        gemini.answer(Thought("Hm.", pieces=["Hm", "."]), Text("Hello", pieces=["He", "llo"]), usage)
        async with google_model(gemini) as model:
            events = await collect(model, request(thinking_budget=512))
        assert events == [
            ReasoningDelta("Hm"),
            ReasoningDelta("."),
            TextDelta("He"),
            TextDelta("llo"),
            ModelResponse((Reasoning("Hm."), AssistantText("Hello")), FinishReason.STOP, EngineUsage(9, 2, 5, 4), MODEL),
        ]

    async def test_each_delta_comes_when_it_was_sent(self, gemini: ServedGemini) -> None:
        gate = Gate()
        gemini.answer(Text("A", pieces=["A"]), gate, Text("B", pieces=["B"]))
        async with google_model(gemini) as model:
            events = model.stream(request())
            assert await anext(events) == TextDelta("A")
            gate.release()
            assert await anext(events) == TextDelta("B")
            await events.aclose()

    async def test_parallel_calls_come_whole(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Looking."), Call("look_up", {"word": "a", "n": 1}, id="c1"), Call("look_up", {"word": None}, id="c2"))
        response = await ask(gemini, request(tools=(TOOL,)))
        assert response.finish_reason is FinishReason.TOOL_CALLS
        calls = [(call.id, call.name, call.arguments) for call in response.tool_calls]
        assert calls == [("c1", "look_up", {"word": "a", "n": 1}), ("c2", "look_up", {"word": None})]

    async def test_a_comment_in_the_stream_is_no_data(self, gemini: ServedGemini) -> None:
        gemini.answer(Fault.sse_comment(), Text("A", pieces=["A"]), Fault.sse_comment(), Text("B", pieces=["B"]))
        assert (await ask(gemini, request())).entries == (AssistantText("AB"),)

    async def test_separators_inside_a_text_do_not_cut_it(self, gemini: ServedGemini) -> None:
        odd = "a\u2028b\u2029c\u0085d\r\n\u0000e \N{GRINNING FACE}"
        gemini.answer(Text(odd, pieces=[odd]))
        assert (await ask(gemini, request())).entries == (AssistantText(odd),)

    async def test_an_answer_cut_by_its_length(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("One two three", pieces=["One ", "two ", "three"]))
        response = await ask(gemini, request(max_output_tokens=2))
        assert (response.finish_reason, response.entries) == (FinishReason.LENGTH, (AssistantText("One two "),))

    async def test_an_answer_that_the_sdk_would_continue_by_itself(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("One "), Finish("CONTINUATION"), times=2)
        response = await ask(gemini, request())
        assert (response.finish_reason, len(gemini.requests)) == (FinishReason.LENGTH, 1)
