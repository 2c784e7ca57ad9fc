"""The registry of providers, one line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name

from agents.engine.errors import KeyMissing, RequestRefused
from agents.engine.ports import LanguageModel
from agents.providers.connection import Connection

GOOGLE = "agents.providers.google.adapter:GoogleModel"
OPENAI = "agents.providers.openai.responses_adapter:OpenAIModel"
ANTHROPIC = "agents.providers.anthropic.adapter:AnthropicModel"
COMPATIBLE = "agents.providers.openai.chat_adapter:ChatCompletionsModel"


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider and its adapter."""

    label: str
    needs_key: bool
    # Module and class. Imported on first use, because an SDK takes up to a second and 50 MB. The class makes a model from a connection
    # and the provider's name, which marks what may only go back to this provider.
    adapter: str

    def build(self, connection: Connection, name: str) -> LanguageModel:
        adapter: Callable[[Connection, str], LanguageModel] = resolve_name(self.adapter)
        return adapter(connection, name)


PROVIDERS: Mapping[str, Provider] = {
    "google": Provider("Google", needs_key=True, adapter=GOOGLE),
    "openai": Provider("OpenAI", needs_key=True, adapter=OPENAI),
    "anthropic": Provider("Anthropic Claude", needs_key=True, adapter=ANTHROPIC),
    "compatible": Provider("OpenAI-compatible endpoint", needs_key=False, adapter=COMPATIBLE),
    # A scripted server that speaks every wire.
    "demo": Provider("Demo provider", needs_key=False, adapter=GOOGLE),
    "demo_openai": Provider("Demo provider", needs_key=False, adapter=OPENAI),
    "demo_anthropic": Provider("Demo provider", needs_key=False, adapter=ANTHROPIC),
    "demo_compatible": Provider("Demo provider", needs_key=False, adapter=COMPATIBLE),
}


def language_model(provider: str, connection: Connection) -> LanguageModel:
    """Return the provider's model behind `connection`, without retries. Raises KeyMissing, or RequestRefused for an unknown provider."""
    entry = PROVIDERS.get(provider)
    if entry is None:
        raise RequestRefused(f"The provider {provider} is not supported.")
    if entry.needs_key and connection.key is None:
        raise KeyMissing(f"There is no API key for {entry.label}. An admin can enter one in the admin, at the provider's endpoint.")
    return entry.build(connection, provider)
