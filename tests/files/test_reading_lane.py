"""Documents whose task was lost, or whose reader died, are read all the same: once each, and not more at a time than there are cores."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from threading import Lock
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from admin_config.models import ToolSource
from files.extraction.claims import GAVE_UP, MAX_CLAIMS
from files.extraction.reading_lane import CORES, ReadingLane
from files.extraction.text import ExtractedText, file_text_read
from files.knowledge.models import KnowledgeFile
from files.knowledge.services import knowledge_file_row
from files.models import File
from files.storage import content_write
from tenants.context import tenant_tx
from tests.files.uploads import attached, row, signed_in
from tests.support.accounts.cast import Cast
from tests.support.files.documents import pdf
from tests.support.system.product import wait_for


@pytest.fixture
def lane() -> Iterator[ReadingLane]:
    reading_lane = ReadingLane()
    yield reading_lane
    reading_lane.close()


@pytest.fixture
def alice(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Her uploads' tasks are lost, as with a worker that is killed."""
    monkeypatch.setattr("files.services.current_app.send_task", lambda *arguments, **options: None)
    return signed_in(cast.alice)


def change(cast: Cast, item: dict[str, Any], **values: object) -> None:
    with tenant_tx(cast.acme.pk):
        File.objects.filter(pk=item["id"]).update(**values)


def wait_read(cast: Cast, items: list[dict[str, Any]]) -> None:
    wait_for(lambda: all(row(cast, item).state == "ready" for item in items), "all files were read", timeout_s=60)


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_file_whose_task_was_lost_is_found_and_read(cast: Cast, alice: Client, lane: ReadingLane) -> None:
    items = [attached(alice, f"{number}.pdf", pdf(f"Tea {number}.")) for number in range(3)]
    lane.sweep()
    assert {row(cast, item).claims for item in items} == {0}  # their own tasks come first
    for item in items:
        change(cast, item, created_at=Now() - timedelta(minutes=1))
    for item in items:
        lane.sweep()
        wait_read(cast, [item])  # as many begin as there are idle threads, the oldest first
    assert [row(cast, item).text for item in items] == ["Tea 0.", "Tea 1.", "Tea 2."]


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_document_of_a_folder_is_found_and_read_too(cast: Cast, lane: ReadingLane) -> None:
    content = pdf("Tea.")
    with tenant_tx(cast.acme.pk):
        folder = ToolSource.objects.create(name="guides", kind="files")
        file = knowledge_file_row(source=folder, path="tea.pdf", content=content)
        file.save(force_insert=True)
        KnowledgeFile.objects.update(created_at=Now() - timedelta(minutes=1))
    content_write(file.stored_as, content)

    def text() -> str:
        with tenant_tx(cast.acme.pk):
            return KnowledgeFile.objects.get().text

    lane.sweep()
    wait_for(lambda: text() == "Tea.", "the document was read", timeout_s=60)


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_file_whose_reader_died_is_read_again_when_its_claim_ends(cast: Cast, alice: Client, lane: ReadingLane) -> None:
    item = attached(alice, "tea.pdf", pdf("Tea."))
    change(cast, item, created_at=Now() - timedelta(minutes=1), claimed_until=Now() + timedelta(minutes=1), claims=1)
    lane.sweep()
    file_text_read(organization_id=cast.acme.pk, file_id=UUID(item["id"]))  # the repeated task of another worker
    assert (row(cast, item).state, row(cast, item).claims) == ("pending", 1)
    change(cast, item, claimed_until=Now() - timedelta(seconds=1))
    lane.sweep()
    wait_read(cast, [item])
    assert row(cast, item).claims == 2


def test_a_file_that_ended_every_reader_is_given_up(cast: Cast, alice: Client) -> None:
    item = attached(alice, "tea.pdf", pdf("Tea."))
    change(cast, item, claims=MAX_CLAIMS)
    file_text_read(organization_id=cast.acme.pk, file_id=UUID(item["id"]))
    assert (row(cast, item).state, row(cast, item).reason) == ("failed", GAVE_UP)


def test_as_many_are_read_at_once_as_there_are_cores(lane: ReadingLane) -> None:
    running = most = done = 0
    lock = Lock()

    def read(*, organization_id: UUID, file_id: UUID) -> None:
        nonlocal running, most, done
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1
            done += 1
        if done % 7 == 0:
            raise OSError("the database is away")

    for _ in range(60):
        lane.add(read, uuid4(), uuid4())
    wait_for(lambda: done == 60, "all were tried")
    assert most == CORES


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_no_database_connection_is_held_while_a_document_is_read(cast: Cast, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> ExtractedText:
        assert connection.connection is None
        return ExtractedText("Tea.")

    monkeypatch.setattr("files.extraction.text.extract_text", read)
    item = attached(alice, "tea.pdf", pdf("Tea."))
    file_text_read(organization_id=cast.acme.pk, file_id=UUID(item["id"]))
    assert row(cast, item).text == "Tea."
