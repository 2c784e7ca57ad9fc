"""The system prompt of an agent: its own text, its sections and the current facts (SPEC 3.13)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from admin_config.defaults.platform import KINDS, SectionDefaults
from admin_config.release import AgentSnapshot
from admin_config.validation.prompt_templates import template_names, template_render
from agents.messages import SystemPrompt
from agents.run_context import RunContext

_SECTION_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a system prompt, rendered as `<name>text</name>`. Sections without text are left out.

    Raises ValueError for an invalid name.
    """

    name: str
    text: str

    def __post_init__(self) -> None:
        if not _SECTION_NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is no name of a prompt section.")


def compose_sections(stable: Iterable[Section], changing: Iterable[Section] = ()) -> SystemPrompt:
    """Return a system prompt of the given sections, in the given order."""
    return SystemPrompt(_render(stable), _render(changing))


def _render(sections: Iterable[Section]) -> str:
    return "\n\n".join(f"<{section.name}>\n{section.text.strip()}\n</{section.name}>" for section in sections if section.text.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFacts:
    """Prompt values that differ between calls and users."""

    date: datetime
    organization: str
    user: str
    preferences: str = ""  # what the user wrote about the answers they want
    project: str = ""  # the name of the conversation's project
    project_instructions: str = ""

    def as_values(self) -> dict[str, str]:
        """Return the values by placeholder name. Texts that users choose are escaped, so that they can't close a tag."""
        texts = {
            "organization": self.organization,
            "user": self.user,
            "preferences": self.preferences,
            "project": self.project,
            "project_instructions": self.project_instructions,
        }
        return {"date": f"{self.date:%A, %d %B %Y}", **{name: escape(text.strip(), quote=False) for name, text in texts.items()}}


def prompt_facts(run: RunContext) -> PromptFacts:
    """Return the facts as of now, in a replay those of the recorded run's day.

    Texts are masked here, before they are escaped: an escaped secret could no longer be found.
    """
    mask = run.placeholders.mask
    return PromptFacts(
        date=run.replay.began_at if run.replay else datetime.now(UTC),
        organization=mask(run.organization_name),
        user=mask(run.user_name),
        preferences=mask(run.preferences),
        project=mask(run.project.name) if run.project else "",
        project_instructions=mask(run.project.instructions) if run.project else "",
    )


def compose_prompt(agent: AgentSnapshot, facts: PromptFacts) -> SystemPrompt:
    """Return the system prompt: the agent's own text, then its sections in the order that its kind defines.

    A release does not store that order. Sections that differ between calls come last, so that the provider can cache
    the rest.
    """
    own_texts = {name: section.text for name, section in agent.sections.items() if section.is_enabled}
    texts = [(section, own_texts[section.name]) for section in KINDS[agent.kind].sections if section.name in own_texts]
    values = facts.as_values()
    prompt = compose_sections(_sections(texts, values, changing=False), _sections(texts, values, changing=True))
    own = agent.system_prompt.strip()
    return SystemPrompt("\n\n".join(part for part in (own, prompt.stable) if part), prompt.changing)


def _sections(texts: Collection[tuple[SectionDefaults, str]], values: Mapping[str, str], *, changing: bool) -> Iterator[Section]:
    for section, text in texts:
        if section.is_dynamic is changing and all(values[name] for name in section.required):
            yield Section(section.name, _fill_template(text, values) if section.placeholders else text)


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return the filled template, without the lines in which a placeholder has no value."""
    lines = (line for line in template.splitlines() if all(values[name] for name in template_names(line)))
    return "\n".join(template_render(line, values) for line in lines)
