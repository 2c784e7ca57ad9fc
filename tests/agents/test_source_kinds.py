"""What a sub-agent may read and send is what the kinds of its tool sources declare (SECURITY 27)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pytest

from admin_config.release import AgentSnapshot, ReleaseSnapshot
from agents.tools.registry import SOURCE_KINDS
from agents.tools.sources.sub_agents import taint_of

PRIVATE, UNTRUSTED, BOTH = {"private"}, {"untrusted"}, {"private", "untrusted"}


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


def taint(agent: FakeAgent, *others: FakeAgent) -> tuple[Any, bool]:
    return taint_of(cast(AgentSnapshot, agent), cast(ReleaseSnapshot, FakeSnapshot(agent, *others)), SOURCE_KINDS)


@pytest.mark.parametrize(
    ("kind", "reads", "sends"),
    [
        ("plan", set(), False),
        ("page_state", set(), False),
        ("files", PRIVATE, False),
        ("search", UNTRUSTED, True),
        ("fetch_url", UNTRUSTED, True),
        ("http", UNTRUSTED, True),
        ("mcp", BOTH, True),
        ("github", BOTH, False),
        ("of a later version", BOTH, True),
    ],
)
def test_a_sub_agent_may_do_what_its_sources_do(kind: str, reads: set[str], sends: bool) -> None:
    assert taint(FakeAgent("a", (kind,))) == (reads, sends)


def test_the_agents_below_it_count_each_once() -> None:
    below = FakeAgent("b", ("files",), sub_agents=("a", "c"))
    assert taint(FakeAgent("a", ("plan",), sub_agents=("b",)), below, FakeAgent("c", ("search",))) == (BOTH, True)


def test_the_providers_own_web_tools_read_and_send_nothing_unasked() -> None:
    assert taint(FakeAgent("a", builtin_tools=("web_search",))) == (UNTRUSTED, False)
    assert taint(FakeAgent("a", builtin_tools=("code_execution",))) == (set(), False)
