"""Celery tasks of accounts. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from accounts.mail.outbox import mail_deliver, mails_due, mails_forget


@shared_task(name="accounts.tasks.mail_send")
def mail_send(mail_id: str) -> bool:
    """Send one mail; return whether it went out now."""
    return mail_deliver(mail_id=UUID(mail_id))


@shared_task(name="accounts.tasks.mails_send", expires=60)
def mails_send() -> int:
    """Send all mails that are due, such as those of a failed try; return how many went out."""
    return sum(mail_deliver(mail_id=mail_id) for mail_id in mails_due())


@shared_task(name="accounts.tasks.mails_forget", expires=3600)
def mails_forget_old() -> int:
    """Delete old mails; return how many."""
    return mails_forget()
