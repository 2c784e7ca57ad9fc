"""The mails of invitations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from tenants.access import Actor
from tenants.models import Organization, User

Letter = tuple[str, str, datetime, str]  # address, role, end, link


def invitation_mail(actor: Actor, letters: Sequence[Letter]) -> None:
    """Mail these invitations in the name of the actor."""
    inviter = User.objects.get(pk=actor.user_id)
    organization = Organization.objects.get(pk=actor.organization_id)
    for email, role, expires_at, url in letters:
        _write(
            email,
            subject=f"{inviter} invited you to {organization.name}",
            first=f"{inviter} invited you to {organization.name} on Parley as {role}.",
            expires_at=expires_at,
            button=(f"Join {organization.name}", url),
            closing=[f"If you don't know {inviter}, ignore this mail: nothing happens."],
        )


def operator_invitation_mail(organization: Organization, email: str, expires_at: datetime, url: str) -> None:
    """Mail an invitation to own an organization, in the name of the platform."""
    _write(
        email,
        subject=f"You are invited to {organization.name}",
        first=f"You are invited to {organization.name} on Parley as its owner.",
        expires_at=expires_at,
        button=(f"Join {organization.name}", url),
        closing=[],
    )


def _write(email: str, *, subject: str, first: str, expires_at: datetime, button: tuple[str, str], closing: Sequence[str]) -> None:
    once = f"The link works once, until {expires_at:%-d %B %Y}."
    mail_write(to=email, mail=Mail("invitation", " ".join(subject.split()), [first, once], button=button, closing=closing))
