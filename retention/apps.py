"""Django app config of retention."""

from django.apps import AppConfig


class RetentionConfig(AppConfig):
    name = "retention"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from retention import admin  # noqa: F401  registers its page
