"""Rows of one organization in one statement (tenants.postgres.bulk_insert)."""

from __future__ import annotations

import pytest

from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.errors import NoTenantContext
from tenants.postgres.bulk_insert import rows_insert
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db


def event(cast: Cast, detail: object, object_id: str = "0") -> AuditEvent:
    return AuditEvent(organization_id=cast.acme.pk, action="run.read", object_kind="run", object_id=object_id, detail=detail)


def test_json_is_read_as_it_was_written(cast: Cast) -> None:
    details = [{}, [], {"a": []}, [{}], {"text": "%s {} '"}, 0, "", False]
    with tenant_tx(cast.acme.pk):
        rows_insert([event(cast, detail, str(place)) for place, detail in enumerate(details)])
        assert list(AuditEvent.objects.filter(action="run.read").order_by("object_id").values_list("detail", flat=True)) == details


def test_rows_of_another_organization_are_refused(cast: Cast) -> None:
    with tenant_tx(cast.other.pk):
        with pytest.raises(NoTenantContext):
            rows_insert([event(cast, {})])
        assert not AuditEvent.objects.filter(action="run.read").exists()
