"""Rows of several tables in one statement."""

from __future__ import annotations

import pytest
from django.db import connection

from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.postgres.bulk_insert import MAX_PREPARED_VALUES, rows_insert
from tests.support.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("count", [1, MAX_PREPARED_VALUES + 1])
def test_a_prepared_statement_and_a_longer_one_insert_alike(cast: Cast, count: int) -> None:
    organization_id = cast.acme.id
    with tenant_tx(organization_id):
        rows_insert(
            [AuditEvent(organization_id=organization_id, action="run.read", object_kind="run", object_id=str(n)) for n in range(count)]
        )
        assert AuditEvent.objects.filter(action="run.read").count() == count
    with tenant_tx(cast.other.id):
        assert not AuditEvent.objects.filter(action="run.read").exists()


def test_numbers_of_any_size_use_the_same_prepared_statement(cast: Cast) -> None:
    counts = [5, 70_000]
    with tenant_tx(cast.acme.id):
        before = prepared_count()
        for count in counts:
            rows_insert([AuditEvent(organization_id=cast.acme.id, action="run.read", object_kind="run", object_id="1", count=count)])
        assert prepared_count() == before + 1
        assert sorted(AuditEvent.objects.filter(action="run.read").values_list("count", flat=True)) == counts


def prepared_count() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        count: int = cursor.fetchone()[0]
    return count
