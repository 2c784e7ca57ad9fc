"""The list of agents: by kind, what holds for all providers first, then those that members can use, and the others behind a link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.admin import SimpleListFilter, display
from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.admin.base import PublishingAdmin, badge
from admin_config.admin.request_organization import settings_of
from admin_config.defaults.platform import ALL_PROVIDERS, KINDS, PROVIDER_CHOICES
from admin_config.models import AgentConfig, AppSettings, ModelConfig

MORE: Final = "more"  # the parameter of the list that shows the providers that members can't use
BASE_RANK, ACTIVE_RANK, OFFERED_RANK, OTHER_RANK = -1, 0, 1, 2


class MoreProviders(SimpleListFilter):
    """Leaves the providers that members can't use out of the list, unless one asks for them or looks for something."""

    title = gettext_lazy("providers")
    parameter_name = MORE

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", gettext("Also those that members can't use"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AgentConfig]) -> QuerySet[AgentConfig]:
        return queryset if self.value() or is_search(request) else queryset.filter(Q(rank__lt=OTHER_RANK) | Q(kind__in=_own_kinds()))


class StateFilter(SimpleListFilter):
    """Agents that are enabled, by themselves or by their base, or that are not."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("enabled", gettext("Enabled")), ("disabled", gettext("Disabled"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AgentConfig]) -> QuerySet[AgentConfig]:
        is_off = Q(is_enabled=False) | Q(is_enabled=None, is_off_for_all=True)
        match self.value():
            case "enabled":
                return queryset.exclude(is_off)
            case "disabled":
                return queryset.filter(is_off)
            case _:
                return queryset


def is_search(request: HttpRequest) -> bool:
    """Return whether the list is searched or filtered."""
    return any(request.GET.get(name) for name in request.GET if name not in {MORE, "p"})


def _own_kinds() -> list[str]:
    return [kind for kind, defaults in KINDS.items() if defaults.is_custom]


def provider_rank(current: AppSettings) -> Case:
    """Return the order of a kind's rows: the base, the active provider, other offered ones, the others."""
    base_when, active_when = When(provider=ALL_PROVIDERS, then=BASE_RANK), When(provider=current.active_provider, then=ACTIVE_RANK)
    offered_when = When(provider__in=current.offered_providers, then=OFFERED_RANK)
    return Case(base_when, active_when, offered_when, default=OTHER_RANK, output_field=IntegerField())


def _other_providers() -> list[str]:
    """Return the names of the providers with agents that members can't use. Two queries."""
    current = AppSettings.objects.get()
    member_providers = (ALL_PROVIDERS, current.active_provider, *current.offered_providers)
    others = AgentConfig.objects.exclude(provider__in=member_providers).exclude(kind__in=_own_kinds())
    providers = set(others.order_by().values_list("provider", flat=True).distinct())
    return [str(label) for provider, label in PROVIDER_CHOICES if provider in providers]


def _kind_order() -> Case:
    places = [When(kind=kind, then=Value(place)) for place, kind in enumerate(KINDS)]
    return Case(*places, default=len(places), output_field=IntegerField())


def _settings(request: HttpRequest) -> AppSettings:
    return settings_of(request) or AppSettings.objects.get()


class AgentListPage(PublishingAdmin):
    """Adds the columns and the order of the list."""

    list_before_template = "admin/agents/agents_file_link.html"
    list_after_template = "admin/agents/agents_more.html"
    list_display = ("title", "key_label", "provider_label", "offer_label", "enabled", "effective_model")
    list_display_links = ("title", "key_label")
    list_filter: Any = ("provider", "kind", StateFilter, MoreProviders)
    search_fields = ("key", "name")
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentConfig]:
        agents: QuerySet[AgentConfig] = super().get_queryset(request)
        default = ModelConfig.objects.filter(provider=OuterRef("provider"), is_default=True).values("display_name")[:1]
        off = AgentConfig.objects.filter(
            organization=OuterRef("organization"), kind=OuterRef("kind"), provider=ALL_PROVIDERS, is_enabled=False
        )
        return agents.select_related("model").annotate(
            default_model=Subquery(default), rank=provider_rank(_settings(request)), kind_order=_kind_order(), is_off_for_all=Exists(off)
        )

    def get_ordering(self, request: HttpRequest) -> Any:
        return (_kind_order(), provider_rank(_settings(request)), F("provider"), F("key"))

    def changelist_view(self, request: HttpRequest, extra_context: Mapping[str, Any] | None = None) -> HttpResponse:
        """Say how many agents are behind the link."""
        is_short = not request.GET.get(MORE) and not is_search(request)
        context = {**(extra_context or {}), "more_providers": _other_providers() if is_short else [], "more_address": f"?{MORE}=yes"}
        response: HttpResponse = super().changelist_view(request, context)
        return response

    @display(description=gettext_lazy("agent"))
    def title(self, agent: AgentConfig) -> str:
        return agent.name or agent.get_kind_display()

    @display(description=gettext_lazy("key"))
    def key_label(self, agent: AgentConfig) -> str:
        return agent.key

    @display(description=gettext_lazy("provider"))
    def provider_label(self, agent: AgentConfig) -> str:
        return agent.get_provider_display()

    @badge(gettext_lazy("members"), {"active": "success", "offered": "info"})
    def offer_label(self, agent: Any) -> str:
        return {ACTIVE_RANK: _("active"), OFFERED_RANK: _("offered")}.get(agent.rank, "")

    @badge(gettext_lazy("state"), {"enabled": "success", "disabled": "danger"})
    def enabled(self, agent: Any) -> str:
        is_off = agent.is_enabled is False or (agent.is_enabled is None and agent.is_off_for_all)
        return _("disabled") if is_off else _("enabled")

    @display(description=gettext_lazy("model"))
    def effective_model(self, agent: Any) -> str:
        if agent.is_base:
            return gettext("Each provider's own")
        return (
            agent.model.display_name if agent.model else gettext("%(model)s (default)") % {"model": agent.default_model or gettext("none")}
        )
