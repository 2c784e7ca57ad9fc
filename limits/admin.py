"""Admin page of limits, on an organization's site."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import display
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.admin.base import badge
from admin_config.admin.sites import organization_site
from limits import budget_admin  # noqa: F401  registers the page of budgets
from limits.allowances import MEASURES, Measure
from limits.applicable.page import active_members, applicable_context, member_chosen
from limits.counters import counters_forget
from limits.forms import RateLimitForm
from limits.models import NUMBERS, RateLimit, Scope
from limits.plans import admin as plans_admin  # noqa: F401  registers the page of plans
from limits.plans.counters import measures_of_plan
from limits.plans.read_only import PlanRowsReadOnly
from limits.usage_text import HOLDER_BY_SCOPE, measure_of, used_in_words
from limits.violations.page import violations_context
from limits.violations.reading import repeated_refusals
from security.audit import audit
from tenants.admin import actor_of
from tenants.localization.figures import figure, us_dollars
from tenants.localization.language import date_in_words
from tenants.models import Membership
from tenants.redis.clients import REDIS_ERRORS

REDIS_UNAVAILABLE = gettext_lazy("The counters can't be reached at the moment. Try again.")


class RateLimitAdmin(PlanRowsReadOnly):
    """The limits of an organization. They hold from the next message on."""

    form = RateLimitForm
    list_display = ("limit_for", "measure", "a_minute", "an_hour", "a_day", "a_month", "state", "reason")
    list_before_template = "admin/limits/limits_intro.html"
    change_form_outer_before_template = "admin/limits/limit_used.html"
    list_select_related = ("group", "membership__user", "assistant", "embed_site")
    sortable_by = ()

    def get_fields(self, request: HttpRequest, obj: RateLimit | None = None) -> tuple[str, ...]:
        return ("holder" if obj is None else "limit_for", "measure", *NUMBERS, "when_away", "last_day", "reason")

    def get_readonly_fields(self, request: HttpRequest, obj: RateLimit | None = None) -> tuple[str, ...]:
        return () if obj is None else ("limit_for", "measure")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.forget_view)
        return [
            path("<uuid:object_id>/count-anew/", view, name="limits_ratelimit_count_anew"),
            path("count-anew/", self.admin_site.admin_view(self.forget_member_view), name="limits_ratelimit_count_member_anew"),
            path("applicable/", self.admin_site.admin_view(self.applicable_view), name="limits_ratelimit_applicable"),
            path("violations/", self.admin_site.admin_view(self.violations_view), name="limits_ratelimit_violations"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[RateLimit]:
        limits: QuerySet[RateLimit] = super().get_queryset(request)
        return limits.select_related("group", "membership__user", "assistant", "embed_site")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        limit: RateLimit | None = kwargs.get("obj")
        if limit is not None and limit.scope in HOLDER_BY_SCOPE:
            context["used"] = used_in_words(limit)
            context["may_count_anew"] = limit.measure not in measures_of_plan(Scope(limit.scope))
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def forget_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        limit: RateLimit | None = self.get_object(request, str(object_id))
        if limit is None or limit.scope not in HOLDER_BY_SCOPE or request.method != "POST":
            raise Http404
        self._check_may_forget(request, Scope(limit.scope), measure_of(limit))
        _forget(request, _holder_id(limit), limit, measure_of(limit))
        return redirect(reverse("admin:limits_ratelimit_change", args=[limit.pk]))

    def forget_member_view(self, request: HttpRequest) -> HttpResponse:
        """Empty one member's counters of a measure, whichever limit holds the member."""
        member = member_chosen(active_members(), request.POST.get("member", ""))
        measure = next((each for each in MEASURES if each == request.POST.get("measure")), None)
        if member is None or measure is None:
            raise Http404
        self._check_may_forget(request, Scope.MEMBER, measure)
        _forget(request, member.pk, member, measure)
        return redirect(f"{reverse('admin:limits_ratelimit_applicable')}?member={member.pk}")

    def _check_may_forget(self, request: HttpRequest, scope: Scope, measure: Measure) -> None:
        if not self.has_change_permission(request) or measure in measures_of_plan(scope):
            raise PermissionDenied

    def violations_view(self, request: HttpRequest) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            **violations_context(request),
            "opts": self.opts,
            "title": gettext("Violations"),
        }
        return TemplateResponse(request, "admin/limits/violations.html", context)

    def applicable_view(self, request: HttpRequest) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            **applicable_context(request),
            "may_count_anew": self.has_change_permission(request),
            "opts": self.opts,
            "title": gettext("What applies to a member"),
        }
        return TemplateResponse(request, "admin/limits/applicable_limits.html", context)

    @display(description=gettext_lazy("for"))
    def limit_for(self, limit: RateLimit) -> str:
        return str(limit)

    @display(description=gettext_lazy("a minute"))
    def a_minute(self, limit: RateLimit) -> str:
        return _number_text(limit, limit.per_minute)

    @display(description=gettext_lazy("an hour"))
    def an_hour(self, limit: RateLimit) -> str:
        return _number_text(limit, limit.per_hour)

    @display(description=gettext_lazy("a day"))
    def a_day(self, limit: RateLimit) -> str:
        return _number_text(limit, limit.per_day)

    @display(description=gettext_lazy("in 30 days"))
    def a_month(self, limit: RateLimit) -> str:
        return _number_text(limit, limit.per_month)

    @badge(gettext_lazy("state"), {"Ended": "warning", "Applies": "success"})
    def state(self, limit: RateLimit) -> str | tuple[str, str]:
        if limit.has_ended:
            return _("Ended")
        return (
            (_("Applies"), gettext("Until %(last_day)s") % {"last_day": date_in_words(limit.last_day, "j M Y")})
            if limit.last_day
            else _("Applies")
        )


def _forget(request: HttpRequest, holder_id: UUID | str, counted: RateLimit | Membership, measure: Measure) -> None:
    """Empty the holder's counters, and say so to the admin and in the audit log."""
    actor = actor_of(request)
    try:
        counters_forget(actor.organization_id, holder_id, measure)
    except REDIS_ERRORS:
        messages.error(request, REDIS_UNAVAILABLE)
        return
    if isinstance(counted, RateLimit):
        action, kind, label = "ratelimit.count_anew", "ratelimit", str(counted)
    else:
        action, kind, label = "limit.count_member_anew", "membership", str(counted.user)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind=kind,
        object_id=counted.pk,
        object_label=label,
        detail={"measure": measure},
    )
    messages.success(request, gettext("It is counted anew from now on."))


def _holder_id(limit: RateLimit) -> UUID | str:
    return limit.agent or limit.membership_id or limit.assistant_id or limit.embed_site_id or limit.organization_id


def _number_text(limit: RateLimit, number: Decimal | None) -> str:
    if number is None:
        return "-"
    return us_dollars(number) if limit.measure == RateLimit.Measure.COST else figure(number)


def overview_part(request: HttpRequest) -> dict[str, Any]:
    """Return the limits that refuse again and again, for the overview. One statement."""
    return {"repeated_refusals": repeated_refusals()}


organization_site.overview_parts.append(overview_part)
organization_site.register(RateLimit, RateLimitAdmin)
