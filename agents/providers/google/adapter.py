"""Gemini's API as a LanguageModel.

The SDK's typed chunks took 0.33 CPU-seconds per 1,000 chunks at full speed, the raw lines 0.03.
tests/agents/providers/google/test_google_reference.py compares both, chunk by chunk.
Source: https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx2

from admin_config.defaults.provider_settings import GoogleSettings
from agents.errors import ProviderError
from agents.messages import ModelRequest
from agents.providers.connection import Connection
from agents.providers.google.assembler import GenerateContentAssembler
from agents.providers.google.errors import api_error
from agents.providers.google.options import google_options
from agents.providers.google.request import API_VERSION, build_request, key_header
from agents.providers.provider_model import ProviderModel


class GoogleModel(ProviderModel[GenerateContentAssembler]):
    """A LanguageModel over the Gemini API."""

    def __init__(self, connection: Connection, provider: str = "google") -> None:
        super().__init__(connection, provider)

    def build_request(self, request: ModelRequest) -> httpx2.Request:
        return build_request(self._connection, request, self._provider)

    async def key_status(self) -> int:
        return await (await asyncio.to_thread(_models_status))(self._connection)

    async def model_ids(self) -> list[str]:
        """See ProviderModel. Only models that write answers. Source: https://ai.google.dev/api/models#method:-models.list."""
        path = f"/{self._connection.api_version or API_VERSION}/models?pageSize=1000"
        models = await self._list_models(path, key_header(self._connection), field="models")
        return [
            str(model["name"]).removeprefix("models/")
            for model in models
            if model.get("name") and "generateContent" in (model.get("supportedGenerationMethods") or ())
        ]

    @staticmethod
    def options(settings: GoogleSettings, thinking_model: str | None) -> dict[str, Any]:
        return google_options(settings)

    def assembler(self, request: ModelRequest) -> GenerateContentAssembler:
        return GenerateContentAssembler(self._provider, request.model)

    def api_error(self, status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
        return api_error(status, body, headers)


def _models_status() -> Callable[[Connection], Awaitable[int]]:
    """Import google-genai, which takes half a second."""
    from agents.providers.google.key_check import models_status

    return models_status
