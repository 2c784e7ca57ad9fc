"""The organization whose admin answers a request, and its settings: read once, in one query, however many parts of a page ask."""

from __future__ import annotations

from django.http import HttpRequest

from admin_config.models import AppSettings
from tenants.admin import actor_of
from tenants.models import Organization


def settings_of(request: HttpRequest) -> AppSettings | None:
    """Return the organization's settings with the organization, the live release without its content, and its author.

    None before it was seeded.
    """
    cache = request.__dict__
    if "app_settings" not in cache:
        cache["app_settings"] = (
            AppSettings.objects.select_related("organization", "live_release__author").defer("live_release__content").first()
        )
    current: AppSettings | None = cache["app_settings"]
    return current


def organization_of(request: HttpRequest) -> Organization:
    current = settings_of(request)
    return Organization.objects.get(pk=actor_of(request).organization_id) if current is None else current.organization
