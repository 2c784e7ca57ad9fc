"""Knowledge files: what admins upload, and that a path is a name in a table and nothing else (SPEC 4.10)."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from admin_config.models import ToolSource
from files.knowledge.models import KnowledgeFile
from files.knowledge.paths import matches_glob
from files.knowledge.search import BadPattern, texts_search
from files.knowledge.selectors import Folder, knowledge_file_get, knowledge_files_list
from files.knowledge.services import knowledge_text_read
from files.storage import file_storage
from files.tasks import knowledge_texts_overdue
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast
from tests.support.files.documents import PNG, pdf
from tests.support.suite.time_limits import scaled_to_load

ACME = "/o/acme/admin/files/knowledgefile/"


@pytest.fixture
def folder(cast: Cast, settings: Settings, tmp_path: Path) -> UUID:
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}},
    }
    return folder_of(cast.acme)


def folder_of(organization: Organization) -> UUID:
    with tenant_tx(organization.pk):
        return UUID(str(ToolSource.objects.create(name="guides", kind="files").pk))


def upload(client: Client, folder: UUID, name: str, content: bytes, place: str = "") -> Any:
    file = SimpleUploadedFile(name, content)
    return client.post(f"{ACME}add/", {"source": str(folder), "folder": place, "upload": file})


@pytest.mark.django_db(transaction=True)
def test_an_admin_uploads_and_deletes(cast: Cast, folder: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        "files.knowledge.services.current_app.send_task", lambda name, arguments, **options: tasks.append((name, *arguments))
    )
    alice = signed_in(cast.alice)
    assert upload(alice, folder, "../..\\tea.md", "Grün".encode(), place="/guides/2026/").status_code == 302
    assert upload(alice, folder, "tea.pdf", pdf("All about tea.")).status_code == 302
    assert [(name, organization) for name, organization, _ in tasks] == [("files.tasks.knowledge_text_read", str(cast.acme.pk))]
    page = alice.get(ACME).content.decode()
    assert "guides/2026/tea.md" in page
    assert "Being read" in page
    for _ in range(2):  # a task may come twice
        knowledge_text_read(organization_id=cast.acme.pk, file_id=UUID(tasks[0][2]))
    with tenant_tx(cast.acme.pk):
        document, text = knowledge_files_list(Folder(folder), "")[::-1]
        assert (document.path, document.state, document.text) == ("tea.pdf", "ready", "All about tea.")
        assert text.text == "Grün"
    assert not file_storage().exists(document.stored_as)  # its text is all that is kept
    assert "All about tea." in alice.get(f"{ACME}{document.pk}/change/").content.decode()
    assert alice.post(f"{ACME}{document.pk}/delete/", {"post": "yes"}).status_code == 302
    with tenant_tx(cast.acme.pk):
        assert [file.path for file in knowledge_files_list(Folder(folder), "")] == ["guides/2026/tea.md"]


@pytest.mark.django_db(transaction=True)
def test_files_that_nobody_read_are_settled_and_deleted_ones_leave_no_bytes(
    cast: Cast, folder: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("files.knowledge.services.current_app.send_task", lambda *arguments, **options: None)  # the broker lost them
    alice = signed_in(cast.alice)
    for name in ("old", "file", "folder"):
        assert upload(alice, folder, f"{name}.pdf", pdf("Tea.")).status_code == 302
    with tenant_tx(cast.acme.pk):
        files = {file.path: file for file in KnowledgeFile.objects.all()}
        KnowledgeFile.objects.filter(path="old.pdf").update(created_at=Now() - timedelta(hours=3))

    def stored_paths() -> set[str]:
        return {path for path, file in files.items() if file_storage().exists(file.stored_as)}

    assert knowledge_texts_overdue() == 1
    assert stored_paths() == {"file.pdf", "folder.pdf"}
    with tenant_tx(cast.acme.pk):
        states = dict(KnowledgeFile.objects.values_list("path", "state"))
    assert states == {"old.pdf": "failed", "file.pdf": "pending", "folder.pdf": "pending"}
    assert alice.post(f"{ACME}{files['file.pdf'].pk}/delete/", {"post": "yes"}).status_code == 302
    assert stored_paths() == {"folder.pdf"}
    with tenant_tx(cast.acme.pk):
        ToolSource.objects.get(pk=folder).delete()
    assert stored_paths() == set()


@pytest.mark.django_db(transaction=True)
def test_a_store_that_lets_nothing_go_keeps_nobody_from_deleting(
    cast: Cast, folder: UUID, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    monkeypatch.setattr("files.knowledge.services.current_app.send_task", lambda *arguments, **options: None)
    undeletable = {"BACKEND": "tests.support.files.failing_storage.UndeletableDisk", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "files": undeletable}
    alice = signed_in(cast.alice)
    for name in ("tea", "cup"):
        assert upload(alice, folder, f"{name}.pdf", pdf("Tea.")).status_code == 302
    with tenant_tx(cast.acme.pk):
        KnowledgeFile.objects.update(created_at=Now() - timedelta(hours=3))
        files = list(KnowledgeFile.objects.all())
    assert knowledge_texts_overdue() == 2, "the first one's bytes stay, and the second is settled all the same"
    for file in files:
        assert alice.post(f"{ACME}{file.pk}/delete/", {"post": "yes"}).status_code == 302
    with tenant_tx(cast.acme.pk):
        assert not KnowledgeFile.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "content", "place", "error"),
    [
        ("cup.png", PNG, "", "a picture has none"),
        ("tea.md", b"", "", "empty"),
        ("tea.md", b"a\x00b", "", "file type"),
        ("tea.md", b"Tea.", "guides/../etc", "made of names"),
        ("tea.md", b"Tea.", "a//b", "made of names"),
        ("tea.md", b"Tea.", "/".join("abcdefghijk"), "10 parts"),
        ("tea.md", b"x" * (5 * 1024 * 1024 + 1), "", "at most 5 MB"),
    ],
)
def test_what_is_refused_says_why(cast: Cast, folder: UUID, name: str, content: bytes, place: str, error: str) -> None:
    page = upload(signed_in(cast.alice), folder, name, content, place)
    assert page.status_code == 200
    assert error in page.content.decode()
    with tenant_tx(cast.acme.pk):
        assert not KnowledgeFile.objects.exists()


@pytest.mark.django_db
def test_a_name_is_taken_once(cast: Cast, folder: UUID) -> None:
    alice = signed_in(cast.alice)
    assert upload(alice, folder, "tea.md", b"One.").status_code == 302
    assert "is there already" in upload(alice, folder, "tea.md", b"Two.").content.decode()


@pytest.mark.django_db
def test_other_organizations_have_no_such_folder(cast: Cast, folder: UUID) -> None:
    upload(signed_in(cast.alice), folder, "tea.md", b"SECRETTEA")
    with tenant_tx(cast.acme.pk):
        file_id = KnowledgeFile.objects.get().pk
    charlie, theirs = signed_in(cast.charlie), ACME.replace("acme", "other")
    assert charlie.get(ACME).status_code == 404
    assert signed_in(cast.bob).get(ACME).status_code == 404
    assert "tea.md" not in charlie.get(theirs).content.decode()
    assert charlie.get(f"{theirs}{file_id}/change/").status_code == 302  # to the list, as for what does not exist
    assert charlie.post(f"{theirs}{file_id}/delete/", {"post": "yes"}).status_code == 302
    file = SimpleUploadedFile("mine.md", b"Mine.")
    assert "Select a valid choice" in charlie.post(f"{theirs}add/", {"source": str(folder), "upload": file}).content.decode()
    with tenant_tx(cast.other.pk):
        assert knowledge_file_get(Folder(folder), "tea.md") is None
        assert knowledge_files_list(Folder(folder), "") == []
    with tenant_tx(cast.acme.pk):
        assert KnowledgeFile.objects.filter(pk=file_id).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        "../tea.md",
        "/etc/passwd",
        "guides/../tea.md",
        "tea.md\x00",
        "\ud800",
        "tea.md/",
        "~/tea.md",
        "TEA.MD",
        "t%65a.md",
        "file:///etc/passwd",
        "\u202etea.md",
        "",
        "x" * 5000,
    ],
)
def test_only_the_very_name_is_found(cast: Cast, folder: UUID, path: str) -> None:
    upload(signed_in(cast.alice), folder, "tea.md", b"Tea.")
    with tenant_tx(cast.acme.pk):
        assert knowledge_file_get(Folder(folder), path) is None
        assert knowledge_file_get(Folder(folder), "./tea.md") is not None


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.md", ["a.md"]),
        ("**/*.md", ["a.md", "g/b.md", "g/h/c.md"]),
        ("g/**", ["g/b.md", "g/h/c.md", "g/h/d.txt"]),
        ("g/*/?.txt", ["g/h/d.txt"]),
        ("../*", []),
        ("*" * 100 + "x", []),
        ("/".join(["**", "*"] * 50), []),
    ],
)
def test_globs_match_as_documented(pattern: str, expected: list[str]) -> None:
    assert [path for path in ("a.md", "g/b.md", "g/h/c.md", "g/h/d.txt") if matches_glob(path, pattern)] == expected


def test_searching_finds_lines_and_ends_what_would_never_end() -> None:
    texts = [("a.md", "Green tea\nblack (tea)\n" + "x" * 400 + " tea"), ("b.md", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")]
    plain = texts_search(texts, "(tea)", is_regex=False, ignore_case=True, limit=9)
    assert plain == [("a.md", 2, "black (tea)")]
    assert [line for _, line, _ in texts_search(texts, "^(green|black)", is_regex=True, ignore_case=True, limit=9)] == [1, 2]
    assert len(texts_search(texts, "tea", is_regex=False, ignore_case=False, limit=2)) == 2
    with pytest.raises(BadPattern, match="wrong"):
        texts_search(texts, "(", is_regex=True, ignore_case=False, limit=9)
    began = time.monotonic()
    with pytest.raises(BadPattern, match="too long"):
        texts_search(texts, "^(a+)+$", is_regex=True, ignore_case=False, limit=9)
    assert time.monotonic() - began < scaled_to_load(30)
