"""The last answer of a run is stored with the run's end, unless somebody needs it before (docs/decisions/0096)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest
from django.db import connection

from admin_config.models import AgentPlugin
from agents.messages import AssistantText, ClientData, Entry, UserMessage
from chat.api.sends import message_post
from chat.conversations.services import NewMessage
from chat.models import Part, Run
from chat.runs.journal.run_journal import RunJournal
from chat.runs.run_control import STOPPED
from chat.runs.run_inputs import run_message_send
from chat.runs.supervisor import RunSupervisor
from chat.storage.loaded_run import LoadedRun
from chat.storage.pending_inputs import InputsPending, pending_inputs
from chat.storage.run_loading import stored_entries
from chat.stream.log_writer import EventLogWriter, WriterCallbacks
from doubles.script import Text
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

ANSWER, MORE = AssistantText("Tea is a drink."), ClientData("suggestions", {"items": ["And coffee?"]}, "suggestions")
QUESTION = UserMessage("And milk?", "last")


@pytest.fixture
def run(acme: Workspace, cast: Cast) -> LoadedRun:
    """A run that nobody works on."""
    return run_without_owner(cast.actor(cast.alice))


@pytest.fixture
def send_more(run: LoadedRun, cast: Cast) -> Callable[[], object]:
    """Sends QUESTION into the run."""
    key, actor = str(run.conversation_id), cast.actor(cast.alice)
    return partial(run_message_send, actor=actor, key=key, text=QUESTION.text, client_id=QUESTION.id)


def run_without_owner(actor: Actor) -> LoadedRun:
    with tenant_tx(actor.organization_id):
        _, run = message_post(actor=actor, send=NewMessage(key=str(uuid4()), text="Tea?", client_msg_id=uuid4().hex))
    assert run
    return run


async def journal_in_first_step(run: LoadedRun) -> RunJournal:
    journal = RunJournal(run, metadata={})
    callbacks = WriterCallbacks(journal.snapshot, on_end=lambda reason: None, on_input=lambda: None)
    journal.stream.writer = EventLogWriter(run.run_id, run.epoch, first_seq=1, callbacks=callbacks)
    await journal.step_start(1)
    return journal


async def run_entries(run: LoadedRun) -> list[Entry]:
    entries = await in_db(stored_entries, run.answer_id, organization_id=run.organization_id)
    return [each.entry for each in entries]


async def row(run: LoadedRun) -> Run:
    return await in_db(lambda: Run.objects.get(pk=run.run_id), organization_id=run.organization_id)


async def test_the_answer_is_in_the_context_at_once_and_stored_with_the_end(run: LoadedRun) -> None:
    journal = await journal_in_first_step(run)
    journal.text_delta(ANSWER.text)
    await journal.append(ANSWER, ends_run=True)
    assert (journal.entries[-1], await run_entries(run)) == (ANSWER, [])

    await journal.finish(status=Run.Status.DONE, finish_reason="stop")

    run_row = await row(run)
    assert (await run_entries(run), run_row.status, run_row.step) == ([ANSWER], Run.Status.DONE, 1)


async def _append_more(journal: RunJournal) -> None:
    await journal.append(MORE)


async def _begin_another_step(journal: RunJournal) -> None:
    await journal.step_start(2)


async def _hand_over(journal: RunJournal) -> None:
    await journal.record_unfinished_calls()


async def _pause(journal: RunJournal) -> None:
    await journal.pause(Run.Status.WAITING_FOR_REPLY)


@pytest.mark.parametrize(
    ("act", "more"),
    [(_append_more, [MORE]), (_begin_another_step, []), (_hand_over, []), (_pause, [])],
    ids=["append", "step", "hand", "pause"],
)
async def test_whatever_comes_before_the_end_stores_the_answer_too(
    run: LoadedRun, act: Callable[[RunJournal], Awaitable[None]], more: list[Entry]
) -> None:
    journal = await journal_in_first_step(run)
    await journal.append(ANSWER, ends_run=True)

    await act(journal)

    run_row = await row(run)
    assert (await run_entries(run), run_row.step, run_row.finished_at) == ([ANSWER, *more], 1, None)


async def test_what_follows_a_stored_answer_has_the_next_positions(run: LoadedRun) -> None:
    journal = await journal_in_first_step(run)
    await journal.append(ANSWER, ends_run=True)
    await journal.append(MORE)
    journal.text_delta("And")

    await journal.finish(status=Run.Status.STOPPED, finish_reason="interrupted")

    assert await run_entries(run) == [ANSWER, MORE, AssistantText("And", partial=True)]


async def test_a_message_at_the_last_moment_follows_the_answer(run: LoadedRun, send_more: Callable[[], object]) -> None:
    """The end is rolled back with the answer, which is stored with the message then, once."""
    journal = await journal_in_first_step(run)
    await journal.append(ANSWER, ends_run=True)
    await in_db(send_more, organization_id=run.organization_id)

    with pytest.raises(InputsPending):
        await journal.finish(status=Run.Status.DONE, finish_reason="stop")
    assert await run_entries(run) == []

    await journal.append_inputs(await in_db(pending_inputs, run.run_id, organization_id=run.organization_id))
    assert await run_entries(run) == [ANSWER, QUESTION]

    await journal.finish(status=Run.Status.DONE, finish_reason="stop")
    assert await run_entries(run) == [ANSWER, QUESTION]


async def test_a_stop_keeps_the_answer_and_its_message(run: LoadedRun, send_more: Callable[[], object]) -> None:
    journal = await journal_in_first_step(run)
    await journal.append(ANSWER, ends_run=True)
    await in_db(send_more, organization_id=run.organization_id)

    await journal.finish(status=Run.Status.STOPPED, finish_reason="interrupted", notices=[STOPPED])

    assert await run_entries(run) == [ANSWER, QUESTION, STOPPED]
    assert text_shown(journal) == [ANSWER.text]


async def test_what_was_shown_of_an_empty_answer_is_kept_when_it_is_stopped(run: LoadedRun) -> None:
    journal = await journal_in_first_step(run)
    journal.text_delta("Tea")
    await journal.append(ends_run=True)

    await journal.finish(status=Run.Status.STOPPED, finish_reason="interrupted")

    assert await run_entries(run) == [AssistantText("Tea", partial=True)]


def text_shown(journal: RunJournal) -> list[str]:
    return [chunk["delta"] for chunk in journal.snapshot() if chunk["type"] == "text-delta"]


async def test_a_later_owner_stores_its_answer_at_once(run: LoadedRun) -> None:
    """What the former one has shown is replaced by what is stored."""
    await in_db(lambda: Run.objects.filter(pk=run.run_id).update(epoch=2), organization_id=run.organization_id)
    journal = await journal_in_first_step(replace(run, epoch=2))

    await journal.append(ANSWER, ends_run=True)

    assert await run_entries(run) == [ANSWER]


@pytest.mark.parametrize("is_passed_on", [False, True])
async def test_a_plugin_that_passes_an_answer_on_sees_a_stored_one(
    acme: Workspace, alice: Browser, chat_id: str, *, is_passed_on: bool
) -> None:
    await in_db(_switch_log, is_passed_on, organization_id=acme.organization.pk)
    await in_db(acme.publish)
    acme.double.answer(Text("Tea is a drink."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Tea?")
    await RunSupervisor.current().drain(5)

    assert await in_db(_transactions_of_end, organization_id=acme.organization.pk) == (2 if is_passed_on else 1)


def _switch_log(is_enabled: bool) -> None:
    AgentPlugin.objects.filter(agent__key="chat_model_agent_google", name="log").update(is_enabled=is_enabled)


def _transactions_of_end() -> int:
    """In how many transactions the answer and the end of its run were stored."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT part.xmin::text FROM {Part._meta.db_table} part JOIN chat_run ON chat_run.answer_id = part.message_id"
            " UNION SELECT xmin::text FROM chat_run"
        )
        return len(cursor.fetchall())
