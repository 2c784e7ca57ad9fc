"""Telling the double what to answer, over its control address."""

from __future__ import annotations

import httpx2

from agents.providers.doubles.control import answer_to_json
from agents.providers.doubles.script import Text
from bench.measure import Load
from bench.stamps import PLACEHOLDER
from bench.systems import ModelCall


class DoubleScript:
    def __init__(self, base_url: str) -> None:
        self._client = httpx2.AsyncClient(base_url=base_url, trust_env=False)

    async def set_answer(self, *, tokens: int, tokens_per_s: float | None, first_token_s: float) -> None:
        """Every request from now on is answered so; what the double remembers of former ones is dropped. `tokens_per_s` None: full speed."""
        await self._post("/control/reset", b"")
        text = Text(PLACEHOLDER * tokens, [PLACEHOLDER] * tokens)
        await self._post("/control/script", answer_to_json(text, times=None, tokens_per_s=tokens_per_s, first_token_s=first_token_s))

    async def last_call(self) -> ModelCall:
        """The newest request that the double has received."""
        response = await self._client.get("/control/requests")
        request = response.raise_for_status().json()[-1]
        return ModelCall(request["path"], request["model"], request["body"])

    async def _post(self, path: str, body: bytes) -> None:
        response = await self._client.post(path, content=body)
        response.raise_for_status()


async def answer_as(load: Load, script: DoubleScript) -> None:
    """The double answers as `load` says, from now on."""
    await script.set_answer(tokens=load.tokens, tokens_per_s=load.tokens_per_s, first_token_s=load.first_token_s)
