"""Asks an endpoint which models it has. That one request also shows whether its address and its key are right."""

from __future__ import annotations

import asyncio

import httpx2
from django.utils.translation import gettext_noop

from agents.errors import ProviderUnavailable
from agents.providers.connection import Connection
from agents.providers.errors import connection_error
from agents.providers.registry import adapter_class
from security.egress.errors import EgressRefused

TIMEOUT_S = 20.0
NO_LIST = gettext_noop("The server did not answer with a list of models. Check the address.")


async def listed_models(provider: str, connection: Connection) -> list[str]:
    """Return the ids of the models that the endpoint lists. Raises ProviderError; no exception of the client, which holds the key, escapes."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await adapter_class(provider)(connection, provider).model_ids()
    except (httpx2.HTTPError, TimeoutError, EgressRefused) as error:
        raise connection_error(error) from None
    except (ValueError, httpx2.InvalidURL):
        raise ProviderUnavailable(NO_LIST) from None
