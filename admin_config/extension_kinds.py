"""The plugins and the kinds of tool sources that admins can choose.

The layers above register them when the process starts, because they know what each one does (agents.plugins, agents.tools).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python


class PluginKind(Protocol):
    """`settings`: what its form asks for. `secret_url`: for a plugin with a secret, the address in its settings that it is bound to.

    `repeats`: an agent may have several of it.
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

    @property
    def repeats(self) -> bool: ...


_plugin_kinds: dict[str, PluginKind] = {}


def plugin_kinds_set(kinds: Mapping[str, PluginKind]) -> None:
    """Called once, when the process starts."""
    _plugin_kinds.clear()
    _plugin_kinds.update(kinds)


def plugin_kinds() -> Mapping[str, PluginKind]:
    """By name, in the order in which they are offered."""
    return _plugin_kinds


def with_defaults(kind: PluginKind, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as JSON, blank ones filled in; not validated."""
    fields = kind.settings.model_fields.items()
    defaults = {name: to_jsonable_python(field.get_default()) for name, field in fields if not field.is_required()}
    return {**defaults, **settings}


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


_tool_kinds: dict[str, ToolKind] = {}


def tool_kinds_set(kinds: Mapping[str, ToolKind]) -> None:
    """Called once, when the process starts."""
    _tool_kinds.clear()
    _tool_kinds.update(kinds)


def tool_kinds() -> Mapping[str, ToolKind]:
    """By name, in the order in which they are offered."""
    return _tool_kinds
