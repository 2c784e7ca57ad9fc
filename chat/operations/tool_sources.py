"""Tool sources: the last contact with each, how its calls went, and definitions that wait for an admin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from admin_config.extension_kinds import ToolKind, tool_kinds
from admin_config.models import ToolSource
from admin_config.services.tool_review import pending_changes
from agents.tools.recent_calls import RecentCalls, recent_calls_of
from chat.operations.sparklines import Strip, calls_of


@dataclass(frozen=True, slots=True)
class SourceState:
    """A tool source of the board."""

    source: ToolSource
    kind: str
    calls: RecentCalls | None  # None: it was not called lately, or that is not known
    is_known: bool  # False: Redis is away
    waiting: int  # definitions that wait for an admin

    @property
    def strip(self) -> Strip | None:
        return calls_of(self.calls.newest) if self.calls else None


def source_states(organization_id: UUID) -> list[SourceState]:
    """Return the sources that are switched on. One statement and one question to Redis."""
    sources = list(ToolSource.objects.filter(is_enabled=True).order_by("name", "pk"))
    calls, kinds = recent_calls_of(organization_id, [source.pk for source in sources]), tool_kinds()
    return [
        SourceState(
            source,
            _label(source.kind, kinds),
            (calls or {}).get(source.pk),
            calls is not None,
            len(pending_changes(source.pins)),
        )
        for source in sources
    ]


def _label(kind: str, kinds: Mapping[str, ToolKind]) -> str:
    return str(kinds[kind].label) if kind in kinds else kind
