"""Quotas of stored files: by member and by organization, by the platform and by policy, and under uploads at the same time."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from admin_config.models import AppSettings
from admin_config.services.configuration import organization_seed
from files.errors import StorageFull
from files.generated_files import AnswerFiles
from files.models import File
from files.storage import file_storage
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.conversations import conversation_row
from tests.support.files.documents import PICTURE

pytestmark = pytest.mark.django_db

ACME, OTHER = "/o/acme/api/files/", "/o/other/api/files/"
MEGABYTE = 1024 * 1024
LARGE = b"a" * (700 * 1024)


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def attach(client: Client, content: bytes = LARGE, path: str = ACME) -> Any:
    return client.post(path, {"file": SimpleUploadedFile("a.txt", content)})


def refusal(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


@pytest.fixture
def small(settings: Settings) -> None:
    """A platform on which a member may have one megabyte, and an organization two."""
    settings.FILE_QUOTAS = {"member_storage_mb": 1, "member_files": 50, "organization_storage_mb": 2, "organization_files": 100}


@pytest.mark.usefixtures("small")
def test_a_member_may_fill_so_much_and_is_told_how_much(cast: Cast) -> None:
    alice = client_of(cast.alice)
    assert attach(alice).status_code == 201
    response = attach(alice)
    assert refusal(response) == (409, "storage_full")
    assert response.json()["error"]["message"] == (
        "Your file storage is full: 700.0 KB of 1.0 MB are used, and this needs 700.0 KB. "
        "Delete conversations with files; their space is free after 30 days."
    )
    assert len(file_storage().listdir(str(cast.acme.pk))[1]) == 1, "the refused bytes are not kept"
    assert attach(client_of(cast.bob)).status_code == 201
    assert attach(client_of(cast.charlie), path=OTHER).status_code == 201


@pytest.mark.usefixtures("small")
def test_an_organization_may_fill_so_much_and_others_keep_their_room(cast: Cast, settings: Settings) -> None:
    settings.FILE_QUOTAS = {**settings.FILE_QUOTAS, "member_storage_mb": 10, "organization_storage_mb": 1}
    assert attach(client_of(cast.alice)).status_code == 201
    response = attach(client_of(cast.bob))
    assert refusal(response) == (409, "storage_full")
    assert response.json()["error"]["message"].startswith("This organization's file storage is full: 700.0 KB of 1.0 MB are used")
    assert attach(client_of(cast.charlie), path=OTHER).status_code == 201


@pytest.mark.usefixtures("small")
def test_the_policy_may_set_less_but_not_more_than_the_platform(cast: Cast) -> None:
    alice = client_of(cast.alice)

    def policy(**limits: int) -> None:
        with tenant_tx(cast.acme.pk):
            AppSettings.objects.update_or_create(defaults=limits)

    policy(member_files=1, member_storage_mb=1000)
    assert attach(alice, b"a").status_code == 201
    response = attach(alice, b"b")
    assert refusal(response) == (409, "storage_full")
    assert "1 of 1 files are stored" in response.json()["error"]["message"]
    policy(member_files=5)
    assert attach(alice, b"b").status_code == 201
    assert attach(alice).status_code == 201
    assert refusal(attach(alice)) == (409, "storage_full"), "the platform's megabyte"


@pytest.mark.usefixtures("small")
def test_what_was_deleted_counts_until_its_bytes_are_gone(cast: Cast) -> None:
    alice = client_of(cast.alice)
    item = attach(alice).json()
    with tenant_tx(cast.acme.pk):
        chat = conversation_row(organization_id=cast.acme.pk, owner_id=cast.actor(cast.alice).membership_id)
        File.objects.filter(pk=item["id"]).update(conversation_id=chat, deleted_at=Now())
    assert refusal(attach(alice)) == (409, "storage_full")
    with tenant_tx(cast.acme.pk):
        File.objects.filter(pk=item["id"]).update(conversation_id=None)  # a file that was removed before it was sent has no bytes
    assert attach(alice).status_code == 201


@pytest.mark.usefixtures("small")
def test_a_models_pictures_count_with_their_clean_copies(cast: Cast, settings: Settings) -> None:
    member = cast.actor(cast.alice).membership_id
    keep = async_to_sync(AnswerFiles(cast.acme.pk, member).keep)
    settings.FILE_QUOTAS = {**settings.FILE_QUOTAS, "member_files": 1}
    file = keep(base64.b64encode(PICTURE).decode(), "image")
    assert file.shown_size_bytes == len(PICTURE)
    with pytest.raises(StorageFull, match="1 of 1 files"):
        keep(base64.b64encode(PICTURE).decode(), "image")
    assert len(file_storage().listdir(str(cast.acme.pk))[1]) == 2


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_uploads_at_the_same_time_never_share_the_last_room(cast: Cast, settings: Settings) -> None:
    settings.FILE_QUOTAS = {"member_storage_mb": 10, "member_files": 50, "organization_storage_mb": 10, "organization_files": 3}
    people = [client_of(user) for user in (cast.alice, cast.bob) for _ in range(4)]
    start = Barrier(len(people))

    def upload(client: Client) -> int:
        start.wait()
        try:
            return int(attach(client, b"a").status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(people)) as threads:
        statuses = sorted(threads.map(upload, people))
    assert statuses == [201] * 3 + [409] * 5


@pytest.mark.usefixtures("small")
def test_admins_see_the_platforms_limits_and_cannot_exceed_them(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        organization_seed(organization_id=cast.acme.pk)
        AppSettings.objects.update(publish_on_save=False)
        page = f"/o/acme/admin/admin_config/appsettings/{AppSettings.objects.get().pk}/change/"
    alice = client_of(cast.alice)
    response = alice.get(page)
    assert 'placeholder="50"' in response.content.decode()
    form = response.context["adminform"].form
    values = {name: form.initial.get(name) for name in form.fields if form.initial.get(name) not in (None, False)}
    assert alice.post(page, {**values, "member_files": "51"}).context["adminform"].form.errors == {
        "member_files": ["The platform's limit is 50."]
    }
    assert alice.post(page, {**values, "member_files": "20", "retention_days": "0"}).status_code == 200
    assert alice.post(page, {**values, "member_files": "20", "retention_days": "7"}).status_code == 302
    with tenant_tx(cast.acme.pk):
        assert (AppSettings.objects.get().member_files, AppSettings.objects.get().retention_days) == (20, 7)
    assert client_of(cast.bob).get(page).status_code == 404
    assert client_of(cast.charlie).get(page).status_code == 404
