"""The test of an endpoint's connection on its page, and the page of the models that it lists."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldBooleanSwitchWidget

from admin_config.admin.base import publish_after_save
from admin_config.admin.breakers import BreakerAdmin
from admin_config.admin.sites.mount import DeferredRedirect
from admin_config.errors import ReleaseInvalid, SettingsBusy
from admin_config.models import ProviderEndpoint
from admin_config.services.endpoints.connection_tests import connection_test, last_test
from admin_config.services.endpoints.fetched_models import FetchedModel, fetched_models, fetched_models_add
from admin_config.services.endpoints.problems import problem_text
from tenants.admin import actor_of
from tenants.localization.figures import figure

TEST = "admin_config_providerendpoint_test"
MODELS = "admin_config_providerendpoint_models"


class FetchedModelsForm(forms.Form):
    """Which of the fetched models are added."""

    models = forms.MultipleChoiceField(label=gettext_lazy("Models to add"), widget=UnfoldAdminCheckboxSelectMultipleWidget)
    is_enabled = forms.BooleanField(label=gettext_lazy("Switch them on"), required=False, initial=True, widget=UnfoldBooleanSwitchWidget)

    def __init__(self, candidates: list[FetchedModel], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        models = self.fields["models"]
        assert isinstance(models, forms.MultipleChoiceField)
        models.choices = [(model.model_id, _label(model)) for model in candidates]


class EndpointConnectionAdmin(BreakerAdmin):
    """Base of the endpoints' admin class, with the test and the fetched models."""

    def get_urls(self) -> list[URLPattern]:
        test, models = self.admin_site.admin_view(self.test_view), self.admin_site.admin_view(self.models_view)
        return [
            path("<uuid:object_id>/test/", test, name=TEST),
            path("<uuid:object_id>/models/", models, name=MODELS),
            *super().get_urls(),
        ]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        endpoint: ProviderEndpoint | None = kwargs.get("obj")
        context["last_test"] = last_test(endpoint) if endpoint is not None else None
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def response_add(self, request: HttpRequest, obj: ProviderEndpoint, post_url_continue: str | None = None) -> HttpResponse:
        """Continue on the endpoint's page, where its connection can be tested."""
        if "_addanother" not in request.POST:
            messages.success(request, gettext("The endpoint “%(name)s” was added successfully.") % {"name": obj})
            return redirect(_page(obj.pk))
        response: HttpResponse = super().response_add(request, obj, post_url_continue)
        return response

    def test_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Ask the endpoint, then show its page, or the models that it listed."""
        endpoint = self._endpoint(request, object_id)
        if request.method != "POST":
            raise Http404
        actor = actor_of(request)

        def ask() -> None:
            listing = connection_test(endpoint.pk, organization_id=actor.organization_id, author_id=actor.user_id)
            if listing.problem:
                messages.error(request, gettext("The connection does not work. %(problem)s") % {"problem": problem_text(listing.problem)})
            else:
                messages.success(request, _works(len(listing.models)))

        is_fetch = "fetch" in request.POST
        return DeferredRedirect(reverse(f"admin:{MODELS}", args=[endpoint.pk]) if is_fetch else _page(endpoint.pk), ask)

    def models_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show the models of the last test that the organization doesn't have; on POST, add the ticked ones."""
        endpoint = self._endpoint(request, object_id)
        candidates = fetched_models(endpoint)
        form = FetchedModelsForm(candidates, request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid() and self._add(request, endpoint, form.cleaned_data):
            return redirect(reverse("admin:admin_config_modelconfig_changelist"))
        title = gettext("Models of %(endpoint)s") % {"endpoint": endpoint}
        context = {
            "opts": self.opts,
            "title": title,
            "endpoint": endpoint,
            "form": form,
            "found": candidates,
            "last_test": last_test(endpoint),
        }
        return TemplateResponse(request, "admin/providers/endpoint_models.html", {**self.admin_site.each_context(request), **context})

    def _endpoint(self, request: HttpRequest, object_id: UUID) -> ProviderEndpoint:
        endpoint: ProviderEndpoint | None = self.get_object(request, str(object_id))
        if endpoint is None or not self.has_change_permission(request, endpoint):
            raise Http404
        return endpoint

    def _add(self, request: HttpRequest, endpoint: ProviderEndpoint, selection: dict[str, Any]) -> bool:
        """Add the models, and publish as every save does; return False with a message when the result can't be published."""
        try:
            with transaction.atomic():
                new_models = fetched_models_add(
                    endpoint, selection["models"], is_enabled=selection["is_enabled"], author_id=actor_of(request).user_id
                )
                publish_after_save(request)
        except (ReleaseInvalid, SettingsBusy) as error:
            messages.error(request, gettext("Not added. %(error)s") % {"error": error})
            return False
        messages.success(
            request, ngettext("%(number)s model added.", "%(number)s models added.", len(new_models)) % {"number": len(new_models)}
        )
        return True


def _label(model: FetchedModel) -> str:
    price = "" if model.is_priced else gettext("no price known")
    window = gettext("%(tokens)s tokens") % {"tokens": figure(model.context_window)} if model.context_window else ""
    notes = ", ".join(filter(None, (model.name if model.name != model.model_id else "", window, price)))
    return f"{model.model_id} ({notes})" if notes else model.model_id


def _works(count: int) -> str:
    return ngettext(
        "The connection works: the endpoint lists %(number)s model.", "The connection works: the endpoint lists %(number)s models.", count
    ) % {"number": count}


def _page(endpoint_id: UUID) -> str:
    return reverse("admin:admin_config_providerendpoint_change", args=[endpoint_id])
