"""Forms of tool sources: common fields, the settings of their kind as typed fields, and their secret."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from admin_config.extension_kinds import ToolKind
from admin_config.forms.base import ConfigForm, TenantForm
from admin_config.forms.fields.schema_fields import schema_fields
from admin_config.forms.fields.tool_rules import ToolRulesField
from admin_config.forms.row_sets import ChoosingFormSet
from admin_config.forms.typed_settings import NEW_SECRET, TypedSettingsForm, secret_field
from admin_config.models import AgentTool, ToolSource
from admin_config.services.drafts.secret_placeholders import placeholder_problems
from admin_config.services.drafts.tool_checks import name_conflicts
from admin_config.services.tool_review import usable_tools

OWN = (
    "name",
    "is_enabled",
    "prefix",
    "allowed_tools",
    "danger",
    "confirm",
    "tool_rules",
    "open_hosts",
    "member_switch",
    "switch_label",
    "switch_hint",
)


class ToolSourceForm(TypedSettingsForm[ToolSource], ConfigForm[ToolSource]):
    """Base of the kinds' forms."""

    kind: ClassVar[ToolKind]
    tool_rules = ToolRulesField()

    class Meta:
        model = ToolSource
        fields = OWN
        help_texts: ClassVar[dict[str, Any]] = {
            "name": gettext_lazy("Small letters, digits and underscores, such as order_status. A single tool is called by it."),
            "danger": gettext_lazy("Blank: the tool's own, or the one that its server reports."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.kind = self.kind.name
        rules = self.fields["tool_rules"]
        assert isinstance(rules, ToolRulesField)
        rules.show(ruled_names(self.instance), self.instance.tool_rules)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.errors:
            settings = self.kind.settings.model_validate(self.instance.settings)
            for place, text in placeholder_problems(self.cleaned_data["name"], settings):
                self.add_error(place, text)
        return cleaned


def ruled_names(source: ToolSource) -> tuple[str, ...]:
    """Return the source's own names of its tools if it has several; a single tool is ruled with its source."""
    names = source.own_names if len(source.own_names) > 1 else tuple(str(tool["name"]) for tool in usable_tools(source.pins))
    return names if len(names) > 1 else ()


def tool_source_form(kind: ToolKind) -> type[ToolSourceForm]:
    """Return the form class of one kind of source. Raises TypeError when its settings use the name of a common field."""
    fields = dict(schema_fields(kind.settings))
    if conflicts := {*OWN, NEW_SECRET} & fields.keys():
        raise TypeError(
            gettext("The settings of %(name)s share names with what all sources have: %(value)s.")
            % {"name": kind.name, "value": ", ".join(sorted(conflicts))}
        )
    if kind.secret_url is not None:
        fields[NEW_SECRET] = secret_field()
    return type(f"{kind.name.title()}SourceForm", (ToolSourceForm,), {"kind": kind, **fields})


def setting_names(kind: ToolKind) -> tuple[str, ...]:
    """Return the names of the kind's own settings, in order."""
    return tuple(kind.settings.model_fields)


class AgentToolForm(TenantForm[AgentTool]):
    """One tool source of an agent."""

    class Meta:
        model = AgentTool
        fields = ("source", "position")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "source" in self.fields:
            self.fields["source"].required = True


class AgentToolFormSet(ChoosingFormSet):
    """An agent's sources, of which no two may have a tool of the same name."""

    choice_field = "source"

    def clean(self) -> None:
        super().clean()
        rows = [form.cleaned_data for form in self.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]
        sources = [row["source"] for row in rows if row.get("source")]
        if problems := list(name_conflicts(source for source in sources if source.is_enabled)):
            raise ValidationError(problems)
