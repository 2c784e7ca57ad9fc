"""What the plugins of a run may ask of the chat."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from chat.runs.titles import title_queue


@dataclass(slots=True)
class RunActions:
    """Implements the agents' `PluginActions` for one conversation. What plugins ask for is done after the run's end was announced."""

    organization_id: UUID
    conversation_id: UUID
    wants_title: bool = False

    async def title_due(self) -> None:
        self.wants_title = True

    async def run_pending(self, *, is_untitled: bool) -> None:
        """`is_untitled`: whether the conversation needs a title. One that is announced before the run's end could be overtaken by the older
        title in that announcement.
        """
        if self.wants_title and is_untitled:
            self.wants_title = False
            await title_queue(organization_id=self.organization_id, conversation_id=self.conversation_id)
