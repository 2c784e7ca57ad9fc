"""Branches in memory: what is read is what is stored, for its organization alone, and for a bounded time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.messages import AssistantText, ClientOutput, Entry, ToolCall, UserMessage
from agents.messages.prefix_cache import BranchPrefixCache
from chat.entries import StoredEntry
from chat.models import Part
from chat.storage.branch_cache import BRANCH_CACHE, BranchCache, CachedBranch, branch_load
from chat.storage.branches import FETCH_ROWS
from chat.storage.run_writes import part_rows
from doubles.script import Text
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.branch_rows import BranchRows
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    BRANCH_CACHE.clear()
    yield
    BRANCH_CACHE.clear()


@pytest.fixture
def branch(cast: Cast) -> BranchRows:
    return BranchRows(cast)


@pytest.mark.django_db
def test_a_later_question_reads_only_what_came_since_also_from_another_process(branch: BranchRows) -> None:
    question, answer = branch.exchange(1)
    first = branch.read(question)
    second_question, second_answer = branch.exchange(2, answer)  # none of it went through here
    leaf = branch.add(UserMessage("Question 3"), parent=second_answer)

    later = branch.read(leaf)

    assert later.entries == branch.entries(leaf)
    assert later.entries[0] is first.entries[0]
    assert later.prefix_cache is first.prefix_cache
    assert [message_id for message_id, _ in later.cut_points] == [leaf, second_answer, second_question, answer]


@pytest.mark.django_db
def test_an_answer_anew_goes_on_from_its_question_without_a_query(branch: BranchRows) -> None:
    question, _ = branch.exchange(1)
    before = branch.read(question)
    with tenant_tx(branch.organization_id), CaptureQueriesContext(connection) as queries:
        again = branch_load(organization_id=branch.organization_id, conversation_id=branch.conversation_id, leaf_id=question)
    assert (again.entries, list(queries)) == (before.entries, [])


@pytest.mark.django_db
def test_other_branches_go_on_from_where_they_part(branch: BranchRows) -> None:
    question, answer = branch.exchange(1)
    other_answer = branch.add(AssistantText("Another answer"), parent=question)
    leaves = [branch.add(UserMessage(f"After {parent}"), parent=parent) for parent in (answer, other_answer, answer)]
    for leaf in [*leaves, *leaves]:
        assert branch.read(leaf).entries == branch.entries(leaf)


@pytest.mark.django_db
def test_a_branch_of_many_rows_is_whole_and_in_order(branch: BranchRows) -> None:
    entries: list[Entry] = [
        ToolCall(f"c{number}", "read", {"n": 10**30}) if number % 3 else AssistantText(str(number)) for number in range(FETCH_ROWS)
    ]
    first = branch.add(*entries)
    empty = branch.add(parent=first)
    leaf = branch.add(*entries, UserMessage("At last"), parent=empty)
    cached_branch = branch.read(leaf)
    assert cached_branch.entries == (*entries, *entries, UserMessage("At last"))
    assert cached_branch.cut_points == ((leaf, 2 * FETCH_ROWS + 1), (empty, FETCH_ROWS), (first, FETCH_ROWS))


@pytest.mark.django_db
def test_an_answer_without_entries_is_a_link_like_any_other(branch: BranchRows) -> None:
    question = branch.add(UserMessage("Question"))
    branch.read(question)
    silent = branch.add(parent=question)
    leaf = branch.add(UserMessage("Hello?"), parent=silent)
    after = branch.add(UserMessage("And?"), parent=branch.add(AssistantText("Yes"), parent=leaf))
    assert branch.read(leaf).entries == branch.entries(leaf) == (UserMessage("Question"), UserMessage("Hello?"))
    assert branch.read(after).entries == branch.entries(after)


@pytest.mark.django_db
def test_what_an_answer_got_after_its_question_was_read_is_there(branch: BranchRows) -> None:
    """A client's output may come an hour later."""
    question, answer = branch.exchange(1)
    branch.read(question)
    with tenant_tx(branch.organization_id):
        late = [StoredEntry(ClientOutput("c1", {"clicked": True}))]
        Part.objects.bulk_create(part_rows(message_id=answer, position=2, entries=late))
    leaf = branch.add(UserMessage("Next"), parent=answer)
    assert branch.read(leaf).entries[-2:] == (ClientOutput("c1", {"clicked": True}), UserMessage("Next"))


@pytest.mark.django_db
def test_what_a_send_wrote_and_read_that_then_failed_is_not_known(branch: BranchRows) -> None:
    """It refuses a call that waited; the call that then runs after all has its result in the same place."""
    question, answer = branch.exchange(1)
    branch.read(question)

    class Failed(Exception):
        pass

    def add_output(output: str) -> UUID:
        with tenant_tx(branch.organization_id):
            rows = part_rows(message_id=answer, position=2, entries=[StoredEntry(ClientOutput("c1", output))])
            Part.objects.bulk_create(rows)
        return branch.add(UserMessage("Next"), parent=answer)

    with suppress(Failed), tenant_tx(branch.organization_id):
        place = {"organization_id": branch.organization_id, "conversation_id": branch.conversation_id}
        assert branch_load(**place, leaf_id=add_output("refused")).entries[-2] == ClientOutput("c1", "refused")
        raise Failed
    assert branch.read(add_output("done")).entries[-2] == ClientOutput("c1", "done")


@pytest.mark.django_db
def test_numbers_and_rare_characters_come_back_as_they_went_in(branch: BranchRows) -> None:
    odd = {"z": 1.0, "a": [10**30, -0.0, 1e22, True, None], "t": "T\u00eb\u2028\x00"}
    question = branch.add(UserMessage("Q"), ToolCall("c", "t", odd, provider_metadata={"signature": odd}))
    entry = branch.read(question).entries[1]
    assert isinstance(entry, ToolCall)
    assert (str(entry.arguments), str(entry.provider_metadata)) == (str(odd), str({"signature": odd}))


@pytest.mark.django_db
def test_another_organization_is_told_nothing(branch: BranchRows, cast: Cast) -> None:
    question, _ = branch.exchange(1)
    branch.read(question)
    other = cast.other.pk
    with tenant_tx(other):
        cached_branch = branch_load(organization_id=other, conversation_id=branch.conversation_id, leaf_id=question)
    assert cached_branch.entries == ()


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
async def test_a_deleted_conversation_is_not_gone_on_with(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "A word that is to be forgotten")
        await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/")
        await socket.send(chat_id, "What did I say?")
        frame = await socket.receive()
    assert frame["type"] == "error"
    assert len(acme.double.requests) == 1


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def branch_of(size_bytes: int) -> CachedBranch:
    return CachedBranch((), (), size_bytes, BranchPrefixCache())


def test_the_branches_that_were_used_last_stay_within_the_room() -> None:
    cache = BranchCache(max_bytes=100)
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
    cache = BranchCache(ttl_s=600, clock=clock)
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


def test_a_branch_is_forgotten_also_when_nobody_asks_any_more() -> None:
    cache = BranchCache(ttl_s=0.05)
    cache.put((uuid4(), uuid4()), branch_of(30))
    for _ in range(6000):  # a minute ends a hang
        if not cache.size_bytes:
            return
        time.sleep(0.01)
    pytest.fail("It is still there.")
