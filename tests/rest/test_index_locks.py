"""A chat is deleted while its texts are read for the search: neither waits for the other for ever, and nothing of it is found."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from agents.messages import UserMessage
from artifacts.models import Artifact
from chat.conversations.deletion import conversation_delete
from chat.conversations.selectors import conversation_get_for_user
from chat.entries import StoredEntry
from chat.models import Conversation, Part, SearchDocument, SearchText, SearchWord
from chat.storage.run_writes import part_rows
from chat.tasks import texts_index
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, signed_in
from tests.rest.searches import conversation_with, search
from tests.support.accounts.cast import Cast
from tests.support.stores.database import connect
from tests.support.stores.locks import is_somebody_waiting

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def with_new_document(cast: Cast) -> UUID:
    conversation_id = make_conversation(cast, cast.alice)
    make_artifact(cast.actor(cast.alice), "Mombasa", conversation_id=conversation_id)
    return conversation_id


def with_longer_message(cast: Cast) -> UUID:
    conversation_id, [message_id] = conversation_with(cast, cast.alice, "Mombasa")
    with tenant_tx(cast.acme.pk):
        Part.objects.bulk_create(part_rows(message_id=message_id, position=1, entries=[StoredEntry(UserMessage("Zanzibar"))]))
        Conversation.objects.filter(pk=conversation_id).update(updated_at=timezone.now())
    return conversation_id


def errors(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.levelname == "ERROR"]


def index_in_own_connection() -> int:
    try:
        return texts_index()
    finally:
        connections.close_all()


@pytest.mark.parametrize("make", [with_new_document, with_longer_message])
def test_a_chat_that_is_deleted_while_it_is_indexed_is_deleted_and_leaves_nothing(
    cast: Cast, make: Callable[[Cast], UUID], caplog: pytest.LogCaptureFixture
) -> None:
    conversation_id, actor = make(cast), cast.actor(cast.alice)
    with ThreadPoolExecutor(1) as pool:
        with tenant_tx(cast.acme.pk):
            conversation_get_for_user(actor=actor, key=str(conversation_id), lock=True)
            indexing = pool.submit(index_in_own_connection)
            while not indexing.done() and not is_somebody_waiting():
                pass
            conversation_delete(actor=actor, key=str(conversation_id))
        indexing.result(timeout=60)
    assert errors(caplog) == [], "neither was ended because of a deadlock"
    with tenant_tx(cast.acme.pk):
        assert [model.objects.exists() for model in (SearchDocument, SearchText, SearchWord)] == [False] * 3


def test_a_document_that_somebody_writes_is_indexed_in_the_next_round(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    """Who writes it may wait for its conversation, so the index does not wait for the document."""
    conversation_id = with_new_document(cast)
    with connect(connections["default"].settings_dict["NAME"]) as writer, writer.transaction():
        writer.execute("select 1 from artifacts_artifact where conversation_id = %s for update", [conversation_id])
        texts_index()
    assert errors(caplog) == [], "it did not wait"
    assert search(signed_in(cast.alice), "mombasa")["items"] == []
    texts_index()
    assert len(search(signed_in(cast.alice), "mombasa")["items"]) == 1
    with tenant_tx(cast.acme.pk):
        assert Artifact.objects.get(conversation_id=conversation_id).indexed_number == 1
