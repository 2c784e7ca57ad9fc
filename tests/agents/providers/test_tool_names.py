"""Tools of any name are offered under one that every provider takes, and called by their own."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, strategies as st

from agents.messages import ToolCall, UserMessage
from agents.providers.tool_names import wire_name
from doubles.script import Call, Text
from tests.agents.engine.scripted import FunctionTool
from tests.agents.providers.modes import MODES
from tests.support.engine_runs import run_agent
from tests.support.memory_journal import MemoryJournal

ON_EVERY_WIRE = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
STRANGE = "server.one/look up:größer" + "x" * 80


@given(st.lists(st.one_of(st.text(max_size=90), st.from_regex(ON_EVERY_WIRE, fullmatch=True)), unique=True, max_size=20))
def test_every_name_fits_and_no_two_become_one(names: list[str]) -> None:
    sent = [wire_name(name) for name in names]
    assert all(ON_EVERY_WIRE.fullmatch(name) for name in sent)
    assert len(set(sent)) == len(names)


@given(st.text(max_size=90))
def test_nobody_can_take_the_name_that_another_tool_gets(name: str) -> None:
    taken = wire_name(name)
    assert taken == name or wire_name(taken) != taken


def test_a_name_that_fits_stays() -> None:
    assert [wire_name(name) for name in ("look_up", "_x", "A-1", "x" * 64)] == ["look_up", "_x", "A-1", "x" * 64]


async def test_a_tool_with_a_strange_name_works_with_every_provider() -> None:
    """The doubles refuse what the APIs refuse; in the second request the call stands in the history."""
    for mode in MODES:
        tool = FunctionTool(STRANGE)
        journal = MemoryJournal([UserMessage("Look it up.")])
        called = Call(STRANGE if mode.writes_calls else wire_name(STRANGE), {"word": "a"})
        with mode.serve() as double:
            double.answer(mode.as_sent(called))
            double.answer(Text("Done."))
            async with mode.opened(double) as model:
                await run_agent(mode.agent, model=model, tools=[tool], journal=journal)
            refused: list[Any] = [request.refusal for request in double.requests if request.refusal]
        assert (str(mode), refused, tool.runs) == (str(mode), [], [{"word": "a"}])
        assert [entry.name for entry in journal.appended if isinstance(entry, ToolCall)] == [STRANGE]
