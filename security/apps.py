from django.apps import AppConfig


class SecurityConfig(AppConfig):
    """Secrets, the door to the outside, audit and redaction."""

    name = "security"
    default_auto_field = "django.db.models.BigAutoField"
