"""What a send reads in one round trip: as of now behind its locks, and a database that is away is told as one."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NoReturn
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from admin_config.models import ProviderEndpoint
from admin_config.services.configuration import credential_set
from agents.runtime.key_lookup import NO_KEYS
from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.send_prefetch import send_selects
from chat.conversations.services import NewMessage, message_post
from chat.models import Conversation, Run
from chat.storage.run_loading import LoadedRun, run_load
from tenants.access import Actor, membership_lock
from tenants.context import tenant_tx
from tenants.postgres.prepared_select import BoundSelect, read_ahead
from tests.support.cast import Cast
from tests.support.time_limits import scaled_to_load
from tests.support.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@contextmanager
def reading(actor: Actor, key: UUID | str) -> Iterator[None]:
    with tenant_tx(actor.organization_id), read_ahead(send_selects(actor, str(key))):
        yield


def no_question(*_: Any) -> NoReturn:
    raise AssertionError("this was read ahead")


def conversation_as_read(actor: Actor, key: UUID) -> UUID:
    try:
        with reading(actor, key), connection.execute_wrapper(no_question):
            membership_lock(actor)
            return conversation_get_for_user(actor=actor, key=str(key), lock=True).pk
    finally:
        connection.close()


def wait_until_blocked(other: Future[UUID]) -> None:
    """Until the `other` transaction waits for a lock."""
    while not other.done():
        with connection.cursor() as cursor:
            cursor.execute("SELECT FROM pg_locks WHERE NOT granted")
            if cursor.fetchall():
                return


def test_a_send_sees_what_the_send_that_it_waited_for_has_stored(cast: Cast) -> None:
    """In the same round trip as the lock: two first messages make one conversation, and both count against the limit."""
    actor, key = cast.actor(cast.alice), uuid4()
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(actor.organization_id):
            membership_lock(actor)
            second = threads.submit(conversation_as_read, actor, key)
            wait_until_blocked(second)
            Conversation.objects.create(id=key, owner_id=actor.membership_id, title="Plans", updated_at=Now())
        assert second.result(timeout=scaled_to_load(10)) == key


def test_a_connection_that_is_lost_on_the_way_is_a_database_that_is_away(cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    for is_begun in (False, True):
        with pytest.raises(OperationalError):
            _read_over_a_lost_connection(actor, is_begun=is_begun)
        connection.close()
        with reading(actor, "tea"):
            assert membership_lock(actor)[0] == actor


def _read_over_a_lost_connection(actor: Actor, *, is_begun: bool) -> None:
    connection.ensure_connection()
    if not is_begun:
        _lose_connection()
    with tenant_tx(actor.organization_id):
        if is_begun:
            _lose_connection()
        with read_ahead(send_selects(actor, "tea")):
            pass


def _lose_connection() -> None:
    assert connection.connection is not None
    with socket.socket(fileno=os.dup(connection.connection.pgconn.socket)) as wire:
        wire.shutdown(socket.SHUT_RDWR)


def test_what_was_read_ahead_is_asked_no_second_time(acme: Workspace, cast: Cast) -> None:
    """Whoever asks with another value, or of another type, would be given nothing and ask again."""
    actor, key = cast.actor(cast.alice), str(uuid4())
    for text in ("First", "Second"):
        with CaptureQueriesContext(connection) as made, reading(actor, key):
            started = message_post(actor=actor, send=NewMessage(key=key, text=text, client_msg_id=text))
            run_load(run_id=started.run_id, epoch=1, row=started.row, branch=started.branch, keys=NO_KEYS)
        asked = [query["sql"] for query in made if query["sql"].startswith("SELECT")]
        assert len(asked) == len(set(asked)), asked
        with tenant_tx(actor.organization_id):
            Run.objects.update(status=Run.Status.DONE, finished_at=Now())


def test_a_send_into_a_new_conversation_reads_in_one_round_trip_and_writes_one_statement(acme: Workspace, cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    _first_send(actor)  # loads the release
    asked, written, loaded = _first_send(actor)
    assert asked == 7
    assert loaded.preloaded_keys, "with the provider's key"
    assert [sql[:24] for sql in written] == ["WITH w0 AS (INSERT INTO "]


def test_a_release_that_was_published_meanwhile_counts_with_its_own_key(acme: Workspace, cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    _, _, before = _first_send(actor)
    with tenant_tx(actor.organization_id):
        asks = send_selects(actor, key := str(uuid4()))
        credential_set(endpoint=ProviderEndpoint.objects.get(provider="google"), value="another key")
    acme.publish()
    _, _, after = _first_send(actor, key, asks)
    assert after.release.number == before.release.number + 1
    assert _keys(before) != _keys(after) == ["another key"]
    acme.remove_key()
    assert not _first_send(actor)[2].preloaded_keys


def _keys(loaded: LoadedRun) -> list[str]:
    return [found.text.reveal() for found in loaded.preloaded_keys.values() if found.text]


def _first_send(actor: Actor, key: str = "", asks: Sequence[BoundSelect[Any]] = ()) -> tuple[int, list[str], LoadedRun]:
    """How many questions were read ahead, what was asked and written after that, and the run."""
    key = key or str(uuid4())
    with tenant_tx(actor.organization_id):
        asks = asks or send_selects(actor, key)
        with read_ahead(asks), CaptureQueriesContext(connection) as made:
            started = message_post(actor=actor, send=NewMessage(key=key, text="Tea?", client_msg_id=key))
            loaded = run_load(run_id=started.run_id, epoch=1, row=started.row, branch=started.branch, keys=NO_KEYS)
    return len(asks), [query["sql"] for query in made], loaded
