"""The run explorer: which runs admins see, what of them, and when members' texts are among it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.utils import timezone

from chat.conversations.admin_reading import ALWAYS, CONSENT, NEVER
from chat.models import Conversation, ModelCall, Run, RunTool
from chat.search.indexing import conversation_index
from doubles.script import Call, Fault, Text, Usage
from security.models import AuditEvent
from tenants.db import in_db
from tenants.models import Membership
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.stores.statements import statements

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

RUNS = "/o/acme/admin/chat/run/"
QUESTION = "Tell me of the merger with Kestrel"
ANSWER = "It closes in March."


@pytest.fixture
def run(acme: Workspace, bob: Browser, chat_id: str) -> Run:
    """A run of Bob's, who is a member."""
    return async_to_sync(_run_of)(acme, bob, chat_id)


async def _run_of(acme: Workspace, bob: Browser, chat_id: str) -> Run:
    acme.double.answer(Text(ANSWER), Usage(1200, 34))
    async with chat_socket(bob, "acme") as socket:
        await socket.answer(chat_id, QUESTION)
    [run] = await acme.rows(Run)
    assert isinstance(run, Run)
    return run


async def page(browser: Browser, query: str = "", *, path: str = RUNS) -> str:
    response = await browser.call("GET", f"{path}{query}")
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


async def set_policy(browser: Browser, policy: str) -> int:
    post = sync_to_async(browser.client.post)
    return (await post(f"{RUNS}policy/", {"policy": policy})).status_code


async def consent(acme: Workspace, run: Run, days: int) -> None:
    rows, until = Conversation.objects.filter(pk=run.conversation_id), timezone.now() + timedelta(days=days)
    await in_db(lambda: rows.update(admins_may_read_until=until), organization_id=acme.organization.pk)


async def readings(acme: Workspace) -> list[AuditEvent]:
    return [event for event in await acme.rows(AuditEvent) if event.action == "run.read"]


async def test_runs_are_listed_with_their_figures_and_without_texts(acme: Workspace, alice: Browser, run: Run) -> None:
    text = await page(alice)
    assert str(run.pk) in text
    for words in ("Bob", "Done", "Gemini 2.5 Flash", "1,234", "$0.0"):
        assert words in text
    assert "Kestrel" not in text


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("?state=done", True),
        ("?state=failed", False),
        ("?member=bob", True),
        ("?member=alice", False),
        ("?release={release}", True),
        ("?release=77", False),
        ("?assistant=-", True),
        ("?assistant=analyst_google", False),
        ("?q={run}", True),
        ("?q=rate_limited", False),
        ("?rating=down", False),
        ("?cost=0,0001&seconds=0.001&tokens=1234", True),
        ("?cost=5", False),
        ("?seconds=900", False),
        ("?tokens=1e12", False),
        ("?cost=inf&seconds=-3&tokens=many", True),
        ("?tool=fetch_url", False),
        ("?model=nonsense&period=x&cursor=1&state=nothing", True),
    ],
)
async def test_the_filters_are_in_the_address(alice: Browser, run: Run, query: str, is_found: bool) -> None:
    assert (f"{RUNS}{run.pk}/" in await page(alice, query.format(run=run.pk, release=run.display["release"]))) == is_found


async def test_only_those_who_may_audit_find_runs_and_only_their_own(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, charlie: Browser, run: Run
) -> None:
    assert (await bob.call("GET", RUNS)).status_code == 404
    assert (await bob.call("GET", f"{RUNS}{run.pk}/")).status_code == 404
    assert str(run.pk) not in await page(charlie, path="/o/other/admin/chat/run/")
    assert (await charlie.call("GET", f"/o/other/admin/chat/run/{run.pk}/")).status_code == 404
    assert (await charlie.call("GET", RUNS)).status_code == 404
    auditor = cast.vera
    await sync_to_async(Membership.objects.filter(user=auditor).update)(role=Membership.Role.AUDITOR)
    vera = await sync_to_async(Browser)(auditor)
    assert str(run.pk) in await page(vera)
    assert (await vera.call("GET", f"{RUNS}{run.pk}/")).status_code == 200
    assert await set_policy(vera, ALWAYS) == 404, "an auditor changes nothing"


@pytest.mark.parametrize(
    ("policy", "days", "is_shown"),
    [(NEVER, 7, False), (CONSENT, None, False), (CONSENT, -1, False), (CONSENT, 7, True), (ALWAYS, None, True)],
)
async def test_texts_are_shown_by_policy_and_consent_and_each_reading_is_an_event(
    acme: Workspace, alice: Browser, run: Run, policy: str, days: int | None, is_shown: bool
) -> None:
    assert await set_policy(alice, policy) == 302
    if days is not None:
        await consent(acme, run, days)
    [call] = await acme.rows(ModelCall)
    plain_html = await page(alice, f"{run.pk}/?call={call.pk}")
    assert "Kestrel" not in plain_html
    assert ANSWER not in plain_html
    assert await readings(acme) == [], "structure and figures are no reading"

    html = await page(alice, f"{run.pk}/?call={call.pk}&texts=1")

    assert (QUESTION in html, ANSWER in html) == (is_shown, is_shown)
    assert [(event.object_id, event.detail["call"]) for event in await readings(acme)] == [(str(run.pk), str(call.pk))] * is_shown


async def test_a_call_shows_what_the_model_saw_or_how_long_it_was(acme: Workspace, alice: Browser, run: Run) -> None:
    [call] = await acme.rows(ModelCall)
    structure = await page(alice, f"{run.pk}/?call={call.pk}")
    assert "System prompt" in structure
    assert f"{len(QUESTION)} characters" in structure
    assert "You are" not in structure, "not even the prompt, which has the member's name"
    await set_policy(alice, ALWAYS)
    texts = await page(alice, f"{run.pk}/?call={call.pk}&texts=1")
    assert texts.count(QUESTION) >= 2, "as the member's words, and in the request"


async def test_steps_tools_and_sub_agents_are_lines_of_the_waterfall(acme: Workspace, alice: Browser, bob: Browser, chat_id: str) -> None:
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}), Usage(900, 20))
    acme.double.answer(Text("# Tea"), Usage(300, 10), when=lambda request: "<instruction>" in request.user_text)
    acme.double.answer(Text("Done."), Usage(1000, 5))
    async with chat_socket(bob, "acme") as socket:
        await socket.answer(chat_id, "Write about tea")
    [run] = await acme.rows(Run)

    response = await alice.call("GET", f"{RUNS}{run.pk}/")

    lines = [(bar.span.depth, bar.span.kind, bar.span.title, bar.span.tokens) for bar in response.context["bars"]]
    assert lines == [
        (0, "step", "Step 1", 1230),
        (1, "model", "gemini-2.5-flash", 920),
        (1, "sub_agent", "document_agent", 310),
        (2, "model", "gemini-2.5-flash", 310),
        (0, "step", "Step 2", 1005),
        (1, "model", "gemini-2.5-flash", 1005),
    ]
    for bar in response.context["bars"]:
        assert 0 <= bar.x <= bar.x + bar.width <= 101
    run_tools = await in_db(lambda: list(RunTool.objects.values_list("run_id", "name")), organization_id=acme.organization.pk)
    assert run_tools == [(run.pk, "document_agent")]
    assert run.tokens == 2235
    assert run.cost_usd == pytest.approx(sum(call.cost_usd or 0 for call in await acme.rows(ModelCall)))
    assert run.cost_usd
    assert f"{RUNS}{run.pk}/" in await page(alice, "?tool=document_agent&tokens=2235")
    assert f"{RUNS}{run.pk}/" not in await page(alice, "?tool=document_agent&tokens=2236")


async def test_a_failed_run_says_why(acme: Workspace, alice: Browser, bob: Browser, chat_id: str) -> None:
    acme.double.answer(Fault.status(400))
    async with chat_socket(bob, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    [run] = await acme.rows(Run)
    assert run.status == Run.Status.FAILED
    assert run.error_code.replace("_", " ") in await page(alice, "?state=failed")
    assert run.error_code in await page(alice, f"{run.pk}/")


async def test_the_list_costs_the_same_few_statements_however_many_runs_there_are(acme: Workspace, alice: Browser, run: Run) -> None:
    await page(alice)
    async with statements() as one:
        await page(alice)
    copies = [
        Run(
            **{
                field.attname: getattr(run, field.attname)
                for field in Run._meta.local_concrete_fields
                if field.name != "id" and not field.generated
            }
        )
        for _ in range(30)
    ]
    await in_db(Run.objects.bulk_create, copies, organization_id=acme.organization.pk)
    async with statements() as many:
        await page(alice)
    assert len(many) == len(one) <= 12


async def test_words_are_found_where_they_may_be_read(acme: Workspace, alice: Browser, charlie: Browser, run: Run) -> None:
    await in_db(conversation_index, run.conversation_id, organization_id=acme.organization.pk)

    async def is_found(query: str) -> bool:
        return f"{RUNS}{run.pk}/" in await page(alice, query)

    assert not await is_found("?text=kestrel")
    await consent(acme, run, 7)
    assert await is_found("?text=kestrel")
    assert await is_found("?text=march+clos&member=bob")
    assert not await is_found("?text=kestrel+whale")
    assert not await is_found("?text=kestrel&member=alice")
    assert not await is_found("?text=%27%26%7C%3A%2A%00")
    await consent(acme, run, -1)
    assert not await is_found("?text=kestrel")
    await set_policy(alice, ALWAYS)
    assert await is_found("?text=kestrel&period=all")
    assert f"{run.pk}" not in await page(charlie, "?text=kestrel", path="/o/other/admin/chat/run/")
    await set_policy(alice, NEVER)
    assert not await is_found("?text=kestrel")
    searches = [event for event in await acme.rows(AuditEvent) if event.action == "run.search"]
    assert len(searches) == 9
    assert "kestrel" in str(searches[0].detail) + str(searches[-1].detail)


async def test_a_policy_that_is_none_is_refused(alice: Browser, run: Run) -> None:
    await set_policy(alice, "sometimes")
    assert "unless they share a conversation" in await page(alice)


async def test_a_member_shares_a_conversation_for_seven_days_and_takes_it_back(
    acme: Workspace, alice: Browser, bob: Browser, charlie: Browser, run: Run
) -> None:
    readers = f"/o/acme/api/conversations/{run.conversation_id}/readers/"
    assert await bob.get(readers) == {"policy": "consent", "sharedUntil": None}

    sharing = (await bob.call("PUT", readers, {})).json()

    days = (datetime.fromisoformat(sharing["sharedUntil"]) - timezone.now()) / timedelta(days=1)
    assert 6.9 < days <= 7
    assert QUESTION in await page(alice, f"{run.pk}/?texts=1")
    assert (await bob.call("DELETE", readers)).json()["sharedUntil"] is None
    assert QUESTION not in await page(alice, f"{run.pk}/?texts=1")
    actions = [event.action for event in await acme.rows(AuditEvent)]
    assert [action for action in actions if action.startswith("conversation.")] == [
        "conversation.share_with_admins",
        "conversation.stop_sharing",
    ]
    for stranger, path in ((alice, readers), (charlie, readers.replace("acme", "other"))):
        assert [
            (await stranger.call(method, path, body)).status_code for method, body in (("GET", None), ("PUT", {}), ("DELETE", None))
        ] == [404] * 3


@pytest.mark.parametrize("policy", [NEVER, ALWAYS])
async def test_consent_is_asked_for_only_where_the_policy_needs_it(alice: Browser, bob: Browser, run: Run, policy: str) -> None:
    readers = f"/o/acme/api/conversations/{run.conversation_id}/readers/"
    await set_policy(alice, policy)
    assert (await bob.get(readers))["policy"] == policy
    assert (await bob.call("PUT", readers, {})).status_code == 400


async def test_a_change_of_the_policy_is_an_event(acme: Workspace, alice: Browser) -> None:
    await set_policy(alice, ALWAYS)
    await set_policy(alice, ALWAYS)
    [event] = [event for event in await acme.rows(AuditEvent) if event.action == "run.policy"]
    assert (event.before, event.after) == ({"chat_reading": "consent"}, {"chat_reading": "always"})
