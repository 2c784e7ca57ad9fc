"""Inline for the agents that an agent may call, on the agent's page."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from admin_config.admin.base import PartInline
from admin_config.forms.sub_agents import SubAgentForm, SubAgentFormSet
from admin_config.models import AgentTool


class SubAgentInline(PartInline):
    """The agents that an agent has as tools."""

    model = AgentTool
    fk_name = "agent"
    form = SubAgentForm
    formset = SubAgentFormSet
    fields = (("sub_agent", "position"),)
    verbose_name = gettext_lazy("sub-agent")
    verbose_name_plural = gettext_lazy("Sub-agents")

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentTool]:
        tools: QuerySet[AgentTool] = super().get_queryset(request)
        return tools.filter(source=None).select_related("sub_agent")
