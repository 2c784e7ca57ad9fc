"""Inlines for the plugins on an agent's page, with one group of fields for each kind."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from admin_config.admin.agents.parts import FixedInline
from admin_config.admin.base import PartInline
from admin_config.extension_kinds import PluginKind, plugin_kinds
from admin_config.forms.plugins import PluginForm, field_names, plugin_form
from admin_config.models import AgentPlugin
from admin_config.services.configuration import plugin_secret_set
from security.secrets.services import secret_delete
from tenants.admin import actor_of


class PluginInline(PartInline):
    """The rows of one kind of plugin."""

    model = AgentPlugin
    form = PluginForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentPlugin]:
        plugins: QuerySet[AgentPlugin] = super().get_queryset(request)
        return plugins.filter(name=self.form.kind.name).select_related("secret")


class FixedPluginInline(FixedInline, PluginInline):
    """The row of a kind that an agent has exactly once: it can only be switched on and off."""


def plugin_inlines() -> list[type[PluginInline]]:
    return [plugin_inline(kind) for kind in plugin_kinds().values()]


def plugin_inline(kind: PluginKind) -> type[PluginInline]:
    base = PluginInline if kind.repeats else FixedPluginInline
    names = {
        "verbose_name": gettext_lazy(kind.label),
        "verbose_name_plural": format_lazy(gettext_lazy("Plugin: {kind}"), kind=gettext_lazy(kind.label)),
    }
    return type(f"{kind.name.title()}Inline", (base,), {"form": plugin_form(kind), "fields": field_names(kind), **names})


def save_plugin_secrets(request: HttpRequest, formset: Any) -> None:
    """Seal the new secrets of a saved formset, and delete those of its deleted rows."""
    author_id = actor_of(request).user_id
    for plugin in formset.deleted_objects:
        if isinstance(plugin, AgentPlugin) and plugin.secret_id is not None:
            secret_delete(secret_id=plugin.secret_id, actor_user_id=author_id)
    for form in formset.forms:
        if isinstance(form, PluginForm) and form.cleaned_data.get("new_secret") and form.instance not in formset.deleted_objects:
            plugin_secret_set(plugin=form.instance, value=form.cleaned_data["new_secret"], author_id=author_id)
