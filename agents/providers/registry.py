"""The providers: one line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agents.engine.errors import KeyMissing, RequestRefused
from agents.engine.ports import LanguageModel
from agents.providers.anthropic import AnthropicModel
from agents.providers.base import Connection
from agents.providers.google import GoogleModel
from agents.providers.hiding import KeyHidingModel
from agents.providers.openai_chat import CompatibleModel
from agents.providers.openai_responses import OpenAIModel
from agents.providers.retry import ATTEMPTS, RetryingModel


@dataclass(frozen=True, slots=True)
class Provider:
    """`build` makes a model from a connection and the provider's name, which marks what must only go back to this provider."""

    label: str
    needs_key: bool
    build: Callable[[Connection, str], LanguageModel]


PROVIDERS: Mapping[str, Provider] = {
    "google": Provider("Google", needs_key=True, build=GoogleModel),
    "openai": Provider("OpenAI", needs_key=True, build=OpenAIModel),
    "anthropic": Provider("Anthropic Claude", needs_key=True, build=AnthropicModel),
    "compatible": Provider("OpenAI-compatible endpoint", needs_key=False, build=CompatibleModel),
    "demo": Provider("Demo provider", needs_key=False, build=GoogleModel),  # a scripted server that speaks Google's wire
}


def language_model(provider: str, connection: Connection, *, attempts: int = ATTEMPTS) -> LanguageModel:
    """The provider's model behind `connection`, with our retry policy of so many attempts. Raises KeyMissing; RequestRefused for an unknown provider."""
    entry = PROVIDERS.get(provider)
    if entry is None:
        raise RequestRefused(f"The provider {provider} is not supported.")
    if entry.needs_key and connection.key is None:
        raise KeyMissing(f"There is no API key for {entry.label}. An admin can enter one in the admin, at the provider's endpoint.")
    model = entry.build(connection, provider)
    return RetryingModel(KeyHidingModel(model, connection.key) if connection.key else model, attempts=attempts)
