"""Celery tasks of accounts. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from celery import shared_task

from accounts.members.clearing import removed_members_clear
from accounts.organizations.services import organizations_delete_due
from accounts.profile.services import users_delete_due


@shared_task(name="accounts.tasks.removed_members_clear", expires=3600)
def removed_members_clear_task() -> int:
    """Delete what removed members still own when their organization's days are over; return of how many."""
    return removed_members_clear()


@shared_task(name="accounts.tasks.deletions_due", expires=3600)
def deletions_due() -> int:
    """Delete the accounts and organizations whose days are over; return how many."""
    return users_delete_due() + organizations_delete_due()
