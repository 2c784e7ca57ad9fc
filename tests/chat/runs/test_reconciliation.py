"""What the log has is what the provider billed, to the token: its own log of each call, compared by call and as admins compare an export."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.utils import timezone

from chat.models import ModelCall, Run
from chat.runs.title_generation import title_generate
from doubles.script import Call, Fault, ReceivedRequest, Text, Thought, Usage
from doubles.signals import Gate
from security.csv_cells import csv_text
from tests.agents.providers.matrix.modes import ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, ProviderMode
from tests.chat.runs.logged_calls import ODD, is_document, is_text
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

COLUMNS = ("day", "model", "input_tokens", "cached_tokens", "output_tokens")
LONG = "A long answer about tea, of which only the beginning is read. " * 4


class Bill(NamedTuple):
    """The tokens of calls, by kind; `input` with those of the cache, as the log counts them."""

    input: int
    cached: int
    cache_write: int
    output: int
    thinking: int

    def plus(self, other: Bill) -> Bill:
        return Bill(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


NOTHING = Bill(0, 0, 0, 0, 0)


def of_google(usage: Mapping[str, Any]) -> Bill:
    cache_read = usage.get("cachedContentTokenCount", 0)
    return Bill(usage["promptTokenCount"], cache_read, 0, usage.get("candidatesTokenCount", 0), usage.get("thoughtsTokenCount", 0))


def of_openai(usage: Mapping[str, Any]) -> Bill:
    prompt, thinking = usage["input_tokens_details"], usage["output_tokens_details"]["reasoning_tokens"]
    cache_write = prompt["cache_write_tokens"]
    return Bill(usage["input_tokens"], prompt["cached_tokens"], cache_write, usage["output_tokens"] - thinking, thinking)


def of_chat_completions(usage: Mapping[str, Any]) -> Bill:
    prompt, thinking = usage["prompt_tokens_details"], usage["completion_tokens_details"]["reasoning_tokens"]
    cache_write = prompt["cache_write_tokens"]
    return Bill(usage["prompt_tokens"], prompt["cached_tokens"], cache_write, usage["completion_tokens"] - thinking, thinking)


def of_anthropic(usage: Mapping[str, Any]) -> Bill:
    cache_read, cache_write = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
    thinking = usage.get("output_tokens_details", {}).get("thinking_tokens", 0)
    return Bill(usage["input_tokens"] + cache_read + cache_write, cache_read, cache_write, usage["output_tokens"] - thinking, thinking)


WIRES = [(GOOGLE, of_google), (OPENAI, of_openai), (COMPATIBLE, of_chat_completions), (ANTHROPIC, of_anthropic)]


class Books:
    """The provider's own log beside ours, call by call: a call of the log and the requests that it made have one body."""

    def __init__(self, requests: list[ReceivedRequest], calls: list[ModelCall], bill_of: Callable[[Mapping[str, Any]], Bill]) -> None:
        self.calls = calls
        self._billed: defaultdict[str, Bill] = defaultdict(lambda: NOTHING)
        for request in requests:
            body = sha256(request.raw).hexdigest()
            self._billed[body] = self._billed[body].plus(bill_of(request.billed) if request.billed else NOTHING)
        assert len(requests) == sum(call.attempts for call in calls)
        assert {call.request_hash for call in calls} == set(self._billed)

    def billed(self, call: ModelCall) -> Bill:
        return self._billed[call.request_hash]

    def sums(self) -> dict[tuple[str, str], tuple[Bill, Bill]]:
        """By model and kind of call what was billed and what is logged, of the calls whose usage was told to the end."""
        totals: dict[tuple[str, str], tuple[Bill, Bill]] = defaultdict(lambda: (NOTHING, NOTHING))
        for call in self.calls:
            if not call.is_estimated:
                billed, logged = totals[call.model, call.kind]
                totals[call.model, call.kind] = (billed.plus(self.billed(call)), logged.plus(logged_of(call)))
        return dict(totals)


def logged_of(call: ModelCall) -> Bill:
    return Bill(*(call.usage[f"{kind}_tokens"] for kind in Bill._fields))


@pytest.mark.parametrize(("mode", "bill_of"), WIRES, ids=[mode.name for mode, _ in WIRES])
async def test_the_log_equals_what_the_provider_billed(
    mode: ProviderMode, bill_of: Callable[[Mapping[str, Any]], Bill], cast: Cast, alice: Browser, chat_id: str, tmp_path: Path
) -> None:
    with mode.serve() as double, allow_egress(double.base_url):
        own_model = mode.model if mode is COMPATIBLE else ""
        acme = await sync_to_async(make_workspace)(cast.acme, double, mode.name, own_model=own_model)
        add_agent = sync_to_async(acme.add_agent)
        await add_agent("helper", used_by=f"chat_model_agent_{mode.name}", provider=mode.name)
        await play(acme, alice, chat_id)
        await interrupt(acme, alice, chat_id)
        calls = await acme.rows(ModelCall)
        books = Books(double.requests, calls, bill_of)
    sums = books.sums()
    assert {kind for _, kind in sums} == {"step", "sub_agent", "title"}
    assert [row for row in sums.items() if row[1][0] != row[1][1]] == []
    assert all(sum(bill[place] for bill, _ in sums.values()) for place in (0, 1, 3, 4)), "all kinds of tokens were billed"
    assert (sum(bill.cache_write for bill, _ in sums.values()) > 0) is (mode is not GOOGLE)
    estimated_calls = [call for call in calls if call.is_estimated]
    assert [call.error_code for call in estimated_calls] == ([] if mode is GOOGLE else ["provider_unavailable", "stopped"])
    for call in estimated_calls:  # marked, and near what the provider bills though it never said it
        billed, logged = books.billed(call), logged_of(call)
        assert 0.8 < logged.input / billed.input < 1.25, (billed, logged)
        assert 0.8 < logged.output / billed.output < 1.25, (billed, logged)
        assert mode is not ANTHROPIC or logged.input == billed.input, "which is told at the beginning"
    await compare(mode, books, tmp_path / "export.csv")


async def compare(mode: ProviderMode, books: Books, export: Path) -> None:
    """The command finds nothing where the log has the same, and where a line is missing says so. What was never told stands as logged."""
    day = timezone.now().date()
    bills = [(call.model, logged_of(call) if call.is_estimated else books.billed(call)) for call in books.calls]
    lines = [(day, model, bill.input, bill.cached, bill.output + bill.thinking) for model, bill in bills]
    reconcile = sync_to_async(call_command, thread_sensitive=False)
    await sync_to_async(export.write_text)(csv_text([COLUMNS, *lines]))
    await reconcile("usage_reconcile", str(export), provider=mode.name, organization="acme")
    await sync_to_async(export.write_text)(csv_text([COLUMNS, *lines[1:]]))
    with pytest.raises(SystemExit):
        await reconcile("usage_reconcile", str(export), provider=mode.name, organization="acme")


async def play(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """A turn with an artifact agent, one with a sub-agent, a title, a repeated request, one that fails."""
    acme.double.answer(Thought("Let me see."), Call("document_agent", ODD), Usage(800, 40, 12, cached_tokens=300, cache_write_tokens=100))
    acme.double.answer(Text("# Tea\n\nA drink."), when=is_document)
    acme.double.answer(Text("I wrote it."))
    acme.double.answer(Text("All about Tea"))
    acme.double.answer(Call("helper", {"task": "Help"}))
    acme.double.answer(Text("Helped."), Usage(500, 20, cached_tokens=50))
    acme.double.answer(Text("Done."))
    acme.double.answer(Fault.status(429, retry_after_s=0))
    acme.double.answer(Text("Again."), Usage(900, 30, cached_tokens=100))
    acme.double.answer(Fault.status(400, "No."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write about tea", thinking=True)
        await title_generate(organization_id=acme.organization.pk, conversation_id=UUID(chat_id))
        await socket.answer(chat_id, "Ask the helper")
        await socket.answer(chat_id, "Again")
        await socket.answer(chat_id, "What fails costs nothing")


async def interrupt(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """An answer that breaks off, and one that is stopped. Only Gemini tells usage before the end; all bill what they wrote."""
    gate = Gate()
    acme.double.answer(Text(LONG), Fault.mid_stream_error(503))
    acme.double.answer(Text(LONG), gate, Text(" and never ends."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "This breaks")
        request_id = await socket.send(chat_id, "And once more")
        await socket.chunks(request_id, until=is_text)
        await gate.reached.wait_async(60)
        await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        await acme.wait_for_row(Run, lambda run: run.status == "stopped")
    gate.release()
