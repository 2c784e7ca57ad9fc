"""Defaults of the agents that work inside another agent's run (SPEC 4.2, 4.9)."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_noop as _

from admin_config.defaults.kinds import KindDefaults, SectionDefaults

PROVIDER_TOOLS_AGENT = "provider_tools_agent"
CUSTOM_AGENT = "custom_agent"

_SECTIONS = frozenset({"language", "error_handling", "safety", "skills", "environment"})  # the chat agent's sections that apply here too

PROVIDER_TOOLS_DESCRIPTION = (
    "Searches the web, reads web pages and runs code. Give it the whole question: it answers with what it found and names its sources. "
    "Use it for what is newer than your knowledge, for what must be right, for pages whose address is known, and for calculations."
)
PROVIDER_TOOLS_PROMPT = """\
You find things out for another agent, which reads your last answer and nothing else of your work.
- Search before you answer whatever may have changed. Look at several sources when they could disagree.
- Read the pages whose addresses you are given. Calculate by running code.
- Answer with the facts, the figures and where they come from, in as few words as that takes. Say what you did not find.
"""
CUSTOM_DESCRIPTION = "Does one kind of task. Say here for what the other agent should use it, and what it needs to be told."
CUSTOM_PROMPT = """\
You do a task for another agent, which reads your last answer and nothing else of your work.
Answer with the result and what must be known about it. Say what you could not do.
"""


def sub_agents(sections: Iterable[SectionDefaults]) -> dict[str, KindDefaults]:
    """Return the defaults of sub-agents by kind. `sections`: those of the chat agent."""
    shared_sections = tuple(section for section in sections if section.name in _SECTIONS)
    return {
        PROVIDER_TOOLS_AGENT: KindDefaults(
            label=_("Provider tools agent"),
            system_prompt=PROVIDER_TOOLS_PROMPT,
            description=PROVIDER_TOOLS_DESCRIPTION,
            operations=(),
            sections=shared_sections,
            is_sub_agent=True,
        ),
        CUSTOM_AGENT: KindDefaults(
            label=_("Custom agent"),
            system_prompt=CUSTOM_PROMPT,
            description=CUSTOM_DESCRIPTION,
            operations=(),
            sections=shared_sections,
            is_sub_agent=True,
            is_custom=True,
            max_steps=10,
        ),
    }
