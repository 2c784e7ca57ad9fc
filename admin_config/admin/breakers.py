"""Circuit breakers of endpoints (SPEC 2.6) on the admin pages: a list column, and a note with a reset button on the endpoint's page."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _
from unfold.views import ChangeList

from admin_config.admin.base import PublishingAdmin, badge
from admin_config.models import ProviderEndpoint
from admin_config.services.breakers import BreakerState, BreakerStatus, breaker_reset, breaker_statuses
from admin_config.services.endpoints.usability import providers_with_models
from tenants.admin import actor_of
from tenants.redis.clients import REDIS_ERRORS

COLORS: dict[str, str] = {BreakerState.CLOSED: "success", BreakerState.HALF_OPEN: "warning", BreakerState.OPEN: "danger"}
REDIS_UNAVAILABLE = gettext_lazy("The state of the endpoints can't be reached at the moment. Try again.")


class EndpointChangeList(ChangeList):  # type: ignore[misc]  # the theme has no types
    """Endpoint list that reads the breakers of all its rows, and the providers with models, at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        ids = [row.pk for row in self.result_list]
        views = breaker_statuses(organization_id=actor_of(request).organization_id, endpoint_ids=ids)
        providers = providers_with_models()
        for row in self.result_list:
            row.breaker_view, row.providers_with_models = views.get(row.pk), providers


class BreakerAdmin(PublishingAdmin):
    """Base of the endpoints' admin class, with the column `breaker`."""

    change_form_outer_before_template = "admin/providers/endpoint_state.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[EndpointChangeList]:
        return EndpointChangeList

    def get_urls(self) -> list[URLPattern]:
        reset = path(
            "<uuid:object_id>/reset-breaker/",
            self.admin_site.admin_view(self.reset_view),
            name="admin_config_providerendpoint_reset_breaker",
        )
        return [reset, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        endpoint = kwargs.get("obj")
        if endpoint is not None:
            views = breaker_statuses(organization_id=actor_of(request).organization_id, endpoint_ids=[endpoint.pk])
            context["breaker"] = views.get(endpoint.pk)
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def reset_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        endpoint = self.get_object(request, str(object_id))
        if endpoint is None or request.method != "POST":
            raise Http404
        actor = actor_of(request)
        try:
            breaker_reset(organization_id=actor.organization_id, endpoint_id=endpoint.pk, actor_user_id=actor.user_id)
        except REDIS_ERRORS:
            messages.error(request, REDIS_UNAVAILABLE)
        else:
            messages.success(request, gettext("%(endpoint)s is in use again: the next call goes there.") % {"endpoint": endpoint})
        return redirect(reverse("admin:admin_config_providerendpoint_change", args=[endpoint.pk]))

    @badge(gettext_lazy("state"), COLORS)
    def breaker(self, endpoint: ProviderEndpoint) -> str | tuple[str, str]:
        view: BreakerStatus | None = getattr(endpoint, "breaker_view", None)
        return _("unknown") if view is None else (view.state.value, str(view))
