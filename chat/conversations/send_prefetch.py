"""What a send reads from the database before it writes, in one round trip."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from admin_config.services.own_keys import own_keys_allowed_ask
from admin_config.services.selectors import live_release_ask, release_seen_live
from agents.runtime.connections import first_key_queries
from chat.conversations.selectors import conversation_lock_query
from chat.storage.run_limit import run_limit_query
from security.registered_secrets import registered_secrets_ask
from tenants.access import Actor, membership_lock_ask
from tenants.postgres.prepared_select import Ask


def send_queries(actor: Actor, key: str, model_config_id: UUID | None = None) -> list[Ask[Any]]:
    """For `tenants.postgres.prepared_select.read_ahead` around `message_post` and `run_load`, in their order: the locks come before what they guard.

    The provider's key is that of the release and the model that are likely: who finds others asks for another one.
    """
    release = release_seen_live(actor.organization_id)
    return [
        membership_lock_ask(actor),
        *conversation_lock_query(actor, key),
        run_limit_query(actor),
        live_release_ask(actor.organization_id),
        registered_secrets_ask(actor.membership_id),
        own_keys_allowed_ask(),
        *(first_key_queries(release.snapshot, model_config_id) if release else ()),
    ]
