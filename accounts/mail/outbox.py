"""The outbox: a mail is written with what it tells about, claimed before it is sent, and handed to the mail server at most once."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPException, SMTPNotSupportedError, SMTPRecipientsRefused, SMTPResponseException
from uuid import UUID, uuid4

import structlog
from celery import current_app
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.db import connections, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import KombuError

from accounts.mail.message import Mail
from accounts.models import OutgoingMail
from tenants.context import current_alias
from tenants.input.visible_text import visible_line
from tenants.lanes.table import ORGANIZATION

log = structlog.get_logger(__name__)

State = OutgoingMail.State
MAX_ATTEMPTS = 8
FIRST_RETRY = timedelta(minutes=1)  # doubles: the last try comes two hours after the first
SENDING_TIMEOUT = timedelta(minutes=10)  # far over the mail server's time limit
KEEP = timedelta(days=30)
MAX_PER_ADDRESS_AND_HOUR = 30
MAIL_TASK_S = 300  # then its task is dropped; a sweep each minute finds the mail
MAIL_ERRORS = (SMTPException, OSError)


class DeliveryUncertain(Exception):
    """The connection broke while the mail was handed over: the server may have it."""


def mail_write(*, to: str, mail: Mail, key: str | None = None, organization_id: UUID | None = None) -> OutgoingMail | None:
    """Write a mail to `to`, which goes out after the transaction. Return None if it was written before, or if the address got too many.

    `key`: names this very mail, such as "invitation:<id>:2"; a second one with the same key is not written. `organization_id`: whose matter
    it is, for its audit log.
    """
    hour_ago = timezone.now() - timedelta(hours=1)
    if OutgoingMail.objects.filter(recipient=to, created_at__gt=hour_ago).count() >= MAX_PER_ADDRESS_AND_HOUR:
        log.warning("mail_refused", kind=mail.kind)
        return None
    goes_out = bool(settings.EMAIL_HOST)
    now = timezone.now()
    outgoing_mail = OutgoingMail(
        key=key,
        kind=mail.kind,
        recipient=to,
        about_organization_id=organization_id,
        subject=visible_line(mail.subject)[:200],  # names and titles are in it, and a header is one line
        text=mail.as_text(),
        html=mail.as_html(),
        state=State.WAITING if goes_out else State.KEPT,
        next_try_at=now if goes_out else None,
    )
    if not _insert(outgoing_mail):
        return None
    if goes_out:
        transaction.on_commit(lambda: _hand_over(outgoing_mail.pk, organization_id), using=current_alias())
    return outgoing_mail


def _insert(mail: OutgoingMail) -> bool:
    """Insert the mail in the caller's transaction, whichever role it has: the app role may add mails, but not read them.

    Return False if one with its key is there.
    """
    connection = connections[current_alias()]
    fields = OutgoingMail._meta.local_concrete_fields
    values = [field.get_db_prep_save(field.pre_save(mail, add=True), connection) for field in fields]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    table = OutgoingMail._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f'insert into "{table}" ({columns}) values ({marks}) on conflict do nothing', values)  # noqa: S608  our own names
        return bool(cursor.rowcount)


def _hand_over(mail_id: UUID, organization_id: UUID | None) -> None:
    """Let a worker send the mail. Without a queue it waits for the next sweep."""
    headers = {ORGANIZATION: str(organization_id or "")}
    try:
        current_app.send_task("accounts.tasks.mail_send", (str(mail_id),), expires=MAIL_TASK_S, retry=False, headers=headers)
    except (KombuError, OSError) as error:
        log.warning("mail_waits", reason=type(error).__name__)


def mail_deliver(*, mail_id: UUID) -> bool:
    """Send the mail if it is due and nobody else does. Return whether it went out."""
    now = timezone.now()
    due_mail = OutgoingMail.objects.filter(pk=mail_id, state=State.WAITING, next_try_at__lte=now)
    if not due_mail.update(state=State.SENDING, attempts=F("attempts") + 1, changed_at=now):
        return False
    mail = OutgoingMail.objects.get(pk=mail_id)
    try:
        mail_hand_over(mail_message(recipient=mail.recipient, subject=mail.subject, text=mail.text, html=mail.html, mail_id=mail.pk))
    except DeliveryUncertain as error:
        _close_unclear(OutgoingMail.objects.filter(pk=mail_id), error=type(error.__cause__).__name__)
        log.warning("mail_unclear", mail_id=str(mail_id), kind=mail.kind)
        return False
    except MAIL_ERRORS as error:
        _put_back(mail, type(error).__name__)
        return False
    OutgoingMail.objects.filter(pk=mail_id).update(
        state=State.SENT, text="", html="", error="", next_try_at=None, changed_at=timezone.now()
    )
    log.info("mail_sent", mail_id=str(mail_id), kind=mail.kind)
    return True


def _put_back(mail: OutgoingMail, error: str) -> None:
    """Plan the next try, or give up. The error's text is not kept: mail servers repeat addresses and content in it."""
    is_over = mail.attempts >= MAX_ATTEMPTS
    OutgoingMail.objects.filter(pk=mail.pk).update(
        state=State.FAILED if is_over else State.WAITING,
        next_try_at=None if is_over else timezone.now() + FIRST_RETRY * 2 ** (mail.attempts - 1),
        error=error,
        changed_at=timezone.now(),
    )
    log.warning("mail_not_sent", mail_id=str(mail.pk), kind=mail.kind, error=error, gives_up=is_over)


def mail_hand_over(message: EmailMultiAlternatives) -> None:
    """Give the message to the mail server. Raises MAIL_ERRORS if the server has not taken it, DeliveryUncertain if nobody knows.

    Once the text is on its way, only the server's answer tells whether it has the mail: without one, another try could send it twice.
    """
    with get_connection() as connection:
        message.connection = connection
        try:
            message.send()
        except (SMTPResponseException, SMTPRecipientsRefused, SMTPNotSupportedError):
            raise
        except MAIL_ERRORS as error:
            raise DeliveryUncertain from error


def _close_unclear(mails: QuerySet[OutgoingMail], *, error: str) -> None:
    mails.update(state=State.UNCLEAR, text="", html="", error=error, next_try_at=None, changed_at=timezone.now())


def mail_message(*, recipient: str, subject: str, text: str, html: str, mail_id: UUID | None = None) -> EmailMultiAlternatives:
    """Return the message as it goes out. Every try of one mail has the same Message-ID, by which mail programs can tell that it is one."""
    host = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">")
    headers = {"Message-ID": f"<{mail_id or uuid4()}@{host}>", "Auto-Submitted": "auto-generated"}
    message = EmailMultiAlternatives(subject, text, settings.DEFAULT_FROM_EMAIL, [recipient], headers=headers)
    message.attach_alternative(html, "text/html")
    return message


def mails_due() -> list[UUID]:
    """Return the mails whose time to be tried (again) has come, and close those that a process left behind while it sent them."""
    now = timezone.now()
    _close_unclear(OutgoingMail.objects.filter(state=State.SENDING, changed_at__lt=now - SENDING_TIMEOUT), error="process ended")
    due = OutgoingMail.objects.filter(state=State.WAITING, next_try_at__lte=now).order_by("next_try_at")
    return [*due.values_list("pk", flat=True)[:500]]


def mails_forget() -> int:
    """Delete mails that are older than KEEP; return how many."""
    old = OutgoingMail.objects.filter(~Q(state=State.WAITING), created_at__lt=timezone.now() - KEEP)
    return old.delete()[0]
