"""Texts of agents whose default the platform changed after the organization had put its own in its place.

Needs the organization's `tenant_tx`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final
from uuid import UUID

from admin_config.defaults.kinds import KindDefaults
from admin_config.models import AgentConfig, CustomizedText
from admin_config.models.platform import PlatformDefaults

Place = tuple[str, str]  # the section or operation, "" for the agent itself; and the field
_OF_AGENTS: Final = ("system_prompt", "description")
_OF_OPERATIONS: Final = ("system_prompt", "user_prompt_template")


def customized_texts_note(agents: Iterable[AgentConfig], defaults: PlatformDefaults) -> None:
    """Keep the platform's default of each text that is the organization's own and was not before; forget those that are the default again.

    `agents`: all of the draft, bases too, with their operations and sections. One query, and at most two more. Called when a draft is
    published, made a canary or scheduled: it does not matter how texts came into it.
    """
    own = dict(_own_texts(agents, defaults))
    pk_by_key = {(row.agent_id, row.part, row.field): row.pk for row in CustomizedText.objects.only("agent_id", "part", "field")}
    new = [
        CustomizedText(agent_id=key[0], part=key[1], field=key[2], default_text=text) for key, text in own.items() if key not in pk_by_key
    ]
    if new:
        CustomizedText.objects.bulk_create(new)
    if former := [pk for key, pk in pk_by_key.items() if key not in own]:
        CustomizedText.objects.filter(pk__in=former).delete()


def changed_defaults(agent: AgentConfig) -> Mapping[Place, str]:
    """Return the former defaults of the agent's own texts whose default is another one now. One query."""
    rows = list(CustomizedText.objects.filter(agent_id=agent.pk))
    return {
        (row.part, row.field): row.default_text for row in rows if row.default_text != default_text(agent.defaults, row.part, row.field)
    }


def own_texts_keep(agent: AgentConfig, places: Collection[Place]) -> None:
    """Take the present defaults as known at these places, where the organization keeps its own texts."""
    rows = [row for row in CustomizedText.objects.filter(agent_id=agent.pk) if (row.part, row.field) in places]
    for row in rows:
        row.default_text = default_text(agent.defaults, row.part, row.field)
    if rows:
        CustomizedText.objects.bulk_update(rows, ["default_text"])


def default_text(of: KindDefaults, part: str, field: str) -> str:
    """Return the platform's text; "" where it has none."""
    defaults = of if not part else of.section(part) if field == "text" else of.operation(part)
    return getattr(defaults, field, None) or ""


def _own_texts(agents: Iterable[AgentConfig], defaults: PlatformDefaults) -> Iterator[tuple[tuple[UUID, str, str], str]]:
    """Yield the agent, part and field of each own text in whose place the platform has one, with the platform's."""
    for agent in agents:
        for part, field, text in _texts_of(agent):
            if text and (default := default_text(defaults.of(agent.kind), part, field)):
                yield (agent.pk, part, field), default


def _texts_of(agent: AgentConfig) -> Iterator[tuple[str, str, str]]:
    """Yield part, field and text of all that an agent may have for itself."""
    yield from (("", field, getattr(agent, field)) for field in _OF_AGENTS)
    for operation in agent.operations.all():
        yield from ((operation.name, field, getattr(operation, field)) for field in _OF_OPERATIONS)
    yield from ((section.name, "text", section.text) for section in agent.sections.all())
