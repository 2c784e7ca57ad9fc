"""Branches in memory: what is read is what is stored, for its organization alone, and for a bounded time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from agents.engine.memo import BranchMemo
from agents.engine.messages import AssistantText, ClientOutput, Entry, ToolCall, ToolResult, UserMessage
from agents.providers.doubles.script import Text
from chat.branch_cache import BRANCHES, BranchCache, ReadBranch, branch_read
from chat.branches import branch_entries
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part
from chat.recording import part_rows
from tenants.context import tenant_tx
from tests.support.cast import Cast
from tests.support.chat_socket import Browser, chat_socket
from tests.support.workspace import Workspace


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    BRANCHES.clear()
    yield
    BRANCHES.clear()


class Branch:
    """Writes a conversation's rows, as any process may."""

    def __init__(self, cast: Cast) -> None:
        self.organization_id = cast.acme.pk
        with tenant_tx(self.organization_id):
            owner_id = cast.actor(cast.alice).membership_id
            self.conversation_id = Conversation.objects.create(owner_id=owner_id, title="T", updated_at=Now()).pk

    def add(self, *entries: Entry, parent: UUID | None = None) -> UUID:
        is_question = any(isinstance(entry, UserMessage) for entry in entries)
        with tenant_tx(self.organization_id):
            role = Message.Role.USER if is_question else Message.Role.ASSISTANT
            message = Message.objects.create(conversation_id=self.conversation_id, parent_id=parent, role=role)
            Part.objects.bulk_create(part_rows(message_id=message.pk, position=0, entries=map(StoredEntry, entries)))
        return message.pk

    def exchange(self, number: int, parent: UUID | None = None) -> tuple[UUID, UUID]:
        question = self.add(UserMessage(f"Question {number}"), parent=parent)
        return question, self.add(ToolCall(f"c{number}", "read", {"n": 1.0}), ToolResult(f"c{number}", "read", [number]), parent=question)

    def read(self, leaf_id: UUID) -> ReadBranch:
        with tenant_tx(self.organization_id):
            return branch_read(organization_id=self.organization_id, conversation_id=self.conversation_id, leaf_id=leaf_id)

    def stored(self, leaf_id: UUID) -> tuple[Entry, ...]:
        with tenant_tx(self.organization_id):
            return branch_entries(organization_id=self.organization_id, leaf_id=leaf_id)


@pytest.fixture
def branch(cast: Cast) -> Branch:
    return Branch(cast)


@pytest.mark.django_db
def test_a_later_question_reads_only_what_came_since_also_from_another_process(branch: Branch) -> None:
    question, answer = branch.exchange(1)
    first = branch.read(question)
    second_question, second_answer = branch.exchange(2, answer)  # none of it went through here
    leaf = branch.add(UserMessage("Question 3"), parent=second_answer)

    later = branch.read(leaf)

    assert later.entries == branch.stored(leaf)
    assert later.entries[0] is first.entries[0]
    assert later.memo is first.memo
    assert [message_id for message_id, _ in later.marks] == [leaf, second_answer, second_question, answer]


@pytest.mark.django_db
def test_an_answer_anew_goes_on_from_its_question_without_a_query(branch: Branch) -> None:
    question, _ = branch.exchange(1)
    before = branch.read(question)
    with tenant_tx(branch.organization_id), CaptureQueriesContext(connection) as queries:
        again = branch_read(organization_id=branch.organization_id, conversation_id=branch.conversation_id, leaf_id=question)
    assert (again.entries, list(queries)) == (before.entries, [])


@pytest.mark.django_db
def test_other_branches_go_on_from_where_they_part(branch: Branch) -> None:
    question, answer = branch.exchange(1)
    other_answer = branch.add(AssistantText("Another answer"), parent=question)
    leaves = [branch.add(UserMessage(f"After {parent}"), parent=parent) for parent in (answer, other_answer, answer)]
    for leaf in [*leaves, *leaves]:
        assert branch.read(leaf).entries == branch.stored(leaf)


@pytest.mark.django_db
def test_an_answer_without_entries_is_a_link_like_any_other(branch: Branch) -> None:
    question = branch.add(UserMessage("Question"))
    branch.read(question)
    silent = branch.add(parent=question)
    leaf = branch.add(UserMessage("Hello?"), parent=silent)
    after = branch.add(UserMessage("And?"), parent=branch.add(AssistantText("Yes"), parent=leaf))
    assert branch.read(leaf).entries == branch.stored(leaf) == (UserMessage("Question"), UserMessage("Hello?"))
    assert branch.read(after).entries == branch.stored(after)


@pytest.mark.django_db
def test_what_an_answer_got_after_its_question_was_read_is_there(branch: Branch) -> None:
    """A client's output may come an hour later."""
    question, answer = branch.exchange(1)
    branch.read(question)
    with tenant_tx(branch.organization_id):
        late = [StoredEntry(ClientOutput("c1", {"clicked": True}))]
        Part.objects.bulk_create(part_rows(message_id=answer, position=2, entries=late))
    leaf = branch.add(UserMessage("Next"), parent=answer)
    assert branch.read(leaf).entries[-2:] == (ClientOutput("c1", {"clicked": True}), UserMessage("Next"))


@pytest.mark.django_db
def test_numbers_and_rare_characters_come_back_as_they_went_in(branch: Branch) -> None:
    odd = {"z": 1.0, "a": [10**30, -0.0, 1e22, True, None], "t": "T\u00eb\u2028\x00"}
    question = branch.add(UserMessage("Q"), ToolCall("c", "t", odd, extras={"signature": odd}))
    entry = branch.read(question).entries[1]
    assert isinstance(entry, ToolCall)
    assert (str(entry.arguments), str(entry.extras)) == (str(odd), str({"signature": odd}))


@pytest.mark.django_db
def test_another_organization_is_told_nothing(branch: Branch, cast: Cast) -> None:
    question, _ = branch.exchange(1)
    branch.read(question)
    other = cast.other.pk
    with tenant_tx(other):
        found = branch_read(organization_id=other, conversation_id=branch.conversation_id, leaf_id=question)
    assert found.entries == ()


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
async def test_a_deleted_conversation_is_not_gone_on_with(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "A word that is to be forgotten")
        await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/")
        await socket.send(chat_id, "What did I say?")
        refused = await socket.receive()
    assert refused["type"] == "error"
    assert len(acme.double.requests) == 1


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def branch_of(size_bytes: int) -> ReadBranch:
    return ReadBranch((), (), size_bytes, BranchMemo())


def test_the_branches_that_were_used_last_stay_within_the_room() -> None:
    cache = BranchCache(kept_bytes=100)
    keys = [(uuid4(), uuid4()) for _ in range(4)]
    for key in keys[:3]:
        cache.put(key, branch_of(30))
    cache.get(keys[0])
    cache.put(keys[3], branch_of(30))
    assert [cache.get(key) is not None for key in keys] == [True, False, True, True]
    cache.put(keys[3], branch_of(40))  # in place of the former one
    assert (cache.size_bytes, all(cache.get(keys[place]) for place in (0, 2, 3))) == (100, True)
    cache.put(keys[3], branch_of(51))  # it alone would push out the others
    assert (cache.size_bytes, cache.get(keys[3])) == (60, None)


def test_a_branch_is_forgotten_some_time_after_its_last_use() -> None:
    clock = Clock()
    cache = BranchCache(kept_s=600, clock=clock)
    key, other = (uuid4(), uuid4()), (uuid4(), uuid4())
    cache.put(key, branch_of(30))
    cache.put(other, branch_of(30))
    clock.now_s = 500
    assert cache.get(key)
    clock.now_s = 600
    assert cache.get(other) is None
    clock.now_s = 1100
    assert cache.get(key) is None
    assert cache.size_bytes == 0


def test_it_is_forgotten_also_when_nobody_asks_any_more() -> None:
    cache = BranchCache(kept_s=0.05)
    cache.put((uuid4(), uuid4()), branch_of(30))
    for _ in range(6000):  # a minute ends a hang
        if not cache.size_bytes:
            return
        time.sleep(0.01)
    pytest.fail("It is still there.")
