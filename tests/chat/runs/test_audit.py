"""What an answer leaves in the audit log: the key that it used, by whom and from where."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from asgiref.sync import sync_to_async

from doubles.script import Text
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.stores.audit_log import clean_counts, counted_to_rows, events

pytestmark = [pytest.mark.redis, pytest.mark.django_db(transaction=True, databases=["default", "system", "owner"])]


@pytest.fixture(autouse=True)
def _own_counts() -> Iterator[None]:
    with clean_counts():
        yield


async def test_answers_count_the_key_that_they_used(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    async with chat_socket(alice, "acme") as socket:
        for question in ("Which tea?", "And then?"):
            acme.double.answer(Text("Green."))
            await socket.answer(chat_id, question)
    await sync_to_async(counted_to_rows)()
    key_uses = await sync_to_async(events)(acme.organization, "key.use")
    assert sum(event.count for event in key_uses) >= 2
    assert {(event.actor_user_id, event.object_kind, event.category) for event in key_uses} == {(cast.alice.pk, "providerendpoint", "keys")}
    assert await sync_to_async(events)(cast.other, "key.use") == []
    assert not any(acme.double.key in str(vars(event)) for event in key_uses)
