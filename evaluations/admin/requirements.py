"""Admin page of the data sets that are required before publishing, and the button that asks them of the draft."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget

from admin_config.admin.base import TenantModelAdmin
from admin_config.admin.publish_changes import publish_address
from admin_config.defaults.platform import CHAT_AGENT, KINDS
from admin_config.errors import ReleaseInvalid
from admin_config.forms.base import TenantForm
from admin_config.services.discarding.partial_release import draft_without
from evaluations.gate.work import checks_begin
from evaluations.models import Requirement
from evaluations.services.experiments import agents_to_try
from tenants.admin import actor_of
from tenants.errors import ParleyError
from tenants.models import Membership


class RequirementForm(TenantForm[Requirement]):
    """A required data set. The agent is chosen from those that members can talk to."""

    agent_key = forms.ChoiceField(label=gettext_lazy("Asked of"), required=False, widget=UnfoldAdminSelectWidget)

    class Meta:
        model = Requirement
        fields = (
            "data_set",
            "agent_key",
            "samples",
            "tolerance_points",
            "max_cost_percent",
            "max_slower_percent",
            "max_cost_usd",
            "asks_first",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["agent_key"]
        field.choices = agent_choices(self.instance.agent_key)


def agent_choices(current: str = "") -> list[tuple[str, str]]:
    """Return what a data set can be asked of, with what is chosen now, even if it is gone."""
    agents = [(agent.key, str(agent)) for agent in agents_to_try()]
    choices = [
        ("", gettext("All agents that members talk to")),
        (CHAT_AGENT, gettext("%(label)s of each offered provider") % {"label": KINDS[CHAT_AGENT].label}),
        *agents,
    ]
    return (
        choices if current in dict(choices) else [*choices, (current, gettext("%(current)s (not there any more)") % {"current": current})]
    )


class RequirementAdmin(TenantModelAdmin):
    """Required data sets. Only owners change them: who could take one away would need no override."""

    form = RequirementForm
    list_display = ("data_set", "asked_of", "samples", "tolerance")
    list_display_links = ("data_set",)
    list_select_related = ("data_set",)
    sortable_by = ()
    list_before_template = "admin/evaluations/requirements_intro.html"

    def get_urls(self) -> list[URLPattern]:
        check = path("check/", self.admin_site.admin_view(self.check_view), name="evaluations_requirement_check")
        return [check, *super().get_urls()]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_owner(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_owner(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_owner(request)

    def check_view(self, request: HttpRequest) -> HttpResponse:
        """Ask the draft, or what is chosen of it, then show the publish page, where the answers come in."""
        tokens = request.POST.getlist("without")
        if request.method != "POST" or not actor_of(request).can_administer:
            raise Http404
        try:
            if not checks_begin(actor_of(request), again="again" in request.POST, choose=draft_without(tokens)):
                messages.info(request, gettext("Everything has been asked already."))
        except (ParleyError, ReleaseInvalid) as error:
            messages.error(request, gettext("Not asked. %(error)s") % {"error": error})
        return redirect(publish_address(tokens))

    @display(description=gettext_lazy("asked of"))
    def asked_of(self, requirement: Requirement) -> str:
        return dict(agent_choices(requirement.agent_key))[requirement.agent_key]

    @display(description=gettext_lazy("tolerance"))
    def tolerance(self, requirement: Requirement) -> str:
        return f"{requirement.tolerance_points} points"


def is_owner(request: HttpRequest) -> bool:
    return actor_of(request).role == Membership.Role.OWNER
