"""The API's own tools, native files and provider options over the wire: the double refuses what the real one refuses."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace

import pytest

from agents.errors import RequestRefused
from agents.messages import AssistantText, BuiltinTool, File, ProviderToolCall, Source, ToolCall, ToolResult, UserMessage
from doubles.script import Call, CitedText, Item, ProviderTool, Text
from tests.agents.providers.harness import MODEL, MODEL_3, TOOL, ask, body_of, request
from tests.support.agents.gemini import ServedGemini
from tests.support.files.documents import pdf

ALL = tuple(BuiltinTool)
PAGE = ("https://tea.example/", "Tea")
SEARCHED: list[Item] = [ProviderTool("web_search", {"query": "tea"}, pages=[PAGE]), CitedText("Tea is grün.", pages=[PAGE])]
RAN: list[Item] = [Text("I run it."), ProviderTool("code_execution", {"code": "print(1)"}, output="1\n"), Text("It is 1.")]
PNG, PDF = b"\x89PNG\r\n\x1a\nrest", pdf("Tea.")


def kinds(entries: tuple[object, ...]) -> list[str]:
    return [type(entry).__name__ for entry in entries]


class TestBuiltinTools:
    async def test_a_search_is_told_of_at_the_answers_end(self, gemini: ServedGemini) -> None:
        gemini.answer(*SEARCHED)
        response = await ask(gemini, request(builtin_tools=ALL))
        assert body_of(gemini)["tools"] == [{"googleSearch": {}}, {"urlContext": {}}, {"codeExecution": {}}]
        assert response.entries == (
            AssistantText("Tea is grün."),
            ProviderToolCall("", "web_search", {"queries": ["tea"]}),
            Source(*PAGE),
        )

    @pytest.mark.parametrize("model", [MODEL, MODEL_3])
    async def test_code_goes_back_as_it_came(self, gemini: ServedGemini, model: str) -> None:
        """The double checks the signatures of Gemini 3."""
        gemini.answer(*RAN)
        gemini.answer(Text("Yes."))
        model_request = request(UserMessage("Run it"), model=model, builtin_tools=(BuiltinTool.CODE_EXECUTION,))
        response = await ask(gemini, model_request)
        assert kinds(response.entries) == ["AssistantText", "ProviderToolCall", "AssistantText"]
        await ask(gemini, replace(model_request, entries=(*model_request.entries, *response.entries, UserMessage("Sure?"))))
        parts = body_of(gemini)["contents"][1]["parts"]
        assert [next(key for key in part if key != "thoughtSignature") for part in parts][:4] == [
            "text",
            "executableCode",
            "codeExecutionResult",
            "text",
        ]

    async def test_gemini_3_runs_its_own_tools_beside_functions(self, gemini: ServedGemini) -> None:
        """Its calls, the function's and all signatures go back; a lost or misplaced one would be refused."""
        gemini.answer(ProviderTool("web_search", {"query": "tea"}), Call("look_up", {"word": "x"}, id="c1"))
        gemini.answer(*SEARCHED)
        model_request = request(UserMessage("Go"), model=MODEL_3, tools=(TOOL,), builtin_tools=ALL)
        response = await ask(gemini, model_request)
        assert kinds(response.entries) == ["ProviderToolCall", "ToolCall"]
        result = ToolResult("c1", "look_up", "ok")
        response = await ask(gemini, replace(model_request, entries=(*model_request.entries, *response.entries, result)))
        assert body_of(gemini)["toolConfig"] == {"includeServerSideToolInvocations": True}
        assert kinds(response.entries) == ["ProviderToolCall", "AssistantText", "Source"]

    @pytest.mark.parametrize("choice", ["required", "look_up", "none"])
    async def test_a_choice_of_tools_stands_beside_them(self, gemini: ServedGemini, choice: str) -> None:
        gemini.answer(Text("Hi"))
        await ask(gemini, request(model=MODEL_3, tools=(TOOL,), builtin_tools=ALL, tool_choice=choice))
        assert set(body_of(gemini)["toolConfig"]) == {"functionCallingConfig", "includeServerSideToolInvocations"}

    @pytest.mark.parametrize("model", [MODEL, "gemini-flash-latest"])
    async def test_where_the_api_refuses_both_functions_go_first(self, gemini: ServedGemini, model: str) -> None:
        gemini.answer(ProviderTool("web_search", {"query": "tea"}), Call("look_up", {"word": "x"}))
        response = await ask(gemini, request(model=model, tools=(TOOL,), builtin_tools=ALL))
        assert [list(tool) for tool in body_of(gemini)["tools"]] == [["functionDeclarations"]]
        assert isinstance(response.entries[-1], ToolCall)


class TestNativeFiles:
    @pytest.mark.parametrize(
        ("media_type", "data", "expected"),
        [
            ("image/png", PNG, ("image/png", PNG)),
            ("application/pdf", PDF, ("application/pdf", PDF)),
            ("image/gif", PNG, ("image/png", PNG)),  # its first frame
            ("image/tiff", b"II*", None),
            ("image/png", b"", None),
        ],
    )
    async def test_a_file_goes_as_it_is_after_its_name(
        self, gemini: ServedGemini, media_type: str, data: bytes, expected: tuple[str, bytes] | None
    ) -> None:
        """One that the API takes not, and one without its bytes, goes as its text."""
        gemini.answer(Text("I see."))
        file = File("f1", "plan", media_type, len(data), text="Read from it.")
        await ask(gemini, replace(request(UserMessage("Look"), file), attachments={"f1": data}))
        _, label, *rest = body_of(gemini)["contents"][0]["parts"]
        assert label["text"].startswith(f'<file name="plan" type="{media_type}">\n')
        assert ("Read from it." in label["text"]) is (expected is None)
        assert [(part["inlineData"]["mimeType"], b64decode(part["inlineData"]["data"])) for part in rest] == (
            [expected] if expected else []
        )


class TestProviderOptions:
    async def test_provider_options_are_merged_into_the_request(self, gemini: ServedGemini) -> None:
        """Also where the SDK spells a name otherwise."""
        gemini.answer(Text("Hi"))
        safety = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}]
        options = {"safetySettings": safety, "generationConfig": {"thinkingConfig": {"thinkingBudget": 1024}, "mediaResolution": "LOW"}}
        await ask(gemini, request(temperature=0.5, thinking_budget=512, provider_options=options))
        assert body_of(gemini)["safetySettings"] == safety
        assert body_of(gemini)["generationConfig"] == {
            "temperature": 0.5,
            "mediaResolution": "LOW",
            "thinkingConfig": {"thinkingBudget": 1024, "includeThoughts": True},
        }

    @pytest.mark.parametrize("name", ["contents", "tools", "systemInstruction", "system_instruction", "toolConfig"])
    async def test_no_provider_option_replaces_what_parley_fills_in(self, gemini: ServedGemini, name: str) -> None:
        with pytest.raises(RequestRefused, match=name):
            await ask(gemini, request(provider_options={name: []}))
        assert not gemini.requests

    async def test_an_option_that_the_api_does_not_know_is_refused_by_it(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Hi"))
        with pytest.raises(RequestRefused, match="novelty"):
            await ask(gemini, request(provider_options={"novelty": 1}))
