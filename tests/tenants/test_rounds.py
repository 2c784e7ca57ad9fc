"""Rounds over all organizations: one that fails keeps no other from being served."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import Settings
from structlog.testing import capture_logs

from chat.models import Conversation, HourFigures
from chat.storage.lost_holds import lost_holds_settle
from chat.tasks import deleted_purge, figures_sum
from files.models import File
from limits.models import Budget, BudgetAccount, Hold
from security.audit import count_event
from security.audit.retention import audit_retain
from security.models import AuditEvent, AuditExport
from tenants.context import tenant_tx
from tests.chat.admin_pages.activity import Activity, acme, other
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import clean_counts, counted_to_rows, events
from tests.support.stores.failing_rows import first_row_refused, refused_rows
from usage.models import OrganizationStorage
from usage.tasks import storage_count

__all__ = ["acme", "other"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def test_a_file_that_the_storage_keeps_ends_the_purge_of_no_other_organization(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    undeletable = {"BACKEND": "tests.support.files.failing_storage.UndeletableDisk", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "files": undeletable}
    long_ago = timezone.now() - timedelta(days=4000)
    with tenant_tx(cast.acme.pk):
        owner_id = cast.actor(cast.bob).membership_id
        File.objects.create(owner_id=owner_id, name="tea.txt", media_type="text/plain", kind="text", size_bytes=3, deleted_at=long_ago)
    with tenant_tx(cast.other.pk):
        owner_id = cast.actor(cast.charlie).membership_id
        Conversation.objects.create(owner_id=owner_id, title="Tea", updated_at=long_ago, deleted_at=long_ago)
    assert deleted_purge() == 1
    with tenant_tx(cast.acme.pk):
        assert File.objects.count() == 1, "the next round tries it again"
    with tenant_tx(cast.other.pk):
        assert not Conversation.objects.exists()


def test_a_file_that_the_storage_keeps_holds_up_no_other_of_its_organization(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    on_disk = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "files": on_disk}
    long_ago = timezone.now() - timedelta(days=4000)
    with tenant_tx(cast.acme.pk):
        owner = {"owner_id": cast.actor(cast.bob).membership_id, "deleted_at": long_ago}
        chats = [Conversation.objects.create(title="Tea", updated_at=long_ago, **owner) for _ in range(2)]
        text = {"name": "tea.txt", "media_type": "text/plain", "kind": "text", "size_bytes": 3, **owner}
        stuck_file, *_ = [File.objects.create(conversation_id=chat_id, **text) for chat_id in (chats[0].pk, chats[0].pk, chats[1].pk, None)]
    (tmp_path / stuck_file.stored_as / "lost+found").mkdir(parents=True)  # can't be removed as a file
    for _ in range(2):
        with capture_logs() as logs:
            deleted_purge()
        [line] = [line for line in logs if line["log_level"] == "error"]
        assert (line["organization_id"], line["ids"]) == (str(cast.acme.pk), [str(stuck_file.pk), str(chats[0].pk)])
        with tenant_tx(cast.acme.pk):
            assert [*File.objects.values_list("pk", flat=True)] == [stuck_file.pk]
            assert [*Conversation.objects.values_list("pk", flat=True)] == [chats[0].pk]
    (tmp_path / stuck_file.stored_as / "lost+found").rmdir()
    deleted_purge()
    with tenant_tx(cast.acme.pk):
        assert not Conversation.objects.exists()


def test_an_export_of_the_audit_log_that_the_storage_keeps_holds_up_no_other(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    on_disk = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "files": on_disk}
    (tmp_path / "kept" / "lost+found").mkdir(parents=True)  # can't be removed as a file
    old = {"user_id": cast.alice.pk, "format": "csv", "status": "ready", "created_at": timezone.now() - timedelta(days=400)}
    for organization, name in ((cast.acme, "kept"), (cast.acme, "tea.csv"), (cast.other, "cup.csv")):
        with tenant_tx(organization.pk):
            AuditExport.objects.create(stored_as=name, **old)
    audit_retain()
    assert [*AuditExport.unscoped.using("system").values_list("stored_as", flat=True)] == ["kept"]


def test_counted_events_that_can_not_be_written_hold_up_no_other_organization(cast: Cast) -> None:
    with clean_counts():
        for organization in (cast.acme, cast.other):
            count_event(
                organization_id=organization.pk,
                actor_user_id=None,
                action="sso.refuse",
                object_kind="sso",
                object_id="x",
                outcome="refused",
            )
        with first_row_refused(AuditEvent, "57014"):
            counted_to_rows()
        assert len(events(cast.acme, "sso.refuse") + events(cast.other, "sso.refuse")) == 1
        counted_to_rows()
        assert [event.count for organization in (cast.acme, cast.other) for event in events(organization, "sso.refuse")] == [1, 1]


def test_what_budgets_hold_that_can_not_be_settled_holds_up_no_other_organization(cast: Cast) -> None:
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.pk):
            budget = Budget.objects.create(scope="organization", amount_usd=5)
            account = {"budget": budget, "subject_id": organization.pk, "starts_on": timezone.now().date()}
            account_row = BudgetAccount.objects.create(held_usd=1, **account)
            Hold.objects.create(account=account_row, call_id=uuid4(), amount_usd=1, until=timezone.now() - timedelta(hours=1))
    with refused_rows(BudgetAccount, "organization_id", cast.acme.pk):
        assert lost_holds_settle() == 1
    assert (lost_holds_settle(), lost_holds_settle()) == (1, 0)


def test_figures_that_can_not_be_summed_up_keep_no_other_organization_waiting(acme: Activity, other: Activity) -> None:
    at = timezone.now() - timedelta(hours=3)
    acme.run(at, usage={"input_tokens": "many"})
    other.run(at)
    assert figures_sum() > 0
    with tenant_tx(acme.organization_id):
        assert not HourFigures.objects.exists()
    with tenant_tx(other.organization_id):
        assert HourFigures.objects.exists()


def test_storage_that_can_not_be_counted_keeps_no_other_organization_waiting(cast: Cast) -> None:
    with refused_rows(OrganizationStorage, "organization_id", cast.acme.pk), capture_logs() as logs:
        assert storage_count() >= 1
    assert [line["organization_id"] for line in logs if line["event"] == "storage_not_counted"] == [str(cast.acme.pk)]
    assert OrganizationStorage.unscoped.using("system").filter(organization_id=cast.other.pk).exists()
