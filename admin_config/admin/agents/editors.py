"""Who else edits agents now, on an agent's page and on the publish page."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from admin_config.admin.base import PublishingAdmin
from admin_config.models import AgentConfig
from admin_config.services.editors import editor_note, other_editors
from tenants.admin import actor_of


class EditorsPage(PublishingAdmin):
    """Adds to an agent's page who else has it open, which its script renews."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.editors_view)
        return [path("<uuid:object_id>/editors/", view, name="admin_config_agentconfig_editors"), *super().get_urls()]

    def editors_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        agent = get_object_or_404(AgentConfig, pk=object_id)
        return TemplateResponse(request, "admin/agents/agent_editors.html", editors_context(request, agent))


def editors_context(request: HttpRequest, agent: AgentConfig) -> dict[str, Any]:
    """Note that this admin has the page open, and return who else edits now: those of the same agent first."""
    actor = actor_of(request)
    editor_note(actor, who=str(request.user), agent_id=agent.pk, agent_label=str(agent))
    editors = sorted(other_editors(actor), key=lambda editor: editor.agent_id != agent.pk)
    return {"editors": editors, "edited_id": agent.pk}
