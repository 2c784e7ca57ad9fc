"""What an organization's single sign-on may change about members, with no person who acts (docs/decisions/0030).

The database checks it too (tenants.postgres.membership_guard): only roles below owner, and only of people whose access has not ended. In the
audit log the platform acts, with `by: sign_on`.
"""

from __future__ import annotations

from uuid import UUID

from accounts.members.errors import RightsTooHigh
from accounts.members.membership_transactions import membership_tx
from accounts.members.services import member_get_locked, membership_audit
from tenants.context import sign_on_act
from tenants.errors import NotFound
from tenants.models import Membership, User

Role = Membership.Role
DETAIL = {"by": "sign_on"}


def sign_on_join(*, organization_id: UUID, user: User, role: str) -> Membership:
    """Make a person who has no membership here a member with this role. Raises RightsTooHigh for the role of owners."""
    _check_role(role)
    with membership_tx(organization_id, by_user_id=None):
        with sign_on_act():
            member = Membership.objects.create(organization_id=organization_id, user=user, role=role)
        membership_audit(member, None, "membership.create", DETAIL, after={"role": role})
        return member


def sign_on_role_set(*, organization_id: UUID, membership_id: UUID, role: str) -> None:
    """Give the member this role. Owners keep theirs: a provider can't take the organization away from them.

    Raises RightsTooHigh for the role of owners, NotFound (also when the access has ended).
    """
    _check_role(role)
    with membership_tx(organization_id, by_user_id=None):
        member = member_get_locked(organization_id=organization_id, membership_id=membership_id)
        if not member.is_active:
            raise NotFound
        if member.role in (Role.OWNER, role):
            return
        before, member.role = member.role, role
        with sign_on_act():
            member.save(update_fields=["role"])
        membership_audit(member, None, "membership.change", DETAIL, before={"role": before}, after={"role": role})


def _check_role(role: str) -> None:
    if role == Role.OWNER or role not in Role.values:
        raise RightsTooHigh
