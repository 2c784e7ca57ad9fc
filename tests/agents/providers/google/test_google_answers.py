"""Gemini's answers, from JSON to engine types, on recorded shapes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import AnswerCut, ContentBlocked, ProviderUnavailable
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    Reasoning,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
)
from agents.providers.google.assembler import GenerateContentAssembler
from agents.providers.google.contents import Part
from tests.agents.providers.google.google_parts import SIGNATURE, assemble, function_call, provider_metadata, text, thought


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
            ([text("A"), function_call("c1"), function_call("c2"), text("B")], ["A", "c1", "c2", "B"]),
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
                [function_call("c1", thoughtSignature=SIGNATURE), function_call("c2")],
                [ToolCall("c1", "look_up", {"word": "x"}, provider_metadata(function_call("c1", thoughtSignature=SIGNATURE))), "c2"],
            ),
            (
                [function_call("c1"), text("", thoughtSignature=SIGNATURE)],
                [ToolCall("c1", "look_up", {"word": "x"}, provider_metadata(function_call("c1"), text("", thoughtSignature=SIGNATURE)))],
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
        assert assemble(function_call())[1].finish_reason is FinishReason.TOOL_CALLS
        assert assemble(function_call(), finish="MAX_TOKENS")[1].finish_reason is FinishReason.LENGTH

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
        candidate = {"groundingMetadata": {"webSearchQueries": ["tea", "coffee", "tea"]}, "finishReason": "STOP"}
        assembler.add({"usageMetadata": usage, "candidates": [candidate]})
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
        _, response = assemble(function_call(), {"functionCall": call}, text("A"))
        assert (response.entries, response.finish_reason) == ((AssistantText("A"),), FinishReason.OTHER)
        assert response.malformed_call == "it named no tool."

    @pytest.mark.parametrize("arguments", [[], ["a"], "{}", "", 0, False])
    def test_arguments_that_are_no_object(self, arguments: Any) -> None:
        _, response = assemble({"functionCall": {"name": "look_up", "args": arguments}})
        assert (response.entries, response.malformed_call) == ((), "the arguments of look_up were no JSON object.")

    def test_what_follows_a_call_is_no_delta(self) -> None:
        """It would stand before the call, which is shown with the whole answer."""
        deltas, response = assemble(text("A"), function_call(), thought("Hm."), text("B"))
        assert deltas == [TextDelta("A")]
        assert [type(entry) for entry in response.entries] == [AssistantText, ToolCall, Reasoning, AssistantText]

    def test_a_candidate_without_content_or_parts(self) -> None:
        assembler = GenerateContentAssembler("google", "m")
        assert assembler.add({"candidates": [{"content": {"role": "model"}}]}) == []
        assert assembler.add({"candidates": [{"content": None, "finishReason": "STOP"}]}) == []
        assert assembler.response().entries == ()
