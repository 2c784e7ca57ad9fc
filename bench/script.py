"""Telling the double what to answer, over its control addresses."""

from __future__ import annotations

import httpx2
import orjson

from bench.measure import Load
from bench.systems import ModelCall


class ModelServerClient:
    def __init__(self, base_url: str) -> None:
        self._client = httpx2.AsyncClient(base_url=base_url, trust_env=False)

    async def set_answer(self, load: Load) -> None:
        """Every call from now on is answered as the load says."""
        plan = {"tokens": load.tokens, "tokens_per_s": load.tokens_per_s, "first_token_s": load.first_token_s, "block": load.block}
        together = 1 if load.tokens_per_s else load.chats
        response = await self._client.post("/control/answer", content=orjson.dumps({**plan, "together": together}))
        response.raise_for_status()

    async def last_call(self) -> ModelCall:
        """The newest call that the double has received."""
        response = await self._client.get("/control/call")
        return ModelCall(**response.raise_for_status().json())


async def answer_as(load: Load, script: ModelServerClient) -> None:
    """The double answers as `load` says, from now on."""
    await script.set_answer(load)
