"""What the operator sees of all organizations: figures that are kept, and equal to the rows that they are made of."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone

from files.models import File
from tenants.context import tenant_tx
from tenants.models import User
from tests.usage.call_rows import LoggedCalls
from usage.models import OrganizationStorage
from usage.platform.organizations import OrganizationFigures, OrganizationQuery, organizations_page
from usage.platform.storage import FRESH, storages_count
from usage.tasks import storage_count

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])


def store_files(logged: LoggedCalls, *sizes: int) -> None:
    with tenant_tx(logged.organization_id):
        for size in sizes:
            File.objects.create(
                owner_id=logged.member_id, conversation_id=logged.conversation().pk, name="a", size_bytes=size, shown_size_bytes=size // 2
            )


def figures(logged: LoggedCalls) -> OrganizationFigures:
    rows, _ = organizations_page(OrganizationQuery(timezone.now().date(), sort="storage"), 1)
    return next(row for row in rows if row.id == logged.organization_id)


def test_an_organizations_storage_is_counted_exactly_and_anew(
    acme: LoggedCalls, other: LoggedCalls, capsys: pytest.CaptureFixture[str]
) -> None:
    store_files(acme, 1000, *[1_000_000_000] * 3)
    store_files(other, 7)
    assert figures(acme).storage_bytes is None
    assert storage_count() >= 2
    assert (figures(acme).storage_bytes, figures(other).storage_bytes) == (4_500_001_500, 10)
    store_files(acme, 10)
    assert storages_count(until=time.monotonic() + 60) == 0, "all figures are fresh"
    with tenant_tx(acme.organization_id):
        OrganizationStorage.objects.update(counted_at=F("counted_at") - FRESH - timedelta(seconds=1))
    assert storages_count(until=time.monotonic() + 60) == 1
    assert figures(acme).storage_bytes == 4_500_001_515
    with tenant_tx(acme.organization_id):
        OrganizationStorage.objects.update(size_bytes=1)
    call_command("usage_rebuild", organization="acme")
    assert figures(acme).storage_bytes == 4_500_001_515
    assert "4,500,001,515 bytes" in capsys.readouterr().out
    operator = Client()
    operator.force_login(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))
    assert "4,2\xa0GB" in operator.get("/operator/", headers={"Accept-Language": "de"}).content.decode()
