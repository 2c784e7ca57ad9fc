"""A plugin's own call of the agent's model: short, in the call log, paid by the run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from agents.engine.budget import RunBudget
from agents.engine.errors import RunError
from agents.engine.messages import AssistantText, ModelRequest, ModelResponse, ModelSettings, SystemPrompt, UserMessage
from agents.engine.ports import LanguageModel

MAX_OUTPUT_TOKENS = 1024


class BudgetSpent(RunError):
    """The run has spent its budget, so its plugins get no model calls any more."""

    code = "budget_spent"
    action = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginModelCall:
    """Implements `Ask` with `language_model`, whose provider calls it `model`. `provider_options`: the agent's, without those of thinking."""

    model: str
    language_model: LanguageModel
    budget: RunBudget
    provider_options: Mapping[str, Any]

    async def __call__(self, system: str, prompt: str) -> str:
        if self.budget.is_spent:
            raise BudgetSpent("The run's budget is spent.")
        request = ModelRequest(
            model=self.model,
            system=SystemPrompt(system),
            entries=(UserMessage(prompt),),
            settings=ModelSettings(max_output_tokens=MAX_OUTPUT_TOKENS, provider_options=self.provider_options),
        )
        response = await self._response(request)
        if response is None:
            return ""
        self.budget.spend(self.model, *response.usages)
        return "".join(entry.text for entry in response.entries if isinstance(entry, AssistantText))

    async def _response(self, request: ModelRequest) -> ModelResponse | None:
        response = None
        async with aclosing(self.language_model.stream(request)) as events:
            async for event in events:
                if isinstance(event, ModelResponse):
                    response = event
        return response
