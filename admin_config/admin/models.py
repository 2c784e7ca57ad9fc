"""Admin pages of models with their dated prices, and of updates from the price list."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join

from admin_config.admin.base import PublishingAdmin, badge
from admin_config.admin.providers import STATE_COLORS
from admin_config.defaults.prices import usd_text
from admin_config.forms.models import ModelForm
from admin_config.models import ModelConfig
from admin_config.services.model_catalogue import PRICES, model_updates
from admin_config.services.models import models_update
from admin_config.services.price_list import PRICE_LIST_NAME
from tenants.admin import actor_of

LIST_PAGE = "admin:admin_config_modelconfig_changelist"
PRICE_SOURCES = {"from the list": "success", "own": "info", "unknown": "warning"}
NO_PRICE = "no price known"
UNKNOWN_PRICE_NOTE = "Not in the price list: the cost of this model is not counted until prices are entered."
ADD_HINT = "What you leave as it is here is filled in when the model is known."


class ModelAdmin(PublishingAdmin):
    """The models of an organization."""

    form = ModelForm
    list_display = ("display_name", "model_id", "provider", "price", "price_source", "default", "enabled")
    list_filter = ("provider", "is_enabled")
    search_fields = ("display_name", "model_id")
    ordering = ("provider", "-is_default", "display_name")
    sortable_by = ()
    list_before_template = "admin/models_update_link.html"
    update_template = "admin/models_update.html"
    fieldsets = (
        (None, {"fields": ("provider", "model_id", "display_name", ("is_enabled", "is_default"))}),
        ("Size", {"fields": (("context_window", "max_output_tokens"),), "description": ADD_HINT}),
        (
            "Abilities",
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
            "Prices",
            {
                "fields": (("input_usd", "output_usd"), ("cached_usd", "cache_write_usd"), "thinking_usd", "all_prices"),
                "description": "US dollars for a million tokens, today. A change holds from today (UTC) on, for prompts of any length.",
            },
        ),
        ("Catalogue", {"fields": ("gives_up_own",), "description": "What you change stays yours: updates leave it alone."}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("provider", "all_prices") if obj else ("all_prices",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelConfig]:
        models: QuerySet[ModelConfig] = super().get_queryset(request)
        return models.prefetch_related("prices")

    def get_urls(self) -> list[URLPattern]:
        update = path("update/", self.admin_site.admin_view(self.update_view), name="admin_config_modelconfig_update")
        return [update, *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: ModelConfig, form: Any, change: bool) -> None:
        form.save_row(obj)
        if not obj.has_price:
            messages.warning(request, UNKNOWN_PRICE_NOTE)

    def update_view(self, request: HttpRequest) -> HttpResponse:
        """Show what would change; on POST, change it."""
        if request.method == "POST":
            self._update(request)
            return redirect(reverse(LIST_PAGE))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Update from the price list",
            "list_name": PRICE_LIST_NAME,
            "updates": model_updates(ModelConfig.objects.all()),
        }
        return TemplateResponse(request, self.update_template, context)

    def _update(self, request: HttpRequest) -> None:
        actor = actor_of(request)
        run = models_update(organization_id=actor.organization_id, author_id=actor.user_id)
        if run.release:
            messages.success(request, f"{len(run.updates)} models updated. Release {run.release.number} is live.")
        elif run.updates:
            messages.info(
                request, f"{len(run.updates)} models updated in the draft. It goes live when you publish it on the releases page."
            )
        else:
            messages.info(request, "All models are up to date.")

    @display(description="price (in / out)")
    def price(self, model: ModelConfig) -> str:
        """Return the short price text of the list. Longer prompts may cost more."""
        if not model.has_price:
            return NO_PRICE
        first, *others = model.prices_today
        return f"${usd_text(first.input_usd or 0)} / ${usd_text(first.output_usd or 0)}" + (" and more" if others else "")

    @badge("price source", PRICE_SOURCES)
    def price_source(self, model: ModelConfig) -> str:
        if not model.has_price:
            return "unknown"
        return "own" if PRICES in model.own_facts else "from the list"

    @display(description="all prices")
    def all_prices(self, model: ModelConfig) -> str:
        rows = [(row.price.words(), row.get_source_display()) for row in model.prices.all()]
        return format_html_join("", "<p>{} ({})</p>", rows) if rows else UNKNOWN_PRICE_NOTE

    @badge("default", {"default": "info"})
    def default(self, model: ModelConfig) -> str:
        return "default" if model.is_default else ""

    @badge("state", STATE_COLORS)
    def enabled(self, model: ModelConfig) -> str:
        return "enabled" if model.is_enabled else "disabled"
