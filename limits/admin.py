"""Admin page of message limits, on an organization's site."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from admin_config.admin.base import TenantModelAdmin, badge
from admin_config.admin.sites import organization_site
from limits.allowances import SECONDS, Allowance
from limits.counters import Sender, messages_forget, messages_used
from limits.errors import IN_WORDS
from limits.forms import NUMBERS, MessageLimitForm
from limits.models import MessageLimit, Scope
from security.audit import audit
from tenants.admin import actor_of
from tenants.redis.clients import REDIS_ERRORS

REDIS_UNAVAILABLE = "The counters can't be reached at the moment. Try again."
# Whose counters one limit's page can show: those of one holder.
COUNTED = {Scope.ORGANIZATION: "organization", Scope.MEMBER: "member"}


class MessageLimitAdmin(TenantModelAdmin):
    """The limits of an organization. They hold from the next message on."""

    form = MessageLimitForm
    list_display = ("limit_for", "per_minute", "per_hour", "per_day", "per_month", "state", "reason")
    list_before_template = "admin/limits_intro.html"
    change_form_outer_before_template = "admin/limit_used.html"
    list_select_related = ("group", "membership__user")
    sortable_by = ()

    def get_fields(self, request: HttpRequest, obj: MessageLimit | None = None) -> tuple[str, ...]:
        return (*(("holder",) if obj is None else ("limit_for",)), *NUMBERS, "last_day", "reason")

    def get_readonly_fields(self, request: HttpRequest, obj: MessageLimit | None = None) -> tuple[str, ...]:
        return () if obj is None else ("limit_for",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.forget_view)
        return [path("<uuid:object_id>/count-anew/", view, name="limits_messagelimit_count_anew"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[MessageLimit]:
        limits: QuerySet[MessageLimit] = super().get_queryset(request)
        return limits.select_related("group", "membership__user")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        limit: MessageLimit | None = kwargs.get("obj")
        if limit is not None and limit.scope in COUNTED:
            context["used"] = used_in_words(limit)
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def forget_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        limit: MessageLimit | None = self.get_object(request, str(object_id))
        if limit is None or limit.scope not in COUNTED or request.method != "POST":
            raise Http404
        actor = actor_of(request)
        try:
            messages_forget(actor.organization_id, limit.membership_id or actor.organization_id)
        except REDIS_ERRORS:
            messages.error(request, REDIS_UNAVAILABLE)
        else:
            audit(
                organization_id=actor.organization_id,
                actor_user_id=actor.user_id,
                action="messagelimit.count_anew",
                object_kind="messagelimit",
                object_id=limit.pk,
                object_label=str(limit),
            )
            messages.success(request, gettext("The messages are counted anew from now on."))
        return redirect(reverse("admin:limits_messagelimit_change", args=[limit.pk]))

    @display(description="for")
    def limit_for(self, limit: MessageLimit) -> str:
        return str(limit)

    @badge("state", {"Ended": "warning", "Applies": "success"})
    def state(self, limit: MessageLimit) -> str | tuple[str, str]:
        if limit.has_ended:
            return "Ended"
        return ("Applies", f"Until {limit.last_day:%-d %b %Y}") if limit.last_day else "Applies"


def used_in_words(limit: MessageLimit) -> list[str] | None:
    """Return how much of each number is used, such as "9 of 60 in an hour". None while Redis is away."""
    holder: Any = COUNTED[Scope(limit.scope)]
    numbers = [Allowance(holder, window, count) for window, count in zip(SECONDS, limit.counts, strict=True) if count is not None]
    used = messages_used(Sender(limit.organization_id, limit.membership_id or limit.organization_id), tuple(numbers))
    if used is None:
        return None
    return [f"{number:,} of {each.count:,} {IN_WORDS[each.window]}" for each, number in zip(numbers, used, strict=True)]


organization_site.register(MessageLimit, MessageLimitAdmin)
