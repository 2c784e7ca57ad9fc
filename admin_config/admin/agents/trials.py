"""The tab "Try it" of an agent's page (design 43): a trial of the page as it stands in the browser, saved or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import all_valid
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, get_script_prefix, path, reverse
from django.utils.translation import gettext

from admin_config.admin.base import PublishingAdmin
from admin_config.defaults.platform import CHAT_AGENT, KINDS
from admin_config.models import AgentConfig, ModelConfig
from admin_config.release import ReleaseSnapshot
from admin_config.services.trials import draft_snapshot, live_snapshot, trial_release_store, trial_snapshot
from tenants.admin import actor_of
from tenants.errors import ParleyError


class TrialPage(PublishingAdmin):
    """Adds to an agent's page what its trials need."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.try_view)
        return [path("<uuid:object_id>/try/", view, name="admin_config_agentconfig_try"), *super().get_urls()]

    def try_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Prepare a trial of the page as it stands in the browser, saved or not; nothing of it is kept but what the trial runs with."""
        if request.method != "POST" or not self.has_change_permission(request):
            raise Http404
        agent = self.get_object(request, str(object_id))
        if agent is None:
            raise Http404
        ask = request.POST.get("_trial_ask") == "on"
        try:
            draft = self._unsaved_snapshot(request, agent, ask=ask)
            live = live_snapshot()
            author_id = actor_of(request).user_id
            release_ids = {"draft": str(trial_release_store(draft, author_id=author_id))}
            if live is not None and agent.key in live.agents:
                release_ids["live"] = str(trial_release_store(trial_snapshot(live, agent.key, ask=ask), author_id=author_id))
        except (ParleyError, ValidationError) as error:
            text = str(error) if isinstance(error, ParleyError) else " ".join(error.messages)
            return JsonResponse({"error": {"message": gettext("Not tried. %(text)s") % {"text": text}}}, status=400)
        return JsonResponse(release_ids)

    def _unsaved_snapshot(self, request: HttpRequest, agent: AgentConfig, *, ask: bool) -> ReleaseSnapshot:
        """Return what a trial of the sent form runs with, without changing the database. Raises ValidationError, ParleyError."""
        form = self.get_form(request, agent, change=True)(request.POST, request.FILES, instance=agent)
        is_valid = form.is_valid()
        formsets, _ = self._create_formsets(request, form.instance, change=True)
        if not (all_valid(formsets) and is_valid):
            errors = _errors_of(form, formsets)
            raise ValidationError(errors or [gettext("Save the page to see what is wrong.")])
        with transaction.atomic():
            form.instance.save()
            for formset in formsets:
                formset.save()
            snapshot = trial_snapshot(draft_snapshot(), agent.key, ask=ask)
            transaction.set_rollback(True)
        return snapshot


def _errors_of(form: Any, formsets: Sequence[Any]) -> list[str]:
    """Return all errors of the form and its rows, with the labels of their fields."""
    forms = (form, *(row for formset in formsets for row in formset.forms))
    own = [
        f"{one[name].label if name in one.fields else ''}: {text}".lstrip(": ")
        for one in forms
        for name, texts in one.errors.items()
        for text in texts
    ]
    return [*own, *(text for formset in formsets for text in formset.non_form_errors())]


def trial_context(agent: AgentConfig) -> dict[str, Any]:
    """Return where the page's scripts ask: the preview of a prompt of sections, and trials."""
    api = f"{get_script_prefix()}api/agents/{agent.pk}"
    return {
        "preview_url": f"{api}/prompt/" if KINDS[agent.kind].sections else "",
        "trial": {
            "prepare": reverse("admin:admin_config_agentconfig_try", args=[agent.pk]),
            "send": f"{api}/trial",
            "api": f"{get_script_prefix()}api/",
            "run": reverse("admin:chat_run_changelist"),
            "case": reverse("admin:evaluations_case_changelist"),
            "models": ModelConfig.objects.filter(provider=agent.provider, is_enabled=True),
            "is_talked_to": agent.kind == CHAT_AGENT or KINDS[agent.kind].is_custom,
        },
    }
