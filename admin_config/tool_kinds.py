"""Which kinds of tool sources there are, as admins choose them. Layers above hand them in at start: they know what a source does
(agents.tools.sources).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict


class ToolSettings(BaseModel):
    """Base of the settings of a kind of source. Frozen; a setting of an older version is ignored.

    `can_be_tried`: admins may send a call from the source's page.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    can_be_tried: ClassVar[bool] = False

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        """What the source calls its tools, before its prefix. A kind whose sources give more than one tool of their own name says which."""
        return (source_name,)


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
    def settings(self) -> type[ToolSettings]: ...

    @property
    def secret_url(self) -> Callable[[Any], str] | None: ...


def prefixed(prefix: str, name: str) -> str:
    """What models call a source's tool: with the prefix `gh`, `search` is `gh_search`."""
    return f"{prefix.rstrip('_')}_{name}" if prefix else name


_kinds: dict[str, ToolKind] = {}


def tool_kinds_set(kinds: Mapping[str, ToolKind]) -> None:
    """Called once, when the process starts."""
    _kinds.clear()
    _kinds.update(kinds)


def tool_kinds() -> Mapping[str, ToolKind]:
    """By name, in the order in which they are offered."""
    return _kinds
