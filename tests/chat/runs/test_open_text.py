"""What a run shows and has not stored: each second adds only what is new, and the next owner gets all of it (docs/decisions/0018)."""

from __future__ import annotations

from functools import partial
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from agents.messages import AssistantText, Entry, Reasoning, Source
from chat.entries import as_json
from chat.models import OpenText, Run
from chat.runs.journal.open_parts import OpenPartKind, StreamedParts, checkpoint_entries
from chat.storage.leases import Checkpoint, leases_renew, open_text_load
from doubles.script import Text
from doubles.signals import Gate
from tenants.db import in_db
from tests.chat.runs.test_takeover import begin
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

WORD = "Wörter 🙂 "
BEATS = 40
TRIES = 3
WORDS_PER_BEAT = 50


def text_checkpoints(beats: int) -> list[Checkpoint]:
    """The checkpoints of a text that grows by the same amount each second."""
    parts, checkpoints = StreamedParts(), list[Checkpoint]()
    part = parts.begin("text", "p")
    for _ in range(beats):
        for _ in range(WORDS_PER_BEAT):
            part.add(WORD)
        checkpoint = parts.checkpoint(0)
        assert checkpoint is not None
        parts.confirm(checkpoint)
        checkpoints.append(checkpoint)
    return checkpoints


def size(checkpoints: list[Checkpoint]) -> int:
    return sum(len(as_json(checkpoint.parts)) for checkpoint in checkpoints)


def test_what_is_written_grows_with_the_length_of_the_text() -> None:
    assert size(text_checkpoints(4 * BEATS)) <= 4.01 * size(text_checkpoints(BEATS))
    assert size(text_checkpoints(BEATS)) <= 1.1 * len((WORD * WORDS_PER_BEAT * BEATS).encode())


def test_what_comes_back_is_what_was_shown() -> None:
    parts, checkpoints = StreamedParts(), list[Checkpoint]()

    def beat() -> None:
        if (checkpoint := parts.checkpoint(0)) is not None:
            checkpoints.append(checkpoint)
            parts.confirm(checkpoint)

    beat()
    kinds: tuple[OpenPartKind, ...] = ("reasoning", "text")
    for kind in kinds:
        part = parts.begin(kind, kind)
        for word in ("One ", "two ", "three."):
            part.add(word)
            beat()
            beat()
        parts.end()
    source = Source("https://tea.example/", "Tea")
    parts.add(source)
    last = parts.begin("text", "last")
    last.add("After.")
    beat()
    assert checkpoint_entries(part for checkpoint in checkpoints for part in checkpoint.parts) == visible_entries(source)
    assert [checkpoint.number for checkpoint in checkpoints] == list(range(1, len(checkpoints) + 1))


def visible_entries(source: Source) -> list[Entry]:
    text = "One two three."
    return [Reasoning(text, partial=True), AssistantText(text, partial=True), source, AssistantText("After.", partial=True)]


def test_a_checkpoint_is_the_same_until_it_is_stored() -> None:
    parts = StreamedParts()
    part = parts.begin("text", "p")
    part.add("One ")
    first = parts.checkpoint(0)
    part.add("two.")
    assert parts.checkpoint(0) is first
    assert first is not None
    parts.confirm(first)
    second = parts.checkpoint(0)
    assert second is not None
    assert (second.number, second.parts) == (2, [{"kind": "text", "text": "two.", "more": True}])
    parts.clear()
    parts.confirm(second)
    assert parts.checkpoint(1) is None


def wal_bytes(run_id: UUID, checkpoints: list[Checkpoint]) -> int:
    """What the database logs for these heartbeats, on this connection alone."""
    wal_bytes_so_far = partial(statistic, "wal_bytes FROM pg_stat_get_backend_wal(pg_backend_pid())")
    before = wal_bytes_so_far()
    for checkpoint in checkpoints:
        leases_renew([(run_id, 1, checkpoint)])
    return wal_bytes_so_far() - before


def statistic(value: str) -> int:
    with connections["system"].cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")  # when this statement, which is a transaction, ends
        cursor.execute(f"SELECT {value}")
        return int(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
async def test_the_database_logs_each_second_of_text_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("W"), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        run_id = (await acme.rows(Run))[-1].pk
        checkpoints = [Checkpoint(each.number + 1000, 0, each.parts) for each in text_checkpoints(2 * TRIES * BEATS)]
        log_sizes = [
            await sync_to_async(wal_bytes)(run_id, checkpoints[start : start + BEATS]) for start in range(0, len(checkpoints), BEATS)
        ]
        again = min([await sync_to_async(wal_bytes)(run_id, checkpoints[-1:]) for _ in range(TRIES)])
        rows = await in_db(open_text_load, run_id, 0, organization_id=acme.organization.pk)
    first, last = min(log_sizes[:TRIES]), min(log_sizes[TRIES:])  # the first page after a checkpoint is logged whole
    assert max(first, last) < 4 * size(checkpoints[:BEATS])
    assert again < last / BEATS, "a checkpoint that is stored already is not stored again"
    assert "".join(part["text"] for part in rows if "more" in part or part["text"] != "W") == WORD * WORDS_PER_BEAT * 2 * TRIES * BEATS


def updates_without_index(run_id: UUID) -> int:
    """How many of some heartbeats changed the run's row without a new entry in any index of its table."""
    before = statistic("pg_stat_get_tuples_hot_updated('chat_run'::regclass)")
    for _ in range(BEATS):
        assert run_id in leases_renew([(run_id, 1, None)])
    return statistic("pg_stat_get_tuples_hot_updated('chat_run'::regclass)") - before


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
async def test_a_heartbeat_writes_no_index(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("W"), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        run_id = (await acme.rows(Run))[-1].pk
        assert await sync_to_async(updates_without_index)(run_id) > BEATS / 2, "some find no room on their page"


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
async def test_nothing_of_it_stays_when_the_answer_is_stored(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("Once "), gate, Text("and for all."))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        run_id = (await acme.rows(Run))[-1].pk
        open_texts = OpenText.objects.filter(run_id=run_id)
        checkpoint = Checkpoint(1000, 0, [{"kind": "text", "text": "Once "}])
        assert run_id in await in_db(leases_renew, [(run_id, 1, checkpoint)], using="system")
        gate.release()
        await socket.chunks_on(request, chunks)
        await acme.wait_for_row(Run, lambda row: not row.is_active)
    assert not await in_db(open_texts.exists, organization_id=acme.organization.pk)
