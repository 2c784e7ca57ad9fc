"""Admin pages of the run explorer: the list, one run, and the policy on reading members' texts."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext, pgettext

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from admin_config.admin.current_organization import organization_of
from chat.conversations.admin_reading import POLICIES, may_read_run, reading_policy, reading_policy_set
from chat.conversations.shapes import ReadingPolicy
from chat.explorer.filters import RunFilters
from chat.explorer.list_page import list_page_context
from chat.explorer.run_page import run_page_context
from chat.models import Run
from security.audit import audit
from tenants.admin import actor_of
from tenants.errors import BadRequest
from tenants.postgres.replica import read_from_replica


class RunAdmin(ReadOnly, TenantModelAdmin):
    """Runs of the organization. Auditors see them, too."""

    auditors_may_view = True

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.list_view), name="chat_run_changelist"),
            path("policy/", view(self.policy_view), name="chat_run_policy"),
            path("<uuid:object_id>/", view(self.run_view), name="chat_run_change"),
        ]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        search_note(request)
        listed = read_from_replica(actor_of(request).organization_id, partial(list_page_context, request))
        context = {**self._context(request), **listed, "title": gettext("Runs")}
        return TemplateResponse(request, "admin/runs.html", context)

    def run_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show a run. Texts are shown when they are asked for and may be read; each reading is an audit event, written first."""
        run = Run.objects.select_related("conversation__owner__user", "replay_of__conversation").filter(pk=object_id).first()
        if run is None:
            raise Http404
        policy, wants_texts = self._policy(request), request.GET.get("texts") == "1"
        if wants_texts and may_read_run(policy, run):
            actor = actor_of(request)
            audit(
                organization_id=actor.organization_id,
                actor_user_id=actor.user_id,
                action="run.read",
                object_kind="run",
                object_id=run.pk,
                detail={"conversation": str(run.conversation_id), "call": request.GET.get("call", "")[:40]},
            )
        page = run_page_context(run, policy=policy, opened=request.GET.get("call", ""), wants_texts=wants_texts)
        return TemplateResponse(request, "admin/run.html", {**self._context(request), **page, "title": pgettext("noun", "Run")})

    def policy_view(self, request: HttpRequest) -> HttpResponse:
        if not actor_of(request).can_administer:
            raise Http404
        if request.method == "POST":
            try:
                reading_policy_set(actor=actor_of(request), policy=request.POST.get("policy", ""))
            except BadRequest as error:
                messages.error(request, str(error))
            else:
                messages.success(request, gettext("Saved. Members see the rule in their settings."))
            return redirect("admin:chat_run_policy")
        context = {**self._context(request), "title": gettext("Who may read chats"), "policies": POLICIES.items()}
        return TemplateResponse(request, "admin/runs_policy.html", context)

    def _context(self, request: HttpRequest) -> dict[str, object]:
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "policy": self._policy(request),
            "can_change_policy": actor_of(request).can_administer,
        }

    def _policy(self, request: HttpRequest) -> ReadingPolicy:
        return reading_policy(organization_of(request))


def search_note(request: HttpRequest) -> None:
    """Write into the audit log that the request's filters search members' texts, before it is done."""
    actor, text = actor_of(request), RunFilters.from_query(request.GET).text
    if text:
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="run.search",
            object_kind="run",
            object_id="",
            detail={"text": text},
        )
