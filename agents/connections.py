"""The one place where an endpoint of a release gets its key (SPEC 2.5). Keys live in these objects only, as long as a run."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings

from admin_config.defaults import PROVIDERS as DEFAULTS
from admin_config.release import EndpointSnapshot
from agents.engine.errors import KeyMissing, RequestRefused
from agents.providers.base import Connection
from agents.providers.registry import PROVIDERS
from security.egress import checked_client
from security.errors import SecretUnusable
from security.secret_text import SecretText
from security.services import secret_reveal
from tenants.db import in_db


async def connection_open(endpoint: EndpointSnapshot, organization_id: UUID) -> Connection:
    """The endpoint with the key that this organization may use there. Raises KeyMissing, RequestRefused."""
    if endpoint.provider not in PROVIDERS:
        raise RequestRefused(f"The provider {endpoint.provider} is not supported.")
    return Connection(
        base_url=endpoint.base_url,
        api_version=endpoint.api_version,
        key=await _key(endpoint, organization_id),
        timeout_s=endpoint.timeout_s,
        http=checked_client(),
    )


async def _key(endpoint: EndpointSnapshot, organization_id: UUID) -> SecretText | None:
    if endpoint.secret_id is not None:
        return await in_db(_reveal, endpoint, organization_id=organization_id)
    # The platform's own key goes to the provider's own address and nowhere else (SECURITY 11).
    if settings.GEMINI_API_KEY and endpoint.provider == "google" and endpoint.base_url.rstrip("/") == DEFAULTS["google"].base_url:
        return SecretText(settings.GEMINI_API_KEY)
    return None


def _reveal(endpoint: EndpointSnapshot) -> SecretText:
    assert endpoint.secret_id is not None
    try:
        return secret_reveal(secret_id=endpoint.secret_id, url=endpoint.base_url)
    except SecretUnusable as exc:
        raise KeyMissing(f"The key of {endpoint.name} can't be used any more. An admin has to enter it again.") from exc
