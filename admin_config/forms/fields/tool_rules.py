"""Form field for the rules of single tools of a source: on the source's page each tool is one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy

from admin_config.forms.fields.template_widget import TemplateWidget
from admin_config.validation.tool_rules import check_tool_rules

DANGERS: Final = (
    ("", gettext_lazy("Same as the source")),
    ("moderate", gettext_lazy("Moderate: logged in detail")),
    ("dangerous", gettext_lazy("Dangerous: asks the user before each call")),
)


class ToolRulesWidget(TemplateWidget):
    """A table with a row for each tool. `names` are the source's own names of its tools."""

    template_name = "admin/tools/tool_rules.html"
    names: Sequence[str] = ()

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        rules: Mapping[str, Any] = value or {}
        context["widget"] |= {"rows": [_row(tool, rules.get(tool, {})) for tool in self.names], "dangers": DANGERS}
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, Any]:
        dangers, confirmations = data.getlist(f"{name}-danger"), set(data.getlist(f"{name}-confirm"))
        rules = {tool: {"danger": danger, "confirm": tool in confirmations} for tool, danger in zip(self.names, dangers, strict=False)}
        return {tool: rule for tool, rule in rules.items() if rule["danger"] or rule["confirm"]}

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return f"{name}-danger" not in data


def _row(tool: str, rule: Mapping[str, Any]) -> tuple[str, str, bool]:
    return tool, rule.get("danger", ""), rule.get("confirm", False)


class ToolRulesField(forms.Field):
    """Rules by tool. `hidden_rules`: those of tools that are not shown, such as ones that the server does not offer now."""

    widget = ToolRulesWidget

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            required=False,
            label=gettext_lazy("Rules of single tools"),
            help_text=gettext_lazy("Stricter than what holds for the whole source; they never make a tool less strict."),
            **kwargs,
        )
        self.hidden_rules: dict[str, Any] = {}

    def show(self, names: Sequence[str], rules: Mapping[str, Any]) -> None:
        self.widget.names = tuple(names)
        self.hidden_rules = {name: rule for name, rule in rules.items() if name not in self.widget.names}

    def to_python(self, value: Any) -> dict[str, Any]:
        rules = {**self.hidden_rules, **(value or {})}
        check_tool_rules(rules)
        return rules

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((initial or {}) != {**self.hidden_rules, **(data or {})})
