"""Celery task of limits. It is idempotent (SECURITY 32)."""

from __future__ import annotations

from celery import shared_task

from limits.plans import services


@shared_task(name="limits.tasks.plans_apply", expires=60)
def plans_apply() -> int:
    """Bring changed plans to the organizations that have them, and the default plan to those without one. Return to how many."""
    return services.plans_apply()
