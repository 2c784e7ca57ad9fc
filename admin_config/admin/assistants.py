"""Admin page of assistants (SPEC 4.14): the agents that members choose, each in one form."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import display
from django.core.exceptions import ValidationError
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _, ngettext

from admin_config.admin.base import PublishingAdmin, badge, publish_after_save
from admin_config.defaults.platform import CUSTOM_AGENT
from admin_config.forms.assistants import STARTER_ROWS, AssistantForm
from admin_config.models import AgentConfig, Assistant, AssistantPicture
from admin_config.services.agents.assistants import assistant_delete
from tenants.input.pictures import picture_response
from tenants.models import Membership

STATE_COLORS = {"on": "success", "off": "danger", "agent disabled": "warning"}
PICTURE_URL = "admin:admin_config_assistant_picture"
MORE_NOTE = gettext_lazy("Limits, sampling, prompt sections and single steps are on the page of its agent, under Agents.")


class AssistantAdmin(PublishingAdmin):
    """The assistants of an organization."""

    form = AssistantForm
    list_display = ("name", "description", "people", "model_label", "callers", "state")
    list_display_links = ("name",)
    search_fields = ("title", "description")
    ordering = ("position", "title")
    sortable_by = ()
    list_before_template = "admin/agents/assistants_intro.html"

    def get_fieldsets(self, request: HttpRequest, obj: Assistant | None = None) -> Any:
        picture_fields = ("shown_picture",) if obj is not None and obj.picture_id else ()
        return (
            (None, {"fields": ("is_offered", ("title", "position"), "description", *picture_fields, "new_picture", "remove_picture")}),
            (gettext("How it answers"), {"fields": ("prompt", "model_choice", "fixed_model"), "description": MORE_NOTE}),
            (gettext("What it can use"), {"fields": ("tools", "knowledge", "sub_agents")}),
            (
                gettext("Starters"),
                {
                    "fields": tuple(name for row in STARTER_ROWS for name in row),
                    "description": gettext("Messages to begin with. A click sends one."),
                },
            ),
            (gettext("Who may use it"), {"fields": ("audience", "chosen_roles", "chosen_groups")}),
            (gettext("Other agents"), {"fields": ("for_agents", "call_description")}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("shown_picture",)

    def get_form(self, request: HttpRequest, obj: Assistant | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        form.existing_agent = _existing_agent(request) if obj is None else None
        return form

    def get_queryset(self, request: HttpRequest) -> QuerySet[Assistant]:
        assistants: QuerySet[Assistant] = super().get_queryset(request)
        return assistants.select_related("agent__model").annotate(caller_count=Count("agent__uses"))

    def get_urls(self) -> list[URLPattern]:
        picture = path("<uuid:pk>/picture/", self.admin_site.admin_view(self.picture_view), name="admin_config_assistant_picture")
        return [picture, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        others = AgentConfig.objects.filter(kind=CUSTOM_AGENT, assistants=None).order_by("name", "provider")
        return super().changelist_view(request, {"other_agents": others, **(extra_context or {})})

    def picture_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Return the picture of the draft, which members may not see yet."""
        picture = AssistantPicture.objects.filter(pk=pk).first()
        if picture is None:
            raise Http404
        return picture_response(bytes(picture.content))

    def save_model(self, request: HttpRequest, obj: Assistant, form: Any, change: bool) -> None:
        form.save_row(obj)

    def delete_model(self, request: HttpRequest, obj: Assistant) -> None:
        is_agent_gone = assistant_delete(obj)
        publish_after_save(request)
        if not is_agent_gone:
            messages.info(request, gettext("The agent %(key)s stays, because other agents call it.") % {"key": obj.agent.key})

    @display(description=gettext_lazy("name"))
    def name(self, assistant: Assistant) -> SafeString | str:
        if assistant.picture_id is None:
            return assistant.title
        url = reverse(PICTURE_URL, args=[assistant.picture_id])
        return format_html('<span class="parley-named"><img src="{}" alt="" width="28" height="28">{}</span>', url, assistant.title)

    @display(description=gettext_lazy("present picture"))
    def shown_picture(self, assistant: Assistant) -> SafeString | str:
        if assistant.picture_id is None:
            return gettext("None")
        url = reverse(PICTURE_URL, args=[assistant.picture_id])
        return format_html('<img class="parley-logo" src="{}" alt="The picture" width="64" height="64">', url)

    @display(description=gettext_lazy("who may use it"))
    def people(self, assistant: Assistant) -> str:
        if assistant.audience == Assistant.Audience.EVERYONE:
            return gettext("Everyone")
        roles = [str(Membership.Role(role).label) for role in assistant.roles]
        groups = (
            [ngettext("%(number)s group", "%(number)s groups", len(assistant.groups)) % {"number": len(assistant.groups)}]
            if assistant.groups
            else []
        )
        return ", ".join([*roles, *groups])

    @display(description=gettext_lazy("model"))
    def model_label(self, assistant: Assistant) -> str:
        if assistant.model_choice == Assistant.ModelChoice.MEMBER:
            return gettext("Member's choice")
        model = assistant.agent.model
        return model.display_name if model else gettext("Default of %(agent)s") % {"agent": assistant.agent.get_provider_display()}

    @display(description=gettext_lazy("called by"))
    def callers(self, assistant: Any) -> str:
        if not assistant.for_agents:
            return gettext("Members only")
        return ngettext("Members, %(number)s agent", "Members, %(number)s agents", assistant.caller_count) % {
            "number": assistant.caller_count
        }

    @badge(gettext_lazy("state"), STATE_COLORS)
    def state(self, assistant: Assistant) -> str:
        if not assistant.agent.is_on:
            return _("agent disabled")
        return _("on") if assistant.is_offered else _("off")


def _existing_agent(request: HttpRequest) -> AgentConfig | None:
    """Return the custom agent in the query string that is to become an assistant, or None for a new one. Raises Http404."""
    agent_id = request.GET.get("agent")
    if not agent_id:
        return None
    try:
        agent = AgentConfig.objects.filter(pk=agent_id, kind=CUSTOM_AGENT, assistants=None).first()
    except ValidationError:
        agent = None
    if agent is None:
        raise Http404
    return agent
