from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from security.audit import audit
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.support.cast import Cast


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


@pytest.mark.parametrize("statement", ["update security_auditevent set action = 'x'", "delete from security_auditevent"])
def test_the_application_cannot_change_what_was_written(cast: Cast, event: AuditEvent, statement: str) -> None:
    with tenant_tx(cast.acme.id):
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
        assert AuditEvent.objects.get().action == "role.change"
