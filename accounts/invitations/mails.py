"""The mails of invitations and of members' changes, sent after the commit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from tenants.access import Actor
from tenants.models import Organization, User

log = structlog.get_logger(__name__)

Letter = tuple[str, str, datetime, str]  # address, role, end, link


def invitation_mail(actor: Actor, letters: Sequence[Letter]) -> None:
    """Mail these invitations in the name of the actor."""
    inviter = User.objects.get(pk=actor.user_id)
    organization = Organization.objects.get(pk=actor.organization_id)
    for email, role, expires_at, url in letters:
        text = (
            f"{inviter} invited you to {organization.name} on Parley as {role}.\n\n"
            f"Open this link to join. It works once, until {expires_at:%-d %B %Y}:\n\n{url}\n\n"
            f"If you don't know {inviter}, ignore this mail: nothing happens.\n"
        )
        mail_after_commit(email, f"{inviter} invited you to {organization.name}", text)


def operator_invitation_mail(organization: Organization, email: str, expires_at: datetime, url: str) -> None:
    """Mail an invitation to own an organization, in the name of the platform."""
    text = (
        f"You are invited to {organization.name} on Parley as its owner.\n\n"
        f"Open this link to join. It works once, until {expires_at:%-d %B %Y}:\n\n{url}\n"
    )
    mail_after_commit(email, f"You are invited to {organization.name}", text)


def mail_after_commit(to: str, subject: str, text: str) -> None:
    """Send the mail when the transaction has committed. A mail server that is away is logged."""
    transaction.on_commit(partial(_send, to, " ".join(subject.split()), text))


def _send(to: str, subject: str, text: str) -> None:
    try:
        send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [to])
    except OSError as error:  # smtplib's errors are among them
        log.warning("mail_not_sent", reason=type(error).__name__)
