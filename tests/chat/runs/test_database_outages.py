"""A run's writes outlive what breaks for a moment: a connection that ends during a commit, a database that was away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from unittest import mock
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now
from psycopg.errors import LockNotAvailable

from chat.models import ModelCall, Part, Run
from chat.runs import recovery, supervisor
from chat.runs.title_generation import title_generate
from doubles.script import Call, Text
from doubles.signals import Gate
from tenants.db import in_db
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

QUESTION = Call("message", {"type": "question", "text": "Which one?"})


@contextmanager
def breaking_commits(times: int) -> Iterator[list[bool]]:
    """Let the connection of the app role end during its next commits, before and after PostgreSQL has done them in turn."""
    commit = BaseDatabaseWrapper.commit
    failures: list[bool] = []

    def break_commit(connection: BaseDatabaseWrapper) -> None:
        if connection.alias != "default" or len(failures) == times:
            return commit(connection)
        failures.append(True)
        if len(failures) % 2:
            commit(connection)
        connection.connection.close()
        raise OperationalError("the connection is lost")

    with mock.patch.object(BaseDatabaseWrapper, "commit", break_commit):
        yield failures


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("is_question", [False, True], ids=["end", "pause"])
async def test_a_commit_whose_outcome_is_unknown_is_neither_lost_nor_repeated(
    is_question: bool, times: int, acme: Workspace, alice: Browser, chat_id: str
) -> None:
    gate = Gate()
    if is_question:
        await sync_to_async(acme.change_agent)("chat_model_agent_google", completion="message_tool")
    acme.double.answer(Text("Written "), gate, QUESTION if is_question else Text("once."))
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        chunks = await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")
        with breaking_commits(times) as failures:
            gate.release()
            chunks += await socket.chunks_on(request, chunks)
        assert len(failures) == times

    run = (await acme.rows(Run))[-1]
    assert run.epoch == 1
    assert run.status == (Run.Status.WAITING_FOR_REPLY if is_question else Run.Status.DONE)
    texts = [part.content["text"] for part in await acme.rows(Part, kind="assistant_text")]
    assert texts == [text_of(chunks)]
    assert len(await acme.rows(ModelCall)) == len(acme.double.requests) == 1


@contextmanager
def refused_commits() -> Iterator[None]:
    """Let PostgreSQL refuse every other commit of the app role, as when a deferred check waits for a locked table."""
    commit, attempts = BaseDatabaseWrapper.commit, count()

    def refuse_commit(connection: BaseDatabaseWrapper) -> None:
        if connection.alias == "default" and next(attempts) % 2 == 0:
            raise OperationalError("canceling statement due to lock timeout") from LockNotAvailable()
        commit(connection)

    with mock.patch.object(BaseDatabaseWrapper, "commit", refuse_commit):
        yield


async def test_a_title_is_paid_once_and_recorded_while_tables_are_locked(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Tea is a drink."))
    acme.double.answer(Text("All about Tea"))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "What is tea?")
    with refused_commits():
        title = await title_generate(organization_id=acme.organization.pk, conversation_id=UUID(chat_id))
    assert title == "All about Tea"
    assert [call.kind for call in await acme.rows(ModelCall)] == ["step", "title"]
    assert len(acme.double.requests) == 2


async def test_after_an_outage_owners_go_before_the_sweep(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Half "), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")
        for owner, claim_count in (("lives", 0), ("", 1)):
            runs = Run.unscoped.using("system")
            await in_db(runs.update, lease_expires_at=Now(), lease_owner=owner)
            assert len((await recovery.recover(spares_owners=True)).claims) == claim_count


def test_the_grace_after_an_outage_begins_when_the_database_is_back() -> None:
    clock = Clock()
    grace = recovery.OutageGrace(clock)
    states = [grace.is_on]
    grace.note_failure()
    clock.now += 1000
    states.append(grace.is_on)
    grace.note_success()
    clock.now += recovery.OUTAGE_GRACE_S - 1
    grace.note_success()
    states.append(grace.is_on)
    clock.now += 2
    states.append(grace.is_on)
    assert states == [False, True, True, False]


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_process_that_ends_while_the_database_is_away_leaves_its_leases_to_run_out(
    acme: Workspace, alice: Browser, chat_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`drain` returns, so that the process ends in time; it used to raise at the first lease."""
    monkeypatch.setattr(supervisor, "HANDOVER_S", 0.1)
    monkeypatch.setattr(supervisor, "RELEASE_S", 0.1)
    acme.double.answer(Text("Half "), Gate("never"), times=2)
    async with chat_socket(alice, "acme") as socket:
        for chat in (chat_id, str(uuid4())):
            request = await socket.send(chat, "Go")
            await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")
        with mock.patch.object(BaseDatabaseWrapper, "connect", side_effect=OperationalError("the database is away")):
            assert await supervisor.drain(0) == (0, 2)
        assert [run.lease_owner != "" for run in await acme.rows(Run)] == [True, True]
