"""The mails of invitations, through the outbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext

from accounts.mail.languages import day, reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from tenants.access import Actor
from tenants.models import Membership, Organization, User

Role = Membership.Role


@dataclass(frozen=True)
class InvitationLetter:
    """What one invited person is told."""

    invitation_id: UUID
    digest: str  # changes when it is sent again
    email: str
    role: str
    expires_at: datetime
    url: str


def invitation_mail(actor: Actor, letters: Sequence[InvitationLetter]) -> None:
    """Mail these invitations in the name of the actor, after the transaction. Who has no account yet is written to in the actor's language."""
    inviter = User.objects.get(pk=actor.user_id)
    organization = Organization.objects.get(pk=actor.organization_id)
    params = {"inviter": str(inviter), "organization": organization.name}

    def mail(letter: InvitationLetter) -> Mail:
        return _mail(
            letter,
            subject=gettext("%(inviter)s invited you to %(organization)s") % params,
            says=gettext("%(inviter)s invited you to %(organization)s on Parley, as %(role)s.") % {**params, "role": _role(letter.role)},
            closing=[gettext("If you don't know %(inviter)s, ignore this mail: nothing happens.") % params],
        )

    _write(organization, letters, mail, fallback=inviter.language)


def operator_invitation_mail(organization: Organization, letter: InvitationLetter) -> None:
    """Mail an invitation to own an organization, in the name of the platform, after the transaction."""
    params = {"organization": organization.name}

    def mail(letter: InvitationLetter) -> Mail:
        return _mail(
            letter,
            subject=gettext("You are invited to %(organization)s") % params,
            says=gettext("You are invited to %(organization)s on Parley, as %(role)s.") % {**params, "role": _role(letter.role)},
        )

    _write(organization, [letter], mail)


def _mail(letter: InvitationLetter, *, subject: str, says: str, closing: Sequence[str] = ()) -> Mail:
    return Mail(
        kind="invitation",
        subject=" ".join(subject.split()),
        paragraphs=[says, gettext("The link works once, until %(day)s.") % {"day": day(letter.expires_at)}],
        button=(gettext("Join"), letter.url),
        closing=closing,
    )


def _role(role: str) -> str:
    names = {
        Role.OWNER: gettext("owner"),
        Role.ADMIN: gettext("admin"),
        Role.AUDITOR: gettext("auditor"),
        Role.MEMBER: gettext("member"),
        Role.VIEWER: gettext("viewer"),
    }
    return names[Role(role)]


def _write(
    organization: Organization, letters: Sequence[InvitationLetter], mail: Callable[[InvitationLetter], Mail], *, fallback: str = ""
) -> None:
    for letter in letters:
        with reader_language(letter.email, fallback=fallback):
            key = f"invitation:{letter.invitation_id}:{letter.digest[:12]}"
            mail_write(to=letter.email, mail=mail(letter), key=key, organization_id=organization.pk)
