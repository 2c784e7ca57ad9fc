"""Asks an endpoint which models it has, with the key that the organization's runs use there, never a member's own."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from admin_config.endpoint_models import MAX_LISTED_MODELS, ModelListing
from admin_config.release import EndpointSnapshot
from agents.errors import ProviderError
from agents.providers.key_redaction import redact_key
from agents.providers.model_listing import listed_models
from agents.runtime.connections import keyless_connection
from agents.runtime.key_lookup import shared_key
from security.secrets.secret_text import SecretText
from tenants.db import in_db

MAX_ID_CHARS = 120  # as the column of a model's id


async def endpoint_models(endpoint: EndpointSnapshot, organization_id: UUID) -> ModelListing:
    """Return the models that the endpoint lists, or why there is no list. Without a usable key nothing is sent."""
    key: SecretText | None = None
    try:
        key = await in_db(shared_key, endpoint, organization_id=organization_id)
        ids = await listed_models(endpoint.provider, replace(keyless_connection(endpoint), key=key))
    except ProviderError as error:
        return ModelListing(problem=redact_key(str(error), key.reveal()) if key else str(error))
    usable = {model_id for model_id in ids if model_id.isprintable() and 0 < len(model_id) <= MAX_ID_CHARS}
    return ModelListing(models=tuple(sorted(usable)[:MAX_LISTED_MODELS]))
