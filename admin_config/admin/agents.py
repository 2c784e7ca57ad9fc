"""Agents with their operations."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import display
from django.db.models import Model, OuterRef, QuerySet, Subquery, TextField
from django.http import HttpRequest
from unfold.admin import StackedInline
from unfold.widgets import UnfoldAdminTextareaWidget

from admin_config.admin.base import PublishingAdmin, badge
from admin_config.forms import AgentForm, OperationForm
from admin_config.models import AgentConfig, AgentOperation, ModelConfig
from tenants.admin import actor_of

PROMPT_WIDGET = {"widget": UnfoldAdminTextareaWidget(attrs={"class": "prompt", "spellcheck": "false"})}
NOTE_WIDGET = {"widget": UnfoldAdminTextareaWidget(attrs={"rows": 3})}


class OperationInline(StackedInline):  # type: ignore[misc]  # the theme has no types
    """An agent's operations: fixed by its kind, so that they are edited but neither added nor deleted."""

    model = AgentOperation
    form = OperationForm
    fields = ("is_enabled", "system_prompt", "user_prompt_template")
    formfield_overrides = {**StackedInline.formfield_overrides, TextField: PROMPT_WIDGET}
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer


class AgentAdmin(PublishingAdmin):
    """The set of agents is fixed by kinds and providers; admins tune them."""

    form = AgentForm
    inlines = (OperationInline,)
    list_display = ("title", "kind_label", "provider_label", "enabled", "effective_model")
    list_display_links = ("title",)
    list_filter = ("provider", "kind", "is_enabled")
    search_fields = ("key",)
    ordering = ("provider", "kind")
    sortable_by = ()
    fieldsets = (
        (None, {"fields": ("is_enabled", "model", "description", "system_prompt")}),
        ("Limits and sampling", {"fields": (("temperature", "max_output_tokens"), ("max_steps", "thinking_budget"))}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, TextField):
            kwargs |= PROMPT_WIDGET if db_field.name == "system_prompt" else NOTE_WIDGET
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentConfig]:
        agents: QuerySet[AgentConfig] = super().get_queryset(request)
        default = ModelConfig.objects.filter(provider=OuterRef("provider"), is_default=True).values("display_name")[:1]
        return agents.select_related("model").annotate(default_model=Subquery(default))

    @display(description="agent")
    def title(self, agent: AgentConfig) -> str:
        return agent.key

    @display(description="kind")
    def kind_label(self, agent: AgentConfig) -> str:
        return agent.get_kind_display()

    @display(description="provider")
    def provider_label(self, agent: AgentConfig) -> str:
        return agent.get_provider_display()

    @badge("state", {"enabled": "success", "disabled": "danger"})
    def enabled(self, agent: AgentConfig) -> str:
        return "enabled" if agent.is_enabled else "disabled"

    @display(description="model")
    def effective_model(self, agent: Any) -> str:
        return agent.model.display_name if agent.model else f"{agent.default_model or 'none'} (default)"
