"""What a sub-agent brings into the run that calls it, and whether what it is told may leave the platform (SECURITY 27).

Its tools are not known before it works, so this goes by the kinds of its sources. An unknown kind counts as everything.
"""

from __future__ import annotations

from collections.abc import Mapping

from admin_config.release import AgentSnapshot, ReleaseSnapshot
from agents.engine.messages import Taint

Reads = frozenset[Taint]
_NOTHING: Reads = frozenset()
_PRIVATE: Reads = frozenset({"private"})
_UNTRUSTED: Reads = frozenset({"untrusted"})
_WEB_TOOLS = frozenset({"web_search", "url_context"})
_TAINT_BY_SOURCE_KIND: Mapping[str, tuple[Reads, bool]] = {
    "plan": (_NOTHING, False),
    "page_state": (_NOTHING, False),  # a sub-agent has no page
    "files": (_PRIVATE, False),
    "search": (_UNTRUSTED, True),
    "fetch_url": (_UNTRUSTED, True),
    "http": (_UNTRUSTED, True),
    "github": (_PRIVATE | _UNTRUSTED, False),  # what writes there asks by itself
}
_OTHER = (_PRIVATE | _UNTRUSTED, True)


def taint_of(agent: AgentSnapshot, snapshot: ReleaseSnapshot, seen_keys: frozenset[str] = frozenset()) -> tuple[Reads, bool]:
    """What it reads, and whether it sends; its sub-agents included. `seen_keys`: keys that were looked at already."""
    found = [_TAINT_BY_SOURCE_KIND.get(source.kind, _OTHER) for source in snapshot.sources_of(agent)]
    if _WEB_TOOLS.intersection(agent.builtin_tools):
        found.append((_UNTRUSTED, False))  # once both were read it works without them: there is nothing to ask for
    seen = seen_keys | {agent.key}
    found += [taint_of(child, snapshot, seen) for child in snapshot.sub_agents_of(agent) if child.key not in seen]
    return frozenset().union(*(reads for reads, _ in found)), any(sends for _, sends in found)
