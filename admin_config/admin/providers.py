"""Endpoints with their write-only keys."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Model
from django.http import HttpRequest

from admin_config.admin.base import badge
from admin_config.admin.breakers import BreakerAdmin
from admin_config.defaults import PROVIDERS
from admin_config.forms import EndpointForm
from admin_config.models import ProviderEndpoint
from admin_config.services import credential_remove, credential_set
from tenants.admin import actor_of

STATE = {"enabled": "success", "disabled": "danger"}


class EndpointAdmin(BreakerAdmin):
    form = EndpointForm
    list_display = ("name", "provider", "address", "key_state", "breaker", "enabled", "priority")
    list_filter = ("provider", "is_enabled")
    list_select_related = ("secret",)
    ordering = ("provider", "priority", "name")
    sortable_by = ()
    fieldsets = (
        (None, {"fields": ("provider", "name", "is_enabled", ("priority", "timeout_s"))}),
        ("Address", {"fields": ("base_url", "api_version")}),
        ("What the server can do", {"fields": ("tool_mode", "compatible_options"), "classes": ("collapse",)}),
        (
            "Key",
            {
                "fields": ("new_key", "remove_key"),
                "description": "Keys are encrypted, used for this address only, and never shown again. A new address needs the key again.",
            },
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("provider",) if obj else ()

    def save_model(self, request: HttpRequest, obj: ProviderEndpoint, form: Any, change: bool) -> None:
        """Save the row, then its key; a changed address drops the key that was entered for the old one (SECURITY 11)."""
        super().save_model(request, obj, form, change)
        author_id = actor_of(request).user_id
        if form.cleaned_data["new_key"]:
            credential_set(endpoint=obj, value=form.cleaned_data["new_key"], author_id=author_id)
        elif form.cleaned_data["remove_key"]:
            credential_remove(endpoint=obj, author_id=author_id)
        elif obj.secret_id and "base_url" in form.changed_data:
            credential_remove(endpoint=obj, author_id=author_id)
            messages.warning(request, "The address has changed, so its key was removed. Enter the key for the new address.")

    def delete_model(self, request: HttpRequest, obj: ProviderEndpoint) -> None:
        credential_remove(endpoint=obj, author_id=actor_of(request).user_id)
        super().delete_model(request, obj)

    @display(description="address")
    def address(self, endpoint: ProviderEndpoint) -> str:
        return endpoint.base_url or PROVIDERS[endpoint.provider].base_url or "this server's demo provider"

    @display(description="key")
    def key_state(self, endpoint: ProviderEndpoint) -> str:
        if endpoint.secret:
            return str(endpoint.secret)
        return "missing" if PROVIDERS[endpoint.provider].needs_key else "not needed"

    @badge("state", STATE)
    def enabled(self, endpoint: ProviderEndpoint) -> str:
        return "enabled" if endpoint.is_enabled else "disabled"
