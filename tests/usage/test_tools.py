"""Usage by tool equals a sum over the stored results, before and after they are added up, and leads to the runs behind it."""

from __future__ import annotations

import csv
import io
import json
import time
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import connection
from django.db.models import Sum
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.entry_codec import entry_encode
from agents.messages import Entry, ProviderToolCall, SubAgentEntry, ToolCall, ToolResult
from chat.entries import StoredEntry
from chat.models import Message, Part, Run, RunTool
from chat.storage.search_columns import tool_rows
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events
from tests.usage.call_rows import LoggedCalls
from usage.models import ToolAgentSum, ToolSum
from usage.rollup import usage_fill
from usage.tools.result_sums import AGENT_KEYS, FIGURES

pytestmark = pytest.mark.django_db(databases=["default", "system"])

TOOLS = "/o/acme/admin/usage/usagesum/tools/"
NOW = timezone.now()
LONG_NAME = "made_up_by_a_model_" * 20
DAYS = {"from": str((NOW - timedelta(days=9)).date()), "to": str((NOW + timedelta(days=1)).date())}  # a test may run into midnight


def answered(logged: LoggedCalls, at: datetime, *entries: tuple[Entry, int | None], trial: bool = False, **values: Any) -> Run:
    """Store a run whose answer has these entries, each with its time in milliseconds."""
    run = logged.run(logged.conversation(trial=trial), at, **values)
    logged.call(at - timedelta(seconds=1), run=run)
    with tenant_tx(logged.organization_id):
        Message.objects.filter(pk=run.answer_id).update(run=run)
        for position, (entry, duration_ms) in enumerate(entries):
            kind, content, extras = entry_encode(entry)
            fields = {"kind": kind, "content": content, "extras": extras, "duration_ms": duration_ms}
            Part.objects.create(message_id=run.answer_id, position=position, **fields)
        Part.objects.filter(message_id=run.answer_id).update(created_at=at)
        RunTool.objects.bulk_create(tool_rows(run.pk, [StoredEntry(entry, 1) for entry, _ in entries]))
    return run


def nested_twice(result: ToolResult | ProviderToolCall) -> Entry:
    """The same as a sub-agent's sub-agent would have it."""
    return SubAgentEntry("c", "writer", SubAgentEntry("d", "researcher", result))


def store_some(logged: LoggedCalls) -> Run:
    run = answered(
        logged,
        NOW - timedelta(days=2),
        (ToolCall("1", "fetch_url", {}), None),
        (ToolResult("1", "fetch_url", {"text": "a\x00b" * 200, "name": "no_tool", "is_error": True}), 300),
        (ToolResult("2", "fetch_url", "gone", is_error=True), 100),
        (ToolResult("3", "send_mail", "The user said no.", is_error=True, denied=True), None),
        (ProviderToolCall("4", "web_search", {"q": "tea"}, output="x" * 9000), None),
        (ToolResult("5", LONG_NAME, "There is no such tool.", is_error=True), None),
    )
    answered(
        logged,
        NOW - timedelta(hours=3),
        (SubAgentEntry("9", "writer", ToolCall("5", "fetch_url", {})), None),
        (SubAgentEntry("9", "writer", ToolResult("5", "fetch_url", "y" * 400)), 700),
        (nested_twice(ToolResult("6", "read_file", "ü" * 40)), 50),
    )
    # NOW is when the tests were read, which may be long ago
    answered(logged, timezone.now() - timedelta(minutes=1), (ToolResult("1", "fetch_url", "new"), 10))
    answered(logged, NOW - timedelta(days=1), (ToolResult("1", "fetch_url", "tried"), 10), trial=True)
    answered(logged, NOW - timedelta(days=1), (ToolResult("1", "fetch_url", "replayed"), 10), replay_of=run)
    return run


def in_python(logged: LoggedCalls) -> dict[str, tuple[int, int, int, int]]:
    """Calls, failures, refusals and milliseconds of each tool, from the rows themselves."""
    calls, failed, denied, durations = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    with tenant_tx(logged.organization_id):
        for part in Part.objects.filter(message__conversation__is_trial=False, message__run__replay_of=None):
            kind, content = part.kind, part.content
            while kind == "sub_agent":
                kind, content = content["kind"], content["content"]
            if kind in ("tool_result", "provider_tool_call"):
                name = content["name"][:200]
                calls[name] += 1
                denied[name] += content.get("denied", False)
                failed[name] += content["is_error"] and not content.get("denied", False)
                durations[name] += part.duration_ms or 0
    return {name: (calls[name], failed[name], denied[name], durations[name]) for name in calls}


def tool_figures(client: Client, **query: str) -> dict[str, tuple[int, int, int, int]]:
    lines = client.get(TOOLS, {**DAYS, **query}).context["lines"]
    figures = {line.label: line.figures for line in lines}
    return {name: (one.calls, one.failed_calls, one.denied_calls, one.duration_ms) for name, one in figures.items()}


def fill(logged: LoggedCalls) -> None:
    usage_fill(organization_id=logged.organization_id, until=time.monotonic() + 60)


def test_the_sums_of_tools_equal_the_stored_results(acme: LoggedCalls, other: LoggedCalls, alice: Client) -> None:
    run = store_some(acme)
    answered(other, NOW - timedelta(days=2), (ToolResult("1", "their_tool", "theirs"), 5))
    expected = in_python(acme)
    assert expected["fetch_url"] == (4, 1, 0, 1110)
    assert tool_figures(alice) == expected, "read from the results"
    fill(acme)
    with tenant_tx(acme.organization_id):
        assert ToolSum.objects.count() == 6, "the newest is not added up yet"
    assert tool_figures(alice) == expected
    answered(acme, NOW - timedelta(days=1), (ToolResult("1", "fetch_url", "late"), 1))  # with its call, behind what is added up
    fill(acme)
    assert tool_figures(alice) == in_python(acme)
    call_command("usage_rebuild", organization="acme")
    assert tool_figures(alice) == in_python(acme)
    with tenant_tx(acme.organization_id):
        Part.objects.filter(message_id=run.answer_id).delete()  # as a purge does
    expected = tool_figures(alice)
    call_command("usage_rebuild", organization="acme")
    assert tool_figures(alice) == expected, "what was purged is kept"


def test_sums_without_members_are_those_with_them(acme: LoggedCalls, alice: Client) -> None:
    run = store_some(acme)
    fill(acme)
    assert summed(acme, ToolAgentSum) == summed(acme, ToolSum) != {}
    answered(acme, NOW - timedelta(days=1), (ToolResult("1", "fetch_url", "late"), 1))
    fill(acme)
    assert summed(acme, ToolAgentSum) == summed(acme, ToolSum)
    with tenant_tx(acme.organization_id):
        Part.objects.filter(message_id=run.answer_id).delete()  # as a purge does
    call_command("usage_rebuild", organization="acme")
    assert summed(acme, ToolAgentSum) == summed(acme, ToolSum)
    with tenant_tx(acme.organization_id):
        ToolSum.objects.update(calls=0)  # no page of nobody in particular reads them
    assert tool_figures(alice)["read_file"] == in_python(acme)["read_file"]


def summed(logged: LoggedCalls, table: type[ToolAgentSum | ToolSum]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """What the table has of each day's tools, by agent."""
    with tenant_tx(logged.organization_id):
        rows = table.objects.values_list("day", *AGENT_KEYS).annotate(*(Sum(name) for name in FIGURES))
        return {row[: -len(FIGURES)]: row[-len(FIGURES) :] for row in rows}


def test_an_admin_sees_tools_by_agent_filters_exports_and_follows_them_to_runs(acme: LoggedCalls, alice: Client, cast: Cast) -> None:
    run = store_some(acme)
    fill(acme)
    page = alice.get(TOOLS, {**DAYS, "open": "fetch_url"})
    lines = {line.label: line for line in page.context["lines"]}
    assert [(part.label, part.figures.calls) for part in lines["fetch_url"].parts] == [("Chat agent (Google Gemini)", 3), ("writer", 1)]
    assert (lines["fetch_url"].figures.average_ms, lines["send_mail"].figures.average_ms) == (277.5, None)
    assert lines["web_search"].tokens == "Unknown", "what a provider's tool gave its model is in the tokens of its call"
    assert lines["read_file"].tokens == "10"
    assert tool_figures(alice, agent="researcher") == {"read_file": (1, 0, 0, 50)}
    assert tool_figures(alice, member=str(run.pk)) == {}
    assert tool_figures(alice, model="none", kind="title") == in_python(acme), "filters that tools don't have are left out"
    assert [line.run.pk for line in alice.get(lines["web_search"].runs).context["lines"]] == [run.pk]
    assert len(alice.get(lines["fetch_url"].runs).context["lines"]) == 5, "with the trial and the replay"
    assert len(alice.get(lines["read_file"].runs).context["lines"]) == 1
    assert alice.get("/o/acme/admin/chat/run/", {"tool": "no_tool"}).context["lines"] == [], "a name inside of a result is none"
    assert "Kein Werkzeug" in alice.get(TOOLS, {"agent": "none"}, headers={"Accept-Language": "de"}).content.decode()
    assert alice.get(TOOLS, {"from": "x", "open": "\x00"}).status_code == 200

    rows = list(csv.DictReader(io.StringIO(content(alice.post(f"{TOOLS}export/", {**DAYS, "format": "csv"})))))
    assert sum(int(row["calls"]) for row in rows) == sum(calls for calls, *_ in in_python(acme).values())
    assert {row["member_name"] for row in rows} == {"Bob"}
    text = content(alice.post(f"{TOOLS}export/", {**DAYS, "format": "jsonl", "agent": "researcher"}))
    [one] = map(json.loads, text.splitlines())
    assert (one["tool"], one["by_provider"], one["calls"], one["result_chars"]) == ("read_file", False, 1, 40)
    assert len(events(cast.acme, "usage.export")) == 2
    with CaptureQueriesContext(connection) as queries:
        alice.get(TOOLS, DAYS)
    assert len([one for one in queries if one["sql"].lower().startswith(("select", "with"))]) - 7 <= 5, (
        "seven are those of every admin page"
    )
    client = Client()
    for user in (cast.bob, cast.charlie):
        client.force_login(user)
        assert client.get(TOOLS).status_code == 404
        assert client.post(f"{TOOLS}export/", {"format": "csv"}).status_code == 404


def content(response: Any) -> str:
    async def read() -> str:
        return b"".join([piece async for piece in response.streaming_content]).decode()

    return async_to_sync(read)()
