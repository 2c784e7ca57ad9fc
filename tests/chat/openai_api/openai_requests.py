"""Requests to the OpenAI-compatible API by a member of the cast."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import orjson
import pytest
from django.test import AsyncClient

from tenants.access import Actor
from tests.chat.api.test_token_streams import token_of
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.workspace import Workspace, make_workspace

TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {"word": {"type": "string"}}}}}


@pytest.fixture
def other(acme: Workspace, cast: Cast, gemini: ServedGemini) -> Workspace:
    """The other organization can chat, too."""
    return make_workspace(cast.other, gemini)


async def ask(actor: Actor, *messages: Any, headers: dict[str, str] | None = None, **fields: Any) -> Any:
    _, own = await token_of(actor)
    body = {"model": "chat_model_agent", "messages": list(messages), **fields}
    return await AsyncClient().post("/v1/chat/completions", body, content_type="application/json", headers={**own, **(headers or {})})


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def showing(content: bytes) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64encode(content).decode()}"}}],
    }


async def stream_events(response: Any) -> list[Any]:
    body = b"".join([part async for part in response.streaming_content]).decode()
    return [orjson.loads(line.removeprefix("data: ")) for line in body.split("\n\n") if line.startswith("data: {")]
