"""What tests of accounts do with members."""

from __future__ import annotations

from accounts.models import OutgoingMail
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.models import GroupMember, MemberGroup, Membership, Organization, User
from tests.support.accounts.cast import PASSWORD


def member_of(organization: Organization, name: str, role: str) -> Membership:
    user = User.objects.create_user(f"{name.lower()}@example.org", PASSWORD, name=name)
    with tenant_tx(organization.pk):
        return Membership.objects.create(organization=organization, user=user, role=role)


def membership_of(user: User, organization: Organization) -> Membership:
    with tenant_tx(organization.pk):
        return Membership.objects.get(user=user, organization=organization)


def actor_of_member(member: Membership, slug: str) -> Actor:
    return Actor(member.user_id, member.organization_id, slug, member.pk, member.version, member.role)


def make_group(organization: Organization, name: str, *members: Membership) -> MemberGroup:
    with tenant_tx(organization.pk):
        group = MemberGroup.objects.create(name=name)
        for member in members:
            GroupMember.objects.create(group=group, membership=member)
        return group


def groups_of(member: Membership) -> list[str]:
    with tenant_tx(member.organization_id):
        return sorted(GroupMember.objects.filter(membership=member).values_list("group__name", flat=True))


def mails() -> list[OutgoingMail]:
    """All mails that were written, oldest first."""
    return list(OutgoingMail.objects.order_by("created_at"))
