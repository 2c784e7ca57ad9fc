"""The call that checks a key, made by google-genai. Importing it takes half a second: import this module in a thread."""

from __future__ import annotations

import asyncio

from google import genai
from google.genai import types
from google.genai.errors import APIError

from agents.providers.connection import Connection
from agents.providers.google.request import API_VERSION


async def models_status(connection: Connection) -> int:
    """Return the status of the answer to a list of one model. Raises the HTTP client's errors, and ValueError for an unreadable answer."""
    client = await asyncio.to_thread(_client, connection)
    try:
        await client.aio.models.list(config={"page_size": 1})
    except APIError as error:
        return error.code
    return 200


def _client(connection: Connection) -> genai.Client:
    """Return a client for one call over the connection's HTTP client. Every setting is explicit: others come from the environment."""
    return genai.Client(
        enterprise=False,
        api_key=connection.key.reveal() if connection.key else "",
        http_options=types.HttpOptions(
            base_url=connection.base_url,
            api_version=connection.api_version or API_VERSION,
            httpx_async_client=connection.http,
        ),
    )
