"""Builds the plugins of a run from the release, with their access to the agent's model.

A problem with one plugin never keeps the run from starting. A plugin's model call is short, recorded in the call log
and charged to the run's budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from pydantic import ValidationError

from admin_config.release import PluginSnapshot
from agents.engine.agent import RunBudget
from agents.engine.ports import LanguageModel
from agents.errors import RunError
from agents.messages import AssistantText, ModelRequest, ModelResponse, ModelSettings, SystemPrompt, UserMessage
from agents.plugins.hooks import PluginHooks
from agents.plugins.plugin import AskModel, PluginRun, PluginSettings
from agents.plugins.plugin_runner import PluginRunner
from agents.plugins.registry import PLUGINS, PluginType
from agents.runtime.call_recording import CallKind
from security.secrets.errors import SecretUnusable
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_reveal
from tenants.db import in_db

MAX_OUTPUT_TOKENS = 1024


class BudgetSpent(RunError):
    """The run's budget is spent, so its plugins can't make further model calls."""

    code = "budget_spent"
    action = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginModelCall:
    """Implements `AskModel` with `language_model`."""

    model: str  # the provider's name of the model
    language_model: LanguageModel
    budget: RunBudget
    provider_options: Mapping[str, Any]  # the agent's, without thinking options

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


log = structlog.get_logger(__name__)


async def plugin_hooks_build(
    plugins: Iterable[PluginSnapshot],
    *,
    run: PluginRun,
    model: str,
    language_model: Callable[[CallKind], LanguageModel],
    budget: RunBudget,
    provider_options: Callable[[], Mapping[str, Any]],
) -> PluginHooks:
    """Return the hooks of one run: its agent's plugins in their order. Unusable plugins are left out and logged.

    `language_model` returns the agent's own model for calls of one kind; the provider calls it `model`. These calls
    send what `provider_options` returns, which is asked only if a plugin makes any.
    """

    def ask_of(entry: PluginType) -> AskModel:
        if entry.call_kind is None:
            return reject_model_call
        own = language_model(entry.call_kind)
        return PluginModelCall(model=model, language_model=own, budget=budget, provider_options=provider_options())

    participants = [await _participant(plugin, run, ask_of) for plugin in plugins]
    return PluginHooks([participant for participant in participants if participant is not None])


async def _participant(plugin: PluginSnapshot, run: PluginRun, ask_of: Callable[[PluginType], AskModel]) -> PluginRunner | None:
    try:
        entry = PLUGINS[plugin.name]
        settings = entry.settings.model_validate(plugin.settings)
        secret = await _secret(entry, settings, plugin.secret_id, run.organization_id)
    except (KeyError, ValidationError, SecretUnusable) as exc:
        ids = {"organization_id": str(run.organization_id), "run_id": str(run.run_id)}
        log.warning("plugin_left_out", plugin=plugin.name, reason=_reason(exc), **ids)
        return None
    return PluginRunner(plugin.name, entry.plugin(settings, secret), run=run, ask=ask_of(entry))


async def _secret(entry: PluginType, settings: PluginSettings, secret_id: UUID | None, organization_id: UUID) -> SecretText | None:
    if entry.secret_url is None:
        return None
    if secret_id is None:
        raise SecretUnusable
    reveal = partial(secret_reveal, secret_id=secret_id, url=entry.secret_url(settings))
    return await in_db(reveal, organization_id=organization_id)


def _reason(error: Exception) -> str:
    """Return the reason for the log, without the settings' values, which the text of a ValidationError would quote."""
    match error:
        case ValidationError():
            return f"Wrong settings: {', '.join('.'.join(map(str, problem['loc'])) for problem in error.errors())}."
        case SecretUnusable():
            return str(error)
        case _:
            return "There is no such plugin any more."


async def reject_model_call(system: str, prompt: str) -> str:
    """Stand in for `AskModel` in a plugin that is registered without `call_kind`. Always raises LookupError."""
    raise LookupError("This plugin is registered without a kind of model call.")
