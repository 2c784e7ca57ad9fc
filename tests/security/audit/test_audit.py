"""The audit log's rows: who reads them, that nobody changes them, and what the database writes into them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.utils import timezone

from security.audit import audit, platform_audit
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tenants.postgres.append_only import APPEND_ONLY_TABLES, append_only_problems
from tenants.postgres.row_security_checks import row_security_problems
from tenants.request_context import RequestContext, client_address, request_context
from tests.support.accounts.cast import PASSWORD, Cast

ROLES = ("default", "auth", "system")
CHANGES = (
    "update {table} set action = 'x'",
    "update {table} set created_at = created_at",
    "delete from {table}",
    "truncate {table} cascade",
    "alter table {table} disable trigger all",
    "alter table {table} owner to current_user",
    "drop table {table} cascade",
    "create trigger mine before insert on {table} for each row execute function security_audit_stamp()",
)


@pytest.fixture
def event(cast: Cast) -> AuditEvent:
    return audit(organization_id=cast.acme.id, actor_user_id=cast.alice.pk, action="role.change", object_kind="membership", object_id=7)


def test_an_organization_reads_its_own_events(cast: Cast, event: AuditEvent) -> None:
    with tenant_tx(cast.acme.id):
        assert AuditEvent.objects.get() == event
        assert (event.object_id, event.detail) == ("7", {})
    with tenant_tx(cast.other.id):
        assert not AuditEvent.objects.exists()


def test_an_event_belongs_to_the_callers_transaction(cast: Cast) -> None:
    class Undone(Exception):
        pass

    def change() -> None:
        with tenant_tx(cast.acme.id):
            audit(organization_id=cast.acme.id, actor_user_id=None, action="role.change", object_kind="membership", object_id=7)
            raise Undone

    with pytest.raises(Undone):
        change()
    with tenant_tx(cast.acme.id):
        assert not AuditEvent.objects.exists()


def database_error(database: BaseDatabaseWrapper, statement: str) -> str:
    """What the database says to the statement, run as a working role; empty when it lets it pass."""
    with transaction.atomic(using=database.alias), database.cursor() as cursor:
        try:
            with transaction.atomic(using=database.alias):
                cursor.execute("select set_config('app.org', gen_random_uuid()::text, true)")
                cursor.execute(statement)
        except DatabaseError as error:
            return str(error).splitlines()[0]
        finally:
            transaction.set_rollback(True, using=database.alias)
    return ""


@pytest.mark.django_db(databases=[*ROLES])
@pytest.mark.parametrize("alias", ROLES)
@pytest.mark.parametrize("table", APPEND_ONLY_TABLES)
def test_no_working_role_changes_what_was_written(alias: str, table: str) -> None:
    errors = {change: database_error(connections[alias], change.format(table=table)) for change in CHANGES}
    assert {change for change, text in errors.items() if "permission denied" not in text and "must be owner" not in text} == set()


@pytest.mark.django_db(databases=[*ROLES])
def test_only_the_system_role_asks_for_old_events_to_be_deleted() -> None:
    calls = (
        "select security_audit_expire(gen_random_uuid(), 10)",
        "select security_platform_audit_expire(1, 10)",
    )
    assert {database_error(connections["system"], call) for call in calls} == {""}
    assert all("permission denied" in database_error(connections[alias], call) for alias in ("default", "auth") for call in calls)


def test_the_operators_log_is_not_read_by_the_app_role(cast: Cast) -> None:
    platform_audit(actor_user_id=cast.alice.pk, action="operator.look", object_kind="organization", object_id=cast.acme.id)
    assert "permission denied" in database_error(connection, "select * from security_platformevent")


def test_the_date_is_the_databases(cast: Cast) -> None:
    with tenant_tx(cast.acme.id):
        row = AuditEvent.objects.create(
            action="role.change", object_kind="membership", object_id="1", created_at=timezone.now() - timedelta(days=90)
        )
        row.refresh_from_db()
    assert timezone.now() - row.created_at < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("policy", "address", "expected"),
    [
        ({}, "84.23.118.77", "84.23.118.0/24"),
        ({"audit_addresses": "prefix"}, "2001:db8:1:2:3::4", "2001:db8:1::/48"),
        ({"audit_addresses": "full"}, "84.23.118.77", "84.23.118.77"),
        ({"audit_addresses": "none"}, "84.23.118.77", ""),
        ({"audit_addresses": "full"}, "", ""),
    ],
)
def test_addresses_are_shortened_by_policy(cast: Cast, policy: dict[str, Any], address: str, expected: str) -> None:
    Organization.objects.filter(pk=cast.acme.pk).update(policy=policy)
    with request_context(RequestContext("r1", address)):
        event = audit(organization_id=cast.acme.id, actor_user_id=None, action="role.change", object_kind="membership", object_id=7)
    with tenant_tx(cast.acme.id):
        assert AuditEvent.objects.get(pk=event.pk).address == expected


@pytest.mark.parametrize(
    ("peer", "address"), [("::ffff:10.0.0.9", "10.0.0.9"), ("2001:DB8::0001", "2001:db8::1"), ("testserver", ""), ("", "")]
)
def test_an_address_is_written_in_one_way(peer: str, address: str) -> None:
    assert client_address(peer) == address


def test_a_sign_in_says_where_it_came_from(cast: Cast) -> None:
    client = Client(REMOTE_ADDR="84.23.118.77", headers={"user-agent": "Firefox/140\x07"})
    client.post("/login/", {"username": cast.alice.email, "password": PASSWORD})
    client.post("/logout/")
    with tenant_tx(cast.acme.id):
        first, last = AuditEvent.objects.filter(category="sign_in").order_by("created_at")
    assert (first.action, last.action) == ("user.sign_in", "user.sign_out")
    assert (first.address, first.user_agent, first.actor_kind) == ("84.23.118.0/24", "Firefox/140", "user")
    assert first.request_id != last.request_id
    assert last.session_hash


@pytest.fixture
def owner() -> Iterator[BaseDatabaseWrapper]:
    with transaction.atomic(using="owner"):
        yield connections["owner"]
        transaction.set_rollback(True, using="owner")


@pytest.mark.django_db(databases=["default", "owner"])
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('grant update (action) on security_auditevent to "{app}"', "may update security_auditevent (action)"),
        ('grant delete on security_platformevent to "{system}"', "has the right to delete on security_platformevent"),
        ('grant truncate on security_auditevent to "{system}"', "has the right to truncate on security_auditevent"),
        ("alter table security_auditevent disable trigger audit_stamp", "has no trigger audit_stamp"),
        ("drop trigger audit_stamp on security_platformevent", "has no trigger audit_stamp"),
    ],
)
def test_a_start_finds_an_audit_log_that_can_be_changed(owner: BaseDatabaseWrapper, statement: str, expected: str) -> None:
    assert list(append_only_problems(owner)) == []
    with owner.cursor() as cursor:
        cursor.execute(statement.format(app=settings.DATABASE_ROLES.app, system=settings.DATABASE_ROLES.system))
    assert [problem for problem in row_security_problems(owner) if expected in problem]
