"""What a sub-agent may read is what the kinds of its tool sources declare (SECURITY 27)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pytest

from admin_config.release import AgentSnapshot, ReleaseSnapshot
from agents.tools.registry import SOURCE_KINDS
from agents.tools.sources.sub_agents import reads_of

UNTRUSTED, BOTH = {"untrusted"}, {"private", "untrusted"}


@dataclass(frozen=True)
class FakeSource:
    kind: str


@dataclass(frozen=True)
class FakeAgent:
    key: str
    kinds: tuple[str, ...] = ()
    builtin_tools: tuple[str, ...] = ()
    sub_agents: tuple[str, ...] = ()


class FakeSnapshot:
    """The agents of a release, by key."""

    def __init__(self, *agents: FakeAgent) -> None:
        self._agents = {agent.key: agent for agent in agents}

    def sources_of(self, agent: FakeAgent) -> list[FakeSource]:
        return [FakeSource(kind) for kind in agent.kinds]

    def sub_agents_of(self, agent: FakeAgent) -> list[FakeAgent]:
        return [self._agents[key] for key in agent.sub_agents]


def reads(agent: FakeAgent, *others: FakeAgent) -> Any:
    return reads_of(cast(AgentSnapshot, agent), cast(ReleaseSnapshot, FakeSnapshot(agent, *others)), SOURCE_KINDS)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("plan", set()),
        ("page_state", set()),
        ("page_tool", set()),
        ("files", BOTH),
        ("search", UNTRUSTED),
        ("fetch_url", UNTRUSTED),
        ("http", BOTH),
        ("mcp", BOTH),
        ("github", BOTH),
        ("of a later version", BOTH),
    ],
)
def test_a_sub_agent_may_read_what_its_sources_read(kind: str, expected: set[str]) -> None:
    assert reads(FakeAgent("a", (kind,))) == expected


def test_the_agents_below_it_count_each_once() -> None:
    below = FakeAgent("b", ("files",), sub_agents=("a", "c"))
    assert reads(FakeAgent("a", ("plan",), sub_agents=("b",)), below, FakeAgent("c", ("search",))) == BOTH


def test_the_providers_own_web_tools_read_pages_and_its_programs_nothing() -> None:
    assert reads(FakeAgent("a", builtin_tools=("web_search",))) == UNTRUSTED
    assert reads(FakeAgent("a", builtin_tools=("code_execution",))) == set()
