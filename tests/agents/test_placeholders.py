"""What a model is sent of a registered secret, and who gets the value back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from agents.messages import (
    AssistantText,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    ModelRequest,
    Reasoning,
    Reminder,
    SystemPrompt,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from agents.runtime.placeholders import Placeholders, RegisteredSecret, RequestMasker, secret_placeholder
from security.secrets.secret_text import SecretText

VALUE = 's3cr3t/va+lue"1'
OTHER = "other-value-99"
HOST = "https://api.example:443"


def placed(name: str, value: str, tool: str = "http", origin: str = HOST) -> RegisteredSecret:
    return RegisteredSecret(name, SecretText(value), tool, origin)


SECRETS = Placeholders([placed("api", VALUE), placed("my.mail", OTHER, "mail", "https://mail.example:443")])


def request(*entries: Entry, system: str = "Be kind.", tools: tuple[ToolDefinition, ...] = ()) -> ModelRequest:
    return ModelRequest(model="model-1", system=SystemPrompt("Prompt.", system), entries=entries, tools=tools)


@pytest.mark.parametrize("form", [VALUE, json.dumps(VALUE)[1:-1], quote(VALUE, safe="")])
def test_a_value_is_masked_as_it_is_inside_json_and_in_an_address(form: str) -> None:
    assert SECRETS.mask(f"a{form}b {form}") == "a{{secret:api}}b {{secret:api}}"


def test_of_overlapping_values_the_longest_is_masked() -> None:
    secrets = Placeholders([placed("short", "abcdefgh"), placed("long", "abcdefgh-ijkl")])
    assert secrets.mask("abcdefgh abcdefgh-ijkl") == "{{secret:short}} {{secret:long}}"


def test_without_secrets_and_without_a_hit_the_same_object_comes_back() -> None:
    text, value = "nothing here", {"a": [1, None, "b"]}
    assert SECRETS.mask(text) is text
    assert SECRETS.mask_value(value) is value
    assert Placeholders().mask(VALUE) == VALUE
    assert not Placeholders()
    assert SECRETS


def test_json_is_masked_at_any_depth_names_included() -> None:
    assert SECRETS.mask_value({"a": [{VALUE: (1, OTHER)}]}) == {"a": [{"{{secret:api}}": (1, "{{secret:my.mail}}")}]}


ENTRIES: list[tuple[Entry, Entry]] = [
    (UserMessage(f"My key is {VALUE}", id="u1"), UserMessage("My key is {{secret:api}}", id="u1")),
    (File("1", f"{OTHER}.txt", "text/plain", 3, VALUE), File("1", "{{secret:my.mail}}.txt", "text/plain", 3, "{{secret:api}}")),
    (ToolCall("c1", "http", {"q": [VALUE]}, {"sign": "x"}), ToolCall("c1", "http", {"q": ["{{secret:api}}"]}, {"sign": "x"})),
    (ToolResult("c1", "http", {"q": VALUE}, is_error=True), ToolResult("c1", "http", {"q": "{{secret:api}}"}, is_error=True)),
    (AssistantText("Hi", {"raw": f"<{VALUE}>"}), AssistantText("Hi", None)),
    (Reasoning(VALUE, {"sign": "x"}), Reasoning("{{secret:api}}", None)),
    (ContextData("artifacts", VALUE), ContextData("artifacts", "{{secret:api}}")),
    (CompactedHistory(VALUE, 3), CompactedHistory("{{secret:api}}", 3)),
    (Reminder(VALUE, code="c"), Reminder("{{secret:api}}", code="c")),
]


@pytest.mark.parametrize(("entry", "expected"), ENTRIES)
def test_every_text_of_an_entry_is_masked_and_its_ids_stay(entry: Entry, expected: Entry) -> None:
    assert RequestMasker(SECRETS).mask_request(request(entry)).entries == (expected,)


@pytest.mark.parametrize("kind", get_args(Entry), ids=lambda kind: kind.__name__)
def test_no_kind_of_entry_lets_a_text_through(kind: type[Any]) -> None:
    """Also those that are added later: each text or JSON field of a kind is filled with the secret."""
    blank = {"str": VALUE, "Any": {"a": VALUE}, "Mapping[str, Any]": {"a": VALUE}}
    types = kind.__annotations__
    entry = kind(**{name: blank.get(str(types[name]), 1) for name in types if name != "provider_metadata"})
    exempt_fields = {"id", "call_id", "artifact_id", "approval_id", "kind", "operation", "code", "name"}
    mask_value = SECRETS.mask_entry(entry)
    leaks = {name for name in types if VALUE in str(getattr(mask_value, name)) or "va+lue" in str(getattr(mask_value, name))}
    assert leaks <= exempt_fields


def test_prompt_and_tools_are_masked() -> None:
    tool = ToolDefinition("http", f"Uses {VALUE}.", {"type": "object", "description": OTHER})
    mask_value = RequestMasker(SECRETS).mask_request(request(system=VALUE, tools=(tool,)))
    assert str(mask_value.system) == "Prompt.\n\n{{secret:api}}"
    assert mask_value.tools == (ToolDefinition("http", "Uses {{secret:api}}.", {"type": "object", "description": "{{secret:my.mail}}"}),)


def test_what_was_seen_in_the_last_request_is_not_masked_again() -> None:
    clean, hit, tools = UserMessage("Hi"), UserMessage(VALUE), (ToolDefinition("t", VALUE, {}),)
    mask = RequestMasker(SECRETS)
    first = mask.mask_request(request(clean, hit, tools=tools))
    second = mask.mask_request(request(clean, hit, AssistantText("New"), tools=tools))
    assert first.entries[0] is clean
    assert second.entries[:2] == first.entries
    assert second.entries[1] is first.entries[1]
    assert second.tools is first.tools


def test_entries_that_left_the_requests_are_forgotten() -> None:
    mask = RequestMasker(SECRETS)
    for number in range(100):
        mask.mask_request(request(UserMessage(str(number))))
    assert len(mask._masked_by_id) == 1


def test_only_the_tool_it_belongs_to_gets_the_value_back_for_its_own_host() -> None:
    header = {"Authorization": "Bearer {{secret:api}}", "X": "{{secret:my.mail}} {{secret:unknown}}"}
    expected = {"Authorization": f"Bearer {VALUE}", "X": "{{secret:my.mail}} {{secret:unknown}}"}
    assert SECRETS.restore(header, tool="http", origin=HOST) == expected
    for tool, origin in [("mail", HOST), ("http", "https://evil.example:443"), ("http", "http://api.example:80"), ("", "")]:
        assert SECRETS.restore(header, tool=tool, origin=origin) == header


def test_a_value_that_looks_like_a_placeholder_is_not_opened_again() -> None:
    secrets = Placeholders([placed("a", secret_placeholder("b")), placed("b", "the-value-of-b")])
    assert secrets.restore("{{secret:a}}", tool="http", origin=HOST) == "{{secret:b}}"


@given(st.lists(st.sampled_from([VALUE, OTHER, "text ", "s3cr3t", "\n", "{{secret:"]), max_size=8))
def test_no_value_is_left_and_restoring_gives_the_text_back(pieces: list[str]) -> None:
    text = "".join(pieces)
    mask_value = SECRETS.mask(text)
    assert VALUE not in mask_value
    assert OTHER not in mask_value
    everywhere = Placeholders([placed("api", VALUE), placed("my.mail", OTHER)])
    assert everywhere.restore(mask_value, tool="http", origin=HOST) == text


def test_the_secrets_do_not_show_themselves() -> None:
    assert VALUE not in repr(SECRETS) + repr(placed("api", VALUE)) + repr(replace(placed("api", VALUE), tool="x"))
