"""The `title` plugin: has a conversation named after its first answer (SPEC 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.engine.lifecycle import RunOutcome
from agents.engine.messages import DataPart
from agents.plugins.plugin import Plugin, PluginContext, PluginSettings


@dataclass(frozen=True, slots=True)
class TitlePlugin(Plugin[PluginSettings]):
    """Requests a title. It is written in the background by the agent's `title` operation, whose prompts admins edit there."""

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        await context.run.actions.title_due()
        return ()
