"""A run that has read what nobody typed sends nothing that its user has not seen (SECURITY 27, docs/security.md)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd
from agents.engine.nested_runs import NestedJournal
from agents.engine.open_calls import approval_request
from agents.engine.ports import ToolContext, ToolOutcome
from agents.engine.run_progress import count_steps, final_text, unwrap_entry
from agents.engine.taint import TAINT_REASON
from agents.entry_codec import entry_decode, entry_encode
from agents.messages import (
    ApprovalRequest,
    ArtifactReference,
    AssistantText,
    BuiltinTool,
    ContextData,
    ModelSettings,
    Notice,
    ProviderToolCall,
    ToolCall,
    ToolResult,
)
from tests.agents.engine.scripted import AGENT, FunctionTool, ScriptedModel, answer, call, calls_response
from tests.agents.engine.taint_calls import BOTH, FILE, PAGE, QUESTION, WEB, Entries, host_of, result, run_calls, sender, web
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal


@pytest.mark.parametrize(
    ("history", "waits"),
    [
        ((), False),
        ((FILE,), True),
        (WEB, True),
        ((ProviderToolCall("p1", "web_search", {}, "News"),), True),
        ((ProviderToolCall("p1", "code_execution", {}, "4"),), False),
        ((ToolCall("g1", "gone", {}), ToolResult("g1", "gone", "who knows")), True),
        ((WEB[0], replace(WEB[1], denied=True)), False),
        ((ContextData("page_state", "{}"),), True),
        ((ContextData("artifacts", '{"id": "a1", "version": 1}'),), True),
        ((ArtifactReference("a1", "Tea", "text", 2, "update", "c0"), ContextData("artifacts", '{"id": "a1", "version": 2}')), False),
        ((ArtifactReference("a1", "Tea", "text", 2, "update", "c0"), ContextData("artifacts", '{"id": "a1", "version": 3}')), True),
        ((ContextData("artifacts", "no JSON"),), True),
        ((replace(FILE, source="github"),), True),
        ((replace(FILE, source="tool"),), False),  # its result says what it brought in
        ((WEB[0], replace(WEB[1], reads=())), False),
        ((AssistantText("Buy tea."),), False),
        ((AssistantText("Buy tea.", from_caller=True),), True),
        (result("send", "tea.example"), True),
    ],
)
async def test_what_was_read_decides_whether_a_call_that_sends_asks(history: Entries, waits: bool) -> None:
    tool = sender()
    end, journal = await run_calls(history, call("c1", "send", q="Ann earns 100"), tool=tool)
    assert end is (RunEnd.WAITING_FOR_APPROVAL if waits else RunEnd.ANSWERED)
    assert bool(tool.runs) is not waits
    requests = [entry for entry in journal.appended if isinstance(entry, ApprovalRequest)]
    assert [entry.reason for entry in requests] == ([TAINT_REASON] if waits else []), "the screen says why it asks"


async def test_a_tool_that_sends_nothing_never_asks() -> None:
    end, _ = await run_calls((FILE, *WEB), call("c1", "send", q="anything"), tool=FunctionTool("send"))
    assert end is RunEnd.ANSWERED


async def test_an_allowed_call_runs_and_another_process_asks_the_same() -> None:
    send_call = call("c1", "send", q="Ann earns 100")
    _, journal = await run_calls((FILE, *WEB), send_call, tool=sender())
    tool, inbox, later = sender(), MemoryInbox(), MemoryJournal(list(journal.entries))
    inbox.of(later).decision(approval_request(send_call), approved=True)
    outcome = await run_agent(AGENT, model=ScriptedModel([answer()]), tools=[tool, web()], journal=later, inbox=inbox, first_step=2)
    assert (outcome.end, tool.runs) == (RunEnd.ANSWERED, [{"q": "Ann earns 100"}])
    assert not any(isinstance(entry, ApprovalRequest) for entry in later.appended)


async def test_what_a_tool_brought_in_does_not_change_with_how_it_is_wired_later() -> None:
    """Stored with the result, so that an admin's change does not whitewash what a conversation has read."""
    journal = MemoryJournal([QUESTION])
    await run_agent(AGENT, model=ScriptedModel([calls_response(call("w1", "web"))], [answer()]), tools=[web()], journal=journal)
    entries = [entry_decode(*json.loads(json.dumps(entry_encode(entry)))) for entry in journal.entries]
    harmless = FunctionTool("web")
    later, tool = MemoryJournal([*entries, QUESTION]), sender()
    model = ScriptedModel([calls_response(call("c1", "send", q="Ann earns 100"))])
    outcome = await run_agent(AGENT, model=model, tools=[tool, harmless], journal=later)
    assert (outcome.end, tool.runs) == (RunEnd.WAITING_FOR_APPROVAL, [])


async def test_what_a_tool_says_is_private_counts_beside_its_traits() -> None:
    async def read(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome("The intranet.", private=True)

    journal = MemoryJournal([QUESTION])
    tool = FunctionTool("web", read, reads=frozenset({"untrusted"}), sends=True, destination=host_of)
    model = ScriptedModel([calls_response(call("w1", "web", url="https://wiki.example/"))], [answer()])
    await run_agent(AGENT, model=model, tools=[tool], journal=journal)
    [tool_result] = [entry for entry in journal.appended if isinstance(entry, ToolResult)]
    assert (tool_result.reads, tool_result.origin) == (["private", "untrusted"], "wiki.example")


async def test_calls_of_one_answer_do_not_taint_each_other() -> None:
    """The model wrote the second before it read what the first brought."""
    journal, tool = MemoryJournal([QUESTION]), sender()
    model = ScriptedModel([calls_response(call("c1", "web"), call("c2", "send", q="Ann"))], [answer()])
    outcome = await run_agent(AGENT, model=model, tools=[tool, web()], journal=journal)
    assert (outcome.end, len(tool.runs)) == (RunEnd.ANSWERED, 1)


@pytest.mark.parametrize(("history", "is_offered"), [((), True), (WEB, False), ((FILE,), False)])
async def test_the_providers_own_tools_are_off_where_ours_would_ask(history: Entries, is_offered: bool) -> None:
    tools = (BuiltinTool.WEB_SEARCH, BuiltinTool.CODE_EXECUTION, BuiltinTool.IMAGE_GENERATION)
    model = ScriptedModel([answer()])
    agent = replace(AGENT, settings=ModelSettings(builtin_tools=tools))
    journal = MemoryJournal([*history, QUESTION])
    await run_agent(agent, model=model, tools=[web()], journal=journal)
    assert model.requests[0].settings.builtin_tools == (tools if is_offered else tools[2:])
    notices = [entry.text.split(". ")[0] for entry in journal.appended if isinstance(entry, Notice)]
    assert notices == ([] if is_offered else ["Off in this chat: web search, running code"])


async def test_the_user_is_told_once_that_the_providers_own_tools_are_off() -> None:
    agent = replace(AGENT, settings=ModelSettings(builtin_tools=(BuiltinTool.WEB_SEARCH,)))
    journal = MemoryJournal([FILE, QUESTION])
    for _ in range(2):
        model = ScriptedModel([calls_response(call("w1", "web", url=PAGE))], [answer()])
        await run_agent(agent, model=model, tools=[web()], journal=journal)
        await journal.append(QUESTION)
    [notice] = [entry for entry in journal.entries if isinstance(entry, Notice)]
    assert (notice.code, notice.text.rpartition(". ")[2]) == ("provider_tools_off", "Start a new chat to use them.")


async def test_an_answer_that_reads_a_page_leaves_the_notice_to_the_next_one() -> None:
    agent = replace(AGENT, settings=ModelSettings(builtin_tools=(BuiltinTool.WEB_SEARCH,)))
    journal, notice_codes = MemoryJournal([QUESTION]), []
    for _ in range(2):
        model = ScriptedModel([calls_response(call("w1", "web", url=PAGE))], [answer()])
        await run_agent(agent, model=model, tools=[web()], journal=journal)
        notice_codes.append([entry.code for entry in journal.entries if isinstance(entry, Notice)])
        await journal.append(QUESTION)
    assert notice_codes == [[], ["provider_tools_off"]]


@pytest.mark.parametrize(("history", "waits"), [((), False), ((FILE,), True), (WEB, True)])
async def test_the_page_around_the_chat_is_told_only_what_it_or_the_user_said(history: Entries, waits: bool) -> None:
    state = ContextData("page_state", "{}")
    tool = FunctionTool("send", sends=True, by_client=True, reads=frozenset(BOTH), destination=lambda arguments: "page")
    end, _ = await run_calls((state, *history), ToolCall("c1", "send", {"key": "Ann"}, by_client=True), tool=tool)
    assert end is (RunEnd.WAITING_FOR_APPROVAL if waits else RunEnd.ANSWERED)


async def test_a_run_inside_a_run_knows_what_was_read_above_and_its_task_was_not_typed() -> None:
    tool = sender()
    inner = ScriptedModel([calls_response(call("i2", "send", url=PAGE))], [answer()])

    async def work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        nested_journal = NestedJournal(context.journal, call_id=context.call_id, agent="helper", task=str(arguments["task"]))
        outcome = await run_agent(
            AGENT, model=inner, tools=[tool], journal=nested_journal, first_step=count_steps(nested_journal.entries) + 1, caller=context
        )
        return ToolOutcome("", waits=True) if outcome.end.is_pause else ToolOutcome(final_text(nested_journal.entries))

    journal = MemoryJournal([FILE, QUESTION])
    outer = ScriptedModel([calls_response(call("c1", "helper", task=f"Read {PAGE}"))])
    outcome = await run_agent(AGENT, model=outer, tools=[FunctionTool("helper", work, repeatable=True)], journal=journal)
    assert (outcome.end, tool.runs) == (RunEnd.WAITING_FOR_APPROVAL, [])
    assert [inner_entry.call_id for entry in journal.appended if isinstance(inner_entry := unwrap_entry(entry), ApprovalRequest)] == ["i2"]
