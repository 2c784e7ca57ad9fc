"""Whether the mail server takes our mails: found out at the start of a worker, every ten minutes, and when the operator asks.

A server that is away stops nothing: mails wait (accounts.mail.outbox), and the operator's pages and the log say what is wrong.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.core.cache import cache
from django.core.mail import get_connection
from django.utils import timezone
from django.utils.translation import gettext
from redis.exceptions import RedisError

from accounts.mail.message import Mail
from accounts.mail.outbox import MAIL_ERRORS, DeliveryUncertain, mail_hand_over, mail_message

log = structlog.get_logger(__name__)

KEY = "mail-server"
KEPT_S = 24 * 3600


@dataclass(frozen=True)
class MailServerState:
    """What the last check found. `problem`: what is wrong and what to do; empty if nothing is."""

    problem: str
    checked_at: datetime


def mail_server_check() -> MailServerState:
    """Connect and sign in to the mail server, and keep what came of it for the pages. Sends nothing. Takes at most EMAIL_TIMEOUT for each step."""
    state = MailServerState(_try(), timezone.now())
    try:
        cache.set(KEY, {"problem": state.problem, "checked_at": state.checked_at.isoformat()}, KEPT_S)
    except (RedisError, OSError) as error:
        log.warning("mail_server_state_not_kept", reason=type(error).__name__)
    if state.problem:
        log.warning("mail_server_unusable", what_to_do=state.problem)
    return state


def mail_server_state() -> MailServerState | None:
    """Return what the last check found; None if it is not known."""
    try:
        entry: dict[str, Any] | None = cache.get(KEY)
    except (RedisError, OSError):
        return None
    return MailServerState(entry["problem"], datetime.fromisoformat(entry["checked_at"])) if entry else None


def mail_try(recipient: str) -> str:
    """Send a mail to the operator at once, past the outbox. Return what is wrong and what to do; empty if the server took it."""
    mail = Mail(kind="try", subject=gettext("Parley can send mail"), paragraphs=[gettext("This is the test mail that you asked for.")])
    message = mail_message(recipient=recipient, subject=mail.subject, text=mail.as_text(), html=mail.as_html())
    try:
        mail_hand_over(message)
    except DeliveryUncertain:
        return gettext(
            "The mail server %(email_host)s:%(email_port)s broke off while it took the mail, which may arrive or not. Look into its log."
        ) % {"email_host": settings.EMAIL_HOST, "email_port": settings.EMAIL_PORT}
    except MAIL_ERRORS as error:
        return problem_of(error)
    return ""


def _try() -> str:
    if not settings.EMAIL_HOST:
        return ""
    connection = get_connection()
    try:
        connection.open()
    except MAIL_ERRORS as error:
        return problem_of(error)
    finally:
        connection.close()
    return ""


def problem_of(error: Exception) -> str:
    """Return a sentence about what is wrong and what to do. The error's own text is left out: mail servers repeat addresses in it."""
    place = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    match error:
        case smtplib.SMTPAuthenticationError():
            return gettext("The mail server %(place)s refuses user name or password. Check them in EMAIL_URL.") % {"place": place}
        case smtplib.SMTPNotSupportedError():
            return gettext(
                "The mail server %(place)s does not offer what EMAIL_URL asks for (STARTTLS or a sign-in). Check its port and scheme."
            ) % {"place": place}
        case smtplib.SMTPSenderRefused():
            return gettext("The mail server %(place)s refuses the sender. Check EMAIL_FROM.") % {"place": place}
        case smtplib.SMTPRecipientsRefused():
            return gettext("The mail server %(place)s refuses the recipient's address.") % {"place": place}
        case ssl.SSLCertVerificationError():
            return gettext("The certificate of the mail server %(place)s is not valid for that name. Check the host in EMAIL_URL.") % {
                "place": place
            }
        case ssl.SSLError():
            return gettext(
                "The mail server %(place)s speaks no TLS there. Use smtp:// for STARTTLS or smtps:// for TLS from the first byte."
            ) % {"place": place}
        case socket.gaierror():
            return gettext("The name of the mail server %(place)s can't be found. Check EMAIL_URL, and the DNS of this machine.") % {
                "place": place
            }
        case ConnectionRefusedError():
            return gettext("Nothing answers at %(place)s. Check host and port in EMAIL_URL, and that the mail server runs.") % {
                "place": place
            }
        case TimeoutError():
            return gettext("The mail server %(place)s did not answer within %(email_timeout)s s. Check EMAIL_URL and the firewall.") % {
                "place": place,
                "email_timeout": settings.EMAIL_TIMEOUT,
            }
        case _:
            return gettext("The mail server %(place)s did not take the mail (%(name)s). Check EMAIL_URL and EMAIL_FROM.") % {
                "place": place,
                "name": type(error).__name__,
            }
