"""Names of tools that are the platform's own (SPEC 4.10): a chat draws calls of these by their name."""

from __future__ import annotations

from typing import Final

from admin_config.defaults.platform import BUILTIN_TOOLS, PROJECT_FILE_TOOLS, TOOLS
from admin_config.extension_kinds import tool_kinds

_PLATFORM_NAMES: Final = frozenset({*TOOLS, *BUILTIN_TOOLS, *PROJECT_FILE_TOOLS})


def is_reserved(name: str, *, kind: str = "") -> bool:
    """Return whether no tool may take this name. `kind`: of the tool's source, which may have reserved the name itself."""
    owners = [owner.name for owner in tool_kinds().values() if name in owner.settings.reserved_names]
    return name in _PLATFORM_NAMES or (bool(owners) and kind not in owners)
