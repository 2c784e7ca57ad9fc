"""The people of the tenancy tests: Alice, Bob and Vera of Acme, and Charlie of another organization, who must get 404."""

from __future__ import annotations

from dataclasses import dataclass

from tenants.access import Actor, actor_for
from tenants.models import Membership, Organization, User

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Cast:
    acme: Organization
    other: Organization
    alice: User  # owner of Acme
    bob: User  # member of Acme
    vera: User  # viewer of Acme
    charlie: User  # owner of Other Ltd

    def actor(self, user: User) -> Actor:
        """The user in his or her only organization."""
        return actor_for(user_id=user.pk, slug=user.memberships.get().organization.slug)


def make_cast() -> Cast:
    acme = Organization.objects.create(name="Acme", slug="acme")
    other = Organization.objects.create(name="Other Ltd", slug="other")
    role = Membership.Role
    return Cast(
        acme=acme,
        other=other,
        alice=_member(acme, "Alice", role.OWNER),
        bob=_member(acme, "Bob", role.MEMBER),
        vera=_member(acme, "Vera", role.VIEWER),
        charlie=_member(other, "Charlie", role.OWNER),
    )


def _member(organization: Organization, name: str, role: str) -> User:
    user = User.objects.create_user(f"{name.lower()}@example.org", PASSWORD, name=name)
    Membership.objects.create(organization=organization, user=user, role=role)
    return user
