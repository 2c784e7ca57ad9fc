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
from admin_config.services.agents.value_texts import Place, default_text, field_label, value_text

PROMPT: Final = "prompt"
TOOLS: Final = "tools"
MODEL: Final = "model"
FieldsByTab = Mapping[str, tuple[str, Sequence[str]]]
SECTION_ORDER: Final = {section.name: place for place, section in enumerate(CHAT_SECTIONS)}


@dataclass(frozen=True, slots=True)
class ValueCell:
    """A field at one stage: what holds there, and where that is set."""

    text: str
    level: str  # "own", or where it comes from: "all" (providers) or "platform"
    agent_id: UUID | None = None  # on whose page it is edited; None: on no page of the organization
    field_id: str = ""  # of the form's field there
    edited_in_place: bool = False

    @property
    def is_own(self) -> bool:
        return self.level == "own"


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A field at all stages."""

    key: str  # of its Place
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

    def row(self, key: str) -> ValueRow:
        return next(row for row in self.rows if row.key == key)


def place_with_key(base: AgentConfig, fields: FieldsByTab, key: str) -> Place | None:
    """Return a place of the kind's agents. `fields`: as `values_by_provider` has them."""
    places = (place for tab, (_, names) in fields.items() for place in _places(base, tab, names))
    return next((place for place in places if place.key == key), None)


def places_set(agent: AgentConfig, base: AgentConfig, fields: FieldsByTab) -> list[Place]:
    """Return the places that the agent's own row sets and that others can have, too: neither its model nor its sources of tools."""
    places = (place for tab, (_, names) in fields.items() for place in _places(base, tab, names))
    return [place for place in places if place.model is not AgentTool and place.field != MODEL and stored_text(agent, place)]


def stored_text(agent: AgentConfig, place: Place) -> str:
    """Return what the agent's own row has, as text to compare; "" for nothing."""
    own = [row for row in _rows(agent, place) if isinstance(row, AgentConfig) or row.agent_id == agent.pk]
    value = getattr(own[0], "model_id" if place.field == MODEL else place.field) if own else None
    return "" if value is None else str(value)


def value_in_words(agent: AgentConfig, place: Place) -> str:
    """Return what holds at an agent that has its base."""
    return _cell(agent, place, default_text(place, agent.defaults)).text


def values_by_provider(base: AgentConfig, fields: FieldsByTab, *, columns: Sequence[str] = ()) -> ValuesByProvider:
    """Return the kind's values at each stage. Seven queries.

    `fields`: of the base's page, by tab, whose label comes first. `columns`: ids of the agents to compare, in their order, as a page has them
    already; none: those that members can use, and those that set something.
    """
    parts = ("operations", "sections", "tools__source")
    rows = list(AgentConfig.objects.filter(kind=base.kind).select_related("model").prefetch_related(*parts).order_by("provider"))
    notes = _notes(AppSettings.objects.get())
    agents = sorted(bases_attach(rows), key=lambda agent: list(notes).index(agent.provider) if agent.provider in notes else 99)
    [base_row] = [row for row in rows if row.is_base]
    base_row.defaults = base.defaults
    groups = [(label, list(_places(base, tab, names))) for tab, (label, names) in fields.items()]
    places = [place for _, group in groups for place in group]
    values = [place for place in places if place.model is not AgentTool]  # sources are with every provider from the beginning
    own = {agent.pk: sum(_is_own(agent, place) for place in values) for agent in agents}
    column_agents = [agent for agent in agents if (str(agent.pk) in columns if columns else agent.provider in notes or own[agent.pk])]
    column_agents.sort(key=lambda agent: columns.index(str(agent.pk)) if columns else 0)
    return ValuesByProvider(
        tuple(
            ProviderColumn(agent.pk, agent.get_provider_display(), notes.get(agent.provider, ""), own[agent.pk]) for agent in column_agents
        ),
        tuple(ValueGroup(label, tuple(_row(place, base_row, column_agents) for place in group)) for label, group in groups if group),
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
    default = default_text(place, base.defaults)
    stages = (ValueCell(default, "platform"), *(_cell(agent, place, default) for agent in (base, *agents)))
    return ValueRow(place.key, place.label, stages)


def _cell(agent: AgentConfig, place: Place, default: str) -> ValueCell:
    values = [value for value in _values(agent, place) if value not in (None, "")]
    level = "own" if _is_own(agent, place) else "all" if values else "platform"
    words = value_text(place, values[0]) if values else default
    if agent.is_base and place.field == MODEL:
        return ValueCell(words, level)
    field_id = _field_id(agent, place)
    # The base's own fields are on the page of the table.
    return ValueCell(words, level, agent.pk, field_id, edited_in_place=place.fits_cell and bool(field_id) and not agent.is_base)


def _values(agent: AgentConfig, place: Place) -> list[Any]:
    """Return what is set at the agent's own row, then at its base's."""
    if place.model is AgentTool:
        return [", ".join(str(tool.source) for tool in tools_in_use(agent) if tool.source is not None)]
    return [getattr(row, place.field) for row in _rows(agent, place)]


def _rows(agent: AgentConfig, place: Place) -> Sequence[Any]:
    """Return the agent's own row that has the field, then its base's, as far as they exist."""
    if place.model is None:
        return [agent] if agent.base is None else [agent, agent.base]
    return part_rows(agent, place.model, place.part)


def _is_own(agent: AgentConfig, place: Place) -> bool:
    if place.model is AgentTool:
        return any(tool.source is not None for tool in agent.tools.all())
    return stored_text(agent, place) != ""


def _field_id(agent: AgentConfig, place: Place) -> str:
    """Return the id of the field on the agent's page, where its rows stand in the same order; "" when it has no such row."""
    if place.model is None:
        return f"id_{place.field}"
    if place.model is AgentTool:
        return "tools-group"
    rows: list[Any] = list(agent.operations.all())
    if place.model is PromptSection:
        rows = sorted(agent.sections.all(), key=lambda section: SECTION_ORDER.get(section.name, len(SECTION_ORDER)))
    return next((f"id_{place.prefix}-{at}-{place.field}" for at, row in enumerate(rows) if row.name == place.part), "")
