"""Deletion of an organization: it waits for days of grace."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import OutgoingMail
from accounts.organizations.services import organizations_delete_due
from security.models import AuditEvent
from tenants.models import FormerSlug, Organization
from tests.accounts.organizations.organizations import PAGE, acme
from tests.support.accounts.cast import Cast
from tests.support.stores.failing_rows import first_row_refused


def test_an_organization_can_be_kept_for_days(alice: Client, seeded_cast: Cast) -> None:
    assert "Type the name" in alice.post(PAGE, {"part": "delete", "typed_name": "Other"}).content.decode()
    alice.post(PAGE, {"part": "delete", "typed_name": "acme"})
    mail = OutgoingMail.objects.get()
    assert (mail.recipient, mail.subject) == ("alice@example.org", "Acme will be deleted")
    assert "Keep the organization" in alice.get(PAGE).content.decode()
    assert organizations_delete_due() == 0
    alice.post(PAGE, {"part": "keep"})
    assert acme(seeded_cast).deletion_due_at is None


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_an_organization_that_is_due_is_deleted(cast: Cast) -> None:
    Organization.objects.filter(pk=cast.acme.pk).update(deletion_due_at=timezone.now())
    FormerSlug.objects.create(slug="acme-old", organization=cast.acme)
    assert (organizations_delete_due(), organizations_delete_due()) == (1, 0)
    row = acme(cast)
    assert (row.is_active, row.name == "Acme", row.deletion_due_at, FormerSlug.objects.exists()) == (False, False, None, False)
    assert Organization.objects.get(pk=cast.other.pk).is_active


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_an_organization_that_can_not_be_deleted_holds_up_no_other(cast: Cast) -> None:
    Organization.objects.update(deletion_due_at=timezone.now())
    with first_row_refused(AuditEvent, "57014"):
        assert organizations_delete_due() == 1
    assert (organizations_delete_due(), organizations_delete_due()) == (1, 0)
