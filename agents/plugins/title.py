"""The `title` plugin: asks for a title after each answer (SPEC 6.1).

chat.runs.title_generation decides whether the conversation needs one and stores it; agents.title_operation asks the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from agents.engine.lifecycle import RunOutcome
from agents.messages import DataPart
from agents.plugins.plugin import Plugin, PluginContext, PluginSettings


@dataclass(frozen=True, slots=True)
class TitlePlugin(Plugin[PluginSettings]):
    """Requests a title, which the agent's operation `title` writes in the background. Admins edit its prompts on the agent's page."""

    needs_stored_answer: ClassVar[bool] = False  # the title is written after the end of the run

    async def on_finish(self, context: PluginContext, outcome: RunOutcome) -> Sequence[DataPart]:
        await context.run.actions.title_due()
        return ()
