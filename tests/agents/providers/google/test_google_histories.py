"""A conversation's history, from engine types to Gemini's JSON."""

from __future__ import annotations

import pytest

from agents.messages import (
    ArtifactReference,
    AssistantText,
    Entry,
    Notice,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.providers.google.contents import Part, build_contents
from tests.agents.providers.google.google_parts import SIGNATURE, assemble, function_call, provider_metadata, text, thought


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
            [function_call("c1", thoughtSignature=SIGNATURE), function_call("c2")],
            [text("A"), {"novelty": {"x": 1}}, text("B")],
        ],
    )
    def test_signed_parts_go_back_exactly_as_they_came(self, parts: list[Part]) -> None:
        _, response = assemble(*parts)
        assert build_contents(response.entries, "google", "m") == [{"role": "model", "parts": parts}]

    @pytest.mark.parametrize(("provider", "model"), [("google", "other"), ("demo", "m")])
    def test_another_model_or_provider_gets_plain_parts(self, provider: str, model: str) -> None:
        _, response = assemble(
            thought("Hm", thoughtSignature=SIGNATURE), text("A", thoughtSignature=SIGNATURE), function_call(thoughtSignature=SIGNATURE)
        )
        assert build_contents(response.entries, provider, model) == [{"role": "model", "parts": [text("A"), function_call()]}]

    def test_a_renamed_call_keeps_its_signature_and_is_named_alike_in_both_places(self) -> None:
        call = ToolCall("c1-2", "look_up", {"word": "x"}, provider_metadata(function_call("c1", thoughtSignature=SIGNATURE)))
        model_content, result_content = build_contents([call, ToolResult("c1-2", "look_up", "ok")], "google", "m")
        assert model_content["parts"] == [function_call("c1-2", thoughtSignature=SIGNATURE)]
        assert result_content["parts"][0]["functionResponse"]["id"] == "c1-2"

    def test_stored_extras_are_not_changed(self) -> None:
        metadata = provider_metadata(function_call("c1", thoughtSignature=SIGNATURE))
        build_contents([ToolCall("other", "look_up", {}, metadata)], "google", "m")
        assert metadata == provider_metadata(function_call("c1", thoughtSignature=SIGNATURE))
