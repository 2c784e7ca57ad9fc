"""What an admin says of a source holds for each of its tools: the prefix, which of them there are, how dangerous they are."""

from __future__ import annotations

from dataclasses import replace

from admin_config.release import ToolSourceSnapshot
from admin_config.tool_kinds import prefixed
from agents.engine.ports import Danger, ToolTraits


def is_allowed(source: ToolSourceSnapshot, name: str) -> bool:
    """Whether the source gives the tool that it calls `name` itself (without the prefix). No list: it gives all."""
    return not source.allowed_tools or name in source.allowed_tools


def tool_name(source: ToolSourceSnapshot, name: str) -> str:
    """What the model calls the tool that the source itself calls `name`."""
    return prefixed(source.prefix, name)


def with_source_options(source: ToolSourceSnapshot, base: ToolTraits) -> ToolTraits:
    """`base` with the admin's danger level where that is higher. Danger and confirming can be added by the admin, not taken away."""
    danger = max(base.danger, Danger(source.danger or base.danger), key=list(Danger).index)
    return replace(base, danger=danger, confirm=base.confirm or source.confirm)
