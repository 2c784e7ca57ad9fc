"""Django app config of limits."""

from django.apps import AppConfig


class LimitsConfig(AppConfig):
    name = "limits"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from limits import admin, budget_admin  # noqa: F401  register their pages
        from limits.plans import admin as plans_admin  # noqa: F401
