"""Celery tasks of tenants. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from celery import shared_task

from tenants.authentication.sessions import SessionStore
from tenants.rest.idempotency import answers_expire


@shared_task(name="tenants.tasks.idempotent_answers_expire", expires=3600)
def idempotent_answers_expire() -> int:
    """Delete the stored answers to POSTs that are older than a day; return how many."""
    return answers_expire()


@shared_task(name="tenants.tasks.sessions_clear", expires=3600)
def sessions_clear() -> None:
    """Delete expired sessions, as Django's `clearsessions` does."""
    SessionStore.clear_expired()
