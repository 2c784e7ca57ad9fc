"""Django app config of sharing."""

from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "sharing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from sharing import admin  # noqa: F401  registers its page
