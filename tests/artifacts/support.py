"""Artifacts of the cast, written as the document agent writes them."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from artifacts.models import Version
from artifacts.services import NewVersion, artifact_create
from tenants.access import Actor
from tenants.context import tenant_tx
from tests.support.chat.conversations import conversation_row

CONVERSATION = UUID("00000000-0000-4000-8000-0000000000c0")


def conversation_of(actor: Actor) -> UUID:
    """Return the id of the conversation that all artifacts of the actor's organization are in."""
    return CONVERSATION if actor.organization_slug == "acme" else uuid5(CONVERSATION, actor.organization_slug)


def agent_version(content: str, **fields: Any) -> NewVersion:
    return NewVersion(**{"content": content, "operation": Version.Operation.UPDATE, "author_kind": Version.AuthorKind.AGENT, **fields})


def make_artifact(actor: Actor, content: str = "# Tea\n", **fields: Any) -> Version:
    """Return version 1 of a new artifact of the actor."""
    conversation_id = fields.get("conversation_id") or conversation_of(actor)
    with tenant_tx(actor.organization_id):
        conversation_row(organization_id=actor.organization_id, owner_id=actor.membership_id, conversation_id=conversation_id)
        return artifact_create(
            **{
                "conversation_id": conversation_id,
                "owner_id": actor.membership_id,
                "title": "Tea",
                "kind": "text",
                "version": agent_version(content, operation=Version.Operation.CREATE),
                **fields,
            }
        )
