"""Which plugins there are, as admins choose them. Layers above hand them in at start: they know what a plugin does (agents.plugins)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pydantic import BaseModel
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


_kinds: dict[str, PluginKind] = {}


def plugin_kinds_set(kinds: Mapping[str, PluginKind]) -> None:
    """Called once, when the process starts."""
    _kinds.clear()
    _kinds.update(kinds)


def plugin_kinds() -> Mapping[str, PluginKind]:
    """By name, in the order in which they are offered."""
    return _kinds


def with_defaults(kind: PluginKind, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as JSON, blank ones filled in; not validated."""
    fields = kind.settings.model_fields.items()
    defaults = {name: to_jsonable_python(field.get_default()) for name, field in fields if not field.is_required()}
    return {**defaults, **settings}
