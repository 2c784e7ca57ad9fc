"""Django app config of security."""

from django.apps import AppConfig


class SecurityConfig(AppConfig):
    """Secrets, outgoing requests, audit log and redaction."""

    name = "security"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from security.secrets.resealing import reseal_add
        from security.secrets.services import secrets_rotate
        from tenants.deletion.registry import REGISTRY

        reseal_add(secrets_rotate)
        REGISTRY.keep("security.AuditEvent")
        REGISTRY.keep_policy("audit_days", "audit_addresses")
        REGISTRY.add_owned("security.MemberKey", "secret")
        REGISTRY.add_owned("security.RegisteredSecret", "secret")
        from security.audit import sign_ins  # noqa: F401  connects its receivers
