"""The registry of plugins that an agent can have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop as _

from agents.plugins.lifecycle import LifecycleSettings
from agents.plugins.log import LogPlugin
from agents.plugins.plugin import Plugin, PluginSettings
from agents.plugins.statelessness import state_problem
from agents.plugins.suggestions import SuggestionsPlugin, SuggestionsSettings
from agents.plugins.title import TitlePlugin
from agents.plugins.webhook import WebhookPlugin, WebhookSettings
from agents.runtime.call_recording import CallKind


@dataclass(frozen=True, slots=True)
class PluginType:
    """A plugin as admins choose it. Raises TypeError for a class that could keep state."""

    name: str
    label: str
    help_text: str
    plugin: type[Plugin[Any]]
    settings: type[PluginSettings] = PluginSettings  # its form
    # For a plugin with a secret: returns the address, taken from its settings, that the secret is bound to.
    secret_url: Callable[[Any], str] | None = None
    call_kind: CallKind | None = None  # of its model calls in the call log; None: it makes none
    repeats: bool = False  # an agent may have several of it

    def __post_init__(self) -> None:
        if problem := state_problem(self.plugin, self.settings):
            raise TypeError(problem)


def index_by_name(types: Iterable[PluginType]) -> Mapping[str, PluginType]:
    return {one.name: one for one in types}


PLUGINS = index_by_name(
    (
        PluginType("title", _("Title"), _("Names a conversation after its first answer; prompts: the operation title."), TitlePlugin),
        PluginType(
            "suggestions",
            _("Suggestions"),
            _("Offers what the user might ask next. One short model call after each answer, paid by the run."),
            SuggestionsPlugin,
            SuggestionsSettings,
            call_kind=CallKind.SUGGESTIONS,
        ),
        PluginType(
            "webhook",
            _("Webhook"),
            _("Sends signed JSON messages about the run to your server. Each is sent once and never again."),
            WebhookPlugin,
            WebhookSettings,
            secret_url=lambda settings: str(settings.url),
            repeats=True,
        ),
        PluginType(
            "log", _("Log"), _("Writes ids, names and durations of chosen events to the server's log."), LogPlugin, LifecycleSettings
        ),
    )
)
