"""Django app config of tenants."""

from __future__ import annotations

from django.apps import AppConfig


class TenantsConfig(AppConfig):
    name = "tenants"
    verbose_name = "Organizations"

    def ready(self) -> None:
        from tenants import checks  # noqa: F401  registers the system checks
