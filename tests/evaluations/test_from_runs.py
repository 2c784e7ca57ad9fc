"""A member's question becomes a case only where the rule, or the member, lets admins read it; the copy is an audit event."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.utils import timezone

from agents.messages import ToolCall, ToolResult
from chat.conversations.admin_reading import ALWAYS, NEVER
from chat.entries import StoredEntry
from chat.models import Conversation, Part, Run
from chat.storage.run_writes import part_rows
from doubles.script import Call, Text, Usage
from evaluations.interchange.cases import MAX_RESULTS
from evaluations.models import Case, DataSet
from security.models import AuditEvent
from tenants.db import in_db
from tests.chat.runs.logged_calls import is_document
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

ADMIN = "/o/acme/admin/"
TEA = {"operation": "create", "title": "Tea", "instruction": "About tea"}
PAGES = (f"{ADMIN}chat/run/", f"{ADMIN}chat/messagefeedback/")


@pytest.fixture
def run(acme: Workspace, bob: Browser, chat_id: str) -> Run:
    """The second run of a conversation of Bob's, who is a member and did not like the answer."""
    return async_to_sync(_run_of)(acme, bob, chat_id)


async def _run_of(acme: Workspace, bob: Browser, chat_id: str) -> Run:
    async with chat_socket(bob, "acme") as socket:
        for question, answer in (("Hi", "Hello."), ("When does Kestrel close?", "On Monday.")):
            if question != "Hi":
                acme.double.answer(Call("document_agent", TEA))
                acme.double.answer(Text("# Tea"), when=is_document)
            acme.double.answer(Text(answer), Usage(12, 3))
            await socket.answer(chat_id, question)
    run: Run = (await acme.rows(Run))[-1]
    post = sync_to_async(bob.client.put)
    feedback = {"rating": "down", "reasons": [], "comment": "Wrong"}
    path = f"/o/acme/api/conversations/{chat_id}/messages/{run.answer_id}/feedback/"
    assert (await post(path, feedback, content_type="application/json")).status_code < 300
    return run


async def copy(browser: Browser, run: Run, *, organization: str = "acme", **fields: str) -> Any:
    path = f"/o/{organization}/admin/evaluations/case/from-run/{run.pk}/"
    return await sync_to_async(browser.client.post)(path, {"data_set": "", "name": "Mergers", **fields})


def many_results(run: Run) -> None:
    """Have the run's tools give more results than a case holds."""
    entries: list[StoredEntry] = []
    for number in range(MAX_RESULTS + 1):
        entries.append(StoredEntry(ToolCall(f"c{number}", "search", {"n": number}), 1))
        entries.append(StoredEntry(ToolResult(f"c{number}", "search", "found"), 1))
    Part.objects.bulk_create(part_rows(message_id=run.answer_id, position=100, entries=entries))


async def set_policy(browser: Browser, policy: str) -> None:
    await sync_to_async(browser.client.post)(f"{ADMIN}chat/run/policy/", {"policy": policy})


async def test_a_question_that_may_be_read_is_copied(acme: Workspace, alice: Browser, run: Run) -> None:
    await set_policy(alice, ALWAYS)
    for page in (f"{PAGES[0]}{run.pk}/", PAGES[1]):
        assert f"case/from-run/{run.pk}/" in (await alice.call("GET", page)).content.decode()
    response = await alice.call("GET", f"{ADMIN}evaluations/case/from-run/{run.pk}/")
    assert "Kestrel" not in response.content.decode(), "nothing is read before it is asked for"
    assert (await copy(alice, run)).status_code == 302
    [case] = await acme.rows(Case)
    assert case.messages == [
        {"role": "user", "text": "Hi"},
        {"role": "assistant", "text": "Hello."},
        {"role": "user", "text": "When does Kestrel close?"},
    ]
    assert ([result["tool"] for result in case.tool_results], case.recorded_tools) == (["document_agent"], True)
    assert "document_agent" in (await alice.call("GET", f"{ADMIN}evaluations/case/{case.pk}/change/")).content.decode()
    assert (case.name, case.source_run_id) == ("When does Kestrel close?", run.pk)
    [event] = [event for event in await acme.rows(AuditEvent) if event.action == "case.copy"]
    assert (event.object_label, event.detail["run"]) == ("Mergers", str(run.pk))
    await copy(alice, run, data_set=str(case.data_set_id))
    assert len(await acme.rows(DataSet)) == 1

    await in_db(many_results, run, organization_id=acme.organization.pk)
    copy_response = await copy(alice, run)
    assert copy_response.status_code == 302
    assert "more results than a case holds" in (await alice.call("GET", copy_response.headers["Location"])).content.decode()
    newest = max(await acme.rows(Case), key=lambda case: case.created_at)
    assert (newest.tool_results, newest.recorded_tools) == ([], False)


@pytest.mark.parametrize("policy", [NEVER, "consent"])
async def test_a_question_that_may_not_be_read_is_not(acme: Workspace, alice: Browser, run: Run, policy: str) -> None:
    await set_policy(alice, policy)
    for page in (f"{PAGES[0]}{run.pk}/", PAGES[1]):
        assert "case/from-run/" not in (await alice.call("GET", page)).content.decode()
    assert (await copy(alice, run)).status_code == 404
    assert await acme.rows(Case) == await acme.rows(DataSet) == []


async def test_a_member_who_shares_lets_it_be_copied(acme: Workspace, alice: Browser, run: Run) -> None:
    rows, until = Conversation.objects.filter(pk=run.conversation_id), timezone.now() + timedelta(days=1)
    await in_db(lambda: rows.update(admins_may_read_until=until), organization_id=acme.organization.pk)
    assert (await copy(alice, run)).status_code == 302


async def test_members_and_the_other_organization_copy_nothing(
    acme: Workspace, alice: Browser, bob: Browser, charlie: Browser, run: Run
) -> None:
    await set_policy(alice, ALWAYS)
    assert (await copy(bob, run)).status_code == 404
    assert (await copy(charlie, run, organization="other")).status_code == 404
    assert await acme.rows(Case) == []
