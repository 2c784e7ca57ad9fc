"""The database decides who may give and take roles (the membership guard), whatever the code around it asks."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from django.db import ProgrammingError, connections, transaction

from tenants.context import identity_tx, sign_on_act
from tenants.models import Membership, Organization, User
from tests.support.accounts.cast import PASSWORD, Cast

# Acting member, statement on memberships of Acme as the auth role, and whether the database takes it.
ROLES = [
    ("bob", "update tenants_membership set role = 'owner' where user_id = {bob}", False),
    ("bob", "update tenants_membership set role = 'admin' where user_id = {bob}", False),
    ("bob", "update tenants_membership set role = 'viewer' where user_id = {alice}", False),
    ("bob", "update tenants_membership set role = 'member' where user_id = {vera}", False),
    ("vera", "update tenants_membership set role = 'member' where user_id = {vera}", False),
    ("vera", "delete from tenants_membership where user_id = {bob}", False),
    ("vera", "delete from tenants_membership where user_id = {vera}", True),
    ("charlie", "update tenants_membership set role = 'owner' where user_id = {bob}", False),
    ("charlie", "delete from tenants_membership where user_id = {bob}", False),
    ("", "update tenants_membership set role = 'owner' where user_id = {bob}", False),
    ("", "delete from tenants_membership where user_id = {bob}", False),
    ("", "{insert} ({charlie}, 'owner')", False),
    ("", "{insert} ({charlie}, 'admin')", False),
    ("", "{insert} ({charlie}, 'auditor')", False),
    ("", "{insert} ({robot}, 'member')", False),
    ("", "{insert} ({robot}, 'viewer')", False),
    ("admin", "{insert} ({robot}, 'member')", True),
    ("admin", "{insert} ({charlie}, 'auditor')", True),
    ("", "{insert} ({charlie}, 'member')", True),
    ("", "{insert} ({charlie}, 'viewer')", True),
    ("", "update tenants_membership set is_active = false where user_id = {bob}", False),
    ("vera", "update tenants_membership set is_active = false where user_id = {bob}", False),
    ("vera", "update tenants_membership set is_active = false where user_id = {vera}", True),
    ("vera", "update tenants_membership set is_active = false, role = 'admin' where user_id = {vera}", False),
    ("gone", "update tenants_membership set is_active = true where user_id = {gone}", False),
    ("gone", "update tenants_membership set role = 'viewer' where user_id = {bob}", False),
    ("", "update tenants_membership set is_active = true where user_id = {gone}", False),
    ("", "update tenants_membership set cleared_at = now() where user_id = {gone}", True),
    ("alice", "update tenants_membership set is_active = true where user_id = {gone}", True),
    ("admin", "update tenants_membership set is_active = false where user_id = {alice}", False),
    ("admin", "update tenants_membership set is_active = false where user_id = {bob}", True),
    ("bob", "{insert} ({charlie}, 'owner')", False),
    ("alice", "{insert} ({charlie}, 'owner')", True),
    ("alice", "update tenants_membership set role = 'owner' where user_id = {bob}", True),
    ("alice", "update tenants_membership set role = 'admin' where user_id = {alice}", True),
    ("admin", "update tenants_membership set role = 'owner' where user_id = {admin}", False),
    ("admin", "update tenants_membership set role = 'owner' where user_id = {bob}", False),
    ("admin", "update tenants_membership set role = 'member' where user_id = {alice}", False),
    ("admin", "delete from tenants_membership where user_id = {alice}", False),
    ("admin", "update tenants_membership set role = 'admin' where user_id = {bob}", True),
    ("admin", "update tenants_membership set user_id = {charlie} where user_id = {bob}", False),
    ("operator", "update tenants_membership set role = 'owner' where user_id = {bob}", True),
    ("sign-on", "update tenants_membership set role = 'admin' where user_id = {bob}", True),
    ("sign-on", "update tenants_membership set role = 'viewer' where user_id = {admin}", True),
    ("sign-on", "{insert} ({charlie}, 'admin')", True),
    ("sign-on", "{insert} ({charlie}, 'auditor')", True),
    ("sign-on", "{insert} ({charlie}, 'owner')", False),
    ("sign-on", "{insert} ({robot}, 'member')", False),
    ("sign-on", "update tenants_membership set role = 'owner' where user_id = {bob}", False),
    ("sign-on", "update tenants_membership set role = 'admin' where user_id = {alice}", False),
    ("sign-on", "update tenants_membership set role = 'viewer' where user_id = {gone}", False),
    ("sign-on", "update tenants_membership set is_active = true where user_id = {gone}", False),
    ("sign-on", "update tenants_membership set is_active = false where user_id = {bob}", False),
    ("sign-on", "update tenants_membership set user_id = {charlie} where user_id = {bob}", False),
    ("sign-on", "delete from tenants_membership where user_id = {bob}", False),
    ("sign-on of bob", "update tenants_membership set role = 'admin' where user_id = {vera}", False),
    ("sign-on of gone", "update tenants_membership set role = 'auditor' where user_id = {gone}", False),
]


INSERT = """insert into tenants_membership (id, organization_id, is_active, version, preferences, default_assistant, comment_mails, shows_cost, code_ligatures,
    created_at, user_id, role) select gen_random_uuid(), '{organization}', true, 1, '', '', true, true, false, now(), person, role from (values {row}) as given (person, role)"""


@pytest.mark.parametrize(("acting", "statement", "is_taken"), ROLES)
def test_the_database_checks_who_gives_a_role(acting: str, statement: str, is_taken: bool, cast: Cast) -> None:
    people = _people(cast)
    head, _, row = statement.partition("{insert} ")
    sql = INSERT.format(organization=cast.acme.pk, row=row.format(**people)) if row else head.format(**people)
    with sign_on_act() if acting.startswith("sign-on") else nullcontext():
        if is_taken:
            assert _changed(cast.acme, people.get(acting), sql) == 1
        else:
            with pytest.raises(ProgrammingError, match=r"owner|Only owners|cannot move"):
                _changed(cast.acme, people.get(acting.removeprefix("sign-on of ")), sql)


@pytest.mark.parametrize("statement", ["update tenants_membership set role = 'viewer'", "delete from tenants_membership"])
def test_roles_of_another_organization_are_out_of_reach(statement: str, cast: Cast) -> None:
    assert _changed(cast.acme, cast.alice.pk, f"{statement} where organization_id = '{cast.other.pk}'") == 0


def test_nobody_is_made_a_member_of_another_organization(cast: Cast) -> None:
    with pytest.raises(ProgrammingError, match="row-level security"):
        _changed(cast.acme, cast.alice.pk, INSERT.format(organization=cast.other.pk, row=f"({cast.bob.pk}, 'member')"))


def test_the_first_member_of_an_organization_may_be_its_owner(cast: Cast) -> None:
    organization = Organization.objects.create(name="New", slug="new")
    assert _changed(organization, cast.bob.pk, INSERT.format(organization=organization.pk, row=f"({cast.bob.pk}, 'owner')")) == 1


def test_a_sign_on_does_not_make_the_first_owner(cast: Cast) -> None:
    organization = Organization.objects.create(name="New", slug="new")
    with sign_on_act(), pytest.raises(ProgrammingError, match="Only an owner"):
        _changed(organization, None, INSERT.format(organization=organization.pk, row=f"({cast.bob.pk}, 'owner')"))


def test_who_acts_is_forgotten_after_the_block(cast: Cast) -> None:
    with transaction.atomic(using="auth"), connections["auth"].cursor() as cursor:
        with identity_tx(cast.acme.pk, acting_user_id=cast.alice.pk), sign_on_act():
            pass
        cursor.execute("select current_setting('app.user', true), current_setting('app.act', true), current_setting('app.org', true)")
        assert cursor.fetchone() == ("", "", "")


def _people(cast: Cast) -> dict[str, int]:
    """People by name; "gone" was an admin, whose access has ended."""
    admin = User.objects.create_user("admin@example.org", PASSWORD)
    Membership.objects.create(organization=cast.acme, user=admin, role=Membership.Role.ADMIN)
    former_admin = User.objects.create_user("gone@example.org", PASSWORD)
    Membership.objects.create(organization=cast.acme, user=former_admin, role=Membership.Role.ADMIN, is_active=False)
    others = {
        "admin": admin,
        "gone": former_admin,
        "operator": User.objects.create_superuser("rita@example.org", PASSWORD),
        "robot": User.objects.create_user("robot@service-account.invalid", None, is_service_account=True),
    }
    return {name: (getattr(cast, name, None) or others[name]).pk for name in ("alice", "bob", "vera", "charlie", *others)}


def _changed(organization: Organization, acting_user_id: int | None, sql: str) -> int:
    """The number of rows that the auth role changes for this user in the organization's context."""
    with identity_tx(organization.pk, acting_user_id=acting_user_id), connections["auth"].cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.rowcount)
