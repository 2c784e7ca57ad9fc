"""The real google-genai SDK pointed at a double."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from google import genai
from google.genai import types

from tests.support.agents.gemini import ServedGemini
from tests.support.suite.network import NO_TRUST

MODEL = "gemini-2.5-flash"
MODEL_2 = "gemini-2.0-flash"
MODEL_3 = "gemini-3-flash-preview"


def http_client(double: ServedGemini, key: str = "") -> httpx2.AsyncClient:
    headers = {"x-goog-api-key": key} if key else {}
    return httpx2.AsyncClient(base_url=double.base_url, headers=headers, verify=NO_TRUST, trust_env=False)


@asynccontextmanager
async def sdk_client(double: ServedGemini, key: str = "test-key") -> AsyncIterator[genai.Client]:
    async with http_client(double) as http:
        with httpx2.Client(verify=NO_TRUST, trust_env=False) as sync_http:
            options = types.HttpOptions(
                base_url=double.base_url,
                api_version="v1beta",
                httpx_client=sync_http,
                httpx_async_client=http,
                async_client_args={"ssl": NO_TRUST},
                timeout=30_000,
            )
            yield genai.Client(api_key=key, http_options=options)


@asynccontextmanager
async def open_stream(
    double: ServedGemini,
    contents: types.ContentListUnion = "Hello",
    config: types.GenerateContentConfigOrDict | None = None,
    *,
    model: str = MODEL,
    key: str = "test-key",
) -> AsyncIterator[AsyncIterator[types.GenerateContentResponse]]:
    async with sdk_client(double, key) as client:
        yield await client.aio.models.generate_content_stream(model=model, contents=contents, config=config)


async def stream(double: ServedGemini, *args: Any, **options: Any) -> list[types.GenerateContentResponse]:
    """All chunks of one streamed answer; takes what `open_stream` takes."""
    async with open_stream(double, *args, **options) as chunks:
        return [chunk async for chunk in chunks]


def parts_of(chunks: list[types.GenerateContentResponse]) -> list[types.Part]:
    return [part for chunk in chunks for candidate in chunk.candidates or [] for part in (candidate.content or types.Content()).parts or []]


def text_of(chunks: list[types.GenerateContentResponse]) -> str:
    return "".join(part.text or "" for part in parts_of(chunks) if not part.thought)
