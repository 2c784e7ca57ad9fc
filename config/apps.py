"""The Django app configuration of the project itself."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class ProcessConfig(AppConfig):
    """Sets up every process: makes our Celery app the current one, which `.delay()` uses."""

    name = "config"
    verbose_name = gettext_lazy("Configuration")

    def ready(self) -> None:
        from config import celery  # noqa: F401
