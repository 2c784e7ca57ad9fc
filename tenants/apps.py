"""Django app config of tenants."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class TenantsConfig(AppConfig):
    name = "tenants"
    verbose_name = "Organizations"

    def ready(self) -> None:
        from tenants import access_signals, checks  # noqa: F401  registers receivers and system checks
        from tenants.postgres.table_rights import grant_table_rights

        post_migrate.connect(grant_table_rights, sender=self)
