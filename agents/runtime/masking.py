"""Registered secrets of a run (SPEC 3.17): loaded once, restored by their connector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from agents.runtime.placeholders import Placeholders, RegisteredSecret
from security.egress import EgressRefused, origin_of
from security.secrets.registered_secrets import OpenedSecret, registered_secrets_open
from tenants.db import in_db


async def placeholders_load(*, organization_id: UUID, membership_id: UUID | None) -> Placeholders:
    """Return the secrets of the organization and, with `membership_id`, of that member. One query.

    Keep the result for one run only.
    """
    return await in_db(placeholders_open, membership_id=membership_id, organization_id=organization_id)


def placeholders_open(*, membership_id: UUID | None) -> Placeholders:
    """Like `placeholders_load`, but synchronous and inside the organization's transaction."""
    return placeholders_of(registered_secrets_open(membership_id=membership_id))


def placeholders_of(secrets: Sequence[OpenedSecret]) -> Placeholders:
    """Return the placeholders of secrets that are opened already."""
    return Placeholders(RegisteredSecret(secret.placeholder, secret.value, secret.tool, secret.origin) for secret in secrets)


def restore(value: Any, placeholders: Placeholders, *, tool: str, url: str) -> Any:
    """Return a header or JSON body as the connector of `tool` sends it to `url`: with the secrets that may be sent there.

    Call it for each hop.
    """
    try:
        return placeholders.restore(value, tool=tool, origin=origin_of(url))
    except EgressRefused:
        return value
