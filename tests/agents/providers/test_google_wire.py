"""Gemini's JSON to and from engine types, on recorded shapes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import AnswerCut, ContentBlocked, ProviderUnavailable
from agents.messages import (
    AnswerEvent,
    AnswerFile,
    ArtifactReference,
    AssistantText,
    Entry,
    FinishReason,
    ModelResponse,
    Notice,
    ProviderToolCall,
    Reasoning,
    ReasoningDelta,
    Reminder,
    Source,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from agents.providers.google.assembler import GenerateContentAssembler
from agents.providers.google.contents import Part, build_contents

SIGNATURE = "-_8BAgM="  # the URL-safe alphabet, as the API sends it


def provider_metadata(*parts: Part, model: str = "m", provider: str = "google") -> dict[str, Any]:
    return {"provider": provider, "model": model, "parts": list(parts)}


def text(value: str, **more: Any) -> Part:
    return {"text": value, **more}


def thought(value: str, **more: Any) -> Part:
    return {"text": value, "thought": True, **more}


def called(call_id: str | None = "c1", **more: Any) -> Part:
    function = {"name": "look_up", "args": {"word": "x"}} | ({"id": call_id} if call_id else {})
    return {"functionCall": function, **more}


def shown_and_stored(*chunks: dict[str, Any]) -> tuple[list[Any], tuple[Entry, ...]]:
    """Of an answer whose candidates are given, chunk by chunk."""
    assembler = GenerateContentAssembler("google", "m")
    shown = [event for chunk in chunks for event in assembler.add({"candidates": [chunk]})]
    assembler.add({"candidates": [{"finishReason": "STOP"}]})
    return shown, assembler.response().entries


def parts(*given: Part) -> dict[str, Any]:
    return {"content": {"parts": list(given), "role": "model"}}


def assemble(*parts: Part, finish: str | None = "STOP") -> tuple[list[AnswerEvent], ModelResponse]:
    """Each part in a chunk of its own."""
    assembler = GenerateContentAssembler("google", "m")
    deltas = [delta for part in parts for delta in assembler.add({"candidates": [{"content": {"parts": [part], "role": "model"}}]})]
    assembler.add({"candidates": [{"finishReason": finish}]} if finish else {})
    return deltas, assembler.response()


CODE: Part = {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": SIGNATURE}
PRINTED: Part = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}
IMAGE: Part = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
RAN = ProviderToolCall(
    "",
    "code_execution",
    {"language": "python", "code": "print(1)"},
    {"output": "1\n", "outcome": "ok"},
    provider_metadata=provider_metadata(CODE, PRINTED),
)


class TestServerTools:
    """What the API ran is one call with its parts as they came, shown when the next part begins."""

    def test_code_and_its_result_between_two_texts(self) -> None:
        shown, entries = shown_and_stored(parts(text("A")), parts(CODE), parts(PRINTED), parts(text("B")))
        assert shown == [TextDelta("A"), RAN, TextDelta("B")]
        assert entries == (AssistantText("A"), RAN, AssistantText("B"))
        [content] = build_contents(entries, "google", "m")
        assert content["parts"] == [text("A"), CODE, PRINTED, text("B")]
        assert build_contents([RAN], "google", "other") == []

    def test_code_at_the_end_of_an_answer_comes_with_the_response(self) -> None:
        assert shown_and_stored(parts(CODE, PRINTED)) == ([], (RAN,))

    def test_two_runs_of_code_are_two_calls(self) -> None:
        assert shown_and_stored(parts(CODE, PRINTED), parts(CODE), parts(PRINTED, text("B"))) == (
            [RAN, RAN, TextDelta("B")],
            (RAN, RAN, AssistantText("B")),
        )

    @pytest.mark.parametrize("start", [CODE, {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB"}}])
    def test_an_empty_signed_part_before_it_is_no_run_of_its_own(self, start: Part) -> None:
        signed = text("", thoughtSignature=SIGNATURE)
        _, entries = shown_and_stored(parts(signed, start), parts(text("B")))
        [call] = [entry for entry in entries if isinstance(entry, ProviderToolCall)]
        assert call.name == ("code_execution" if start is CODE else "web_search")
        [content] = build_contents(entries, "google", "m")
        assert content["parts"] == [signed, start, text("B")]

    def test_an_image_that_code_made_is_a_file_after_it(self) -> None:
        shown, entries = shown_and_stored(parts(CODE, PRINTED, IMAGE, text("B")))
        made = AnswerFile("", "", "image/png", provider_metadata=provider_metadata({"inlineData": {"mimeType": "image/png"}}))
        assert shown == [RAN, made, TextDelta("B")]
        assert entries == (RAN, made, AssistantText("B"))
        assert [entry.unsaved_base64 for entry in entries if isinstance(entry, AnswerFile)] == [IMAGE["inlineData"]["data"]]

    @pytest.mark.parametrize(("output", "told"), [("NameError: x", "NameError: x"), ("", "The code did not end well (failed).")])
    def test_failed_code_is_shown_as_failed(self, output: str, told: str) -> None:
        _, [call] = shown_and_stored(parts(CODE, {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": output}}))
        assert isinstance(call, ProviderToolCall)
        assert (call.is_error, call.output) == (True, told)

    def test_parallel_calls_beside_functions_keep_their_parts_in_order(self) -> None:
        """Gemini 3 tells of its own calls in parts when functions are offered, too; the metadata then tell of them again."""
        asked = [{"toolCall": {"id": f"s{n}", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": [str(n)]}}} for n in (1, 2)]
        found = [{"toolResponse": {"id": f"s{n}", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}} for n in (1, 2)]
        grounding = {"groundingMetadata": {"webSearchQueries": ["1", "2"], "groundingChunks": [{"web": {"uri": "https://a.example/"}}]}}
        _, entries = shown_and_stored(parts(*asked, *found), parts(text("A")) | grounding)
        calls = [entry for entry in entries if isinstance(entry, ProviderToolCall)]
        assert [(call.id, call.name, call.arguments) for call in calls] == [
            ("s1", "web_search", {"queries": ["1"]}),
            ("s2", "web_search", {"queries": ["2"]}),
        ]
        assert entries[2:] == (AssistantText("A"), Source("https://a.example/"))
        [content] = build_contents(entries, "google", "m")
        assert content["parts"] == [*asked, *found, text("A")]

    def test_a_search_and_pages_that_only_the_metadata_tell_of(self) -> None:
        chunks = [{"web": {"uri": "https://a.example/", "title": "A"}}, {"web": {"uri": "https://a.example/"}}, {"retrievedContext": {}}]
        pages = [{"retrievedUrl": "https://b.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_PAYWALL"}]
        metadata = {"groundingMetadata": {"webSearchQueries": ["tea", "tea"], "groundingChunks": chunks}}
        shown, entries = shown_and_stored(parts(text("A")), metadata | {"urlContextMetadata": {"urlMetadata": pages}}, metadata)
        assert shown == [TextDelta("A")]
        assert entries == (
            AssistantText("A"),
            ProviderToolCall("", "web_search", {"queries": ["tea"]}),
            ProviderToolCall(
                "", "url_context", {"urls": ["https://b.example/"]}, {"pages": [{"url": "https://b.example/", "status": "paywall"}]}
            ),
            Source("https://a.example/", "A"),
        )

    @pytest.mark.parametrize(
        "candidate",
        [
            parts({"executableCode": "print(1)"}),
            parts({"toolCall": None}),
            {"groundingMetadata": ["x"]},
            {"groundingMetadata": {"groundingChunks": ["x"]}},
            {"urlContextMetadata": {"urlMetadata": [1]}},
        ],
    )
    def test_another_shape_is_an_unreadable_answer(self, candidate: dict[str, Any]) -> None:
        with pytest.raises(ProviderUnavailable):
            shown_and_stored(candidate)


class TestAnswers:
    @pytest.mark.parametrize(
        ("parts", "entries"),
        [
            ([], []),
            ([text("He"), text("llo")], [AssistantText("Hello")]),
            ([text("Hello"), text("")], [AssistantText("Hello")]),
            (
                [thought("Hm"), thought("."), text("A"), thought("B"), text("C")],
                [Reasoning("Hm."), AssistantText("A"), Reasoning("B"), AssistantText("C")],
            ),
            ([text("A"), called("c1"), called("c2"), text("B")], ["A", "c1", "c2", "B"]),
            # a signature stays on its own part, with the entry it belongs to
            (
                [text("He"), text("llo"), text("", thoughtSignature=SIGNATURE)],
                [AssistantText("Hello", provider_metadata(text("Hello"), text("", thoughtSignature=SIGNATURE)))],
            ),
            (
                [text("A"), text("B", thoughtSignature=SIGNATURE), text("C"), text("D")],
                [AssistantText("ABCD", provider_metadata(text("A"), text("B", thoughtSignature=SIGNATURE), text("CD")))],
            ),
            (
                [thought("A"), thought("B"), thought("", thoughtSignature=SIGNATURE), text("C")],
                [Reasoning("AB", provider_metadata(thought("AB"), thought("", thoughtSignature=SIGNATURE))), AssistantText("C")],
            ),
            (
                [called("c1", thoughtSignature=SIGNATURE), called("c2")],
                [ToolCall("c1", "look_up", {"word": "x"}, provider_metadata(called("c1", thoughtSignature=SIGNATURE))), "c2"],
            ),
            (
                [called("c1"), text("", thoughtSignature=SIGNATURE)],
                [ToolCall("c1", "look_up", {"word": "x"}, provider_metadata(called("c1"), text("", thoughtSignature=SIGNATURE)))],
            ),
            # before anything else, and alone
            (
                [text("", thoughtSignature=SIGNATURE), text("A")],
                [AssistantText("A", provider_metadata(text("", thoughtSignature=SIGNATURE), text("A")))],
            ),
            ([text("", thoughtSignature=SIGNATURE)], [AssistantText("", provider_metadata(text("", thoughtSignature=SIGNATURE)))]),
            # a kind of part that is not known yet goes back as it came
            ([text("A"), {"novelty": {"x": 1}}], [AssistantText("A", provider_metadata(text("A"), {"novelty": {"x": 1}}))]),
        ],
    )
    def test_runs_of_parts_become_entries(self, parts: list[Part], entries: list[Entry | str]) -> None:
        _, response = assemble(*parts)
        short = {"A": AssistantText("A"), "B": AssistantText("B")} | {c: ToolCall(c, "look_up", {"word": "x"}) for c in ("c1", "c2")}
        assert list(response.entries) == [short[entry] if isinstance(entry, str) else entry for entry in entries]

    def test_deltas_come_in_order_and_empty_ones_not_at_all(self) -> None:
        deltas, _ = assemble(thought("Hm"), text(""), text("A"), text("", thoughtSignature=SIGNATURE), text("B"))
        assert deltas == [ReasoningDelta("Hm"), TextDelta("A"), TextDelta("B")]

    def test_a_call_without_an_id_or_arguments(self) -> None:
        _, response = assemble({"functionCall": {"name": "look_up"}})
        assert response.entries == (ToolCall("", "look_up", {}),)

    @pytest.mark.parametrize(
        ("wire", "reason"),
        [
            ("STOP", FinishReason.STOP),
            ("MAX_TOKENS", FinishReason.LENGTH),
            ("SAFETY", FinishReason.CONTENT_FILTER),
            ("RECITATION", FinishReason.CONTENT_FILTER),
            ("PROHIBITED_CONTENT", FinishReason.CONTENT_FILTER),
            ("MODEL_ARMOR", FinishReason.CONTENT_FILTER),
            ("MALFORMED_FUNCTION_CALL", FinishReason.OTHER),
            ("TOO_MANY_TOOL_CALLS", FinishReason.OTHER),
            ("SOMETHING_NEW", FinishReason.OTHER),
        ],
    )
    def test_each_finish_reason_is_mapped(self, wire: str, reason: FinishReason) -> None:
        assert assemble(text("A"), finish=wire)[1].finish_reason is reason

    def test_a_stop_with_calls_asks_for_tools(self) -> None:
        assert assemble(called())[1].finish_reason is FinishReason.TOOL_CALLS
        assert assemble(called(), finish="MAX_TOKENS")[1].finish_reason is FinishReason.LENGTH

    @pytest.mark.parametrize("finish", [None, "FINISH_REASON_UNSPECIFIED"])
    def test_no_finish_reason_means_cut(self, finish: str | None) -> None:
        with pytest.raises(AnswerCut):
            assemble(text("A"), finish=finish)

    def test_a_blocked_prompt_is_refused_in_words(self) -> None:
        assembler = GenerateContentAssembler("google", "m")
        assert assembler.add({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}}) == []
        with pytest.raises(ContentBlocked):
            assembler.response()

    def test_usage_is_the_last_chunks(self) -> None:
        assembler = GenerateContentAssembler("google", "m")
        assembler.add({"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1}, "modelVersion": "m-001"})
        last = {"promptTokenCount": 5, "candidatesTokenCount": 9, "thoughtsTokenCount": 7, "cachedContentTokenCount": 4}
        assembler.add({"usageMetadata": last | {"toolUsePromptTokenCount": 2}, "candidates": [{"finishReason": "STOP"}]})
        response = assembler.response()
        assert response.usage == Usage(input_tokens=7, output_tokens=9, thinking_tokens=7, cached_tokens=4, tool_tokens=2)
        assert response.prompt_tokens == 5, "without what its own tools found"
        assert response.model_version == "m-001"

    @pytest.mark.parametrize(("model", "searches"), [("gemini-2.5-flash", 1), ("gemini-3-pro-preview", 2)])
    def test_searches_and_pictures_are_counted_as_they_are_billed(self, model: str, searches: int) -> None:
        assembler = GenerateContentAssembler("google", model)
        details = [{"modality": "TEXT", "tokenCount": 9}, {"modality": "IMAGE", "tokenCount": 1290}]
        usage = {"promptTokenCount": 5, "candidatesTokenCount": 1299, "candidatesTokensDetails": details}
        found = {"groundingMetadata": {"webSearchQueries": ["tea", "coffee", "tea"]}, "finishReason": "STOP"}
        assembler.add({"usageMetadata": usage, "candidates": [found]})
        assert assembler.response().usage == Usage(input_tokens=5, output_tokens=1299, image_tokens=1290, searches=searches)
        assert assembler.usages == (assembler.response().usage,)

    @pytest.mark.parametrize("usage", [None, {}, {"promptTokenCount": None, "candidatesTokenCount": "many"}])
    def test_usage_that_is_missing_or_unreadable_counts_as_nothing(self, usage: dict[str, Any] | None) -> None:
        assembler = GenerateContentAssembler("google", "m")
        assembler.add({"usageMetadata": usage, "candidates": [{"finishReason": "STOP"}]})
        assert assembler.response().usage == Usage()

    @pytest.mark.parametrize(
        "chunk",
        [
            {"candidates": {"finishReason": "STOP"}},
            {"candidates": ["STOP"]},
            {"candidates": [{"content": "Hello"}]},
            {"candidates": [{"content": {"parts": ["Hello"]}}]},
            {"candidates": [{"content": {"parts": {"text": "Hello"}}}]},
            {"candidates": [{"content": {"parts": [{"text": 5}]}}]},
            {"candidates": [{"content": {"parts": 5}}]},
            {"candidates": [{"content": {"parts": [{"inlineData": {"mimeType": "image/png"}}]}}]},
            {"candidates": [{"content": {"parts": [{"functionCall": {"name": "t"}}, {"inlineData": {"data": "iVBO"}}]}}]},
            {"usageMetadata": [1]},
            {"promptFeedback": "blocked"},
        ],
    )
    def test_a_chunk_of_another_shape_is_a_fault_of_the_provider(self, chunk: dict[str, Any]) -> None:
        with pytest.raises(ProviderUnavailable, match="could not be read"):
            GenerateContentAssembler("google", "m").add(chunk)

    @pytest.mark.parametrize("call", [None, "look_up", {}, {"name": ""}, {"name": 5}, {"name": None, "args": {}}])
    def test_a_call_that_names_no_tool(self, call: Any) -> None:
        _, response = assemble(called(), {"functionCall": call}, text("A"))
        assert (response.entries, response.finish_reason) == ((AssistantText("A"),), FinishReason.OTHER)
        assert response.malformed_call == "it named no tool."

    @pytest.mark.parametrize("arguments", [[], ["a"], "{}", "", 0, False])
    def test_arguments_that_are_no_object(self, arguments: Any) -> None:
        _, response = assemble({"functionCall": {"name": "look_up", "args": arguments}})
        assert (response.entries, response.malformed_call) == ((), "the arguments of look_up were no JSON object.")

    def test_what_follows_a_call_is_no_delta(self) -> None:
        """It would stand before the call, which is shown with the whole answer."""
        deltas, response = assemble(text("A"), called(), thought("Hm."), text("B"))
        assert deltas == [TextDelta("A")]
        assert [type(entry) for entry in response.entries] == [AssistantText, ToolCall, Reasoning, AssistantText]

    def test_a_candidate_without_content_or_parts(self) -> None:
        assembler = GenerateContentAssembler("google", "m")
        assert assembler.add({"candidates": [{"content": {"role": "model"}}]}) == []
        assert assembler.add({"candidates": [{"content": None, "finishReason": "STOP"}]}) == []
        assert assembler.response().entries == ()


class TestContents:
    @pytest.mark.parametrize(
        ("entries", "contents"),
        [
            ([UserMessage("a")], [("user", [text("a")])]),
            ([UserMessage("a"), Reminder("b")], [("user", [text("a"), text("<reminder>\nb\n</reminder>")])]),
            (
                [UserMessage("a"), AssistantText("b"), UserMessage("c")],
                [("user", [text("a")]), ("model", [text("b")]), ("user", [text("c")])],
            ),
            ([AssistantText("")], []),
            ([AssistantText("par", partial=True)], [("model", [text("par")])]),
            ([Reasoning("Hm.")], []),  # a summary alone is for people
            ([Notice("stopped", "Stopped."), ArtifactReference("1", "t", "text", 1, "create", "c1")], []),
            (
                [
                    AssistantText("b"),
                    ToolCall("1", "t", {"x": 1}),
                    ToolCall("2", "t", {}),
                    ToolResult("1", "t", "ok"),
                    ToolResult("2", "t", "bad", True),
                ],
                [
                    (
                        "model",
                        [
                            text("b"),
                            {"functionCall": {"id": "1", "name": "t", "args": {"x": 1}}},
                            {"functionCall": {"id": "2", "name": "t", "args": {}}},
                        ],
                    ),
                    (
                        "user",
                        [
                            {"functionResponse": {"id": "1", "name": "t", "response": {"output": "ok"}}},
                            {"functionResponse": {"id": "2", "name": "t", "response": {"error": "bad"}}},
                        ],
                    ),
                ],
            ),
            # results are their own content: no text among the responses
            (
                [ToolCall("1", "t", {}), ToolResult("1", "t", {"id": 5}), Reminder("b")],
                [
                    ("model", [{"functionCall": {"id": "1", "name": "t", "args": {}}}]),
                    ("user", [{"functionResponse": {"id": "1", "name": "t", "response": {"output": {"id": 5}}}}]),
                    ("user", [text("<reminder>\nb\n</reminder>")]),
                ],
            ),
        ],
    )
    def test_entries_become_contents(self, entries: list[Entry], contents: list[tuple[str, list[Part]]]) -> None:
        assert build_contents(entries, "google", "m") == [{"role": role, "parts": parts} for role, parts in contents]

    @pytest.mark.parametrize(
        "parts",
        [
            [text("Hello"), text("", thoughtSignature=SIGNATURE)],
            [text("", thoughtSignature=SIGNATURE), text("A")],
            [thought("Hm"), thought("", thoughtSignature=SIGNATURE), text("A")],
            [called("c1", thoughtSignature=SIGNATURE), called("c2")],
            [text("A"), {"novelty": {"x": 1}}, text("B")],
        ],
    )
    def test_signed_parts_go_back_exactly_as_they_came(self, parts: list[Part]) -> None:
        _, response = assemble(*parts)
        assert build_contents(response.entries, "google", "m") == [{"role": "model", "parts": parts}]

    @pytest.mark.parametrize(("provider", "model"), [("google", "other"), ("demo", "m")])
    def test_another_model_or_provider_gets_plain_parts(self, provider: str, model: str) -> None:
        _, response = assemble(
            thought("Hm", thoughtSignature=SIGNATURE), text("A", thoughtSignature=SIGNATURE), called(thoughtSignature=SIGNATURE)
        )
        assert build_contents(response.entries, provider, model) == [{"role": "model", "parts": [text("A"), called()]}]

    def test_a_renamed_call_keeps_its_signature_and_is_named_alike_in_both_places(self) -> None:
        call = ToolCall("c1-2", "look_up", {"word": "x"}, provider_metadata(called("c1", thoughtSignature=SIGNATURE)))
        model_content, result_content = build_contents([call, ToolResult("c1-2", "look_up", "ok")], "google", "m")
        assert model_content["parts"] == [called("c1-2", thoughtSignature=SIGNATURE)]
        assert result_content["parts"][0]["functionResponse"]["id"] == "c1-2"

    def test_stored_extras_are_not_changed(self) -> None:
        stored = provider_metadata(called("c1", thoughtSignature=SIGNATURE))
        build_contents([ToolCall("other", "look_up", {}, stored)], "google", "m")
        assert stored == provider_metadata(called("c1", thoughtSignature=SIGNATURE))
