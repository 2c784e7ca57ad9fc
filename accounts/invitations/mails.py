"""The mails of invitations and of members' changes, sent after the commit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from tenants.access import Actor
from tenants.models import Organization, User

log = structlog.get_logger(__name__)

Letter = tuple[str, str, datetime, str]  # address, role, end, link


def invitation_mail(actor: Actor, letters: Sequence[Letter]) -> None:
    """Mail these invitations in the name of the actor."""
    inviter = User.objects.get(pk=actor.user_id)
    organization = Organization.objects.get(pk=actor.organization_id)
    for email, role, expires_at, url in letters:
        context = {"inviter": str(inviter), "organization": organization.name, "role": role, "expires_at": expires_at, "url": url}
        mail_after_commit(email, f"{inviter} invited you to {organization.name}", "invitation", context)


def mail_after_commit(to: str, subject: str, template: str, context: dict[str, object]) -> None:
    """Send `templates/mail/<template>.txt` when the transaction has committed. A mail server that is away is logged."""
    text = render_to_string(f"mail/{template}.txt", context)
    transaction.on_commit(partial(_send, to, " ".join(subject.split()), text))


def _send(to: str, subject: str, text: str) -> None:
    try:
        send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [to])
    except OSError as error:  # smtplib's errors are among them
        log.warning("mail_not_sent", reason=type(error).__name__)
