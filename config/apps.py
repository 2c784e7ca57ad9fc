from __future__ import annotations

from django.apps import AppConfig


class ProcessConfig(AppConfig):
    """The wiring of each process: the Celery app becomes the one that `.delay()` uses, and sign-ins are noted."""

    name = "config"
    verbose_name = "Configuration"

    def ready(self) -> None:
        from config import celery, sign_in  # noqa: F401
