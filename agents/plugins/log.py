"""The `log` plugin: writes a line to the server's log for every chosen event (SPEC 4.11).

It logs ids, names and numbers, never text.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import structlog

from agents.plugins.lifecycle import LifecycleEventData, LifecyclePlugin, LifecycleSettings
from agents.plugins.plugin import PluginContext

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LogPlugin(LifecyclePlugin[LifecycleSettings]):
    """Logs chosen events. Equal tool arguments get the same hash, so that repeated calls can be found without their content."""

    async def react(self, context: PluginContext, event_data: LifecycleEventData) -> None:
        arguments = event_data.text.get("arguments")
        log.info(
            "agent_event",
            on=event_data.event.value,
            organization_id=str(context.run.organization_id),
            conversation_id=str(context.run.conversation_id),
            run_id=str(context.run.run_id),
            membership_id=str(context.run.membership_id),
            agent=context.run.agent_key,
            step=context.step,
            **event_data.facts,
            **({} if arguments is None else {"arguments_hash": arguments_hash(arguments)}),
        )


def arguments_hash(arguments: object) -> str:
    """Return the SHA-256 (hex) of the arguments as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True, default=str).encode()).hexdigest()
