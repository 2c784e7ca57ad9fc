"""What invited people do: they find an invitation by the token of its link, which names the organization, and accept it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from accounts.invitations.services import invitation_audit
from accounts.invitations.tokens import token_digest, token_organization
from accounts.members.membership_transactions import membership_tx
from accounts.members.roles import grantable_roles
from accounts.members.services import places_set
from accounts.models import Invitation
from accounts.organizations.member_policy import MemberPolicy
from tenants.context import tenant_tx
from tenants.errors import NotAllowed, NotFound
from tenants.models import MemberGroup, Membership, Organization, User

State = Literal["open", "expired", "used", "revoked", "disallowed"]  # disallowed: the organization no longer allows its domain


@dataclass(frozen=True)
class InvitationDetails:
    """An invitation as the invited person sees it."""

    row: Invitation
    organization: Organization
    inviter: str
    state: State

    @property
    def domains(self) -> tuple[str, ...]:
        return accepted_domains(self.row)


def invitation_find(text: str) -> InvitationDetails:
    """Return the invitation of this token, whatever its state. Opens the organization's transaction. Raises NotFound."""
    organization_id = token_organization(text)
    with tenant_tx(organization_id):
        row = Invitation.objects.select_related("organization", "invited_by__user").filter(digest=token_digest(text)).first()
        if row is None or not row.organization.is_active:
            raise NotFound
        return _with_state(row)


def invitation_accept(*, user: User, text: str, addresses: Collection[str]) -> Membership:
    """Make the user a member, or leave a member as they are, and return the membership. Opens the organization's transaction.

    The database asks what the inviter, or the operator, may give today. `addresses`: those that the user has proven to own. Raises NotFound,
    NotAllowed with a sentence for the user.
    """
    with membership_tx(token_organization(text), by_user_id=None):
        rows = Invitation.objects.select_for_update(of=("self",), no_key=True).select_related("organization", "invited_by__user")
        row = rows.filter(digest=token_digest(text)).first()
        if row is None or not row.organization.is_active:
            raise NotFound
        own = Membership.objects.select_for_update(no_key=True).filter(organization_id=row.organization_id, user=user).first()
        if own is not None and own.is_active:
            return own
        details = _with_state(row)
        if details.state == "disallowed":
            raise NotAllowed(disallowed_text(row))
        if details.state != "open":
            raise NotAllowed(gettext("This invitation does not work any more. Ask for a new one."))
        if not accepts(row, addresses):
            raise NotAllowed(_whose_it_is(row))
        with membership_tx(row.organization_id, by_user_id=row.invited_by.user_id if row.invited_by else row.operator_id):
            member = _join(row, own, user)
        Invitation.objects.filter(pk=row.pk).update(uses=F("uses") + 1)
        groups = MemberGroup.objects.filter(pk__in=row.group_ids).values_list("pk", flat=True)
        places_set(member=member, group_ids=list(groups), by_user_id=user.pk)
        invitation_audit(row, user.pk, "invitation.accept", {"membership": str(member.pk), "role": row.role})
        return member


def accepts(row: Invitation, addresses: Collection[str]) -> bool:
    """Return whether somebody who owns these addresses may use the invitation, which is open."""
    if row.email:
        return row.email in addresses
    domains = accepted_domains(row)
    return not domains or any(address.rsplit("@", 1)[-1] in domains for address in addresses)


def accepted_domains(row: Invitation) -> tuple[str, ...]:
    """Return the domains of which an address must be: the invitation's own, else the organization's; none: every address."""
    return (row.domain,) if row.domain else _allowed_domains(row)


def _allowed_domains(row: Invitation) -> tuple[str, ...]:
    """Return the domains that the organization allows today. The platform's operator, who may bring an owner from elsewhere, isn't bound."""
    return () if row.operator_id is not None else MemberPolicy.model_validate(row.organization.policy or {}).email_domains


def disallowed_text(row: Invitation) -> str:
    return gettext("%(organization)s no longer allows addresses of %(domain)s.") % {
        "organization": row.organization.name,
        "domain": row.domain,
    }


def _whose_it_is(row: Invitation) -> str:
    if row.email:
        return gettext("This invitation is for another e-mail address.")
    return gettext("This invitation is for addresses of %(domain)s.") % {"domain": ", ".join(accepted_domains(row))}


def _join(row: Invitation, own: Membership | None, user: User) -> Membership:
    if own is None:
        return Membership.objects.create(organization_id=row.organization_id, user=user, role=row.role)
    if own.removed_at is None:
        raise NotAllowed(gettext("Your access to this organization is switched off. Ask one of its admins."))
    if own.removed_at > (row.sent_at or row.created_at):
        raise NotAllowed(gettext("This invitation does not work any more. Ask for a new one."))
    own.role, own.is_active, own.removed_at, own.cleared_at = row.role, True, None, None
    own.save(update_fields=["role", "is_active", "removed_at", "cleared_at"])
    return own


def _with_state(row: Invitation) -> InvitationDetails:
    inviter = row.invited_by
    state = invitation_state(row)
    if state == "open" and row.operator_id is not None and not _is_operator(row.operator_id):
        state = "revoked"
    return InvitationDetails(row, row.organization, str(inviter.user) if inviter else "", state)


def _is_operator(user_id: int) -> bool:
    return User.objects.filter(pk=user_id, is_superuser=True, is_active=True).exists()


def invitation_state(row: Invitation) -> State:
    """Return whether the invitation works. Nobody's gives more than they may give today. Needs `invited_by` and `organization`."""
    inviter = row.invited_by
    if row.uses >= row.max_uses:
        return "used"
    if row.revoked_at is not None:
        return "revoked"
    if row.expires_at <= timezone.now():
        return "expired"
    may_invite = inviter is not None and inviter.is_active and row.role in grantable_roles(inviter.role)
    if not (row.operator_id is not None or may_invite):
        return "revoked"
    allowed_domains = _allowed_domains(row)
    if row.domain and allowed_domains and row.domain not in allowed_domains:
        return "disallowed"
    return "open"
