"""Tools of any name are offered under one that every provider takes, and called by their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from agents.errors import TooManyTools
from agents.messages import ToolCall, UserMessage
from agents.providers.tool_names import wire_name
from agents.providers.tool_schemas import wire_argument, wire_schema
from doubles.script import Call, Text
from tests.agents.engine.scripted import FunctionTool
from tests.agents.providers.matrix.modes import GOOGLE, MODES, OPENAI, ProviderMode
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal

ON_EVERY_WIRE = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
PROVIDER_LIMITS = {"google": 512, "openai": 128}
STRANGE = "server.one/look up:größer" + "x" * 80


@given(st.lists(st.one_of(st.text(max_size=90), st.from_regex(ON_EVERY_WIRE, fullmatch=True)), unique=True, max_size=20))
def test_every_name_fits_and_no_two_become_one(names: list[str]) -> None:
    wire_names = [wire_name(name) for name in names]
    assert all(ON_EVERY_WIRE.fullmatch(name) for name in wire_names)
    assert len(set(wire_names)) == len(names)


@given(st.text(max_size=90))
def test_nobody_can_take_the_name_that_another_tool_gets(name: str) -> None:
    encoded_name = wire_name(name)
    assert encoded_name == name or wire_name(encoded_name) != encoded_name


def test_a_name_that_fits_stays() -> None:
    assert [wire_name(name) for name in ("look_up", "_x", "A-1", "x" * 64)] == ["look_up", "_x", "A-1", "x" * 64]


async def test_a_tool_with_a_strange_name_works_with_every_provider() -> None:
    """The doubles refuse what the APIs refuse; in the second request the call stands in the history."""
    for mode in MODES:
        tool = FunctionTool(STRANGE)
        journal = MemoryJournal([UserMessage("Look it up.")])
        tool_call = Call(STRANGE if mode.writes_calls else wire_name(STRANGE), {"word": "a"})
        with mode.serve() as double:
            double.answer(mode.as_sent(tool_call))
            double.answer(Text("Done."))
            async with mode.open_model(double) as model:
                await run_agent(mode.agent, model=model, tools=[tool], journal=journal)
            refusals: list[Any] = [request.refusal for request in double.requests if request.refusal]
        assert (str(mode), refusals, tool.runs) == (str(mode), [], [{"word": "a"}])
        assert [entry.name for entry in journal.appended if isinstance(entry, ToolCall)] == [STRANGE]


@pytest.mark.parametrize(("mode", "most"), [(GOOGLE, 512), (OPENAI, 127)], ids=str)  # OpenAI counts its own search with them
async def test_more_tools_than_the_provider_takes_are_refused_with_their_number(mode: ProviderMode, most: int) -> None:
    tools = [FunctionTool(f"tool_{number}") for number in range(most + 1)]
    with mode.serve() as double:
        double.answer(Text("Done."))
        async with mode.open_model(double) as model:
            journal = MemoryJournal([UserMessage("Look it up.")])
            await run_agent(mode.agent, model=model, tools=tools[:most], journal=journal)
            with pytest.raises(
                TooManyTools, match=f"has {PROVIDER_LIMITS[mode.name] + 1} tools here.* at most {PROVIDER_LIMITS[mode.name]}"
            ):
                await run_agent(mode.agent, model=model, tools=tools, journal=MemoryJournal([UserMessage("Look it up.")]))
        assert len(double.requests) == 1


def one(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


CASES = [{"properties": {"kind": {"const": kind}, kind: {"type": "string"}}} for kind in ("a", "b")]
SCHEMAS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}, {"type": "object", "properties": {}}),
    (one({"type": "array"}), one({"type": "array", "items": {}})),
    (one({"anyOf": [{"type": ["array", "null"]}]}), one({"anyOf": [{"type": ["array", "null"], "items": {}}]})),
    (one({"type": "number", "minimum": 0, "exclusiveMinimum": True}), one({"type": "number", "minimum": 0, "exclusiveMinimum": 0})),
    (one({"type": "number", "maximum": 9, "exclusiveMaximum": False}), one({"type": "number", "maximum": 9})),
    (
        one({"type": "array", "items": [{"type": "string"}], "additionalItems": False}),
        one({"type": "array", "prefixItems": [{"type": "string"}], "items": False}),
    ),
    (one({"type": "array", "items": []}), one({"type": "array", "items": {}})),
    (one({"type": "string", "pattern": r"\d"}), one({"type": "string", "pattern": r"\d"})),
    (one({"type": "string", "required": True}), one({"type": "string"})),
    (one({"type": ["string", "string[]"]}), one({"type": ["string"]})),
    (one({"type": "any", "default": {"type": "array"}}), one({"default": {"type": "array"}})),
    (one({}) | {"anyOf": [{"required": ["a"]}], "not": {"required": ["b"]}}, one({})),
    (
        {"type": "object", "oneOf": CASES},
        {
            "type": "object",
            "properties": {"kind": {"anyOf": [{"const": "a"}, {"const": "b"}]}, "a": {"type": "string"}, "b": {"type": "string"}},
        },
    ),
    ({"type": "object", "allOf": [one({}) | {"required": ["a"]}]}, one({}) | {"required": ["a"]}),
    ({"type": "object", "$ref": "#/definitions/Input", "definitions": {"Input": one({"type": "null"})}}, one({"type": "null"})),
    ({"type": "object", "anyOf": [{"$ref": "#/$defs/I"}], "$defs": {"I": one({})}}, one({})),
    (one({"$ref": "#/$defs/T", "description": "A T."}) | {"$defs": {"T": {"enum": ["x"]}}}, one({"enum": ["x"], "description": "A T."})),
    (one({"$ref": "https://tea.example/schema.json"}), one({})),
    (
        one({"$ref": "#/$defs/Tree"}) | {"$defs": {"Tree": one({"$ref": "#/$defs/Tree"}) | {"description": "A tree."}}},
        one(one({"type": "object", "description": "A tree."}) | {"description": "A tree."}),
    ),
]


@pytest.mark.parametrize(("own", "expected"), SCHEMAS)
def test_a_schema_of_any_server_becomes_one_that_every_provider_takes(own: dict[str, Any], expected: dict[str, Any]) -> None:
    assert wire_schema(own) == expected
    assert wire_schema(expected) == expected


def test_a_small_schema_that_holds_billions_is_cut() -> None:
    twice = {f"t{number}": {"anyOf": [{"$ref": f"#/$defs/t{number + 1}"}] * 2} for number in range(40)}
    assert len(str(wire_schema(one({"$ref": "#/$defs/t0"}) | {"$defs": twice}))) < 100_000


@pytest.mark.parametrize("mode", MODES, ids=str)
async def test_tools_with_schemas_of_any_server_work_with_every_provider(mode: ProviderMode) -> None:
    """One that a provider refuses would fail every request, whatever it asks. In the second request the call stands in the history."""
    schema = {"type": "object", "properties": {"filter[größer]": {"type": "string"}, "page": {}}, "required": ["filter[größer]"]}
    list_apps = FunctionTool("list_apps", schema=schema)
    list_apps.definition = replace(list_apps.definition, description="All apps. " * 200)
    tools = [list_apps, *(FunctionTool(f"tool_{number}", schema=own) for number, (own, _) in enumerate(SCHEMAS))]
    journal = MemoryJournal([UserMessage("Which apps?")])
    argument_name = "filter[größer]" if mode.writes_calls else wire_argument("filter[größer]")
    with mode.serve() as double:
        double.answer(mode.as_sent(Call("list_apps", {argument_name: "1", "page": 2})))
        double.answer(Text("None."))
        async with mode.open_model(double) as model:
            await run_agent(mode.agent, model=model, tools=tools, journal=journal)
        refusals: list[Any] = [request.refusal for request in double.requests if request.refusal]
        assert (refusals, list_apps.runs) == ([], [{"filter[größer]": "1", "page": 2}])
        assert ("All apps. " * 200).strip() in double.requests[-1].raw.decode()
