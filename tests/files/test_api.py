"""Attaching files over HTTP: what is taken, by its bytes; who gets at it, and for how long."""

from __future__ import annotations

import resource
import tracemalloc
from codecs import BOM_UTF16_BE
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA

import pytest
from asgiref.sync import sync_to_async
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient, Client
from pytest_django import Settings

from files.extraction.text import file_text_read
from files.models import File
from files.storage import content_read, file_storage
from tenants.context import tenant_tx
from tests.files.uploads import ACME, attach, attached, row, signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.conversations import conversation_row
from tests.support.files.documents import GIF, PNG, office, pdf, word, zip_bomb
from tests.support.files.downloads import body_of

pytestmark = pytest.mark.django_db

MEGABYTE = 1024 * 1024


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


@pytest.mark.parametrize(
    ("name", "content", "kind", "media_type", "state"),
    [
        ("cup.png", PNG, "image", "image/png", "ready"),
        ("cup.jpg", GIF, "image", "image/gif", "ready"),
        ("notes", b"\xef\xbb\xbfTea.", "text", "text/plain", "ready"),
        ("notes.md", b"# Tea", "text", "text/markdown", "ready"),
        ("tea.csv", b"kind,grams\ngreen,3\n", "text", "text/csv", "ready"),
        ("tea.json", b'{"kind": "green"}', "text", "application/json", "ready"),
        ("tea.json", b"{not json", "text", "text/plain", "ready"),
        ("page.html", b"<script>alert(1)</script>", "text", "text/plain", "ready"),
        ("drawing.svg", b"<svg onload='alert(1)'/>", "text", "text/plain", "ready"),
        ("tea.pdf", pdf("Tea."), "pdf", "application/pdf", "pending"),
        ("tea.docx", word("Tea."), "office", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "pending"),
    ],
)
def test_a_file_is_what_its_bytes_say(alice: Client, cast: Cast, name: str, content: bytes, kind: str, media_type: str, state: str) -> None:
    item = attached(alice, name, content)
    assert (item["name"], item["kind"], item["mediaType"], item["state"]) == (name, kind, media_type, state)
    assert item["sizeBytes"] == len(content)
    file_row = row(cast, item)
    assert file_row.stored_as == f"{cast.acme.pk}/{item['id']}", "the organization first, and nothing of the user's name"
    assert content_read(file_row.stored_as) == content
    assert alice.get(f"{ACME}{item['id']}/").json()["state"] == state


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "latin-1"])
def test_a_text_is_read_in_the_encodings_that_spreadsheets_write(alice: Client, cast: Cast, encoding: str) -> None:
    csv = "Größe;Preis\nCafé;3\n" + ("Tee;5 €\n" if encoding != "latin-1" else "")
    content = (BOM_UTF16_BE if encoding == "utf-16-be" else b"") + csv.encode(encoding)
    item = attached(alice, "tea.csv", content)
    assert (item["kind"], item["mediaType"], item["state"]) == ("text", "text/csv", "ready")
    assert alice.get(f"{ACME}{item['id']}/text/").json() == {"text": csv, "isCut": False}
    assert content_read(row(cast, item).stored_as) == content, "the bytes stay as they were"


@pytest.mark.parametrize(
    ("name", "content", "status", "code"),
    [
        ("cup.png", b"<html><script>alert(1)</script></html>", 415, "file_type_not_allowed"),
        ("tea.pdf", PNG, 415, "file_type_not_allowed"),
        ("tea.docx", b"just text", 415, "file_type_not_allowed"),
        ("tea.docx", office("wordprocessingml.document.macroEnabled", {}), 415, "file_type_not_allowed"),
        ("tea.zip", b"PK\x03\x04 broken", 415, "file_type_not_allowed"),
        ("tool.exe", b"MZ\x90\x00\x03\x00", 415, "file_type_not_allowed"),
        ("notes.txt", "Чай и кофе".encode("cp1251"), 415, "file_type_not_allowed"),
        ("notes.txt", b"Tea \x81", 415, "file_type_not_allowed"),
        ("notes.txt", b"\xe9 \x01", 415, "file_type_not_allowed"),
        ("notes.txt", b"\xff\xfea\x00\x00\x00", 415, "file_type_not_allowed"),
        ("notes.txt", b"\xff\xfe\x00\xd8", 415, "file_type_not_allowed"),
        ("notes.txt", b"\xff\xfe", 400, "file_empty"),
        ("notes.txt", b"a\x00b", 415, "file_type_not_allowed"),
        ("notes.txt", b"", 400, "file_empty"),
        ("cup.png", PNG + bytes(10 * MEGABYTE), 413, "file_too_large"),
        ("notes.txt", b"a" * (5 * MEGABYTE + 1), 413, "file_too_large"),
    ],
)
def test_anything_else_is_refused_in_words(alice: Client, cast: Cast, name: str, content: bytes, status: int, code: str) -> None:
    response = attach(alice, name, content)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    with tenant_tx(cast.acme.pk):
        assert not File.objects.exists()
    assert not file_storage().exists(str(cast.acme.pk)) or not any(file_storage().listdir(str(cast.acme.pk)))


@pytest.mark.parametrize("compression", [ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_a_document_that_inflates_is_refused_before_it_does(alice: Client, compression: int) -> None:
    content = zip_bomb(64 * MEGABYTE, compression=compression, claimed_size=100)
    tracemalloc.start()
    try:
        response = attach(alice, "tea.docx", content)
        used_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (response.status_code, response.json()["error"]["code"]) == (415, "file_type_not_allowed")
    assert used_bytes < 8 * MEGABYTE


def test_a_request_has_one_file_and_a_csrf_token(alice: Client, cast: Cast) -> None:
    two = alice.post(ACME, {"file": SimpleUploadedFile("a.txt", b"a"), "second": SimpleUploadedFile("b.txt", b"b")})
    none = alice.post(ACME, {})
    assert (two.status_code, none.status_code) == (400, 400)
    strict = signed_in(cast.alice, enforce_csrf_checks=True)
    assert attach(strict, "a.txt", b"a").status_code == 403


@pytest.mark.parametrize(
    ("boundary", "content", "word"),
    [
        ("", b"", "in the field"),
        ("", b"--x--\r\n", "boundary"),
        ("; boundary=", b"--x--\r\n", "boundary"),
        ("; boundary=x", b"", "in the field"),
        ("; boundary=x", b"--x--\r\n", "in the field"),
    ],
)
async def test_an_upload_without_anything_is_refused_in_words(cast: Cast, boundary: str, content: bytes, word: str) -> None:
    """As programs send it, over ASGI, where an empty body reaches the parser of forms."""
    client = AsyncClient()
    await sync_to_async(client.force_login)(cast.alice)
    response = await client.generic("POST", ACME, content, content_type=f"multipart/form-data{boundary}")
    assert response.status_code == 400
    assert word in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("raw_name", "display_name"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\tea.txt", "tea.txt"),
        ("te\u202eat\u200bx\x07t.txt", "teatxt.txt"),
        ("a" * 300 + ".txt", "a" * 196 + ".txt"),
    ],
)
def test_a_name_is_only_ever_shown(alice: Client, raw_name: str, display_name: str) -> None:
    with patch.object(SimpleUploadedFile, "_set_name", lambda self, name: setattr(self, "_name", name)):
        assert attached(alice, raw_name)["name"] == display_name


def test_a_file_can_be_taken_back_until_it_is_sent(alice: Client, cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    item, other_item = attached(alice), attached(alice)
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.delete(f"{ACME}{item['id']}/").status_code == 204
    assert alice.get(f"{ACME}{item['id']}/").status_code == 404
    assert not file_storage().exists(f"{cast.acme.pk}/{item['id']}")
    with tenant_tx(cast.acme.pk):
        chat = conversation_row(organization_id=cast.acme.pk, owner_id=cast.actor(cast.alice).membership_id)
        File.objects.filter(pk=other_item["id"]).update(conversation_id=chat)
    response = alice.delete(f"{ACME}{other_item['id']}/")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "file_in_use")


def test_a_document_is_read_in_the_background(alice: Client, cast: Cast) -> None:
    good_item, bad_item = attached(alice, "a.pdf", pdf("All about tea.")), attached(alice, "b.pdf", b"%PDF-1.4 broken")
    for item in (good_item, bad_item):
        file_text_read(organization_id=cast.acme.pk, file_id=UUID(item["id"]))
    assert alice.get(f"{ACME}{good_item['id']}/").json()["state"] == "ready"
    assert row(cast, good_item).text == "All about tea."
    body = alice.get(f"{ACME}{bad_item['id']}/").json()
    assert (body["state"], body["reason"]) == ("failed", "It is broken, or not what it seems to be.")


@pytest.mark.django_db(transaction=True)
def test_old_bytes_that_cannot_be_removed_take_no_new_ones_along(alice: Client, cast: Cast, settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}},
    }
    old = row(cast, attached(alice))
    with tenant_tx(cast.acme.pk):
        File.objects.filter(pk=old.pk).update(created_at="2020-01-01T00:00:00Z")
    (tmp_path / old.stored_as).unlink()
    (tmp_path / old.stored_as / "in the way").mkdir(parents=True)
    item = attached(alice, "new.txt", b"New.")
    assert body_of(alice.get(item["url"])) == b"New."
    assert alice.get(f"{ACME}{old.pk}/").status_code == 404


def test_files_that_are_never_sent_do_not_pile_up(alice: Client, cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        owner = cast.actor(cast.alice).membership_id
        File.objects.bulk_create(File(owner_id=owner, name="a", media_type="text/plain", kind="text", size_bytes=1) for _ in range(100))
    response = attach(alice, "a.txt", b"a")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "too_many_files")
    with tenant_tx(cast.acme.pk):
        old = File.objects.first()
        assert old is not None
        File.objects.filter(pk=old.pk).update(created_at="2020-01-01T00:00:00Z")
    attached(alice, "a.txt", b"a")


@contextmanager
def no_room(size_bytes: int) -> Iterator[None]:
    """A file may not become larger: the operating system refuses to write on, as on a full disk."""
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)


LARGE_PDF = pdf("Tea.") + bytes(3 * 1024 * 1024)  # larger than what is kept in memory


def test_an_upload_that_finds_no_room_says_so_and_leaves_no_half(alice: Client, cast: Cast, settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "files"}},
    }
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    with no_room(1024 * 1024):
        stream_response = attach(alice, "tea.pdf", LARGE_PDF)
        settings.FILE_UPLOAD_HANDLERS = ["files.api.uploads.LimitedUploadHandler", "tests.support.files.memory_upload.AllInMemory"]
        storage_response = attach(alice, "tea.pdf", LARGE_PDF)
    for response in (stream_response, storage_response):
        assert (response.status_code, response.json()["error"]["code"]) == (507, "disk_full")
        assert "disk is full" in response.json()["error"]["message"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    with tenant_tx(cast.acme.pk):
        assert not File.objects.exists()
    assert attach(alice, "tea.pdf", LARGE_PDF).status_code == 201
