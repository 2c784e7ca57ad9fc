"""What a run's owner writes: only while it owns the run, and each prompt once."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from agents.messages import AssistantText, ModelRequest, SystemPrompt, Usage
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecord
from chat.api.sends import message_post
from chat.conversations.services import NewMessage
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part, PromptSnapshot, Run
from chat.storage.call_log import PROMPT_TTL_S, STORED_PROMPTS, StoredPromptCache, calls_record
from chat.storage.run_writes import parts_append, run_finish
from chat.stream.event_log import LeaseLost
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.fixture(autouse=True)
def _no_prompt_is_known() -> Iterator[None]:
    STORED_PROMPTS.clear()
    yield
    STORED_PROMPTS.clear()


@pytest.fixture
def run(acme: Workspace, cast: Cast) -> Run:
    with tenant_tx(cast.acme.pk):
        started, _ = message_post(actor=cast.actor(cast.alice), send=NewMessage(key=str(uuid4()), text="Tea?", client_msg_id="first"))
        return Run.objects.get(pk=started.run_id)


def write(run: Run, text: str, *, epoch: int = 1) -> None:
    with tenant_tx(run.organization_id):
        parts_append(
            run_id=run.pk,
            epoch=epoch,
            conversation_id=run.conversation_id,
            message_id=run.answer_id,
            position=0,
            entries=[StoredEntry(AssistantText(text))],
            status=Run.Status.THINKING,
            step=1,
            usage=Usage(output_tokens=3),
            calls=[],
        )


def finish(run: Run, *texts: str, epoch: int = 1) -> None:
    with tenant_tx(run.organization_id):
        run_finish(
            run_id=run.pk,
            epoch=epoch,
            conversation_id=run.conversation_id,
            message_id=run.answer_id,
            position=0,
            answer=[],
            entries=[StoredEntry(AssistantText(text)) for text in texts],
            status=Run.Status.DONE,
            usage=Usage(output_tokens=3),
            error_code="",
            calls=[],
            step=1,
            stored_step=0,
            has_asked=False,
        )


def run_and_texts(run: Run) -> tuple[Run, list[str]]:
    with tenant_tx(run.organization_id):
        texts = [part.content["text"] for part in Part.objects.filter(message_id=run.answer_id)]
        return Run.objects.get(pk=run.pk), texts


def test_what_an_owner_writes_is_stored_with_the_runs_state(run: Run) -> None:
    write(run, "Yes.")
    after, texts = run_and_texts(run)
    assert (after.status, after.step, after.usage["output_tokens"], texts) == ("thinking", 1, 3, ["Yes."])


@pytest.mark.parametrize("is_first", [True, False])
def test_a_former_owner_writes_nothing_whether_or_not_the_next_one_was_there_first(run: Run, is_first: bool) -> None:
    with tenant_tx(run.organization_id):
        Run.objects.filter(pk=run.pk).update(epoch=F("epoch") + 1)
    if not is_first:
        write(run, "The next one's.", epoch=2)
    with pytest.raises(LeaseLost):
        write(run, "Mine.")
    with pytest.raises(LeaseLost):
        finish(run, "Mine.")
    after, texts = run_and_texts(run)
    assert (after.finished_at, texts) == (None, [] if is_first else ["The next one's."])


def test_a_place_that_is_taken_was_taken_by_another_owner(run: Run) -> None:
    write(run, "The other's.")
    with pytest.raises(LeaseLost):
        finish(run, "Mine.")
    after, texts = run_and_texts(run)
    assert (after.finished_at, texts) == (None, ["The other's."])


def test_an_id_that_another_member_has_makes_no_conversation_and_no_message(run: Run, cast: Cast) -> None:
    with pytest.raises(NotFound), tenant_tx(cast.acme.pk):
        message_post(actor=cast.actor(cast.bob), send=NewMessage(key=str(run.conversation_id), text="Mine!", client_msg_id="b"))
    with tenant_tx(cast.acme.pk):
        assert Conversation.objects.get().owner_id == cast.actor(cast.alice).membership_id
        assert Run.objects.get() == run


def test_an_id_that_another_organization_has_is_as_if_it_were_taken_here(acme: Workspace, cast: Cast) -> None:
    charlie, foreign = cast.actor(cast.charlie), uuid4()
    with tenant_tx(cast.other.pk):
        Conversation.objects.create(id=foreign, owner_id=charlie.membership_id, title="Theirs", updated_at=Now())
    with pytest.raises(NotFound), tenant_tx(cast.acme.pk):
        message_post(actor=cast.actor(cast.alice), send=NewMessage(key=str(foreign), text="Mine!", client_msg_id="a"))
    with tenant_tx(cast.acme.pk):
        assert not Message.objects.exists()


def call(text: str) -> CallRecord:
    request = ModelRequest(model="m", system=SystemPrompt(text), entries=())
    return CallRecord(origin=CallOrigin(kind=CallKind.STEP, agent_key="a", provider="google", endpoint="e"), request=request)


def writes_prompt(run: Run, text: str) -> bool:
    """Whether the prompt was sent to the database."""
    with CaptureQueriesContext(connection) as queries, tenant_tx(run.organization_id):
        calls_record(run_id=run.pk, calls=[call(text)])
    return any("promptsnapshot" in query["sql"] for query in queries)


def test_a_prompt_is_sent_to_the_database_once_after_it_is_there_for_certain(run: Run) -> None:
    with tenant_tx(run.organization_id):
        calls_record(run_id=run.pk, calls=[call("Be brief.")])
        transaction.set_rollback(True)
    assert [writes_prompt(run, text) for text in ("Be brief.", "Be brief.", "Be long.")] == [True, False, True]
    with tenant_tx(run.organization_id):
        assert PromptSnapshot.objects.count() == 2


def test_a_prompt_is_one_organizations_and_known_for_a_while() -> None:
    now, ours, other = [0.0], UUID(int=1), UUID(int=2)
    prompts = StoredPromptCache(max_prompts=2, clock=lambda: now[0])
    prompts.add(ours, ["a"])
    assert (prompts.missing(ours, ["b", "a"]), prompts.missing(other, ["a"])) == (["b"], ["a"])
    now[0] = PROMPT_TTL_S
    assert prompts.missing(ours, ["a"]) == ["a"]
    prompts.add(ours, ["b", "c", "d"])
    assert prompts.missing(ours, ["b", "c", "d"]) == ["b"]
