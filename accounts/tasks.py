"""Celery tasks of accounts. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from accounts.mail.outbox import mail_deliver, mails_due, mails_forget
from accounts.mail.server import mail_server_check
from accounts.members.purging import removed_members_purge
from accounts.organizations.budget_mails import budgets_alert
from accounts.organizations.refusal_mails import refusals_warn
from accounts.organizations.services import organizations_delete_due
from accounts.profile.personal_exports import export_make, exports_forget
from accounts.profile.services import users_delete_due
from accounts.sessions.policy import sessions_end_by_policy
from accounts.sso.domains import domains_check_again
from accounts.sso.reminders import secrets_remind
from tenants.rounds import rows_round


@shared_task(name="accounts.tasks.removed_members_purge", expires=3600)
def removed_members_purge_task() -> int:
    """Delete what removed members still own when their organization's days are over; return of how many."""
    return removed_members_purge()


@shared_task(name="accounts.tasks.deletions_due", expires=3600)
def deletions_due() -> int:
    """Delete the organizations and accounts whose days are over; return how many. An organization goes before its only owner can."""
    return organizations_delete_due() + users_delete_due()


@shared_task(name="accounts.tasks.domains_check", expires=3600)
def domains_check() -> int:
    """Check the DNS records of proven domains again; return how many are still there."""
    return domains_check_again()


@shared_task(name="accounts.tasks.secrets_remind", expires=3600)
def secrets_remind_task() -> int:
    """Remind owners that the client secret of their sign-on ends; return how many mails were written."""
    return secrets_remind()


@shared_task(name="accounts.tasks.budgets_alert", expires=300)
def budgets_alert_task() -> int:
    """Tell owners how much of their budgets is spent; return how many mails were written."""
    return budgets_alert()


@shared_task(name="accounts.tasks.refusals_warn", expires=300)
def refusals_warn_task() -> int:
    """Tell owners of limits that refuse again and again; return how many mails were written."""
    return refusals_warn()


@shared_task(name="accounts.tasks.mail_server_check", expires=60)
def mail_server_check_task() -> bool:
    """Find out whether the mail server takes mails; return whether it does, or is not set."""
    return not mail_server_check().problem


@shared_task(name="accounts.tasks.mail_send")
def mail_send(mail_id: str) -> bool:
    """Send one mail; return whether it went out now."""
    return mail_deliver(mail_id=UUID(mail_id))


@shared_task(name="accounts.tasks.mails_send", expires=60)
def mails_send() -> int:
    """Send all mails that are due, such as those of a failed try; return how many went out."""
    return rows_round(mail_deliver, [{"mail_id": mail_id} for mail_id in mails_due()], failure="mail_not_delivered")


@shared_task(name="accounts.tasks.mails_forget", expires=3600)
def mails_forget_old() -> int:
    """Delete old mails; return how many."""
    return mails_forget()


@shared_task(name="accounts.tasks.sessions_end_by_policy", expires=60)
def sessions_end_by_policy_task() -> int:
    """End the sessions that last or rest longer than an organization of their user allows; return how many."""
    return sessions_end_by_policy()


@shared_task(name="accounts.tasks.personal_export_make")
def personal_export_make(organization_id: str, export_id: str) -> int:
    """Make the file of a member's export of their data; return how many things are in it."""
    return export_make(organization_id=UUID(organization_id), export_id=UUID(export_id))


@shared_task(name="accounts.tasks.personal_exports_forget", expires=3600)
def personal_exports_forget() -> int:
    """Delete old exports of members' data; return how many."""
    return exports_forget()
