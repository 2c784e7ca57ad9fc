"""What an agent's page shows of the levels above it: switches with three states, and where a value comes from (SPEC 4.15)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext
from unfold.widgets import UnfoldAdminSelectWidget

from admin_config.models import AgentConfig

ON, OFF = "on", "off"


class SwitchField(forms.TypedChoiceField):
    """On, off, or as the level above. Without such a choice the default is stored as nothing, so that it may change."""

    def __init__(self, *, below: bool, inherits: bool, **kwargs: Any) -> None:
        self.below, self.inherits = below, inherits
        above = [("", gettext("As for all providers: %(below)s") % {"below": _word(below)})] if inherits else []
        choices = [*above, (ON, gettext("On")), (OFF, gettext("Off"))]
        widget = UnfoldAdminSelectWidget(attrs={"data-below": _word(below)})
        super().__init__(choices=choices, coerce=self._read, required=False, empty_value=None, widget=widget, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        if value is None and not self.inherits:
            value = self.below
        return {True: ON, False: OFF, None: ""}.get(value, value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial) != (data or ""))

    def _read(self, value: str) -> bool | None:
        is_on = value == ON
        return None if not self.inherits and is_on is self.below else is_on


def switch_put(form: Any, name: str, *, below: bool) -> None:
    """Replace the form's field by a switch. `below`: what holds where it is not set."""
    if name not in form.fields:
        return
    old, agent = form.fields[name], form.instance if isinstance(form.instance, AgentConfig) else None
    inherits = agent.base is not None if agent is not None else form.below is not None
    form.fields[name] = SwitchField(below=below, inherits=inherits, label=old.label, help_text=old.help_text)


def show_source(field: forms.Field, agent: AgentConfig, name: str) -> None:
    """Say below the field where its value comes from."""
    source, label = _source(agent, name)
    level = "all" if agent.base is not None and agent.base.is_own(name) else "platform"
    field.widget.attrs |= {
        "data-source": source,
        "data-level": level,
        "data-own": gettext("All providers") if agent.is_base else gettext("This provider"),
    }
    field.help_text = format_html('<span class="agent-source is-{}" data-of="{}">{}</span> {}', source, name, label, field.help_text)


def mark_inherited(field: forms.Field, base_text: str) -> None:
    """Tell the page's script that what it shows in place of a blank text is the one for all providers."""
    if base_text:
        field.widget.attrs["data-level"] = "all"


def _source(agent: AgentConfig, name: str) -> tuple[str, str]:
    if agent.is_own(name):
        return "own", gettext("All providers") if agent.is_base else gettext("This provider")
    return ("all", gettext("All providers")) if agent.is_set(name) else ("platform", gettext("Platform"))


def _word(is_on: bool) -> str:
    return "on" if is_on else "off"
