"""Anthropic's Messages API as a LanguageModel.

The SDK's typed events took 0.042 CPU-seconds per 1,000 chunks at full speed, the raw lines 0.020.
tests/agents/providers/anthropic/test_anthropic_reference.py compares both.
Source: https://platform.claude.com/docs/en/api/messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2

from admin_config.defaults.provider_settings import AnthropicSettings
from agents.errors import ProviderError
from agents.messages import ModelRequest
from agents.providers.anthropic.assembler import MessageAssembler
from agents.providers.anthropic.errors import api_error
from agents.providers.anthropic.options import anthropic_options
from agents.providers.anthropic.request import build_body, continuation_body, request_of
from agents.providers.connection import Connection
from agents.providers.http_requests import get_status
from agents.providers.provider_model import ProviderModel

MAX_PARTS = 8  # parts of one answer; the API pauses an answer after about ten rounds of its own tools
LIST_VERSION = "2023-06-01"  # the oldest that lists models


class AnthropicModel(ProviderModel[MessageAssembler]):
    """A LanguageModel over the Messages API."""

    def __init__(self, connection: Connection, provider: str = "anthropic") -> None:
        super().__init__(connection, provider)

    def build_request(self, request: ModelRequest) -> httpx2.Request:
        return request_of(self._connection, build_body(request, self._provider))

    def next_part(self, request: ModelRequest, answer: MessageAssembler) -> httpx2.Request | None:
        """Return the request for the rest of an answer that the API paused because its own tools take long."""
        if not answer.is_paused or answer.parts == MAX_PARTS:
            return None
        body = continuation_body(build_body(request, self._provider), answer.blocks(), answer.container)
        answer.start_next_part()
        return request_of(self._connection, body)

    async def key_status(self) -> int:
        """See ProviderModel. Source: https://docs.anthropic.com/en/api/models-list."""
        return await get_status(self._connection, "/v1/models?limit=1", self._list_headers())

    async def model_ids(self) -> list[str]:
        return await self._listed_ids("/v1/models?limit=1000", self._list_headers())

    def _list_headers(self) -> dict[str, str]:
        key = self._connection.key.reveal() if self._connection.key else ""
        return {"x-api-key": key, "anthropic-version": LIST_VERSION}

    @staticmethod
    def options(settings: AnthropicSettings, thinking_model: str | None) -> dict[str, Any]:
        return anthropic_options(settings, thinking_model)

    def assembler(self, request: ModelRequest) -> MessageAssembler:
        return MessageAssembler(self._provider, request.model)

    def api_error(self, status: int | None, body: Any, headers: Mapping[str, str]) -> ProviderError:
        return api_error(status, body, headers)
