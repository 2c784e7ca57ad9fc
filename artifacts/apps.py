"""Django app config of artifacts."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db import connections
from django.db.models.signals import post_migrate


class ArtifactsConfig(AppConfig):
    name = "artifacts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(_keep_versions_unchanged, sender=self)


def _keep_versions_unchanged(using: str, **kwargs: Any) -> None:
    """Revoke the right to change versions anew: in a restored copy, tables have the database's default rights."""
    with connections[using].cursor() as cursor:
        cursor.execute("select to_regclass('artifacts_version')")
        if cursor.fetchone() != (None,):
            cursor.execute(f'revoke update, delete on artifacts_version from "{settings.DATABASE_ROLES.app}"')
