"""Django app config of evaluations."""

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    name = "evaluations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from evaluations import admin  # noqa: F401  registers its pages
