"""What the user's side of a Claude request says, kind by kind, and that every history comes out in the order that the API wants."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agents.messages import (
    AssistantText,
    CompactedHistory,
    Entry,
    File,
    ModelRequest,
    NoToolCallRetry,
    Reasoning,
    Reminder,
    SystemPrompt,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.providers.anthropic.messages import NO_OUTPUT, Block, build_messages, ends_in_calls_without_thinking, without_thinking
from agents.providers.anthropic.model_traits import ModelTraits, traits_of
from agents.providers.anthropic.request import build_body
from agents.providers.entry_tags import entry_as_tag
from tests.agents.providers.google.test_google_contents import SILENT

FILE = File("f1", "plan.txt", "text/plain", 9, "One.\nTwo.")
THOUGHT: Block = {"type": "thinking", "thinking": "Hm.", "signature": "s"}


def text(value: str) -> Block:
    return {"type": "text", "text": value}


def use(call_id: str = "1", name: str = "t", **arguments: Any) -> Block:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: str, **more: Any) -> Block:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def provider_metadata(*blocks: Block, provider: str = "anthropic", model: str = "m") -> dict[str, Any]:
    return {"provider": provider, "model": model, "blocks": list(blocks)}


def messages_of(*entries: Entry) -> list[tuple[str, list[Block]]]:
    return [(message["role"], message["content"]) for message in build_messages(entries, "anthropic", "m")]


@pytest.mark.parametrize("entry", [FILE, Reminder("Be brief."), NoToolCallRetry("Call it.", 1), CompactedHistory("read a", covers=4)])
def test_an_entry_that_nobody_typed_stands_in_a_tag(entry: File | Reminder | NoToolCallRetry | CompactedHistory) -> None:
    assert messages_of(entry) == [("user", [text(entry_as_tag(entry))])]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([UserMessage("a")], [("user", [text("a")])]),
        ([UserMessage("a"), FILE, Reminder("b")], [("user", [text("a"), text(entry_as_tag(FILE)), text("<reminder>\nb\n</reminder>")])]),
        (
            [UserMessage("a"), AssistantText("b"), UserMessage("c")],
            [("user", [text("a")]), ("assistant", [text("b")]), ("user", [text("c")])],
        ),
        # the API refuses empty and blank texts
        ([UserMessage(""), FILE], [("user", [text(entry_as_tag(FILE))])]),
        ([UserMessage(" \n"), AssistantText("\n\n"), UserMessage("c")], [("user", [text("c")])]),
        ([AssistantText("\n\n", provider_metadata(text("\n\n"))), ToolCall("1", "t", {})], [("assistant", [use()])]),
        ([AssistantText("par", partial=True)], [("assistant", [text("par")])]),
        ([Reasoning("Hm.")], []),  # a summary alone is for people
        (
            [
                AssistantText("b"),
                ToolCall("1", "t", {"x": 1}),
                ToolCall("2", "t", {}),
                ToolResult("1", "t", "ok"),
                ToolResult("2", "t", "bad", True),
            ],
            [("assistant", [text("b"), use(x=1), use("2")]), ("user", [result("1", "ok"), result("2", "bad", is_error=True)])],
        ),
        # one message of the user, the results first
        (
            [ToolCall("1", "t", {}), ToolResult("1", "t", {"id": 5, "ü": None}), Reminder("b"), UserMessage("c")],
            [
                ("assistant", [use()]),
                ("user", [result("1", '{"id": 5, "ü": null}'), text("<reminder>\nb\n</reminder>"), text("c")]),
            ],
        ),
        (
            [ToolCall("1", "t", {}), Reminder("b"), ToolResult("1", "t", "ok")],
            [("assistant", [use()]), ("user", [result("1", "ok"), text("<reminder>\nb\n</reminder>")])],
        ),
        (
            [ToolCall("1", "t", {}), ToolResult("1", "t", "", True)],
            [("assistant", [use()]), ("user", [result("1", NO_OUTPUT, is_error=True)])],
        ),
    ],
)
def test_entries_become_messages(entries: list[Entry], expected: list[tuple[str, list[Block]]]) -> None:
    assert messages_of(*entries) == expected


@pytest.mark.parametrize("silent", SILENT)
def test_what_is_no_part_of_the_context_leaves_no_trace(silent: Entry) -> None:
    entries: list[Entry] = [UserMessage("a"), AssistantText("b"), ToolCall("1", "t", {}), ToolResult("1", "t", 1), UserMessage("c")]
    assert messages_of(*(entry for pair in entries for entry in (pair, silent))) == messages_of(*entries)


class TestBlocksThatCameFromTheApi:
    def test_blocks_of_the_api_go_back_verbatim(self) -> None:
        redacted_thinking = {"type": "redacted_thinking", "data": "x"}
        entries: list[Entry] = [
            Reasoning("Hm.", provider_metadata(THOUGHT, redacted_thinking)),
            ToolCall("1", "t", {}, provider_metadata(use() | {"caller": {"type": "direct"}})),
        ]
        assert messages_of(*entries) == [("assistant", [THOUGHT, redacted_thinking, use() | {"caller": {"type": "direct"}}])]

    @pytest.mark.parametrize(
        "other",
        [provider_metadata(THOUGHT, model="other"), provider_metadata(THOUGHT, provider="gateway"), {"provider": "google", "parts": []}],
    )
    def test_another_model_or_provider_gets_plain_blocks(self, other: dict[str, Any]) -> None:
        assert messages_of(Reasoning("Hm.", other), AssistantText("A", other), ToolCall("1", "t", {}, other)) == [
            ("assistant", [text("A"), use()])
        ]

    def test_no_message_ends_in_thinking_and_none_is_left_empty(self) -> None:
        redacted_thinking = {"type": "redacted_thinking", "data": "x"}
        entries: list[Entry] = [
            UserMessage("a"),
            Reasoning("Hm.", provider_metadata(THOUGHT, redacted_thinking)),
            Reminder("b"),
            Reasoning("Hm.", provider_metadata(THOUGHT)),
            AssistantText("c"),
            Reasoning("Hm.", provider_metadata(THOUGHT)),
            UserMessage("d"),
        ]
        reminder = text("<reminder>\nb\n</reminder>")
        assert messages_of(*entries) == [("user", [text("a"), reminder]), ("assistant", [THOUGHT, text("c")]), ("user", [text("d")])]

    def test_thinking_that_was_cut_before_its_signature_does_not_go_back(self) -> None:
        cut = Reasoning("Hm.", provider_metadata({"type": "thinking", "thinking": "Hm.", "signature": ""}))
        assert messages_of(cut, ToolCall("1", "t", {})) == [("assistant", [use()])]

    def test_a_renamed_call_is_named_alike_in_both_places(self) -> None:
        metadata = provider_metadata(THOUGHT, use("c1"))
        assert messages_of(ToolCall("c1-2", "t", {}, metadata), ToolResult("c1-2", "t", "ok")) == [
            ("assistant", [THOUGHT, use("c1-2")]),
            ("user", [result("c1-2", "ok")]),
        ]
        assert metadata == provider_metadata(THOUGHT, use("c1"))


class TestOtherProvidersCalls:
    def test_an_id_in_foreign_letters_is_spelled_alike_in_both_places(self) -> None:
        (_, [call_block]), (_, [result_block]) = messages_of(
            ToolCall("functions.look:0", "t", {}), ToolResult("functions.look:0", "t", "ok")
        )
        assert call_block["id"] == result_block["tool_use_id"]
        assert re.fullmatch(r"[a-zA-Z0-9_-]+", call_block["id"])

    def test_two_such_ids_stay_two(self) -> None:
        [(_, calls)] = messages_of(ToolCall("a:1", "t", {}), ToolCall("a.1", "t", {}), ToolCall("a_1", "t", {}))
        assert len({call["id"] for call in calls}) == 3


class TestWithoutThinking:
    def test_without_thinking_all_of_it_is_left_out_and_the_order_stays(self) -> None:
        messages = build_messages([UserMessage("a"), Reasoning("Hm.", provider_metadata(THOUGHT)), UserMessage("b")], "anthropic", "m")
        assert without_thinking(messages) == [{"role": "user", "content": [text("a"), text("b")]}]

    @pytest.mark.parametrize(
        ("entries", "expected"),
        [
            ([UserMessage("a")], False),
            ([UserMessage("a"), AssistantText("b"), UserMessage("c")], False),
            ([UserMessage("a"), ToolCall("1", "t", {}), ToolResult("1", "t", 1)], True),
            ([UserMessage("a"), ToolCall("1", "t", {}), ToolResult("1", "t", 1), UserMessage("b")], True),
            ([UserMessage("a"), ToolCall("1", "t", {}), ToolResult("1", "t", 1), AssistantText("b"), UserMessage("c")], False),
            ([Reasoning("Hm.", provider_metadata(THOUGHT)), ToolCall("1", "t", {}), ToolResult("1", "t", 1)], False),
            ([ToolCall("1", "t", {}, provider_metadata(THOUGHT, use())), ToolResult("1", "t", 1)], False),
        ],
    )
    def test_whether_the_newest_step_lacks_it(self, entries: list[Entry], expected: bool) -> None:
        assert ends_in_calls_without_thinking(build_messages(entries, "anthropic", "m")) is expected


NEWEST = ModelTraits(takes_budget=False, thinking_off="never", can_force_tools=False, binds_thinking=True)


def test_a_conversation_that_an_answer_begins_gets_a_message_in_front() -> None:
    """The API refuses it otherwise; a page that embeds a chat may have greeted its visitor."""
    entries = (AssistantText("Welcome back."), UserMessage("Hi"))
    body = build_body(ModelRequest(model="claude-sonnet-4-5", system=SystemPrompt(""), entries=entries), "anthropic")
    first, *others = body["messages"]
    assert (first["role"], [message["role"] for message in others]) == ("user", ["assistant", "user"])
    assert first["content"] == [text("<reminder>\nThe conversation begins with your message.\n</reminder>")]


@pytest.mark.parametrize(
    ("model", "traits"),
    [
        ("claude-sonnet-4-20250514", ModelTraits(takes_budget=True, thinking_off="left_out", can_force_tools=True, binds_thinking=False)),
        ("claude-haiku-4-5-20251001", ModelTraits(takes_budget=True, thinking_off="left_out", can_force_tools=True, binds_thinking=False)),
        ("anthropic/claude-haiku-4-5", ModelTraits(takes_budget=True, thinking_off="left_out", can_force_tools=True, binds_thinking=False)),
        ("claude-opus-4-6", ModelTraits(takes_budget=False, thinking_off="left_out", can_force_tools=True, binds_thinking=False)),
        ("claude-opus-5", ModelTraits(takes_budget=False, thinking_off="disabled", can_force_tools=True, binds_thinking=False)),
        ("claude-fable-5", ModelTraits(takes_budget=False, thinking_off="never", can_force_tools=False, binds_thinking=False)),
        ("claude-fable-5-1", NEWEST),
        ("claude-opus-5-5", NEWEST),
        ("claude-sonnet-5-5", ModelTraits(takes_budget=False, thinking_off="between_tools", can_force_tools=False, binds_thinking=True)),
        ("claude-haiku-5-5", ModelTraits(takes_budget=False, thinking_off="disabled", can_force_tools=True, binds_thinking=True)),
        ("claude-opus-6", NEWEST),
        ("claude-of-tomorrow", NEWEST),
    ],
)
def test_what_a_model_takes_follows_from_its_name(model: str, traits: ModelTraits) -> None:
    assert traits_of(model) == traits
