from __future__ import annotations

from django.apps import AppConfig


class ProcessConfig(AppConfig):
    """The wiring of each process: importing the Celery app makes it the one that `.delay()` uses."""

    name = "config"
    verbose_name = "Configuration"

    def ready(self) -> None:
        from config import celery  # noqa: F401
