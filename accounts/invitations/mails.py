"""The mails of invitations, through the outbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from tenants.access import Actor
from tenants.models import Organization, User


@dataclass(frozen=True)
class Letter:
    """What one invited person is told."""

    invitation_id: UUID
    digest: str  # changes when it is sent again
    email: str
    role: str
    expires_at: datetime
    url: str


def invitation_mail(actor: Actor, letters: Sequence[Letter]) -> None:
    """Mail these invitations in the name of the actor, after the transaction."""
    inviter = User.objects.get(pk=actor.user_id)
    organization = Organization.objects.get(pk=actor.organization_id)
    for letter in letters:
        closing = [f"If you don't know {inviter}, ignore this mail: nothing happens."]
        _write(letter, f"{inviter} invited you to {organization.name}", f"{inviter} invited you to {organization.name}", closing)


def operator_invitation_mail(organization: Organization, letter: Letter) -> None:
    """Mail an invitation to own an organization, in the name of the platform, after the transaction."""
    _write(letter, f"You are invited to {organization.name}", f"You are invited to {organization.name}", [])


def _write(letter: Letter, subject: str, says: str, closing: Sequence[str]) -> None:
    mail = Mail(
        kind="invitation",
        subject=" ".join(subject.split()),
        paragraphs=[f"{says} on Parley, as {letter.role}.", f"The link works once, until {letter.expires_at:%-d %B %Y}."],
        button=("Join", letter.url),
        closing=closing,
    )
    mail_write(to=letter.email, mail=mail, key=f"invitation:{letter.invitation_id}:{letter.digest[:12]}")
