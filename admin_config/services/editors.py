"""Which admins have an agent's page open now, so that two of them see each other. Kept in Redis for a minute, nowhere else."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from tenants.access import Actor
from tenants.redis.clients import REDIS_ERRORS, key, sync_client

EXPIRY_S: Final = 50  # since a page's last sign, which comes each 20 s (agent-editors.js)


@dataclass(frozen=True, slots=True)
class Editor:
    """Somebody who has an agent's page open. `agent_label`: the agent's name, for people."""

    who: str
    agent_id: UUID
    agent_label: str


def editor_note(actor: Actor, *, who: str, agent_id: UUID, agent_label: str) -> None:
    """Note that the actor has the agent's page open. While Redis is away nothing is noted."""
    name = _name(actor.organization_id)
    note = json.dumps({"who": who, "agent": str(agent_id), "label": agent_label, "at": time.time()})
    try:
        with sync_client().pipeline(transaction=False) as pipeline:
            pipeline.hset(name, f"{actor.membership_id}:{agent_id}", note)
            pipeline.expire(name, 2 * EXPIRY_S)
            pipeline.execute()
    except REDIS_ERRORS:
        return


def other_editors(actor: Actor) -> list[Editor]:
    """Return who else has which agent's page open, by name; empty while Redis is away."""
    try:
        entries = cast(dict[bytes, bytes], sync_client().hgetall(_name(actor.organization_id)))  # the client's type is for both kinds
    except REDIS_ERRORS:
        return []
    oldest, own = time.time() - EXPIRY_S, f"{actor.membership_id}:".encode()
    editors = [json.loads(value) for field, value in entries.items() if not field.startswith(own)]
    others = [Editor(each["who"], UUID(each["agent"]), each["label"]) for each in editors if each["at"] > oldest]
    return sorted(others, key=lambda editor: (editor.who, editor.agent_label))


def _name(organization_id: UUID) -> str:
    return key("editors", organization_id)
