"""Which addresses go out unasked: those that the user typed, and hosts that somebody opened (SECURITY 27, docs/security.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd
from agents.engine.taint import host_matches, sole_address
from agents.entry_codec import entry_decode, entry_encode
from agents.messages import (
    ApprovalRequest,
    AssistantText,
    ClientData,
    Entry,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    UserMessage,
)
from tests.agents.engine.scripted import AGENT, FunctionTool, ScriptedModel, answer, call, calls_response
from tests.agents.engine.taint_calls import FILE, PAGE, QUESTION, WEB, Entries, result, run_calls, sender, web
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal


@pytest.mark.parametrize(
    ("message", "arguments", "waits"),
    [
        (f"Read {PAGE}, please.", {"url": PAGE}, False),
        (f"({PAGE})", {"url": PAGE}, False),
        (f"Read {PAGE}, please.", {"url": PAGE, "n": 1}, True),
        (f"Read {PAGE}, please.", {"q": PAGE}, True),
        (f"Read {PAGE}, please.", {"url": PAGE.upper()}, True),
        (f"Read {PAGE}, please.", {"url": PAGE.replace("tea", "Tea")}, True),
        (f"Read {PAGE}, please.", {"url": PAGE[:-1]}, True),
        (f"Read {PAGE}, please.", {"url": f"{PAGE}#"}, True),
        (f"Read {PAGE}, please.", {"url": f"{PAGE} "}, True),
        (f"Read {PAGE} and https://b.example/", {"url": PAGE}, True),  # which of two says something
        ("Read tea.example", {"url": "https://tea.example"}, True),
        ("weather in Bern", {"q": "weather in Bern"}, True),  # nobody typed where it goes
        ("Read https://täa.example/", {"url": "https://t"}, True),
    ],
)
async def test_only_the_address_that_the_user_typed_goes_out_unasked(message: str, arguments: dict[str, Any], waits: bool) -> None:
    end, _ = await run_calls((FILE, *WEB), ToolCall("c1", "send", arguments), tool=sender(), question=UserMessage(message))
    assert end is (RunEnd.WAITING_FOR_APPROVAL if waits else RunEnd.ANSWERED)


@pytest.mark.parametrize(
    "earlier",
    [
        (AssistantText(f"See {PAGE}."),),
        (ClientData("suggestions", {"items": [f"Read {PAGE}"]}),),
        (replace(FILE, text=f"Open {PAGE}"),),
        (ToolCall("o1", "other", {"x": PAGE}), ToolResult("o1", "other", "ok", reads=())),
        (SubAgentEntry("s1", "helper", AssistantText(PAGE)),),
    ],
)
async def test_an_address_that_somebody_else_named_first_was_not_typed(earlier: Entries) -> None:
    end, _ = await run_calls((FILE, *earlier), call("c1", "send", url=PAGE), tool=sender(), question=UserMessage(f"Read {PAGE}"))
    assert end is RunEnd.WAITING_FOR_APPROVAL


async def test_a_typed_address_goes_out_once_and_first() -> None:
    tool = sender()
    question = UserMessage(f"Read {PAGE}")
    end, _ = await run_calls((FILE,), call("c1", "send", url=PAGE), call("c2", "send", url=PAGE), tool=tool, question=question)
    assert (end, len(tool.runs)) == (RunEnd.WAITING_FOR_APPROVAL, 1)
    tool = sender()
    end, _ = await run_calls((FILE,), call("c1", "web"), call("c2", "send", url=PAGE), tool=tool, question=question)
    assert (end, len(tool.runs)) == (RunEnd.WAITING_FOR_APPROVAL, 0)
    journal = MemoryJournal([FILE, question])
    model = ScriptedModel([calls_response(call("c1", "send", url=PAGE))], [calls_response(call("c2", "send", url=PAGE))])
    outcome = await run_agent(AGENT, model=model, tools=[tool], journal=journal)
    assert (outcome.end, len(tool.runs)) == (RunEnd.WAITING_FOR_APPROVAL, 1)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://a.example/x.", "https://a.example/x"),
        ("see <https://a.example/x>", "https://a.example/x"),
        ("https://a.example/ü", ""),
        ("xhttps://a.example/", ""),
        ("https://a.example/ http://b.example/", ""),
        ("https://a.example/?u=http://b.example/", ""),
        ("HTTPS://A.example/", ""),
        ("https://a.example\\@b.example/", ""),
        ("no address", ""),
    ],
)
def test_an_address_counts_as_it_was_typed(text: str, address: str) -> None:
    assert sole_address(text) == address


async def test_a_host_that_the_organization_opened_never_asks() -> None:
    tool = sender(open_hosts=("*.tea.example",))
    end, _ = await run_calls((FILE,), call("c1", "send", url="https://www.tea.example/?q=Ann"), tool=tool)
    assert end is RunEnd.ANSWERED
    end, _ = await run_calls((FILE,), call("c1", "send", url="https://tea.example.evil.example/"), tool=tool)
    assert end is RunEnd.WAITING_FOR_APPROVAL


@pytest.mark.parametrize(
    ("host", "pattern", "matches", "on_any_port"),
    [
        ("a.example", "a.example", True, True),
        ("a.example:8443", "a.example", False, True),
        ("a.example:8443", "a.example:8443", True, True),
        ("b.a.example", "*.a.example", True, True),
        ("a.example", "*.a.example", False, False),
        ("xa.example", "*.a.example", False, False),
        ("b.a.example:81", "*.a.example", False, True),
        ("[2001:db8::1]:81", "[2001:db8::1]", False, True),
        ("", "*.a.example", False, False),
    ],
)
def test_patterns_of_hosts(host: str, pattern: str, matches: bool, on_any_port: bool) -> None:
    assert host_matches(host, [pattern]) is matches
    assert host_matches(host, [pattern], any_port=True) is on_any_port


async def granted(*later: Entry, url: str = "https://tea.example/2", name: str = "send", tools: Sequence[FunctionTool] = ()) -> RunEnd:
    """The end of a run whose user allowed send to tea.example for the conversation before; then `later` came."""
    send_call = call("c1", "send", url="https://tea.example/1")
    end, journal = await run_calls((FILE,), send_call, tool=sender())
    [request] = [entry for entry in journal.appended if isinstance(entry, ApprovalRequest)]
    assert (end, request.host, request.may_last) == (RunEnd.WAITING_FOR_APPROVAL, "tea.example", True)
    inbox, stored_journal = (
        MemoryInbox(),
        MemoryJournal([entry_decode(*json.loads(json.dumps(entry_encode(each)))) for each in journal.entries]),
    )
    inbox.of(stored_journal).decision(request, approved=True, lasts=True)
    await run_agent(AGENT, model=ScriptedModel([answer()]), tools=[sender(), web()], journal=stored_journal, inbox=inbox, first_step=2)
    journal = MemoryJournal([*stored_journal.entries, *later, QUESTION])
    model = ScriptedModel([calls_response(call("c9", name, url=url))], [answer()])
    return (await run_agent(AGENT, model=model, tools=tools or [sender(), web()], journal=journal)).end


async def test_a_lasting_permission_holds_for_its_tool_and_host() -> None:
    assert await granted() is RunEnd.ANSWERED
    assert await granted(*WEB) is RunEnd.ANSWERED, "what is public may be told to anybody"
    assert await granted(url="https://b.example/") is RunEnd.WAITING_FOR_APPROVAL
    assert await granted(url="https://tea.example:8443/") is RunEnd.WAITING_FOR_APPROVAL
    assert await granted(name="post", tools=[sender("post"), sender(), web()]) is RunEnd.WAITING_FOR_APPROVAL
    assert await granted(tools=[sender(confirm=True)]) is RunEnd.WAITING_FOR_APPROVAL, "a tool that always asks, asks"


async def test_a_lasting_permission_ends_when_something_private_comes_from_elsewhere() -> None:
    assert await granted(replace(FILE, id="f2")) is RunEnd.WAITING_FOR_APPROVAL
    assert await granted(*result("crm", "crm.example")) is RunEnd.WAITING_FOR_APPROVAL
    assert await granted(*result("send", "tea.example")) is RunEnd.ANSWERED, "what a host said may go back to it"
