"""The tools that chat agents have from the start, and that a later version of Parley brings. Needs the organization's `tenant_tx`."""

from __future__ import annotations

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.models import AgentConfig, AgentTool, ToolSource

# Kinds of sources that need no settings. A search needs a key, and a folder needs files: an admin adds those.
DEFAULT_TOOLS = ("plan", "fetch_url", "page_state")
FIRST_POSITION = 10  # after the agents that a chat agent may call


def default_tools_assign(agent: AgentConfig) -> None:
    """For a chat agent that was just made."""
    for kind in DEFAULT_TOOLS:
        _assign(agent, source_of_kind(kind))


def source_of_kind(kind: str) -> ToolSource:
    """The oldest of the organization's sources of this kind, or a new one."""
    return ToolSource.objects.filter(kind=kind).order_by("id").first() or _create_source(kind)


def default_tools_add() -> list[str]:
    """Give all chat agents what the organization has no source of yet; what was added, in words.

    A source that is there, switched off or given to nobody, stays as the admin left it.
    """
    missing = [kind for kind in DEFAULT_TOOLS if not ToolSource.objects.filter(kind=kind).exists()]
    for kind in missing:
        source = _create_source(kind)
        for agent in AgentConfig.objects.filter(kind=CHAT_AGENT):
            _assign(agent, source)
    return [f"tool {kind} of the chat agents" for kind in missing]


def _create_source(kind: str) -> ToolSource:
    is_taken = ToolSource.objects.filter(name=kind).exists()
    return ToolSource.objects.create(kind=kind, name=f"{kind}_tool" if is_taken else kind)


def _assign(agent: AgentConfig, source: ToolSource) -> None:
    AgentTool.objects.get_or_create(agent=agent, source=source, defaults={"position": FIRST_POSITION + DEFAULT_TOOLS.index(source.kind)})
