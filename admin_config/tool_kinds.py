"""Which kinds of tool sources there are, as admins choose them. Layers above hand them in at start: they know what a source does
(agents.tool_sources).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pydantic import BaseModel


class ToolKind(Protocol):
    """`settings`: what its form asks for. `secret_url`: for a source with a secret, the address in its settings that it is bound to; an
    empty one: these settings need no secret.
    """

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def help_text(self) -> str: ...

    @property
    def settings(self) -> type[BaseModel]: ...

    @property
    def secret_url(self) -> Callable[[Any], str] | None: ...


_kinds: dict[str, ToolKind] = {}


def tool_kinds_set(kinds: Mapping[str, ToolKind]) -> None:
    """Called once, when the process starts."""
    _kinds.clear()
    _kinds.update(kinds)


def tool_kinds() -> Mapping[str, ToolKind]:
    """By name, in the order in which they are offered."""
    return _kinds
