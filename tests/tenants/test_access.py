from __future__ import annotations

import pytest

from tenants.access import Actor, actor_for, actor_refresh
from tenants.context import tenant_tx
from tenants.errors import NotFound, OrganizationSuspended
from tenants.models import Membership, Organization, User
from tests.support.accounts.cast import Cast

ROLES = {  # role: may write, may administer, may read everybody's runs, usage and the audit log
    "owner": (True, True, True),
    "admin": (True, True, True),
    "auditor": (False, False, True),
    "member": (True, False, False),
    "viewer": (False, False, False),
}


@pytest.mark.parametrize(("role", "rights"), ROLES.items())
def test_rights_come_from_the_role(role: str, rights: tuple[bool, bool, bool], cast: Cast) -> None:
    cast.bob.memberships.update(role=role)
    actor = actor_for(user_id=cast.bob.pk, slug="acme")
    assert (actor.can_write, actor.can_administer, actor.can_audit) == rights
    assert (actor.organization_id, actor.organization_slug) == (cast.acme.id, "acme")


@pytest.mark.parametrize("slug", ["acme", "other", "missing"])
def test_foreign_and_missing_organizations_look_the_same(slug: str, cast: Cast) -> None:
    if slug == "acme":
        assert actor_for(user_id=cast.bob.pk, slug=slug).role == "member"
        return
    with pytest.raises(NotFound) as refusal:
        actor_for(user_id=cast.bob.pk, slug=slug)
    assert refusal.value.message == NotFound.message


@pytest.mark.parametrize("cause", ["user", "organization", "membership"])
def test_access_ends_with_each_of_them(cause: str, cast: Cast) -> None:
    actor = cast.actor(cast.bob)
    assert _refreshed(actor) == actor
    _end(cause, actor)
    with pytest.raises(NotFound):
        _refreshed(actor)
    with pytest.raises(OrganizationSuspended if cause == "organization" else NotFound):
        actor_for(user_id=cast.bob.pk, slug="acme")


def _refreshed(actor: Actor) -> Actor:
    with tenant_tx(actor.organization_id):
        return actor_refresh(actor)


def _end(cause: str, actor: Actor) -> None:
    match cause:
        case "user":
            User.objects.filter(pk=actor.user_id).update(is_active=False)
        case "organization":
            Organization.objects.filter(pk=actor.organization_id).update(is_active=False)
        case _:
            with tenant_tx(actor.organization_id):
                Membership.objects.filter(pk=actor.membership_id).update(is_active=False)


def test_a_change_of_role_raises_the_version_on_every_path(cast: Cast) -> None:
    actor = cast.actor(cast.bob)
    Membership.objects.filter(pk=actor.membership_id).update(role="viewer")
    after = _refreshed(actor)
    assert (after.role, after.membership_version) == ("viewer", actor.membership_version + 1)
    membership = Membership.objects.get(pk=actor.membership_id)
    membership.role = "admin"
    membership.save()
    assert _refreshed(actor).membership_version == actor.membership_version + 2
    membership.save()
    assert _refreshed(actor).membership_version == actor.membership_version + 2
