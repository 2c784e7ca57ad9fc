"""The Claude API's events to engine types, on recorded shapes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import AnswerCut, ContentBlocked, ProviderUnavailable
from agents.messages import (
    AnswerEvent,
    AssistantText,
    Entry,
    FinishReason,
    ModelResponse,
    Reasoning,
    ReasoningDelta,
    Source,
    TextDelta,
    ToolCall,
    Usage,
)
from agents.providers.anthropic.assembler import MessageAssembler
from agents.providers.anthropic.messages import Block, build_messages

SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"


def text(value: str, **more: Any) -> Block:
    return {"type": "text", "text": value, **more}


def thinking(value: str, signature: str = SIGNATURE) -> Block:
    return {"type": "thinking", "thinking": value, "signature": signature}


REDACTED: Block = {"type": "redacted_thinking", "data": "EmwKAhgB"}


def tool_use(call_id: str = "c1", arguments: str = '{"word": "x"}', **more: Any) -> Block:
    """`arguments`: the JSON text that is streamed."""
    return {"type": "tool_use", "id": call_id, "name": "look_up", "input": {}, "arguments": arguments, **more}


def events_of(block: Block, index: int) -> list[dict[str, Any]]:
    """The block's events: started empty, then filled in two pieces."""
    start, deltas = dict(block), list[dict[str, Any]]()
    match block["type"]:
        case "text" | "thinking" as kind:
            value = start[kind]
            start[kind] = ""
            deltas = [{"type": f"{kind}_delta", kind: piece} for piece in (value[:2], value[2:]) if piece]
            if start.get("signature"):
                deltas.append({"type": "signature_delta", "signature": start["signature"]})
                start["signature"] = ""
            for citation in start.pop("citations", []):
                deltas.append({"type": "citations_delta", "citation": citation})
        case "tool_use":
            value = start.pop("arguments")
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", value[:5], value[5:])]
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def end(stop_reason: str | None = "end_turn", **usage: Any) -> list[dict[str, Any]]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": None}, "usage": {"output_tokens": 5, **usage}},
        {"type": "message_stop"},
    ]


START: dict[str, Any] = {
    "type": "message_start",
    "message": {"model": "m-001", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}},
}


def assemble(*blocks: Block, stop_reason: str | None = "end_turn") -> tuple[list[AnswerEvent], ModelResponse]:
    assembler = MessageAssembler("anthropic", "m")
    events = [START, {"type": "ping"}, *(event for index, block in enumerate(blocks) for event in events_of(block, index))]
    deltas = [delta for event in [*events, *end(stop_reason)] for delta in assembler.add(event)]
    return deltas, assembler.response()


def provider_metadata(*blocks: Block) -> dict[str, Any]:
    return {"provider": "anthropic", "model": "m", "blocks": list(blocks)}


CALL = ToolCall("c1", "look_up", {"word": "x"})
WHOLE_CALL = {"type": "tool_use", "id": "c1", "name": "look_up", "input": {"word": "x"}}
CITATION = {"type": "web_search_result_location", "url": "https://example.org", "encrypted_index": "x"}


class TestAnswers:
    @pytest.mark.parametrize(
        ("blocks", "entries"),
        [
            ([], []),
            ([text("")], []),
            ([text(""), tool_use()], [CALL]),
            ([text("Hello")], [AssistantText("Hello")]),
            ([text("A"), tool_use()], [AssistantText("A"), CALL]),
            ([tool_use(), text("B")], [CALL, AssistantText("B")]),
            ([thinking("Hm."), text("A")], [Reasoning("Hm.", provider_metadata(thinking("Hm."))), AssistantText("A")]),
            # blocks of one kind in a row are one entry, and go back as they were
            ([thinking("A"), thinking("B", "s2")], [Reasoning("AB", provider_metadata(thinking("A"), thinking("B", "s2")))]),
            ([text("A"), text("B")], [AssistantText("AB", provider_metadata(text("A"), text("B")))]),
            (
                [text("A"), thinking("B"), text("C")],
                [AssistantText("A"), Reasoning("B", provider_metadata(thinking("B"))), AssistantText("C")],
            ),
            # what has nothing to show goes with its neighbour
            ([thinking("Hm."), REDACTED, text("A")], [Reasoning("Hm.", provider_metadata(thinking("Hm."), REDACTED)), AssistantText("A")]),
            ([REDACTED, text("A")], [AssistantText("A", provider_metadata(REDACTED, text("A")))]),
            ([thinking(""), tool_use()], [ToolCall("c1", "look_up", {"word": "x"}, provider_metadata(thinking(""), WHOLE_CALL))]),
            ([text("A"), thinking(""), tool_use()], [AssistantText("A", provider_metadata(text("A"), thinking(""))), CALL]),
            ([REDACTED], [AssistantText("", provider_metadata(REDACTED))]),
            (
                [text("A", citations=[CITATION])],
                [AssistantText("A", provider_metadata(text("A", citations=[CITATION]))), Source("https://example.org")],
            ),
            (
                [tool_use(caller={"type": "direct"})],
                [ToolCall("c1", "look_up", {"word": "x"}, provider_metadata(WHOLE_CALL | {"caller": {"type": "direct"}}))],
            ),
            # a kind of block that is not known yet goes back as it came
            ([text("A"), {"type": "novelty", "x": 1}], [AssistantText("A", provider_metadata(text("A"), {"type": "novelty", "x": 1}))]),
        ],
    )
    def test_runs_of_blocks_become_entries(self, blocks: list[Block], entries: list[Entry]) -> None:
        assert list(assemble(*blocks)[1].entries) == entries

    @pytest.mark.parametrize(
        "blocks",
        [
            [thinking("Hm."), text("A"), thinking("B", "s2"), tool_use()],
            [REDACTED, thinking("Hm."), REDACTED, tool_use()],
            [thinking(""), text("A"), thinking("", "s2"), tool_use(), tool_use("c2")],
            [text("A"), text("B", citations=[CITATION])],
        ],
    )
    def test_answers_go_back_exactly_as_they_came(self, blocks: list[Block]) -> None:
        whole = [{name: value for name, value in block.items() if name != "arguments"} for block in blocks]
        whole = [block | {"input": {"word": "x"}} if block["type"] == "tool_use" else block for block in whole]
        [message] = build_messages(assemble(*blocks)[1].entries, "anthropic", "m")
        assert message == {"role": "assistant", "content": whole}

    def test_deltas_come_in_order_and_empty_ones_not_at_all(self) -> None:
        deltas, _ = assemble(thinking("Hmm"), text(""), text("One"), REDACTED, text("B"))
        assert deltas == [ReasoningDelta("Hm"), ReasoningDelta("m"), TextDelta("On"), TextDelta("e"), TextDelta("B")]

    def test_what_follows_a_call_is_no_delta(self) -> None:
        """It would stand before the call, which is shown with the whole answer."""
        deltas, response = assemble(text("A"), tool_use(), thinking("B"), text("C"))
        assert deltas == [TextDelta("A")]
        assert [type(entry) for entry in response.entries] == [AssistantText, ToolCall, Reasoning, AssistantText]

    @pytest.mark.parametrize(
        ("stop_reason", "reason"),
        [
            ("end_turn", FinishReason.STOP),
            ("stop_sequence", FinishReason.STOP),
            ("tool_use", FinishReason.STOP),  # without a call
            ("max_tokens", FinishReason.LENGTH),
            ("model_context_window_exceeded", FinishReason.LENGTH),
            ("refusal", FinishReason.CONTENT_FILTER),
            ("pause_turn", FinishReason.OTHER),
            ("something_new", FinishReason.OTHER),
        ],
    )
    def test_each_stop_reason_has_its_finish_reason(self, stop_reason: str, reason: FinishReason) -> None:
        assert assemble(text("A"), stop_reason=stop_reason)[1].finish_reason is reason

    @pytest.mark.parametrize("stop_reason", ["tool_use", "end_turn"])
    def test_an_answer_with_calls_asks_for_tools(self, stop_reason: str) -> None:
        """Some gateways name the wrong reason."""
        assert assemble(tool_use(), stop_reason=stop_reason)[1].finish_reason is FinishReason.TOOL_CALLS

    @pytest.mark.parametrize("events", [[], end(None), end()[:1], end()[1:]])
    def test_without_both_end_marks_it_is_cut(self, events: list[dict[str, Any]]) -> None:
        assembler = MessageAssembler("anthropic", "m")
        for event in [START, *events_of(text("A"), 0), *events]:
            assembler.add(event)
        with pytest.raises(AnswerCut):
            assembler.response()

    def test_a_refusal_before_any_content_is_a_blocked_message(self) -> None:
        with pytest.raises(ContentBlocked):
            assemble(stop_reason="refusal")

    def test_events_and_deltas_of_tomorrow_are_passed_over(self) -> None:
        assembler = MessageAssembler("anthropic", "m")
        novelty = {"type": "content_block_delta", "index": 0, "delta": {"type": "novelty_delta", "x": 1}}
        for event in [START, {"type": "novelty"}, {}, *events_of(text("A"), 0), novelty, *end()]:
            assembler.add(event)
        assert assembler.response().entries == (AssistantText("A"),)


class TestCalls:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [("", {}), ("{}", {}), ('{"a": [1, null]}', {"a": [1, None]}), ('```json\n{"a": 1}\n```', {"a": 1})],
    )
    def test_arguments_are_joined_and_read(self, arguments: str, expected: dict[str, Any]) -> None:
        assert assemble(tool_use(arguments=arguments))[1].entries == (ToolCall("c1", "look_up", expected),)

    def test_a_gateway_may_send_the_arguments_whole(self) -> None:
        assembler = MessageAssembler("anthropic", "m")
        for event in [START, {"type": "content_block_start", "index": 0, "content_block": WHOLE_CALL}, *end("tool_use")]:
            assembler.add(event)
        assert assembler.response().entries == (CALL,)

    @pytest.mark.parametrize("arguments", ["[]", '"a"', "5", '{"a": 1', "{a}", "null"])
    def test_arguments_that_are_no_object(self, arguments: str) -> None:
        """The good call waits, too: it may depend on the other."""
        _, response = assemble(text("A"), tool_use(), tool_use("c2", arguments), stop_reason="tool_use")
        assert (response.entries, response.finish_reason) == ((AssistantText("A"),), FinishReason.OTHER)
        assert response.malformed_call == "the arguments of look_up were no JSON object."

    @pytest.mark.parametrize("name", ["", None, 5])
    def test_a_call_that_names_no_tool(self, name: Any) -> None:
        _, response = assemble(tool_use(name=name), text("A"))
        assert (response.entries, response.malformed_call) == ((AssistantText("A"),), "it named no tool.")

    @pytest.mark.parametrize("stop_reason", ["max_tokens", "model_context_window_exceeded"])
    def test_a_call_that_the_length_cut_is_kept_for_the_engine_to_refuse(self, stop_reason: str) -> None:
        _, response = assemble(text("A"), tool_use(arguments='{"word": "ha'), stop_reason=stop_reason)
        assert (response.finish_reason, response.malformed_call) == (FinishReason.LENGTH, "")
        assert response.tool_calls == (ToolCall("c1", "look_up", {}),)


class TestUsage:
    def test_the_input_contains_what_was_cached_and_the_output_no_thinking(self) -> None:
        assembler = MessageAssembler("anthropic", "m")
        start = {"input_tokens": 3, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 1}
        assembler.add({"type": "message_start", "message": {"model": "m-001", "usage": start}})
        assert (*assembler.usages, assembler.model_version) == (
            Usage(123, 1, 0, 100, 20),
            "m-001",
        )  # what a stopped call is known to have taken
        for event in end(output_tokens=30, input_tokens=None, output_tokens_details={"thinking_tokens": 12}):
            assembler.add(event)
        assert assembler.response().usage == Usage(
            input_tokens=123, output_tokens=18, thinking_tokens=12, cached_tokens=100, cache_write_tokens=20
        )

    @pytest.mark.parametrize("usage", [None, {}, [], {"input_tokens": None, "output_tokens": "many", "output_tokens_details": 5}])
    def test_usage_that_is_missing_or_unreadable_counts_as_nothing(self, usage: Any) -> None:
        assembler = MessageAssembler("anthropic", "m")
        assembler.add({"type": "message_start", "message": {"usage": usage}})
        assert assembler.usages == (Usage(),)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message_start"},
        {"type": "message_start", "message": "hello"},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_start", "index": 0, "content_block": "text"},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": 5}},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "a"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}},
        {"type": "content_block_delta", "index": 0, "delta": "a"},
        {"type": "content_block_delta", "index": [0], "delta": {}},
        {"type": "message_delta"},
        {"type": "message_delta", "delta": None},
    ],
)
def test_an_event_of_another_shape_is_a_fault_of_the_provider(event: dict[str, Any]) -> None:
    assembler = MessageAssembler("anthropic", "m")
    assembler.add({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    with pytest.raises(ProviderUnavailable, match="could not be read"):
        assembler.add(event)
