"""Admin pages of tool sources: the kind is chosen first, then the page shows the fields of that kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.contrib.admin import display
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import get_script_prefix
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.admin.base import PartInline, badge
from admin_config.admin.openapi_import import OpenApiImportAdmin
from admin_config.admin.tool_review import ReviewedToolsAdmin, discoverer
from admin_config.extension_kinds import ToolKind, tool_kinds
from admin_config.forms.tools import AgentToolForm, AgentToolFormSet, ruled_names, setting_names, tool_source_form
from admin_config.forms.typed_settings import NEW_SECRET
from admin_config.models import AgentConfig, AgentTool, ToolSource
from admin_config.services.configuration import tool_source_secret_remove, tool_source_secret_set
from admin_config.validation.json_key_order import schema_of
from tenants.admin import actor_of

GENERAL_FIELDSET = (None, {"fields": ("name", "is_enabled")})
APPROVAL_FIELDSET = (gettext_lazy("Approval"), {"fields": ("danger", "confirm", "open_hosts")})
RULES_FIELDSET = (gettext_lazy("Single tools"), {"fields": ("tool_rules",), "classes": ("collapse",)})
SWITCH_FIELDSET = (gettext_lazy("Message box"), {"classes": ("collapse",), "fields": ("member_switch", "switch_label", "switch_hint")})
NAMES_FIELDSET = (gettext_lazy("Names"), {"classes": ("collapse",), "fields": ("prefix", "allowed_tools")})
SECRET_FIELDSET = (
    gettext_lazy("Secret"),
    {
        "fields": (NEW_SECRET,),
        "description": gettext_lazy(
            "Secrets are encrypted, used for this address only, and never shown again. A new host needs the secret again."
        ),
    },
)
EMPTY_VALUES: dict[str, Any] = {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}
DANGER_COLORS = {
    _("dangerous"): "danger",
    _("moderate"): "warning",
    _("safe"): "success",
    "reported by the server": "info",
    "the tool's own": "info",
}


class ToolSourceAdmin(ReviewedToolsAdmin, OpenApiImportAdmin):
    """The tool sources of an organization."""

    list_display = ("name", "kind_label", "tools", "danger_label", "used_by", "enabled")
    list_filter = ("kind", "is_enabled")
    search_fields = ("name",)
    change_form_outer_after_template = "admin/tools/tool_source_trial.html"
    ordering = ("kind", "name")
    sortable_by = ()

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the form of the kind in the query string, or the choice of kinds without one."""
        kind = tool_kinds().get(request.GET.get("kind", ""))
        if kind is None and self.has_add_permission(request):
            return self._choose_kind(request)
        response: HttpResponse = super().add_view(
            request,
            form_url,
            {"title": gettext("New tool: %(kind)s") % {"kind": gettext(kind.label) if kind else ""}, **(extra_context or {})},
        )
        return response

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the form, with a second one to try the source if its kind supports that."""
        source = self.get_object(request, object_id)
        trial = _trial(source) if isinstance(source, ToolSource) else None
        response: HttpResponse = super().change_view(request, object_id, form_url, {"trial": trial, **(extra_context or {})})
        return response

    def _choose_kind(self, request: HttpRequest) -> HttpResponse:
        context = {"title": gettext("What should the tools come from?"), "kinds": tool_kinds().values(), "opts": self.opts}
        return TemplateResponse(request, "admin/tools/tool_source_kinds.html", {**self.admin_site.each_context(request), **context})

    def get_fieldsets(self, request: HttpRequest, obj: ToolSource | None = None) -> Any:
        kind = _kind(request, obj)
        secret = (SECRET_FIELDSET,) if kind.secret_url is not None else ()
        settings = (gettext(kind.label), {"fields": setting_names(kind), "description": gettext(kind.help_text) if kind.help_text else ""})
        general = GENERAL_FIELDSET if setting_names(kind) else (None, {**GENERAL_FIELDSET[1], "description": settings[1]["description"]})
        return (
            general,
            *((settings,) if setting_names(kind) else ()),
            *secret,
            APPROVAL_FIELDSET,
            *((RULES_FIELDSET,) if obj is not None and ruled_names(obj) else ()),
            SWITCH_FIELDSET,
            NAMES_FIELDSET,
        )

    def get_form(self, request: HttpRequest, obj: ToolSource | None = None, change: bool = False, **kwargs: Any) -> Any:
        kwargs["form"] = tool_source_form(_kind(request, obj))
        return super().get_form(request, obj, change, **kwargs)

    def save_model(self, request: HttpRequest, obj: ToolSource, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        author_id = actor_of(request).user_id
        if form.cleaned_data.get(NEW_SECRET):
            tool_source_secret_set(source=obj, value=form.cleaned_data[NEW_SECRET], author_id=author_id)
        elif obj.secret_id is not None and not obj.secret_address:
            tool_source_secret_remove(source=obj, author_id=author_id)

    def delete_model(self, request: HttpRequest, obj: ToolSource) -> None:
        tool_source_secret_remove(source=obj, author_id=actor_of(request).user_id)
        super().delete_model(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Name the agents that lose the tools. Django would name the source once for each of them."""
        lines, counts, missing_permissions, protected_rows = super().get_deleted_objects(objs, request)
        agents = AgentConfig.objects.filter(tools__source__in=objs).distinct()
        removals = [gettext("Removed from %(agent)s") % {"agent": name} for name in sorted(map(str, agents))]
        return (
            [line if isinstance(line, str) else removals for line in lines] if removals else lines,
            counts,
            missing_permissions,
            protected_rows,
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolSource]:
        sources: QuerySet[ToolSource] = super().get_queryset(request)
        return sources.select_related("secret").annotate(use_count=Count("uses"))

    @display(description=gettext_lazy("kind"))
    def kind_label(self, source: ToolSource) -> str:
        kind = tool_kinds().get(source.kind)
        return gettext(kind.label) if kind else source.kind

    @display(description=gettext_lazy("tools"))
    def tools(self, source: ToolSource) -> str:
        return ", ".join(source.given_names) or gettext("Reported by the server")

    @badge(gettext_lazy("danger level"), DANGER_COLORS)
    def danger_label(self, source: ToolSource) -> str | tuple[str, str]:
        if not source.danger:
            return _("asks") if source.confirm else _("reported by the server") if discoverer(source) else _("the tool's own")
        danger = gettext(source.danger)
        return (source.danger, gettext("%(danger)s, asks") % {"danger": danger} if source.confirm else danger)

    @display(description=gettext_lazy("agents"))
    def used_by(self, source: Any) -> int:
        return int(source.use_count)

    @badge(gettext_lazy("state"), {"enabled": "success", "disabled": "danger"})
    def enabled(self, source: ToolSource) -> str:
        return _("enabled") if source.is_enabled else _("disabled")


def _trial(source: ToolSource) -> dict[str, str] | None:
    """Return the URL for a trial call and sample arguments, or None if the kind can't be tried."""
    kind = tool_kinds().get(source.kind)
    if kind is None or not kind.settings.can_be_tried:
        return None
    sample = {
        name: EMPTY_VALUES.get(str(part.get("type")), "") if isinstance(part, Mapping) else ""  # true is a schema, too
        for name, part in schema_of(source.settings.get("input_schema", {})).get("properties", {}).items()
    }
    return {"url": f"{get_script_prefix()}api/tool-sources/{source.pk}/try/", "arguments": json.dumps(sample, indent=2)}


def _kind(request: HttpRequest, source: ToolSource | None) -> ToolKind:
    return tool_kinds()[source.kind if source else request.GET["kind"]]


class AgentToolInline(PartInline):
    """The tool sources of an agent."""

    model = AgentTool
    fk_name = "agent"
    form = AgentToolForm
    formset = AgentToolFormSet
    fields = (("source", "position"),)
    verbose_name = gettext_lazy("source of tools")
    verbose_name_plural = gettext_lazy("Sources of tools")

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentTool]:
        tools: QuerySet[AgentTool] = super().get_queryset(request)
        return tools.filter(sub_agent=None).select_related("source")
