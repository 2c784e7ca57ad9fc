"""The next endpoint answers when the better one can't: only before anything is shown, and the user is told once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from agents.engine.ports import ToolContext, ToolOutcome
from agents.errors import (
    AnswerCut,
    CircuitOpen,
    ContentBlocked,
    FirstByteTimeout,
    KeyMissing,
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)
from agents.messages import Entry, Notice, TextDelta
from agents.providers.circuit_breaker import CircuitBreaker
from agents.providers.connection import Connection
from agents.providers.registry import language_model
from agents.runtime.model_stream import Route, RoutedModel
from doubles.script import Call, Fault, Text
from security.egress import aclose_clients, checked_client
from security.secrets.secret_text import SecretText
from telemetry.families import MODEL_CALLS
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, Hang, ScriptedModel, Step, answer, call, calls_response, kinds
from tests.agents.providers.harness import MODEL, collect, request
from tests.agents.providers.matrix.modes import MODES, ProviderMode
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.agents.memory_journal import MemoryJournal
from tests.support.agents.model_calls import route_to
from tests.support.chat.workspace import allow_egress

pytestmark = pytest.mark.redis

DOWN = ProviderUnavailable("Main is down.")
NOTICE = "Main could not answer, so Backup did."


class Endpoint:
    """A scripted endpoint."""

    def __init__(self, name: str, *steps: Step, organization_id: UUID | None = None) -> None:
        self.name, self.model = name, ScriptedModel(*steps)
        self.breaker = CircuitBreaker(organization_id or uuid4(), uuid4(), name)

    @property
    def route(self) -> Route:
        return route_to(self.model, self.name, self.breaker)

    @property
    def calls(self) -> int:
        return len(self.model.requests)

    async def break_down(self) -> None:
        """Open the breaker."""
        for _ in range(5):
            with suppress(ProviderUnavailable):
                async with await self.breaker.acquire():
                    raise DOWN


async def _no_wait(seconds: float) -> None:
    pass


def failover(*endpoints: Endpoint) -> RoutedModel:
    return RoutedModel(routes=[endpoint.route for endpoint in endpoints], sleep=_no_wait)


async def test_the_best_endpoint_answers_and_nobody_is_told() -> None:
    main, backup = Endpoint("Main", [TextDelta("A"), answer()]), Endpoint("Backup")
    assert await collect(failover(main, backup), request()) == [TextDelta("A"), answer()]
    assert backup.calls == 0


@pytest.mark.parametrize(
    "error",
    [DOWN, ProviderBusy("Busy.", 3.0), AnswerCut("Cut."), QuotaSpent("Spent."), KeyMissing("None."), KeyRejected("No.")],
)
async def test_a_fault_that_another_endpoint_may_not_have_goes_there_at_once(error: ProviderError) -> None:
    main, backup = Endpoint("Main", [error]), Endpoint("Backup", [DOWN], [DOWN], [TextDelta("A"), answer()])
    assert await collect(failover(main, backup), request()) == [TextDelta("A"), replace(answer(), notice=NOTICE)]
    assert (main.calls, backup.calls) == (1, 3)


@pytest.mark.parametrize("error", [RequestRefused("Bad."), ContentBlocked("No."), PromptTooLong()])
async def test_what_no_endpoint_would_change_fails_at_once(error: ProviderError) -> None:
    main, backup = Endpoint("Main", [error]), Endpoint("Backup", [answer()])
    with pytest.raises(type(error)):
        await collect(failover(main, backup), request())
    assert backup.calls == 0


async def test_nothing_is_switched_after_the_first_event() -> None:
    main, backup = Endpoint("Main", [TextDelta("A"), DOWN]), Endpoint("Backup", [answer()])
    with pytest.raises(ProviderUnavailable, match="Main"):
        await collect(failover(main, backup), request())
    assert backup.calls == 0


async def test_when_all_fail_the_first_ones_error_is_raised() -> None:
    main, backup = Endpoint("Main", [DOWN]), Endpoint("Backup", *[[ProviderUnavailable("Backup is down.")]] * 3)
    with pytest.raises(ProviderUnavailable, match=r"Main is down\."):
        await collect(failover(main, backup), request())
    assert (main.calls, backup.calls) == (1, 3)


def paused_calls() -> float:
    return sum(
        sample.value
        for family in MODEL_CALLS.collect()
        for sample in family.samples
        if sample.labels.get("outcome") == "paused" and sample.name.endswith("_total")
    )


async def test_an_endpoint_that_rests_is_not_asked() -> None:
    main, backup = Endpoint("Main"), Endpoint("Backup", [answer()])
    await main.break_down()
    before = paused_calls()
    assert await collect(failover(main, backup), request()) == [replace(answer(), notice=NOTICE)]
    assert main.calls == 0
    assert paused_calls() == before + 1, "the metric tells it from calls that failed"


async def test_the_only_one_that_does_not_rest_is_asked_patiently() -> None:
    main, backup = Endpoint("Main", [DOWN], [answer()]), Endpoint("Backup")
    await backup.break_down()
    assert await collect(failover(main, backup), request()) == [answer()]
    assert (main.calls, backup.calls) == (2, 0)


async def test_when_all_rest_the_user_is_told_when_to_try_again() -> None:
    main = Endpoint("Main")
    await main.break_down()
    with pytest.raises(CircuitOpen, match="Main failed again and again") as caught:
        await collect(failover(main), request())
    assert (caught.value.code, caught.value.action) == ("provider_unavailable", "retry")


@pytest.mark.parametrize("error", [DOWN, ProviderBusy("Busy."), FirstByteTimeout("Late.")])
async def test_failed_calls_open_the_breaker_whatever_their_attempts(error: ProviderError) -> None:
    main = Endpoint("Main", *[[error]] * 15)
    for _ in range(5):
        with pytest.raises(type(error), match=str(error)):
            await collect(failover(main), request())
    with pytest.raises(CircuitOpen):
        await collect(failover(main), request())
    assert main.calls == 15


async def test_closing_the_failover_closes_the_endpoints_stream() -> None:
    main = Endpoint("Main", [TextDelta("A"), Hang()])
    events = failover(main).stream(request())
    await anext(events)
    await events.aclose()
    assert main.model.closed == 1


def notices(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.text for entry in entries if isinstance(entry, Notice)]


async def test_the_user_is_told_once_as_long_as_the_same_fallback_answers() -> None:
    first = [DOWN], [DOWN], [calls_response(call("c3"))], [DOWN]
    second = [calls_response(call("c1"))], [calls_response(call("c2"))], [answer()]
    journal = MemoryJournal([QUESTION])
    main, backup = Endpoint("Main", *first), Endpoint("Backup", *second)
    await run_agent(AGENT, model=failover(main, backup), tools=[FunctionTool()], journal=journal)
    assert kinds(journal.appended) == [
        "ToolCall", "Notice", "ToolResult", "ToolCall", "ToolResult", "ToolCall", "ToolResult", "AssistantText", "Notice",
    ]  # fmt: skip
    assert notices(journal.appended) == [NOTICE, NOTICE]


async def test_what_a_tool_told_is_not_told_again() -> None:
    """As a sub-agent does, whose model is behind the same endpoints."""

    async def notify(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome("ok", entries=(Notice("fallback", NOTICE),))

    journal = MemoryJournal([QUESTION])
    main, backup = Endpoint("Main", [calls_response(call("c1"))], [DOWN]), Endpoint("Backup", [answer()])
    await run_agent(AGENT, model=failover(main, backup), tools=[FunctionTool(run=notify)], journal=journal)
    assert notices(journal.appended) == [NOTICE]


async def test_who_takes_a_run_over_does_not_tell_it_again() -> None:
    journal = MemoryJournal([QUESTION, call("c1"), Notice("fallback", NOTICE)])
    main, backup = Endpoint("Main", [DOWN]), Endpoint("Backup", [answer()])
    await run_agent(AGENT, model=failover(main, backup), tools=[FunctionTool(repeatable=True)], journal=journal)
    assert notices(journal.appended) == []


class Doubles:
    """Two endpoints that speak Gemini's wire."""

    def __init__(self, main: ServedGemini, backup: ServedGemini) -> None:
        self.main, self.backup = main, backup
        organization_id = uuid4()
        self.model = RoutedModel(routes=[self._route("Main", main, organization_id), self._route("Backup", backup, organization_id)])

    async def run(self, *tools: FunctionTool) -> MemoryJournal:
        journal = MemoryJournal([QUESTION])
        self.journal = journal
        await run_agent(replace(AGENT, model=MODEL), model=self.model, tools=tools, journal=journal)
        return journal

    def _route(self, name: str, double: ServedGemini, organization_id: UUID) -> Route:
        connection = _connection(double.base_url, double.key, "v1beta")
        breaker = CircuitBreaker(organization_id, uuid4(), name)
        return route_to(language_model("google", connection), name, breaker)


@asynccontextmanager
async def doubles() -> AsyncIterator[Doubles]:
    with gemini_double() as main, gemini_double() as backup, allow_egress(main.base_url, backup.base_url):
        try:
            yield Doubles(main, backup)
        finally:
            await aclose_clients()


@pytest.mark.parametrize(
    "fault", [Fault.status(503), Fault.html(), Fault.reset(), Fault.status(429, retry_after_s=30), Fault.mid_stream_error(), Fault.cut()]
)
async def test_over_the_wire_the_second_endpoint_gets_the_same_request(fault: Fault) -> None:
    async with doubles() as two:
        two.main.answer(fault)
        two.backup.answer(Text("Hi."))
        journal = await two.run()
        assert notices(journal.appended) == [NOTICE]
        assert journal.logged("text") == ["Hi."]
        assert [len(two.main.requests), len(two.backup.requests)] == [1, 1]
        assert two.main.requests[0].raw == two.backup.requests[0].raw


async def test_over_the_wire_a_run_changes_the_endpoint_between_two_steps() -> None:
    async with doubles() as two:
        two.main.answer(Text("Looking."), Call("look_up", {"word": "a"}, id="c1"))
        two.main.answer(Fault.status(503))
        two.backup.answer(Text("Found."))
        journal = await two.run(FunctionTool())
        assert kinds(journal.appended) == ["AssistantText", "ToolCall", "ToolResult", "AssistantText", "Notice"]
        assert [request.refusal for request in two.backup.requests] == [None]


async def test_over_the_wire_nothing_is_switched_in_the_middle_of_a_text() -> None:
    async with doubles() as two:
        two.main.answer(Text("Hal", pieces=["Hal"]), Fault.drop())
        with pytest.raises(ProviderUnavailable):
            await two.run()
        assert (two.journal.logged("text"), len(two.backup.requests)) == (["Hal"], 0)


async def test_over_the_wire_a_dead_endpoint_gets_no_requests_any_more() -> None:
    async with doubles() as two:
        for _ in range(5):
            two.main.answer(Fault.status(500))
        for _ in range(7):
            two.backup.answer(Text("Hi."))
            await two.run()
        assert [len(two.main.requests), len(two.backup.requests)] == [5, 7]


@pytest.mark.parametrize("mode", MODES, ids=str)
async def test_over_each_wire_an_account_without_credit_is_passed_over_and_does_not_rest(mode: ProviderMode) -> None:
    """It is asked each time, so that it answers again as soon as somebody has paid."""
    with mode.serve() as main_double, mode.serve() as backup_double, allow_egress(main_double.base_url, backup_double.base_url):
        main, backup = [mode.build(_connection(double.base_url, "test-key")) for double in (main_double, backup_double)]
        model = RoutedModel(routes=[route_to(main, "Main", CircuitBreaker(uuid4(), uuid4(), "Main")), route_to(backup, "Backup")])
        try:
            for _ in range(6):
                main_double.answer(Fault.status(402, "Insufficient credits."))
                backup_double.answer(Text("Hi."))
                events = await collect(model, request(model=mode.model))
                assert (events[0], getattr(events[-1], "notice", "")) == (TextDelta("Hi."), NOTICE)
        finally:
            await aclose_clients()
        assert [len(main_double.requests), len(backup_double.requests)] == [6, 6]


def _connection(base_url: str, key: str, api_version: str = "") -> Connection:
    return Connection(base_url=base_url, http=checked_client(), api_version=api_version, key=SecretText(key), timeout_s=5)
