"""Texts of agents whose default the platform changed after the organization had put its own in its place.

Needs the organization's `tenant_tx`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final
from uuid import UUID

from django.db.models import Q

from admin_config.defaults.kinds import KindDefaults
from admin_config.models import AgentConfig, AgentOperation, CustomizedText, PromptSection
from admin_config.models.platform import PlatformDefaults

Place = tuple[str, str]  # the section or operation, "" for the agent itself; and the field
_OF_AGENTS: Final = ("system_prompt", "description")
_OF_OPERATIONS: Final = ("system_prompt", "user_prompt_template")


def customized_texts_note(defaults: PlatformDefaults) -> None:
    """Keep the platform's default of each text that is the organization's own and was not before; forget those that are the default again.

    Four queries, and at most two more. Called when a draft is published, made a canary or scheduled: it does not matter how texts came into it.
    """
    own = dict(_own_texts(defaults))
    held = {(row.agent_id, row.part, row.field): row.pk for row in CustomizedText.objects.only("agent_id", "part", "field")}
    new = [CustomizedText(agent_id=key[0], part=key[1], field=key[2], default_text=text) for key, text in own.items() if key not in held]
    if new:
        CustomizedText.objects.bulk_create(new)
    if former := [pk for key, pk in held.items() if key not in own]:
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


def _own_texts(defaults: PlatformDefaults) -> Iterator[tuple[tuple[UUID, str, str], str]]:
    """Yield the agent, part and field of each own text in whose place the platform has one, with the platform's."""
    for (agent_id, kind, part), texts in _rows():
        for field, text in texts.items():
            if text and (default := default_text(defaults.of(kind), part, field)):
                yield (agent_id, part, field), default


def _rows() -> Iterator[tuple[tuple[UUID, str, str], Mapping[str, str]]]:
    agents = AgentConfig.objects.filter(~Q(system_prompt="") | ~Q(description="")).order_by()
    for pk, kind, *texts in agents.values_list("pk", "kind", *_OF_AGENTS):
        yield (pk, kind, ""), dict(zip(_OF_AGENTS, texts, strict=True))
    operations = AgentOperation.objects.filter(~Q(system_prompt="") | ~Q(user_prompt_template="")).order_by()
    for pk, kind, part, *texts in operations.values_list("agent_id", "agent__kind", "name", *_OF_OPERATIONS):
        yield (pk, kind, part), dict(zip(_OF_OPERATIONS, texts, strict=True))
    sections = PromptSection.objects.exclude(text="").order_by()
    for pk, kind, part, text in sections.values_list("agent_id", "agent__kind", "name", "text"):
        yield (pk, kind, part), {"text": text}
