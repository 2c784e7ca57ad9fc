"""What a response with a stored file has to say."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync


async def pieces_of(response: Any) -> list[bytes]:
    """Return the file piece by piece. Django's test client closes the response at the end."""
    return [piece async for piece in response.streaming_content]


def body_of(response: Any) -> bytes:
    return b"".join(async_to_sync(pieces_of)(response))
