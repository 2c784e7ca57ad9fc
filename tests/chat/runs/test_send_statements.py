"""What a send reads in one round trip: as of now behind its locks, and a database that is away is told as one."""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now

from admin_config.models import AgentConfig, ProviderEndpoint
from admin_config.services.canary.lifecycle import Audience, canary_start
from admin_config.services.configuration import credential_set
from admin_config.services.drafts.draft import draft_compose, draft_load
from agents.messages import AssistantText, UserMessage
from chat.api.sends import message_post
from chat.conversations.services import NewMessage
from chat.entries import StoredEntry
from chat.models import Part, Run
from chat.storage.loaded_run import LoadedRun
from chat.storage.run_creation import MAX_ACTIVE_RUNS
from chat.storage.run_writes import part_rows
from chat.storage.send_facts import SendFacts, send_facts_read
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.models import GroupMember, MemberGroup
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace
from tests.support.stores.locks import wait_until_blocked
from tests.support.suite.time_limits import scaled_to_load

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def facts_of(actor: Actor, key: UUID) -> SendFacts:
    """Read in the organization's open transaction."""
    return send_facts_read(actor, conversation_id=key, client_id="", client_msg_id="", model_config_id=None)


def conversation_as_read(actor: Actor, key: UUID) -> tuple[UUID | None, int]:
    """The conversation, and how many active runs count against the limit."""
    try:
        with tenant_tx(actor.organization_id):
            facts = facts_of(actor, key)
        return (facts.conversation.pk if facts.conversation else None), facts.active_runs
    finally:
        connection.close()


def test_a_send_sees_what_the_send_that_it_waited_for_has_stored(acme: Workspace, cast: Cast) -> None:
    """In the same round trip as the lock: two first messages make one conversation, and both count against the limit."""
    actor, key = cast.actor(cast.alice), uuid4()
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(actor.organization_id):
            facts_of(actor, key)
            second = threads.submit(conversation_as_read, actor, key)
            wait_until_blocked(second)
            message_post(actor=actor, send=NewMessage(key=str(key), text="Plans", client_msg_id="first"))
        assert second.result(timeout=scaled_to_load(10)) == (key, 1)


def test_a_connection_that_is_lost_on_the_way_is_a_database_that_is_away(cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    for is_begun in (False, True):
        with pytest.raises(OperationalError):
            _read_over_a_lost_connection(actor, is_begun=is_begun)
        connection.close()
        with tenant_tx(actor.organization_id):
            assert facts_of(actor, uuid4()).member.actor == actor


def _read_over_a_lost_connection(actor: Actor, *, is_begun: bool) -> None:
    connection.ensure_connection()
    if not is_begun:
        _lose_connection()
    with tenant_tx(actor.organization_id):
        if is_begun:
            _lose_connection()
        facts_of(actor, uuid4())


def _lose_connection() -> None:
    assert connection.connection is not None
    with socket.socket(fileno=os.dup(connection.connection.pgconn.socket)) as wire:
        wire.shutdown(socket.SHUT_RDWR)


def test_a_send_into_a_new_conversation_reads_in_one_round_trip_and_writes_one_statement(acme: Workspace, cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    send(actor, str(uuid4()))  # loads the release
    statements, run = send(actor, str(uuid4()))
    assert run.preloaded_keys, "with the provider's key"
    assert kinds(statements) == [*["read"] * 4, "write"]


def test_a_send_into_an_existing_conversation_costs_one_more_select_in_the_same_round_trip(acme: Workspace, cast: Cast) -> None:
    actor, key = cast.actor(cast.alice), str(uuid4())
    _, first = send(actor, key, "First")
    with tenant_tx(actor.organization_id):
        parts = part_rows(message_id=first.answer_id, position=0, entries=[StoredEntry(AssistantText("An answer."))])
        Part.objects.bulk_create(parts)
        Run.objects.update(status=Run.Status.DONE, finished_at=Now())
    statements, second = send(actor, key, "Second")
    assert kinds(statements) == [*["read"] * 5, "write"]
    assert second.history == (UserMessage("First"), AssistantText("An answer."), UserMessage("Second"))


def test_a_release_that_was_published_meanwhile_counts_with_its_own_key(acme: Workspace, cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    _, before = send(actor, str(uuid4()))
    with tenant_tx(actor.organization_id):
        credential_set(endpoint=ProviderEndpoint.objects.get(provider="google"), value="another key")
    acme.publish()
    _, after = send(actor, str(uuid4()))
    assert after.release.number == before.release.number + 1
    assert _keys(before) != _keys(after) == ["another key"]
    acme.remove_key()
    assert not send(actor, str(uuid4()))[1].preloaded_keys


def test_a_member_who_gets_a_canary_costs_no_statement_more(acme: Workspace, cast: Cast) -> None:
    alice, bob = cast.actor(cast.alice), cast.actor(cast.bob)
    with tenant_tx(alice.organization_id):
        group = MemberGroup.objects.create(name="Pilots")
        GroupMember.objects.create(group=group, membership_id=alice.membership_id)
        AgentConfig.objects.filter(key="chat_model_agent_google").update(system_prompt="Be brief.")
        draft = draft_compose(draft_load()).content_hash()
        start = partial(canary_start, organization_id=alice.organization_id, author_id=alice.user_id, note="Brief", expected_hash=draft)
        number = start(audience=Audience(group_id=group.pk)).release.number
    for actor, expected in ((alice, number), (bob, number - 1)):
        send(actor, str(uuid4()))  # loads the release
        statements, run = send(actor, str(uuid4()))
        assert (kinds(statements), run.release.number) == ([*["read"] * 4, "write"], expected)


def test_a_send_reads_only_the_conversations_that_have_a_live_run(acme: Workspace, cast: Cast) -> None:
    """To count the member's runs. A join compared each run with all conversations, as long as the tables had no statistics."""
    for actor in (cast.actor(cast.alice), cast.actor(cast.bob)):
        for _ in range(MAX_ACTIVE_RUNS - 1):
            send(actor, str(uuid4()))
    with tenant_tx(actor.organization_id):
        before = conversations_fetched()
        assert facts_of(actor, uuid4()).active_runs == MAX_ACTIVE_RUNS - 1
        assert conversations_fetched() - before <= 2 * 2 * (MAX_ACTIVE_RUNS - 1), "each one, and what it was before its last change"


def conversations_fetched() -> int:
    """How many row versions this connection has fetched by any index of their table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(pg_stat_get_xact_tuples_fetched(indexrelid)) FROM pg_index WHERE indrelid = 'chat_conversation'::regclass"
        )
        return int(cursor.fetchone()[0])


def _keys(run: LoadedRun) -> list[str]:
    return [key.text.reveal() for key in run.preloaded_keys.values() if key.text]


def send(actor: Actor, key: str, text: str = "Tea?") -> tuple[list[str], LoadedRun]:
    """The statements of the send after its transaction began, and the run."""
    statements: list[str] = []

    def note(execute: Any, sql: str, *arguments: Any) -> Any:
        statements.append(sql)
        return execute(sql, *arguments)

    with tenant_tx(actor.organization_id), connection.execute_wrapper(note):
        _, run = message_post(actor=actor, send=NewMessage(key=key, text=text, client_msg_id=uuid4().hex))
    assert run
    return statements, run


def kinds(statements: list[str]) -> list[str]:
    return ["write" if "INSERT INTO" in sql else "read" for sql in statements]
