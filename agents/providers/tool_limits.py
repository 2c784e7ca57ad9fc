"""How many tools a request may have (WireSpec.max_tools)."""

from __future__ import annotations

from admin_config.defaults.wires import WIRES
from agents.errors import TooManyTools


def check_tool_count(wire: str, count: int) -> None:
    """Raise TooManyTools where the wire takes fewer: its own words would tell neither how many there are nor what to do."""
    limit = WIRES[wire].max_tools
    if limit is not None and count > limit:
        raise TooManyTools(count, limit)
