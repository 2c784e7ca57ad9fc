"""A kind's values side by side: the platform's, the base's, and each provider's own (SPEC 4.15, design 42). Needs the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.platform import CHAT_SECTIONS
from admin_config.models import AgentConfig, AgentOperation, AgentTool, AppSettings, PromptSection
from admin_config.services.agents.bases import bases_attach, part_rows, tools_in_use
from admin_config.services.agents.value_words import Place, default_words, field_label, value_words

PROMPT: Final = "prompt"
TOOLS: Final = "tools"
MODEL: Final = "model"
SECTION_ORDER: Final = {section.name: place for place, section in enumerate(CHAT_SECTIONS)}


@dataclass(frozen=True, slots=True)
class ValueCell:
    """A field at one stage: what holds there, and where that is set."""

    text: str
    level: str  # "own", or where it comes from: "all" (providers) or "platform"
    agent_id: UUID | None = None  # on whose page it is edited; None: on no page of the organization
    field_id: str = ""  # of the form's field there

    @property
    def is_own(self) -> bool:
        return self.level == "own"


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A field at all stages."""

    label: str
    cells: tuple[ValueCell, ...]  # of the platform, the base, then the providers

    @property
    def is_set(self) -> bool:
        """Whether the organization sets it anywhere."""
        return any(cell.is_own for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ValueGroup:
    """The fields of one tab."""

    label: str
    rows: tuple[ValueRow, ...]

    @property
    def is_set(self) -> bool:
        return any(row.is_set for row in self.rows)


@dataclass(frozen=True, slots=True)
class ProviderColumn:
    """A provider whose agent is compared."""

    agent_id: UUID
    label: str
    note: str  # whether members can use it
    own: int  # how many fields it sets


@dataclass(frozen=True, slots=True)
class ValuesByProvider:
    """All fields of a kind. Providers that members can't use are there when they set something."""

    columns: tuple[ProviderColumn, ...]
    groups: tuple[ValueGroup, ...]

    @property
    def rows(self) -> list[ValueRow]:
        return [row for group in self.groups for row in group.rows]

    @property
    def set_count(self) -> int:
        return sum(row.is_set for row in self.rows)


def values_by_provider(base: AgentConfig, fields: Mapping[str, tuple[str, Sequence[str]]]) -> ValuesByProvider:
    """Return the kind's values at each stage. `fields`: of the base's page, by tab, whose label comes first. Seven queries."""
    parts = ("operations", "sections", "tools__source")
    rows = list(AgentConfig.objects.filter(kind=base.kind).select_related("model").prefetch_related(*parts).order_by("provider"))
    notes = _notes(AppSettings.objects.get())
    agents = sorted(bases_attach(rows), key=lambda agent: list(notes).index(agent.provider) if agent.provider in notes else 99)
    [held] = [row for row in rows if row.is_base]
    held.defaults = base.defaults
    groups = [(label, list(_places(base, tab, names))) for tab, (label, names) in fields.items()]
    places = [place for _, found in groups for place in found]
    values = [place for place in places if place.model is not AgentTool]  # sources are with every provider from the beginning
    own = {agent.pk: sum(_is_own(agent, place) for place in values) for agent in agents}
    shown = [agent for agent in agents if agent.provider in notes or own[agent.pk]]
    return ValuesByProvider(
        tuple(ProviderColumn(agent.pk, agent.get_provider_display(), notes.get(agent.provider, ""), own[agent.pk]) for agent in shown),
        tuple(ValueGroup(label, tuple(_row(place, held, shown) for place in found)) for label, found in groups if found),
    )


def _notes(current: AppSettings) -> dict[str, str]:
    active = current.active_provider
    return {active: gettext("Active"), **{provider: gettext("Offered") for provider in current.offered_providers if provider != active}}


def _places(agent: AgentConfig, tab: str, names: Sequence[str]) -> Iterator[Place]:
    if tab == MODEL:
        yield Place(field_label(AgentConfig, "model"), "model")  # which the base's form lacks: a model is of one provider
    yield from (Place(field_label(AgentConfig, name), name) for name in names)
    if tab == TOOLS and not agent.defaults.is_tool:
        yield Place(gettext("Sources of tools"), "source", AgentTool)
    if tab == PROMPT:
        yield from _part_places(agent)


def _part_places(agent: AgentConfig) -> Iterator[Place]:
    for section in agent.defaults.sections:
        title = section.name.replace("_", " ").capitalize()
        yield Place(gettext("%(title)s, enabled") % {"title": title}, "is_enabled", PromptSection, section.name)
        yield Place(title, "text", PromptSection, section.name)
    for operation in agent.defaults.operations:
        title = gettext("Operation %(operation)s") % {"operation": operation.name}
        for name in ("is_enabled", "system_prompt", "user_prompt_template"):
            yield Place(f"{title}, {field_label(AgentOperation, name).lower()}", name, AgentOperation, operation.name)


def _row(place: Place, base: AgentConfig, agents: Sequence[AgentConfig]) -> ValueRow:
    default = default_words(place, base.defaults)
    stages = (ValueCell(default, "platform"), *(_cell(agent, place, default) for agent in (base, *agents)))
    return ValueRow(place.label, stages)


def _cell(agent: AgentConfig, place: Place, default: str) -> ValueCell:
    values = [value for value in _values(agent, place) if value not in (None, "")]
    level = "own" if _is_own(agent, place) else "all" if values else "platform"
    words = value_words(place, values[0]) if values else default
    is_editable = not (agent.is_base and place.field == MODEL)
    return ValueCell(words, level, agent.pk, _field_id(agent, place)) if is_editable else ValueCell(words, level)


def _values(agent: AgentConfig, place: Place) -> list[Any]:
    """Return what is set at the agent's own row, then at its base's."""
    if place.model is AgentTool:
        return [", ".join(str(tool.source) for tool in tools_in_use(agent) if tool.source is not None)]
    if place.model is None:
        rows: Sequence[Any] = [agent] if agent.base is None else [agent, agent.base]
    else:
        rows = part_rows(agent, place.model, place.part)
    return [getattr(row, place.field) for row in rows]


def _is_own(agent: AgentConfig, place: Place) -> bool:
    if place.model is AgentTool:
        return any(tool.source is not None for tool in agent.tools.all())
    rows: Sequence[Any] = [agent] if place.model is None else part_rows(agent, place.model, place.part)
    return any(getattr(row, place.field) not in (None, "") for row in rows if place.model is None or row.agent_id == agent.pk)


def _field_id(agent: AgentConfig, place: Place) -> str:
    """Return the id of the field on the agent's page, where its rows stand in the same order; "" when it has no such row."""
    if place.model is None:
        return f"id_{place.field}"
    if place.model is AgentTool:
        return "tools-group"
    rows: list[Any] = list(agent.operations.all())
    if place.model is PromptSection:
        rows = sorted(agent.sections.all(), key=lambda section: SECTION_ORDER.get(section.name, len(SECTION_ORDER)))
    prefix = "sections" if place.model is PromptSection else "operations"
    return next((f"id_{prefix}-{at}-{place.field}" for at, row in enumerate(rows) if row.name == place.part), "")
