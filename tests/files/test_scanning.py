"""The malware scanner: nobody gets a file before it is found clean, an infected one is refused, and without a scanner files wait."""

from __future__ import annotations

import base64
import shlex
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from admin_config.models import ToolSource
from chat.models import Project
from files.errors import FileInfected, ScannerUnavailable
from files.extraction.claims import MAX_CLAIMS
from files.extraction.text import file_text_read
from files.generated_files import AnswerFiles
from files.knowledge.models import KnowledgeFile
from files.knowledge.services import knowledge_file_retry, knowledge_file_row, knowledge_text_read
from files.models import File
from files.selectors import ConversationFiles, model_texts
from files.storage import content_write, file_storage
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.files.uploads import ACME, attached, signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.conversations import conversation_row
from tests.support.files.documents import PICTURE, pdf
from tests.support.files.downloads import body_of
from tests.support.files.icap import NAME, THREAT, Mood, Scanner, icap_scanner

pytestmark = pytest.mark.django_db

INFECTED_REASON = f"It was refused: the malware scanner found {NAME} in it."


@pytest.fixture
def scanner(settings: Settings) -> Iterator[Scanner]:
    with icap_scanner() as running:
        settings.MALWARE_SCANNER = running.url
        yield running


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


def row(cast: Cast, item: dict[str, Any]) -> File:
    with tenant_tx(cast.acme.pk):
        return File.objects.get(pk=item["id"])


def check(cast: Cast, item: dict[str, Any]) -> File:
    file_text_read(organization_id=cast.acme.pk, file_id=UUID(item["id"]))
    return row(cast, item)


def infections(cast: Cast) -> list[tuple[int | None, dict[str, Any]]]:
    with tenant_tx(cast.acme.pk):
        return list(AuditEvent.objects.filter(action="file.infected").values_list("actor_user_id", "detail"))


@pytest.mark.parametrize("mood", ["plain", "echo"])
@pytest.mark.parametrize(
    ("name", "content", "text"), [("a.txt", b"Tea.", "Tea."), ("a.png", PICTURE, ""), ("a.pdf", pdf("All about tea."), "All about tea.")]
)
def test_a_file_is_pending_until_it_is_clean(
    alice: Client, cast: Cast, scanner: Scanner, mood: Mood, name: str, content: bytes, text: str
) -> None:
    scanner.mood = mood
    item = attached(alice, name, content)
    assert item["state"] == "pending"
    for url in (item["url"], item["downloadUrl"], f"/o/acme/api/files/{item['id']}/text/"):
        assert alice.get(url).status_code == 404
    with tenant_tx(cast.acme.pk):
        assert model_texts([item["id"]])[item["id"]].is_pending
    file = check(cast, item)
    assert (file.state, file.text, scanner.bodies) == ("ready", text, [content])
    assert body_of(alice.get(item["downloadUrl"])) == content


@pytest.mark.parametrize(("name", "content"), [("a.txt", b"Tea. " + THREAT), ("a.png", PICTURE + THREAT), ("a.pdf", pdf("Tea.") + THREAT)])
def test_an_infected_file_is_refused_and_audited(
    alice: Client, cast: Cast, scanner: Scanner, name: str, content: bytes, django_capture_on_commit_callbacks: Any
) -> None:
    item = attached(alice, name, content)
    with django_capture_on_commit_callbacks(execute=True):
        file = check(cast, item)
    body = alice.get(f"{ACME}{item['id']}/").json()
    assert (body["state"], body["reason"], file.text) == ("failed", INFECTED_REASON, "")
    assert alice.get(body["url"]).status_code == 404
    assert not any(file_storage().exists(path) for path in (file.stored_as, file.shown_as))
    assert infections(cast) == [(cast.alice.pk, {"threat": NAME})]
    with tenant_tx(cast.acme.pk):
        assert INFECTED_REASON in model_texts([item["id"]])[item["id"]].text
        conversation_row(organization_id=cast.acme.pk, owner_id=file.owner_id, conversation_id=file.pk)
        File.objects.update(conversation_id=file.pk)
    assert async_to_sync(ConversationFiles(cast.acme.pk, file.pk).read)([item["id"]]) == {}


def test_an_answer_that_waits_too_long_does_not_let_an_unchecked_file_through(alice: Client, cast: Cast, scanner: Scanner) -> None:
    item = attached(alice, "a.png", PICTURE + THREAT)
    chat = conversation_row(organization_id=cast.acme.pk, owner_id=cast.actor(cast.alice).membership_id)
    with tenant_tx(cast.acme.pk):
        File.objects.update(state=File.State.FAILED, conversation_id=chat)
    assert alice.get(item["url"]).status_code == 404
    assert async_to_sync(ConversationFiles(cast.acme.pk, chat).read)([item["id"]]) == {}


@pytest.mark.parametrize("place", ["icap://127.0.0.1:9/respmod", "broken", "command:/nowhere/scanner", "command:/bin/false --x"])
def test_without_the_scanner_a_file_waits_and_then_is_given_up(
    alice: Client, cast: Cast, scanner: Scanner, settings: Settings, place: str
) -> None:
    if place == "broken":
        scanner.mood = "broken"
    elif "false" in place:
        settings.MALWARE_SCANNER = f"command:{shlex.join([sys.executable, '-c', 'raise SystemExit(2)'])}"
    else:
        settings.MALWARE_SCANNER = place
    item = attached(alice)
    file = check(cast, item)
    assert (file.state, file.claims, file.is_unchecked) == ("pending", 0, True)
    assert check(cast, item).claims == 0, "its next try is later"
    with tenant_tx(cast.acme.pk):
        File.objects.update(created_at=Now() - timedelta(hours=2), claimed_until=None)
    file = check(cast, item)
    assert (file.state, file.reason) == ("failed", "It could not be checked for malware. Attach it again later.")
    assert alice.get(item["url"]).status_code == 404


def test_a_scanner_that_sends_something_else_has_refused_the_file(alice: Client, cast: Cast, scanner: Scanner) -> None:
    scanner.mood = "replace"
    item = attached(alice)
    assert check(cast, item).reason == "It was refused: the malware scanner found malware in it."


def test_a_program_can_be_the_scanner(alice: Client, cast: Cast, settings: Settings) -> None:
    program = (
        f"import sys; bad = {THREAT!r} in sys.stdin.buffer.read(); print('stream: {NAME} FOUND' if bad else 'stream: OK'); sys.exit(bad)"
    )
    settings.MALWARE_SCANNER = f"command:{shlex.join([sys.executable, '-c', program])}"
    assert check(cast, attached(alice)).state == "ready"
    assert check(cast, attached(alice, "b.txt", THREAT)).reason == INFECTED_REASON


def test_pictures_of_models_and_tools_are_checked_before_they_are_kept(cast: Cast, scanner: Scanner, settings: Settings) -> None:
    keep = async_to_sync(AnswerFiles(cast.acme.pk, cast.actor(cast.alice).membership_id).keep)
    file = keep(base64.b64encode(PICTURE).decode(), "image")
    assert (file.state, file.is_unchecked) == ("ready", False)
    with pytest.raises(FileInfected, match=NAME):
        keep(base64.b64encode(PICTURE + THREAT).decode(), "image")
    assert infections(cast) == [(cast.alice.pk, {"threat": NAME})]
    settings.MALWARE_SCANNER = "icap://127.0.0.1:9/respmod"
    with pytest.raises(ScannerUnavailable):
        keep(base64.b64encode(PICTURE).decode(), "image")


@pytest.mark.parametrize(("content", "state", "text"), [(b"Tea.", "ready", "Tea."), (b"Tea. " + THREAT, "failed", "")])
def test_knowledge_files_are_checked_too(cast: Cast, scanner: Scanner, content: bytes, state: str, text: str) -> None:
    with tenant_tx(cast.acme.pk):
        folder = ToolSource.objects.create(name="guides", kind="files")
        file = knowledge_file_row(source=folder, path="tea.txt", content=content)
        file.save(force_insert=True)
    assert file.state == "pending"
    content_write(file.stored_as, content)
    knowledge_text_read(organization_id=cast.acme.pk, file_id=file.pk)
    with tenant_tx(cast.acme.pk):
        file = KnowledgeFile.objects.get()
    assert (file.state, file.text, len(infections(cast))) == (state, text, int(state == "failed"))


def test_a_text_file_keeps_its_text_for_another_try(cast: Cast, scanner: Scanner) -> None:
    with tenant_tx(cast.acme.pk):
        project = Project.objects.create(owner=cast.alice.memberships.get(), name="Harbour")
        file = knowledge_file_row(project_id=project.pk, path="tea.txt", content=b"Tea.")
        file.claims = MAX_CLAIMS
        file.save(force_insert=True)
    content_write(file.stored_as, b"Tea.")
    knowledge_text_read(organization_id=cast.acme.pk, file_id=file.pk)
    with tenant_tx(cast.acme.pk):
        file.refresh_from_db()
        assert (file.state, file.has_bytes) == ("failed", True)
        knowledge_file_retry(file)
    knowledge_text_read(organization_id=cast.acme.pk, file_id=file.pk)
    with tenant_tx(cast.acme.pk):
        file.refresh_from_db()
    assert (file.state, file.text, file.has_bytes) == ("ready", "Tea.", False)
