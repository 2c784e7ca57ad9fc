"""Admin pages of models with their dated prices, and of updates from the price list."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _
from unfold.views import ChangeList

from admin_config.admin.base import PublishingAdmin, badge
from admin_config.forms.model_configs import ModelForm
from admin_config.models import ModelConfig, ProviderEndpoint
from admin_config.services.endpoints.usability import STATE_COLORS, model_places, model_state
from admin_config.services.model_catalogue import PRICES, model_updates
from admin_config.services.model_configs import models_update
from admin_config.services.price_list import PRICE_LIST_NAME
from tenants.admin import actor_of
from tenants.localization.figures import figure_as_it_is

LIST_PAGE = "admin:admin_config_modelconfig_changelist"
PRICE_SOURCES = {"from the list": "success", "own": "info", "unknown": "warning"}
NO_PRICE = gettext_lazy("no price known")
UNKNOWN_PRICE_NOTE = gettext_lazy("Not in the price list: the cost of this model is not counted until prices are entered.")
ADD_HINT = gettext_lazy("What you leave as it is here is filled in when the model is known.")


class ModelChangeList(ChangeList):  # type: ignore[misc]  # the theme has no types
    """Model list that reads the endpoints of all its rows at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        places = model_places(ProviderEndpoint.objects.select_related("secret"))
        for row in self.result_list:
            row.places = places


class ModelAdmin(PublishingAdmin):
    """The models of an organization."""

    form = ModelForm
    list_display = ("display_name", "model_id", "provider", "price", "price_source", "default", "usable")
    list_filter = ("provider", "is_enabled")
    search_fields = ("display_name", "model_id")
    ordering = ("provider", "-is_default", "display_name")
    sortable_by = ()
    list_before_template = "admin/providers/models_update_link.html"
    update_template = "admin/providers/models_update.html"
    fieldsets = (
        (None, {"fields": ("provider", "model_id", "display_name", ("is_enabled", "is_default"))}),
        (gettext_lazy("Size"), {"fields": (("context_window", "max_output_tokens"),), "description": ADD_HINT}),
        (
            gettext_lazy("Abilities"),
            {
                "fields": (
                    ("supports_thinking", "thinking_style"),
                    ("supports_images", "supports_pdf"),
                    ("supports_tools", "reasons"),
                    "builtin_tools",
                )
            },
        ),
        (
            gettext_lazy("Prices"),
            {
                "fields": (
                    ("input_usd", "output_usd"),
                    ("cached_usd", "cache_write_usd"),
                    ("thinking_usd", "image_usd"),
                    ("search_usd", "picture_usd"),
                    "all_prices",
                ),
                "description": gettext_lazy(
                    "US dollars for a million tokens, if nothing else is said, today. A change holds from today (UTC) on, for prompts of any length."
                ),
            },
        ),
        (
            gettext_lazy("Catalogue"),
            {"fields": ("gives_up_own",), "description": gettext_lazy("What you change stays yours: updates leave it alone.")},
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("provider", "all_prices") if obj else ("all_prices",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ModelChangeList]:
        return ModelChangeList

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelConfig]:
        models: QuerySet[ModelConfig] = super().get_queryset(request)
        return models.prefetch_related("prices")

    def get_urls(self) -> list[URLPattern]:
        update = path("update/", self.admin_site.admin_view(self.update_view), name="admin_config_modelconfig_update")
        return [update, *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: ModelConfig, form: Any, change: bool) -> None:
        form.save_row(obj)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if not form.instance.has_price:
            messages.warning(request, UNKNOWN_PRICE_NOTE)

    def update_view(self, request: HttpRequest) -> HttpResponse:
        """Show what would change; on POST, change it."""
        if request.method == "POST":
            self._update(request)
            return redirect(reverse(LIST_PAGE))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Update from the price list"),
            "list_name": PRICE_LIST_NAME,
            "updates": model_updates(ModelConfig.objects.all()),
        }
        return TemplateResponse(request, self.update_template, context)

    def _update(self, request: HttpRequest) -> None:
        actor = actor_of(request)
        run = models_update(organization_id=actor.organization_id, author_id=actor.user_id)
        if run.release:
            messages.success(
                request,
                gettext("%(count)s models updated. Release %(number)s is live.")
                % {"count": len(run.updates), "number": run.release.number},
            )
        elif run.updates:
            messages.info(
                request,
                gettext("%(count)s models updated in the draft. It goes live when you publish it on the releases page.")
                % {"count": len(run.updates)},
            )
        else:
            messages.info(request, gettext("All models are up to date."))

    @display(description=gettext_lazy("price (in / out)"))
    def price(self, model: ModelConfig) -> str:
        """Return the short price text of the list. Longer prompts may cost more."""
        if not model.has_price:
            return str(capfirst(NO_PRICE))
        first, *others = model.prices_today
        amounts = " / ".join(gettext("$%(amount)s") % {"amount": figure_as_it_is(usd or 0)} for usd in (first.input_usd, first.output_usd))
        return amounts + (gettext(" and more") if others else "")

    @badge(gettext_lazy("price source"), PRICE_SOURCES)
    def price_source(self, model: ModelConfig) -> str:
        if not model.has_price:
            return _("unknown")
        return _("own") if PRICES in model.own_facts else _("from the list")

    @display(description=gettext_lazy("all prices"))
    def all_prices(self, model: ModelConfig) -> str:
        rows = [(row.price.words(), row.get_source_display()) for row in model.prices.all()]
        return format_html_join("", "<p>{} ({})</p>", rows) if rows else str(UNKNOWN_PRICE_NOTE)

    @badge(gettext_lazy("default"), {"default": "info"})
    def default(self, model: ModelConfig) -> str:
        return _("default") if model.is_default else ""

    @badge(gettext_lazy("usable"), STATE_COLORS)
    def usable(self, model: ModelConfig) -> str:
        return model_state(model, cast(Any, model).places)
