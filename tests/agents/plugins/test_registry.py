"""The registry takes only plugins that can't keep state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from agents.plugins.plugin import Plugin, PluginSettings
from agents.plugins.registry import PLUGINS, PluginType


class Words(PluginSettings):
    words: tuple[str, ...] = ()


class ListOfWords(PluginSettings):
    words: list[str] = []


class Open(BaseModel):
    model_config = ConfigDict(frozen=False)

    word: str = ""


class Nested(PluginSettings):
    inner: Open = Open()


@dataclass(frozen=True, slots=True)
class Fine(Plugin[Words]):
    word: str = ""


class NoDataclass(Plugin[Words]):
    pass


@dataclass(frozen=True)
class NoSlots(Plugin[Words]):
    pass


@dataclass(frozen=True, slots=True)
class KeepsList(Plugin[Words]):
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class KeepsAnything(Plugin[Words]):
    value: Any = None


@dataclass(frozen=True, slots=True)
class SharesDict(Plugin[Words]):
    CACHE: ClassVar[dict[str, str]] = {}


def plugin_type(plugin: type[Plugin[Any]], settings: type[Any] = Words) -> PluginType:
    return PluginType("sample", "Sample", "Does nothing.", plugin, settings)


def test_a_frozen_plugin_is_taken() -> None:
    assert plugin_type(Fine).plugin is Fine


@pytest.mark.parametrize(
    ("plugin", "problem"),
    [
        (NoDataclass, "NoDataclass must be a frozen dataclass with slots."),
        (NoSlots, "NoSlots must be a frozen dataclass with slots."),
        (KeepsList, "KeepsList could keep state in texts."),
        (KeepsAnything, "KeepsAnything could keep state in value."),
        (SharesDict, "SharesDict could keep state in CACHE."),
    ],
)
def test_a_plugin_that_could_keep_state_is_refused(plugin: type[Plugin[Any]], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        plugin_type(plugin)


@pytest.mark.parametrize("settings", [ListOfWords, Open, Nested])
def test_settings_that_could_change_are_refused(settings: type[Any]) -> None:
    with pytest.raises(TypeError, match="Fine could keep state in settings"):
        plugin_type(Fine, settings)


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_can_not_be_changed(name: str) -> None:
    settings = PLUGINS[name].settings.model_construct()
    plugin = PLUGINS[name].plugin(settings)
    with pytest.raises((AttributeError, TypeError)):
        plugin.settings = settings  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        plugin.memory = []  # type: ignore[attr-defined]
    for field_name in type(settings).model_fields:
        with pytest.raises(ValidationError):
            setattr(settings, field_name, None)
