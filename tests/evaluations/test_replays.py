"""Recorded runs are run again with recorded results of tools: nothing has an effect twice, and who may not read a run may not replay it."""

from __future__ import annotations

import re
from html import unescape
from io import StringIO
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command

from artifacts.models import Version
from chat.conversations.admin_reading import ALWAYS
from chat.models import Conversation, ModelCall, Run
from doubles.script import Call, Text, Usage
from evaluations.models import Replay
from evaluations.replays.work import replay_work
from tenants.db import in_db
from tenants.deletion.services import DeletionReport, rows_delete
from tenants.models import Membership
from tests.chat.admin_pages.test_run_explorer import RUNS, consent, set_policy
from tests.chat.tools.test_knowledge_tools import fill, folder
from tests.evaluations.replay_pages import ANSWER, REPLAYS, TEA, ask, events, page, post, replay_run, rows_of, run
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser
from tests.support.chat.tools import give_tool
from tests.support.chat.workspace import Workspace

__all__ = ["run"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_tool_is_described_in_other_words(acme: Workspace, alice: Browser, run: Run) -> None:
    await set_policy(alice, ALWAYS)
    html = await page(alice, f"of-run/{run.pk}/")
    fields = dict(re.findall(r'<textarea name="(tool_[^"]+)"[^>]*>\n?([^<]*)</textarea>', html))
    fields = {name: unescape(words) for name, words in fields.items()}
    [description] = [name for name in fields if f"{name}_operation" in fields and "document" in fields[name]]
    acme.double.answer(Call("document_agent", TEA))
    before = len(acme.double.requests)
    row, address = await replay_run(acme, alice, run, **{**fields, description: "Brews tea.", f"{description}_title": "What is brewed."})
    assert (row.status, row.same_calls) == ("done", True)
    request_body = str(acme.double.requests[before].body)
    assert "Brews tea." in request_body
    assert "What is brewed." in request_body
    assert fields[description][:60] not in request_body
    assert "Tool document_agent" in await page(alice, address)
    assert len((await acme.rows(Replay))[0].tool_definitions) == 1, "tools that were left as they were are not named"


async def test_an_unchanged_replay_makes_the_same_requests_and_has_no_effect(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, run: Run
) -> None:
    await set_policy(alice, ALWAYS)
    before = {model: len(await acme.rows(model)) for model in (Version, Conversation)}
    acme.double.answer(Call("document_agent", TEA))
    row, address = await replay_run(acme, alice, run)
    assert (row.status, row.same_calls, row.likeness, row.unrecorded_call) == ("done", True, 1.0, "")
    assert (row.equal_requests, row.requests) == (1, 2), "the document's agent is not asked again; the second request has another call's id"
    assert len(await acme.rows(Version)) == before[Version], "no second document"
    [own] = await acme.rows(Run, replay_of=run.pk)
    assert own.conversation_id != run.conversation_id
    for browser in (alice, bob):
        conversation_ids = {item["id"] for item in (await browser.get("/o/acme/api/conversations/"))["items"]}
        assert str(own.conversation_id) not in conversation_ids
        assert (await browser.call("GET", f"/o/acme/api/conversations/{own.conversation_id}/")).status_code == 404
    [event] = await events(acme, "run.replay")
    assert (event.actor_user_id, event.detail["runs"]) == (cast.alice.pk, [str(run.pk)])

    html = await page(alice, address)
    assert "1 byte for byte the same" in html
    assert "Only what providers put into their answers differs, such as ids of calls." in html
    assert ANSWER not in html
    assert not await events(acme, "run.read")
    assert ANSWER in await page(alice, f"{address}?texts=1")
    [reading] = await events(acme, "run.read")
    assert reading.object_id == str(run.pk)
    assert ANSWER in await page(alice, f"{address}?texts=1&part=1")
    assert len(await events(acme, "run.read")) == 2, "a reading by the part that the page renews"
    assert "It is a replay" in await page(alice, f"{RUNS}{own.pk}/?texts=1")

    await sync_to_async(rows_delete)(Conversation, [run.conversation_id], organization_id=acme.organization.pk, report=DeletionReport())
    assert await acme.rows(Run) == [], "the replay goes with its original"


async def test_a_call_that_was_not_recorded_stops_the_replay_and_says_so(acme: Workspace, alice: Browser, run: Run) -> None:
    await set_policy(alice, ALWAYS)
    acme.double.answer(Call("document_agent", {**TEA, "title": "Coffee"}))
    row, address = await replay_run(acme, alice, run, prompt="You write about coffee.")
    assert (row.status, row.unrecorded_call, row.same_calls, row.equal_requests) == ("done", "document_agent", False, 0)
    assert len(await acme.rows(Version)) == 1
    assert len(await acme.rows(ModelCall, run=row.run_id)) == 1, "nothing follows"
    html = await page(alice, address)
    assert "The agent called document_agent with arguments that the recorded run did not use. The replay stopped here." in html
    assert "The system prompt differs." in html
    assert "New prompt" in html
    assert "Coffee" not in html
    html = await page(alice, f"{address}?texts=1")
    assert "Coffee" in html
    assert "Enter a result" in html
    assert "Run it live" not in html, "the tool writes"

    acme.double.default(Text("The coffee is written."))
    [call] = re.findall(r'name="call" value="([^"]+)"', html)
    path = address.removeprefix(REPLAYS)
    assert (await post(alice, f"{path}settle/", call=call, how="live")).url.endswith("?texts=1"), "refused"
    assert (await post(alice, f"{path}settle/", call="other", result="x")).status_code == 404
    assert (await post(alice, f"{path}settle/", call=call, result='{"id": "d1"}')).status_code == 302
    assert await replay_work(acme.organization.pk, row.replay_id, work_s=60) is False
    [row] = await rows_of(acme, row.replay_id)
    assert (row.status, row.unrecorded_call, row.requests) == ("done", "", 2)
    assert "d1" in str(acme.double.requests[-1].body)
    html = await page(alice, f"{address}?texts=1")
    assert "The coffee is written." in html
    assert "Entered by an admin" in html
    assert len(await acme.rows(Version)) == 1
    [event] = await events(acme, "run.replay_settle")
    assert (event.detail["tool"], event.detail["how"]) == ("document_agent", "entered")
    assert (await post(alice, f"{path}settle/", call=call, result="x")).status_code == 404, "it was settled"


@pytest.mark.parametrize("looks_up", [True, False])
async def test_what_only_reads_runs_where_the_admin_wants_it(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str, looks_up: bool
) -> None:
    await folder(acme, cast)
    await set_policy(alice, ALWAYS)
    acme.double.answer(Call("search_files", {"query": "green"}))
    acme.double.default(Text("Fine."))
    await ask(bob, chat_id)
    [run] = await acme.rows(Run)
    acme.double.answer(Call("search_files", {"query": "brew"}))
    row, address = await replay_run(acme, alice, run, **({"looks_up": "on"} if looks_up else {}))
    assert row.unrecorded_call == ("" if looks_up else "search_files")
    assert ("80 degrees" in str(acme.double.requests[-1].body)) is looks_up
    if not looks_up:
        [call, _] = re.findall(r'name="call" value="([^"]+)"', await page(alice, f"{address}?texts=1"))
        assert (await post(alice, f"{address.removeprefix(REPLAYS)}settle/", call=call, how="live")).status_code == 302
        assert await replay_work(acme.organization.pk, row.replay_id, work_s=60) is False
        [row] = await rows_of(acme, row.replay_id)
        assert (row.status, row.unrecorded_call) == ("done", "")
        assert "80 degrees" in str(acme.double.requests[-1].body)
        assert "Run live" in await page(alice, f"{address}?texts=1")


async def test_a_sub_agents_call_is_settled_also_when_the_process_dies(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str
) -> None:
    def clerk() -> None:
        acme.add_agent("clerk", used_by="chat_model_agent_google", description="Looks things up", system_prompt="Look.")
        fill(cast.acme, give_tool(acme, "files", agent="clerk_google", about="Brewing"), green="Brew green tea at 80 degrees.")

    await sync_to_async(clerk)()
    await set_policy(alice, ALWAYS)
    acme.double.answer(Call("clerk", {"task": "Look"}))
    acme.double.answer(Call("search_files", {"query": "green"}))
    acme.double.answer(Text("At 80."))
    acme.double.answer(Text("Brew it at 80."))
    await ask(bob, chat_id)
    [run] = await acme.rows(Run)

    acme.double.answer(Call("clerk", {"task": "Look"}))
    acme.double.answer(Call("search_files", {"query": "degrees"}))
    row, address = await replay_run(acme, alice, run)
    assert (row.status, row.unrecorded_call) == ("done", "search_files")
    request_count = len(acme.double.requests)
    [call, _] = re.findall(r'name="call" value="([^"]+)"', await page(alice, f"{address}?texts=1"))
    acme.double.answer(Text("At 80 degrees."))
    acme.double.answer(Text("Brew it at 80 degrees."))
    assert (await post(alice, f"{address.removeprefix(REPLAYS)}settle/", call=call, how="live")).status_code == 302
    assert row.run_id
    run_rows = Run.objects.filter(pk=row.run_id)  # the process that took it up
    await in_db(lambda: run_rows.update(lease_owner="dead"), organization_id=acme.organization.pk)
    assert await replay_work(acme.organization.pk, row.replay_id, work_s=60) is False
    [row] = await rows_of(acme, row.replay_id)
    assert (row.status, row.unrecorded_call, len(acme.double.requests) - request_count) == ("done", "", 2)
    assert "80 degrees" in str(acme.double.requests[-2].body), "the clerk read what the search gave"
    [own] = await acme.rows(Run, pk=row.run_id)
    assert (own.status, own.takeovers) == ("done", 1)
    assert "Run live" in await page(alice, f"{address}?texts=1")


async def test_without_the_right_to_read_there_is_the_check_alone(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, charlie: Browser, run: Run
) -> None:
    request_count = len(acme.double.requests)
    html = await page(alice, f"of-run/{run.pk}/?check=1")
    assert "3 of 3 requests byte for byte the same" in html
    output = StringIO()
    await sync_to_async(call_command)("replay_check", "acme", stdout=output)
    assert output.getvalue() == "1 of 1 runs, 3 of 3 requests byte for byte the same.\n"
    assert "you can&#x27;t replay it" in html.replace("can't", "can&#x27;t")
    assert "Kestrel" not in html
    response = await post(alice, f"of-run/{run.pk}/")
    assert response.status_code == 200
    assert await acme.rows(Replay) == []
    assert len(acme.double.requests) == request_count
    for browser, base in ((bob, "acme"), (charlie, "acme"), (charlie, "other")):
        assert (await browser.call("GET", f"/o/{base}/admin/evaluations/replay/of-run/{run.pk}/?check=1")).status_code == 404

    await consent(acme, run, 7)
    acme.double.answer(Call("document_agent", TEA))
    row, address = await replay_run(acme, alice, run)
    assert ANSWER in await page(alice, f"{address}?texts=1")
    assert (await charlie.call("GET", address.replace("/o/acme/", "/o/other/"))).status_code == 404
    await consent(acme, run, -1)
    assert ANSWER not in await page(alice, f"{address}?texts=1"), "the replay tells no more than the original"
    assert ANSWER not in await page(alice, f"{RUNS}{row.run_id}/?texts=1")
    await sync_to_async(Membership.objects.filter(user=cast.vera).update)(role=Membership.Role.AUDITOR)
    vera = await sync_to_async(Browser)(cast.vera)
    await consent(acme, run, 7)
    html = await page(vera, f"{address}?texts=1")
    assert ANSWER in html, "auditors read replays"
    assert "Replay again" not in html
    assert (await post(vera, f"{address.removeprefix(REPLAYS)}settle/", call="x", result="x")).status_code == 404
    assert (await post(vera, f"of-run/{run.pk}/")).status_code == 404


async def test_many_runs_are_replayed_against_the_draft_within_a_budget_and_stopped(acme: Workspace, alice: Browser, bob: Browser) -> None:
    acme.double.default(Text(ANSWER), Usage(1_000_000, 34))
    for text in ("One", "Two", "Three"):
        await ask(bob, str(uuid4()), text)
    await ask(bob, str(uuid4()), "Four")
    for old_run in await acme.rows(Run):
        await consent(acme, old_run, 7)
    [last_run] = [run for run in await acme.rows(Run) if run.created_at == max(each.created_at for each in await acme.rows(Run))]
    await consent(acme, last_run, -1)
    acme.double.default(Text("Quite other words."), Usage(1_000_000, 34))

    async def start_replay(**fields: str) -> UUID:
        response = await post(alice, "of-runs/", source="draft", count="10", **fields)
        assert response.status_code == 302, response.content.decode()
        return UUID(response.url.split("/")[-3])

    replay_id = await start_replay()
    assert await replay_work(acme.organization.pk, replay_id, work_s=60) is False
    [replay] = await acme.rows(Replay)
    assert (replay.status, replay.left_out) == ("done", 1)
    html = await page(alice, f"{replay_id}/change/")
    assert "3 of 3" in html
    assert "Other words" in html
    assert "$0.9" in html

    second_id = await start_replay(max_cost_usd="0.5")
    assert await replay_work(acme.organization.pk, second_id, work_s=0) is True
    assert (await post(alice, f"{second_id}/stop/")).status_code == 302
    [replay] = await acme.rows(Replay, pk=second_id)
    assert replay.status == "stopped"
    assert {row.status for row in await rows_of(acme, second_id)} == {"failed"}
    assert len(await events(acme, "run.replay_stop")) == 1
    assert (await post(alice, "of-runs/", source="other", count="10")).status_code == 200, "a release without a number"
