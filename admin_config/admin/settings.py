"""Admin page of the organization's settings, a single row."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy

from admin_config.admin.base import PublishingAdmin
from admin_config.forms.base import SettingsForm
from admin_config.models import AppSettings
from admin_config.services.selectors import STORAGE_LIMITS


class SettingsAdmin(PublishingAdmin):
    """The organization's settings."""

    form = SettingsForm
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "active_provider",
                    "offered_providers",
                    "publish_on_save",
                    "own_keys_allowed",
                    "approval_days",
                    "refusals_alert",
                    "never_hosts",
                )
            },
        ),
        (gettext_lazy("Files and deleted data"), {"fields": ("retention_days", *STORAGE_LIMITS)}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to the page of the only row."""
        current = AppSettings.objects.get()
        return redirect(reverse("admin:admin_config_appsettings_change", args=[current.pk]))
