"""The Django app configuration of the project itself."""

from __future__ import annotations

from django.apps import AppConfig


class ProcessConfig(AppConfig):
    """Sets up every process: makes our Celery app the current one, which `.delay()` uses, and connects the sign-in signals."""

    name = "config"
    verbose_name = "Configuration"

    def ready(self) -> None:
        from config import celery, sign_in  # noqa: F401
