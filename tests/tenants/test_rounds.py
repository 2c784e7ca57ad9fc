"""Rounds over all organizations: one that fails keeps no other from being served."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings
from structlog.testing import capture_logs

from chat.models import Conversation, HourFigures
from chat.tasks import deleted_purge, figures_sum
from files.models import File
from tenants.context import tenant_tx
from tests.chat.activity import Activity, acme, other
from tests.support.cast import Cast
from tests.support.failing_rows import refused_rows
from usage.models import OrganizationStorage
from usage.tasks import storage_count

__all__ = ["acme", "other"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def test_a_file_that_the_storage_keeps_ends_the_purge_of_no_other_organization(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    undeletable = {"BACKEND": "tests.support.failing_storage.UndeletableDisk", "OPTIONS": {"location": tmp_path}}
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
        kept, *_ = [File.objects.create(conversation_id=chat_id, **text) for chat_id in (chats[0].pk, chats[0].pk, chats[1].pk, None)]
    (tmp_path / kept.stored_as / "lost+found").mkdir(parents=True)  # can't be removed as a file
    for _ in range(2):
        with capture_logs() as logs:
            deleted_purge()
        [line] = [line for line in logs if line["log_level"] == "error"]
        assert (line["organization_id"], line["ids"]) == (str(cast.acme.pk), [str(kept.pk), str(chats[0].pk)])
        with tenant_tx(cast.acme.pk):
            assert [*File.objects.values_list("pk", flat=True)] == [kept.pk]
            assert [*Conversation.objects.values_list("pk", flat=True)] == [chats[0].pk]
    (tmp_path / kept.stored_as / "lost+found").rmdir()
    deleted_purge()
    with tenant_tx(cast.acme.pk):
        assert not Conversation.objects.exists()


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
