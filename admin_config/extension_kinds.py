"""Registries of the plugins and the kinds of tool sources that admins can choose.

Higher layers (agents.plugins, agents.tools) fill them when the process starts, because they implement each one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python


class PluginKind(Protocol):
    """A kind of plugin.

    - `settings`: the model from which its form is made.
    - `secret_url`: for a plugin with a secret, returns the URL in its settings that the secret is bound to.
    - `repeats`: an agent may have several of it.
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
    """Register the kinds. Called once, when the process starts."""
    _plugin_kinds.clear()
    _plugin_kinds.update(kinds)


def plugin_kinds() -> Mapping[str, PluginKind]:
    """Return the kinds by name, in the order in which they are offered."""
    return _plugin_kinds


def with_defaults(kind: PluginKind, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings as JSON, with defaults for missing ones. They are not validated."""
    fields = kind.settings.model_fields.items()
    defaults = {name: to_jsonable_python(field.get_default()) for name, field in fields if not field.is_required()}
    return {**defaults, **settings}


class ToolSettings(BaseModel):
    """Base of the settings of a kind of source. Frozen; settings of older versions are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    can_be_tried: ClassVar[bool] = False  # admins may make a trial call from the source's page
    # settings in which {{secret:name}} stands for a registered secret of the source and of the address of `secrets_origin`
    secret_places: ClassVar[tuple[str, ...]] = ()
    # names that chats know as tools of this kind: a source of another kind may give none of its tools such a name
    reserved_names: ClassVar[frozenset[str]] = frozenset()

    @property
    def secrets_origin(self) -> str:
        """The only origin that registered secrets are sent to; empty for kinds without `secret_places`."""
        return ""

    def tool_names(self, source_name: str, pins: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the source's own names of its tools, before the prefix. Kinds whose sources have other tools than one of their own name
        override this.
        """
        return (source_name,)


class ToolKind(Protocol):
    """A kind of tool source.

    - `settings`: the model from which its form is made.
    - `secret_url`: for a source with a secret, returns the URL in its settings that the secret is bound to. Empty: these settings need no
      secret.
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


def prefixed_name(prefix: str, name: str) -> str:
    """Return the name under which models call a source's tool: with the prefix `gh`, `search` becomes `gh_search`."""
    return f"{prefix.rstrip('_')}_{name}" if prefix else name


_tool_kinds: dict[str, ToolKind] = {}


def tool_kinds_set(kinds: Mapping[str, ToolKind]) -> None:
    """Register the kinds. Called once, when the process starts."""
    _tool_kinds.clear()
    _tool_kinds.update(kinds)


def tool_kinds() -> Mapping[str, ToolKind]:
    """Return the kinds by name, in the order in which they are offered."""
    return _tool_kinds
