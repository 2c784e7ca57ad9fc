"""What a server says of its tools, as it is kept."""

from __future__ import annotations

from mcp_types import Tool

from agents.tools.mcp.definitions import definitions_dump, definitions_of


def test_nuls_which_postgresql_does_not_store_are_dropped_everywhere() -> None:
    schema = {"type": "object", "properties": {"a\0": {"enum": ["x\0", 1, None], "minimum": 1.5}}}
    [tool] = definitions_dump(definitions_of([Tool(name="do\0", description="Does\0 it.", input_schema=schema)]))
    assert (tool["name"], tool["description"]) == ("do", "Does it.")
    assert tool["input_schema"] == {"type": "object", "properties": {"a": {"enum": ["x", 1, None], "minimum": 1.5}}}
