"""Services of invitations for those who invite: send, renew, revoke. What invited people do is in `acceptance`.

Whoever could write an invitation could make owners, so all are written as the auth role.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from accounts.invitations.addresses import Invitee, Reader, domain_problem
from accounts.invitations.mails import InvitationLetter, invitation_mail, operator_invitation_mail
from accounts.invitations.tokens import invitation_url, token_digest, token_new
from accounts.members.membership_transactions import membership_tx
from accounts.members.roles import grantable_roles
from accounts.models import Invitation
from accounts.models.invitations import OPEN
from accounts.organizations.member_policy import DOMAIN, member_policy
from security.audit import audit
from tenants.access import Actor, actor_refresh
from tenants.context import for_acting_member
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.input.short_text import short_text
from tenants.localization.figures import figure
from tenants.models import MemberGroup, Membership, Organization

MAX_OPEN = 2000  # invitations of an organization that wait
MAX_USES = 10_000
MAX_DAYS = 90
OPERATOR_DAYS = 30


@dataclass(frozen=True)
class InvitationTerms:
    """What those who accept get. `days`: until it expires."""

    role: str
    group_ids: tuple[UUID, ...] = ()
    days: int = 7


def reader_for(actor: Actor) -> Reader:
    """Return what checks addresses for this inviter. Four queries."""
    members = Membership.objects.filter(organization_id=actor.organization_id, is_active=True)
    return Reader(
        roles=grantable_roles(actor.role),
        groups={name.lower() for name in MemberGroup.objects.values_list("name", flat=True)},
        domains=member_policy(actor.organization_id).email_domains,
        members=set(members.values_list("user__email", flat=True)),
    )


@for_acting_member
def invitations_send(*, actor: Actor, invitees: Sequence[Invitee], terms: InvitationTerms) -> list[Invitation]:
    """Invite each address that has no problem, and mail it after the commit. An older open invitation of an address ends.

    Raises BadRequest, NotAllowed.
    """
    actor = _inviter(actor)
    valid_invitees = [invitee for invitee in invitees if not invitee.problem]
    roles = {terms.role, *(invitee.role for invitee in valid_invitees if invitee.role)}
    _check_terms(actor, roles, terms.days)
    if Invitation.objects.filter(OPEN).count() + len(valid_invitees) > MAX_OPEN:
        raise BadRequest(
            gettext("More than %(max_open)s invitations are open. Revoke those that nobody needs.") % {"max_open": figure(MAX_OPEN)}
        )
    common = _group_ids(terms.group_ids)
    by_name = {name.lower(): str(pk) for pk, name in MemberGroup.objects.values_list("pk", "name")}
    Invitation.objects.filter(OPEN, email__in=[invitee.email for invitee in valid_invitees]).update(revoked_at=timezone.now())
    texts = [token_new(actor.organization_id) for _ in valid_invitees]
    rows = [
        Invitation(
            email=invitee.email,
            role=invitee.role or terms.role,
            group_ids=sorted({*common, *(by_name[name.lower()] for name in invitee.groups)}),
            digest=token_digest(text),
            invited_by_id=actor.membership_id,
            sent_at=timezone.now(),
            expires_at=_expiry(terms.days),
        )
        for invitee, text in zip(valid_invitees, texts, strict=True)
    ]
    Invitation.objects.bulk_create(rows)
    for row in rows:
        invitation_audit(row, actor.user_id, "invitation.create", {"role": row.role, "groups": row.group_ids})
    invitation_mail(actor, [_letter(row, text) for row, text in zip(rows, texts, strict=True)])
    return rows


def invitation_send_by_operator(*, organization: Organization, email: str, operator_id: int) -> Invitation:
    """Invite an owner in the name of the platform. The caller is the operator's own page."""
    with membership_tx(organization.pk, by_user_id=operator_id):
        return _send_by_operator(organization, email, operator_id)


def _send_by_operator(organization: Organization, email: str, operator_id: int) -> Invitation:
    text = token_new(organization.pk)
    Invitation.objects.filter(OPEN, email=email).update(revoked_at=timezone.now())
    row = Invitation.objects.create(
        email=email,
        role=Membership.Role.OWNER,
        digest=token_digest(text),
        operator_id=operator_id,
        sent_at=timezone.now(),
        expires_at=_expiry(OPERATOR_DAYS),
    )
    invitation_audit(row, operator_id, "invitation.operator.create", {"role": row.role})
    operator_invitation_mail(organization, _letter(row, text))
    return row


@for_acting_member
def invitation_link_create(
    *, actor: Actor, name: str, terms: InvitationTerms, max_uses: int, email_domain: str = ""
) -> tuple[Invitation, str]:
    """Make a link for several people; return its row and its address, which can't be read again. Raises BadRequest, NotAllowed."""
    actor = _inviter(actor)
    _check_terms(actor, {terms.role}, terms.days)
    domain = email_domain.strip().lower().removeprefix("@")
    if terms.role == Membership.Role.OWNER:
        raise BadRequest(gettext("A link can't make owners. Invite their address, or make a member an owner."))
    if not 1 <= max_uses <= MAX_USES:
        raise BadRequest(gettext("A link works for 1 to %(max_uses)s people.") % {"max_uses": figure(MAX_USES)})
    if domain and not DOMAIN.match(domain):
        raise BadRequest(gettext("%(domain)s is not a domain such as example.org.") % {"domain": domain})
    _check_domain(actor, domain)
    text = token_new(actor.organization_id)
    row = Invitation.objects.create(
        name=short_text(name, at_most=60),
        email_domain=domain,
        role=terms.role,
        group_ids=_group_ids(terms.group_ids),
        digest=token_digest(text),
        invited_by_id=actor.membership_id,
        max_uses=max_uses,
        expires_at=_expiry(terms.days),
    )
    invitation_audit(row, actor.user_id, "invitation.create", {"role": row.role, "groups": row.group_ids, "max_uses": max_uses})
    return row, invitation_url(text)


@for_acting_member
def invitation_resend(*, actor: Actor, invitation_id: UUID) -> str:
    """Give the invitation a new token and time, mail it if it has an address, and return the new link. The old link ends.

    The inviter becomes the actor. Raises NotFound, NotAllowed, BadRequest.
    """
    actor = _inviter(actor)
    row = _lock_row(invitation_id)
    if row.uses >= row.max_uses:
        raise BadRequest(gettext("This invitation was accepted already."))
    _check_terms(actor, {row.role}, 1)
    _check_domain(actor, row.domain)
    days = member_policy(actor.organization_id).invitation_days
    text = token_new(actor.organization_id)
    row.digest, row.expires_at, row.revoked_at = token_digest(text), _expiry(days), None
    row.invited_by_id, row.operator_id = actor.membership_id, None
    row.sent_at = timezone.now() if row.email else None
    row.save(update_fields=["digest", "expires_at", "revoked_at", "invited_by", "operator_id", "sent_at"])
    invitation_audit(row, actor.user_id, "invitation.resend", {"role": row.role})
    if row.email:
        invitation_mail(actor, [_letter(row, text)])
    return invitation_url(text)


@for_acting_member
def invitation_revoke(*, actor: Actor, invitation_id: UUID) -> None:
    """End the invitation. Raises NotFound, NotAllowed."""
    actor = _inviter(actor)
    row = _lock_row(invitation_id)
    if row.revoked_at is None:
        row.revoked_at = timezone.now()
        row.save(update_fields=["revoked_at"])
        invitation_audit(row, actor.user_id, "invitation.revoke", {})


def _inviter(actor: Actor) -> Actor:
    current = actor_refresh(actor, lock=True)
    if not current.can_administer:
        raise NotAllowed(gettext("Only owners and admins of the organization may invite."))
    return current


def _check_terms(actor: Actor, roles: Iterable[str], days: int) -> None:
    if not set(roles) <= set(grantable_roles(actor.role)):
        raise NotAllowed(gettext("Nobody can give a role with more rights than their own."))
    if not 1 <= days <= MAX_DAYS:
        raise BadRequest(gettext("An invitation lasts from 1 to %(max_days)s days.") % {"max_days": MAX_DAYS})


def _check_domain(actor: Actor, domain: str) -> None:
    """Raise BadRequest if the organization does not allow the domain. "" names none, and then only allowed addresses are accepted."""
    if domain and (problem := domain_problem(domain, member_policy(actor.organization_id).email_domains)):
        raise BadRequest(problem)


def _group_ids(group_ids: Collection[UUID]) -> list[str]:
    existing = MemberGroup.objects.filter(pk__in=group_ids).values_list("pk", flat=True)
    if len(existing) != len(set(group_ids)):
        raise NotFound
    return sorted(map(str, existing))


def _lock_row(invitation_id: UUID) -> Invitation:
    row = Invitation.objects.select_for_update(no_key=True).filter(Q(pk=invitation_id)).first()
    if row is None:
        raise NotFound
    return row


def _letter(row: Invitation, text: str) -> InvitationLetter:
    return InvitationLetter(row.pk, row.digest, row.email, row.role, row.expires_at, invitation_url(text))


def _expiry(days: int) -> Any:
    return timezone.now() + timedelta(days=days)


def invitation_audit(row: Invitation, by_user_id: int | None, action: str, detail: dict[str, Any]) -> None:
    """Write an event about the invitation into its organization's log."""
    audit(
        organization_id=row.organization_id,
        actor_user_id=by_user_id,
        action=action,
        object_kind="invitation",
        object_id=row.pk,
        detail=detail,
    )
