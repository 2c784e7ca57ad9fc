"""Django app config of security."""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


class SecurityConfig(AppConfig):
    """Secrets, outgoing requests, audit log and redaction."""

    name = "security"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tenants.deletion.registry import REGISTRY

        REGISTRY.keep("security.AuditEvent")
        REGISTRY.keep_policy("audit_days", "audit_addresses")
        REGISTRY.add_owned("security.MemberKey", "secret")
        REGISTRY.add_owned("security.RegisteredSecret", "secret")
        from security.audit import sign_ins  # noqa: F401  connects its receivers

        post_migrate.connect(_set_audit_rights, sender=self)


def _set_audit_rights(using: str, **kwargs: Any) -> None:
    """Set the rights on the audit logs anew: in a restored copy, tables have the database's default rights."""
    from security.audit_sql import rights

    with connections[using].cursor() as cursor:
        cursor.execute("select to_regclass('security_platformevent')")
        if cursor.fetchone() != (None,):
            cursor.execute(rights())
