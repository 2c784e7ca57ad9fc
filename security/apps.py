"""Django app config of security."""

from django.apps import AppConfig


class SecurityConfig(AppConfig):
    """Secrets, outgoing requests, audit log and redaction."""

    name = "security"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from security.audit import sign_ins  # noqa: F401  connects its receivers
