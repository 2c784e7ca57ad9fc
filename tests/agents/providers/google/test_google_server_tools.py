"""Gemini's own tools in its JSON: shown as they run, and stored so that they can go back."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import ProviderUnavailable
from agents.messages import (
    AnswerFile,
    AssistantText,
    Entry,
    ProviderToolCall,
    Source,
    TextDelta,
)
from agents.providers.google.assembler import GenerateContentAssembler
from agents.providers.google.contents import Part, build_contents
from tests.agents.providers.google.google_parts import SIGNATURE, parts, provider_metadata, text


def events_and_entries(*chunks: dict[str, Any]) -> tuple[list[Any], tuple[Entry, ...]]:
    """Of an answer whose candidates are given, chunk by chunk."""
    assembler = GenerateContentAssembler("google", "m")
    events = [event for chunk in chunks for event in assembler.add({"candidates": [chunk]})]
    assembler.add({"candidates": [{"finishReason": "STOP"}]})
    return events, assembler.response().entries


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
        events, entries = events_and_entries(parts(text("A")), parts(CODE), parts(PRINTED), parts(text("B")))
        assert events == [TextDelta("A"), RAN, TextDelta("B")]
        assert entries == (AssistantText("A"), RAN, AssistantText("B"))
        [content] = build_contents(entries, "google", "m")
        assert content["parts"] == [text("A"), CODE, PRINTED, text("B")]
        assert build_contents([RAN], "google", "other") == []

    def test_code_at_the_end_of_an_answer_comes_with_the_response(self) -> None:
        assert events_and_entries(parts(CODE, PRINTED)) == ([], (RAN,))

    def test_two_runs_of_code_are_two_calls(self) -> None:
        assert events_and_entries(parts(CODE, PRINTED), parts(CODE), parts(PRINTED, text("B"))) == (
            [RAN, RAN, TextDelta("B")],
            (RAN, RAN, AssistantText("B")),
        )

    @pytest.mark.parametrize("start", [CODE, {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB"}}])
    def test_an_empty_signed_part_before_it_is_no_run_of_its_own(self, start: Part) -> None:
        signed_part = text("", thoughtSignature=SIGNATURE)
        _, entries = events_and_entries(parts(signed_part, start), parts(text("B")))
        [call] = [entry for entry in entries if isinstance(entry, ProviderToolCall)]
        assert call.name == ("code_execution" if start is CODE else "web_search")
        [content] = build_contents(entries, "google", "m")
        assert content["parts"] == [signed_part, start, text("B")]

    def test_an_image_that_code_made_is_a_file_after_it(self) -> None:
        events, entries = events_and_entries(parts(CODE, PRINTED, IMAGE, text("B")))
        image_file = AnswerFile("", "", "image/png", provider_metadata=provider_metadata({"inlineData": {"mimeType": "image/png"}}))
        assert events == [RAN, image_file, TextDelta("B")]
        assert entries == (RAN, image_file, AssistantText("B"))
        assert [entry.unsaved_base64 for entry in entries if isinstance(entry, AnswerFile)] == [IMAGE["inlineData"]["data"]]

    @pytest.mark.parametrize(("output", "expected"), [("NameError: x", "NameError: x"), ("", "The code did not end well (failed).")])
    def test_failed_code_is_shown_as_failed(self, output: str, expected: str) -> None:
        _, [call] = events_and_entries(parts(CODE, {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": output}}))
        assert isinstance(call, ProviderToolCall)
        assert (call.is_error, call.output) == (True, expected)

    def test_parallel_calls_beside_functions_keep_their_parts_in_order(self) -> None:
        """Gemini 3 tells of its own calls in parts when functions are offered, too; the metadata then tell of them again."""
        call_parts = [{"toolCall": {"id": f"s{n}", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": [str(n)]}}} for n in (1, 2)]
        response_parts = [{"toolResponse": {"id": f"s{n}", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}} for n in (1, 2)]
        grounding = {"groundingMetadata": {"webSearchQueries": ["1", "2"], "groundingChunks": [{"web": {"uri": "https://a.example/"}}]}}
        _, entries = events_and_entries(parts(*call_parts, *response_parts), parts(text("A")) | grounding)
        calls = [entry for entry in entries if isinstance(entry, ProviderToolCall)]
        assert [(call.id, call.name, call.arguments) for call in calls] == [
            ("s1", "web_search", {"queries": ["1"]}),
            ("s2", "web_search", {"queries": ["2"]}),
        ]
        assert entries[2:] == (AssistantText("A"), Source("https://a.example/"))
        [content] = build_contents(entries, "google", "m")
        assert content["parts"] == [*call_parts, *response_parts, text("A")]

    def test_a_search_and_pages_that_only_the_metadata_tell_of(self) -> None:
        chunks = [{"web": {"uri": "https://a.example/", "title": "A"}}, {"web": {"uri": "https://a.example/"}}, {"retrievedContext": {}}]
        pages = [{"retrievedUrl": "https://b.example/", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_PAYWALL"}]
        metadata = {"groundingMetadata": {"webSearchQueries": ["tea", "tea"], "groundingChunks": chunks}}
        events, entries = events_and_entries(parts(text("A")), metadata | {"urlContextMetadata": {"urlMetadata": pages}}, metadata)
        assert events == [TextDelta("A")]
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
            events_and_entries(candidate)
