"""The admin page "Feedback": a list with filters, and what is done with chosen lines of it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from chat.conversations.admin_reading import reading_policy
from chat.feedback.filters import NOBODY, PAGE_SIZE, FeedbackFilters, uuid_of
from chat.feedback.page import feedback_context
from chat.feedback.services import feedback_assign, feedback_mark
from tenants.admin import actor_of
from tenants.errors import BadRequest
from tenants.models import Organization


class FeedbackAdmin(ReadOnly, TenantModelAdmin):
    """What members think of answers. The texts of their conversations are not shown."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.list_view), name="chat_messagefeedback_changelist"),
            path("mark/", view(self.mark_view), name="chat_messagefeedback_mark"),
        ]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        policy = reading_policy(Organization.objects.get(pk=actor_of(request).organization_id))
        context = {
            **self.admin_site.each_context(request),
            **feedback_context(request, policy),
            "opts": self.opts,
            "title": gettext("Feedback"),
        }
        return TemplateResponse(request, "admin/runs/feedback.html", context)

    def mark_view(self, request: HttpRequest) -> HttpResponse:
        """Carry out a button of the page, and return to the list as it was filtered."""
        if request.method != "POST" or not actor_of(request).can_administer:
            raise Http404
        try:
            messages.success(request, _carry_out(request.POST))
        except BadRequest as error:
            messages.error(request, str(error))
        here = QueryDict(request.POST.get("here", ""))
        query = FeedbackFilters.from_query(here).query(cursor=here.get("cursor", ""))
        return redirect(f"{reverse('admin:chat_messagefeedback_changelist')}?{query}")


def _carry_out(form: QueryDict) -> str:
    """Return what was done. Raises BadRequest."""
    for name, is_seen in (("see", True), ("unsee", False)):  # the button of one line
        if one := uuid_of(form.get(name, "")):
            feedback_mark(ids=[one], is_seen=is_seen)
            return gettext("Marked as seen.") if is_seen else gettext("Marked as not seen.")
    ids = _selected_ids(form)
    match form.get("action"):
        case "seen" | "unseen" as action:
            count = feedback_mark(ids=ids, is_seen=action == "seen")
            words = gettext("%(count)s marked as seen.") if action == "seen" else gettext("%(count)s marked as not seen.")
            return words % {"count": count}
        case "assign":
            return _assign(ids, form.get("assignee", ""))
    raise BadRequest(gettext("Choose what to do with the feedback."))


def _assign(ids: list[UUID], to: str) -> str:
    assignee_id = uuid_of(to)
    if assignee_id is None and to != NOBODY:
        raise BadRequest(gettext("Choose to whom the feedback is to be assigned."))
    count = feedback_assign(ids=ids, assignee_id=assignee_id)
    return gettext("%(count)s assigned.") % {"count": count} if assignee_id else gettext("%(count)s assigned to nobody.") % {"count": count}


def _selected_ids(form: QueryDict) -> list[UUID]:
    ids = [one for one in map(uuid_of, form.getlist("chosen")[:PAGE_SIZE]) if one is not None]
    if not ids:
        raise BadRequest(gettext("Tick the feedback that you mean first."))
    return ids
