"""What a server says of its tools, as it is kept."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import Tool

from agents.tools.mcp.definitions import definitions_dump, definitions_of


def test_nuls_which_postgresql_does_not_store_are_dropped_everywhere() -> None:
    schema = {"type": "object", "properties": {"a\0": {"enum": ["x\0", 1, None], "minimum": 1.5}}}
    [tool] = definitions_dump(definitions_of([Tool(name="do\0", description="Does\0 it.", input_schema=schema)])[0])
    assert (tool["name"], tool["description"]) == ("do", "Does it.")
    assert tool["input_schema"] == {"type": "object", "properties": {"a": {"enum": ["x", 1, None], "minimum": 1.5}}}


def test_a_limit_that_limits_nothing_is_left_out() -> None:
    schema = {"type": "object", "properties": {"n": {"minimum": -1e300, "maximum": 1e300, "minLength": 0}}}
    [tool] = definitions_dump(definitions_of([Tool(name="tea", input_schema=schema)])[0])
    assert tool["input_schema"]["properties"] == {"n": {"minLength": 0}}


@pytest.mark.parametrize("default", [1e20, 10**30, float("inf"), "\ud800"])
def test_a_tool_that_cannot_be_kept_takes_no_other_away(default: Any) -> None:
    odd = Tool(name="odd", input_schema={"type": "object", "properties": {"n": {"default": default}}})
    tea = Tool(name="tea", input_schema={"type": "object"})
    definitions, [refusal] = definitions_of([odd, tea])
    assert [*definitions] == ["tea"]
    assert "odd, input schema.properties.n.default: " in refusal
