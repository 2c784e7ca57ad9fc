"""Django app config of tenants."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy


class TenantsConfig(AppConfig):
    name = "tenants"
    verbose_name = gettext_lazy("Organizations")

    def ready(self) -> None:
        from tenants import access_signals, checks  # noqa: F401  registers receivers and system checks
        from tenants.localization.labels import labels_translate
        from tenants.postgres.table_rights import grant_table_rights

        labels_translate(model for model in apps.get_models() if model.__module__.partition(".")[0] not in {"django", "allauth"})
        post_migrate.connect(grant_table_rights, sender=self)
