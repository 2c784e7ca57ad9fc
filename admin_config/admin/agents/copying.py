"""The page that copies an agent's values to other providers (SPEC 4.15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminRadioSelectWidget

from admin_config.admin.agents.tabs import fields_by_tab
from admin_config.admin.base import PublishingAdmin, draft_lock_for, publish_after_save
from admin_config.defaults.platform import KINDS
from admin_config.errors import ReleaseInvalid, SettingsBusy
from admin_config.models import AgentConfig
from admin_config.services.agents.bases import base_attach
from admin_config.services.agents.by_provider import places_set
from admin_config.services.agents.copies import agent_copy, agent_values_copy
from admin_config.services.agents.value_texts import Place
from tenants.admin import actor_of

EVERYTHING, SELECTION = "everything", "chosen"


class CopyForm(forms.Form):
    """To which agents the values are copied, and which. `places`: what the agent sets."""

    what = forms.ChoiceField(
        label=gettext_lazy("What is copied"),
        choices=[
            (SELECTION, gettext_lazy("Only what is chosen below")),
            (EVERYTHING, gettext_lazy("Everything: all settings, prompts and step rules, also blank fields")),
        ],
        widget=UnfoldAdminRadioSelectWidget,
    )
    values = forms.MultipleChoiceField(
        label=gettext_lazy("Values that it sets"), required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget
    )
    targets: Any = forms.ModelMultipleChoiceField(
        AgentConfig.objects.none(), label=gettext_lazy("Copy to"), widget=UnfoldAdminCheckboxSelectMultipleWidget
    )

    def __init__(self, agents: QuerySet[AgentConfig], places: Sequence[Place], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.places = places
        values: Any = self.fields["values"]
        values.choices = [(place.key, place.label) for place in places]
        values.initial = [place.key for place in places]
        self.initial["what"] = SELECTION if places else EVERYTHING
        if not places:
            values.help_text = gettext("It sets nothing yet.")
        self.fields["targets"].queryset = agents  # type: ignore[attr-defined]
        self.fields["targets"].label_from_instance = AgentConfig.get_provider_display  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.cleaned_data.get("what") == SELECTION and not self.cleaned_data.get("values"):
            self.add_error("values", gettext("Choose at least one value, or copy everything."))
        return cleaned

    def places_to_copy(self) -> list[Place] | None:
        """Of a valid form. None: everything is copied."""
        if self.cleaned_data["what"] == EVERYTHING:
            return None
        return [place for place in self.places if place.key in self.cleaned_data["values"]]


class CopyPage(PublishingAdmin):
    """Adds the page to an agent's."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.copy_view)
        return [path("<uuid:object_id>/copy/", view, name="admin_config_agentconfig_copy"), *super().get_urls()]

    def copy_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Ask to which providers, and copy."""
        is_locked = True
        try:
            draft_lock_for(request)
        except SettingsBusy as error:
            is_locked = False
            messages.error(request, gettext("Not copied. %(error)s") % {"error": error})
        agent = self.get_object(request, str(object_id))
        if agent is None or KINDS[agent.kind].is_custom or not self.has_change_permission(request):
            raise Http404
        others = self.get_queryset(request).filter(kind=agent.kind).exclude(pk=agent.pk).order_by(*self.get_ordering(request))
        base = base_attach(agent).base or agent
        places = places_set(agent, base, fields_by_tab(self.get_fieldsets(request, base)))
        form = CopyForm(others, places, request.POST if request.method == "POST" else None)
        page = reverse("admin:admin_config_agentconfig_change", args=[agent.pk])
        if request.method == "POST" and form.is_valid() and is_locked and self._copy(request, agent, form):
            return redirect(page)
        context = {"opts": self.opts, "title": gettext("Copy %(agent)s") % {"agent": agent}, "agent": agent, "form": form, "page": page}
        return TemplateResponse(request, "admin/agents/agent_copy.html", {**self.admin_site.each_context(request), **context})

    def _copy(self, request: HttpRequest, agent: AgentConfig, form: CopyForm) -> bool:
        """Copy, and publish as every save does; return False with a message when the result can't be published."""
        targets, places, author_id = list(form.cleaned_data["targets"]), form.places_to_copy(), actor_of(request).user_id
        try:
            with transaction.atomic():
                if places is None:
                    agent_copy(agent, targets, author_id=author_id)
                else:
                    agent_values_copy(agent, targets, places, author_id=author_id)
                publish_after_save(request)
        except ReleaseInvalid as error:
            messages.error(request, gettext("Not copied. %(error)s") % {"error": error})
            return False
        messages.success(
            request, gettext("Copied to %(value)s.") % {"value": ", ".join(target.get_provider_display() for target in targets)}
        )
        return True
