"""The queries that a send always needs, so that they can be read in one round trip."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from admin_config.services.own_keys import own_keys_allowed_select
from admin_config.services.selectors import cached_live_release, live_release_select
from agents.runtime.connections import first_key_queries
from chat.conversations.selectors import conversation_lock_select
from chat.storage.run_creation import run_limit_select
from security.registered_secrets import registered_secrets_select
from tenants.access import Actor, membership_lock_select
from tenants.postgres.prepared_select import BoundSelect


def send_selects(actor: Actor, key: str, model_config_id: UUID | None = None) -> list[BoundSelect[Any]]:
    """Return the selects of `message_post` and `run_load`, for `tenants.postgres.prepared_select.read_ahead`.

    Their order matters: each lock comes before the reads that it protects. The provider key is a guess, from the cached release and
    the requested model; if either turns out to be different, the caller queries the right key.
    """
    release = cached_live_release(actor.organization_id)
    return [
        membership_lock_select(actor),
        *conversation_lock_select(actor, key),
        run_limit_select(actor),
        live_release_select(actor.organization_id),
        registered_secrets_select(actor.membership_id),
        own_keys_allowed_select(),
        *(first_key_queries(release.snapshot, model_config_id) if release else ()),
    ]
