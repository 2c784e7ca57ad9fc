"""The files of a project: added, read, attached to messages, and how much room there is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db.models.functions import Now
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from chat.projects import knowledge
from files.extraction.claims import GAVE_UP
from files.extraction.text import TOO_LONG, ExtractedText
from files.knowledge.models import KnowledgeFile
from files.knowledge.services import NO_TEXT, knowledge_files_overdue_fail, knowledge_text_read
from files.storage import file_storage
from tenants.context import tenant_tx
from tests.rest.conftest import post, signed_in
from tests.rest.project_requests import API, PROJECTS, add_file, attach, make_project
from tests.support.accounts.cast import Cast
from tests.support.files.documents import pdf
from tests.support.stores.audit_log import events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


def test_files_are_added_listed_and_removed(cast: Cast, alice: Client) -> None:
    project_id = make_project(alice)
    added = add_file(alice, project_id)
    assert (added.status_code, added.json()["state"]) == (201, "ready"), added.content
    assert "is there already" in add_file(alice, project_id).json()["error"]["message"]
    assert add_file(alice, project_id, "picture.png", b"\x89PNG\r\n\x1a\n" + b"\x00" * 40).status_code == 415
    listing = alice.get(f"{PROJECTS}{project_id}/files/").json()
    assert ([item["name"] for item in listing["items"]], listing["usedBytes"]) == (["rates.md"], 20)
    file_id = added.json()["id"]
    assert alice.delete(f"{PROJECTS}{project_id}/files/{file_id}/").status_code == 204
    assert alice.get(f"{PROJECTS}{project_id}/").json()["fileCount"] == 0
    assert [event.object_id for event in events(cast.acme, "file.delete")] == [file_id]


def test_a_file_is_attached_to_a_message_without_another_upload(
    cast: Cast, alice: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    project_id = make_project(alice)
    rates = add_file(alice, project_id).json()["id"]
    with django_capture_on_commit_callbacks(execute=True):
        quote = add_file(alice, project_id, "quote.pdf", pdf("Crane: 12 euros")).json()["id"]
    response = attach(alice, project_id, quote)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "file_not_attachable"), "it is being read"
    knowledge_text_read(organization_id=cast.acme.pk, file_id=UUID(quote))
    responses = [attach(alice, project_id, each) for each in (rates, quote)]
    assert [(answer.status_code, answer.json()["name"], answer.json()["state"]) for answer in responses] == [
        (201, "rates.md", "ready"),
        (201, "quote.pdf.txt", "ready"),
    ]
    texts = [alice.get(f"{API}/files/{answer.json()['id']}/text/").json()["text"] for answer in responses]
    assert texts[0] == "Crane fee: 12 euros."
    assert "Crane: 12 euros" in texts[1]
    assert alice.delete(f"{API}/files/{responses[0].json()['id']}/").status_code == 204
    assert len(alice.get(f"{PROJECTS}{project_id}/files/").json()["items"]) == 2, "the project keeps its own"


def test_control_characters_of_a_documents_text_are_left_out(cast: Cast, alice: Client) -> None:
    project_id = make_project(alice)
    file_id = add_file(alice, project_id).json()["id"]
    with tenant_tx(cast.acme.pk):
        KnowledgeFile.objects.filter(pk=file_id).update(kind="pdf", path="quote.pdf", text="Crane:\x02 12\x1f €\f")
    response = attach(alice, project_id, file_id)
    assert (response.status_code, response.json()["name"]) == (201, "quote.pdf.txt")
    assert alice.get(f"{API}/files/{response.json()['id']}/text/").json()["text"] == "Crane: 12 €\f"


def test_a_file_that_could_not_be_read_is_tried_again(
    cast: Cast, alice: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    project_id = make_project(alice)
    files = f"{PROJECTS}{project_id}/files/"
    with django_capture_on_commit_callbacks(execute=True):
        quote, scan = (
            add_file(alice, project_id, f"{name}.pdf", pdf(text)).json()["id"] for name, text in (("quote", "Crane: 12"), ("scan", ""))
        )
    with tenant_tx(cast.acme.pk):
        KnowledgeFile.objects.filter(pk=quote).update(state="failed", reason=GAVE_UP, claims=4, created_at=Now() - timedelta(days=9))
    knowledge_text_read(organization_id=cast.acme.pk, file_id=UUID(scan))
    assert [(item["state"], item["canRetry"]) for item in alice.get(files).json()["items"]] == [("failed", True)] * 2
    for each in (quote, scan, quote):  # a second click changes nothing
        again = post(alice, f"{files}{each}/readings/")
        assert (again.status_code, again.json()["state"], again.json()["canRetry"], again.json()["reason"]) == (200, "pending", False, "")
    assert knowledge_files_overdue_fail(organization_id=cast.acme.pk) == 0
    for each in (quote, scan):
        knowledge_text_read(organization_id=cast.acme.pk, file_id=UUID(each))
    assert [(item["state"], item["canRetry"]) for item in alice.get(files).json()["items"]] == [("ready", False), ("failed", True)]
    with tenant_tx(cast.acme.pk):
        storage_names = {file.path: file.stored_as for file in KnowledgeFile.objects.all()}
    assert [file_storage().exists(storage_names[path]) for path in ("quote.pdf", "scan.pdf")] == [False, True]
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.delete(f"{files}{scan}/").status_code == 204
    assert not file_storage().exists(storage_names["scan.pdf"])


def test_a_lost_file_is_not_tried_again(
    cast: Cast, alice: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    project_id = make_project(alice)
    with django_capture_on_commit_callbacks(execute=True):
        file_id = UUID(add_file(alice, project_id, "quote.pdf", pdf("Crane: 12")).json()["id"])
    file_storage().delete(KnowledgeFile(id=file_id, organization_id=cast.acme.pk).stored_as)
    knowledge_text_read(organization_id=cast.acme.pk, file_id=file_id)
    [item] = alice.get(f"{PROJECTS}{project_id}/files/").json()["items"]
    assert (item["state"], item["canRetry"]) == ("failed", False)
    assert post(alice, f"{PROJECTS}{project_id}/files/{file_id}/readings/").status_code == 400


def test_two_readers_of_a_file_keep_its_bytes_when_the_first_one_failed(
    cast: Cast,
    alice: Client,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    project_id = make_project(alice)
    with django_capture_on_commit_callbacks(execute=True):
        file_id = UUID(add_file(alice, project_id, "quote.pdf", pdf("Crane: 12")).json()["id"])

    def read_while_another_fails(*args: Any) -> ExtractedText:
        with tenant_tx(cast.acme.pk):
            KnowledgeFile.objects.filter(pk=file_id).update(state="failed", reason=TOO_LONG)
        return ExtractedText("Crane: 12")

    with monkeypatch.context() as patch:
        patch.setattr("files.knowledge.services.extract_text", read_while_another_fails)
        knowledge_text_read(organization_id=cast.acme.pk, file_id=file_id)
    assert post(alice, f"{PROJECTS}{project_id}/files/{file_id}/readings/").status_code == 200
    knowledge_text_read(organization_id=cast.acme.pk, file_id=file_id)
    [item] = alice.get(f"{PROJECTS}{project_id}/files/").json()["items"]
    assert item["state"] == "ready"


def test_a_file_whose_bytes_are_gone_is_not_tried_again(cast: Cast, alice: Client) -> None:
    project_id = make_project(alice)
    file_id = add_file(alice, project_id).json()["id"]
    with tenant_tx(cast.acme.pk):
        KnowledgeFile.objects.filter(pk=file_id).update(state="failed", reason=NO_TEXT)
    response = post(alice, f"{PROJECTS}{project_id}/files/{file_id}/readings/")
    assert (response.status_code, "add it anew" in response.json()["error"]["message"]) == (400, True)


@pytest.mark.parametrize(
    ("change", "words"), [({"state": "failed", "reason": NO_TEXT}, "No text was found"), ({"text_cut": True}, "only the beginning")]
)
def test_a_file_without_its_whole_text_is_not_attached(cast: Cast, alice: Client, change: dict[str, Any], words: str) -> None:
    project_id = make_project(alice)
    file_id = add_file(alice, project_id).json()["id"]
    with tenant_tx(cast.acme.pk):
        KnowledgeFile.objects.filter(pk=file_id).update(**change)
    error = attach(alice, project_id, file_id).json()["error"]
    assert (error["code"], words in error["message"]) == ("file_not_attachable", True)


def test_a_project_has_room_for_so_much(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge, "MAX_BYTES", 25)
    project_id = make_project(alice)
    add_file(alice, project_id)
    response = add_file(alice, project_id, "more.md")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "storage_full")


def test_all_projects_of_a_member_have_room_for_what_a_member_may_store(alice: Client, settings: Settings) -> None:
    settings.FILE_QUOTAS = {**settings.FILE_QUOTAS, "member_files": 1}
    assert add_file(alice, make_project(alice)).status_code == 201
    response = add_file(alice, make_project(alice, "Another"))
    assert (response.status_code, "Remove files" in response.json()["error"]["message"]) == (409, True)


def test_admins_do_not_see_the_files_of_members_projects(cast: Cast, alice: Client) -> None:
    file_id = add_file(alice, make_project(alice), "private.md").json()["id"]
    assert b"private.md" not in alice.get("/o/acme/admin/files/knowledgefile/").content
    assert alice.get(f"/o/acme/admin/files/knowledgefile/{file_id}/change/").status_code in {302, 404}
