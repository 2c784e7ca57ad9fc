"""What the plugins of a run may ask of the chat."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from chat.titles import title_due


@dataclass(frozen=True, slots=True)
class RunActions:
    """Implements the agents' `PluginActions` for one conversation."""

    organization_id: UUID
    conversation_id: UUID

    async def title_due(self) -> None:
        await title_due(organization_id=self.organization_id, conversation_id=self.conversation_id)
