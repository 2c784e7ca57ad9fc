"""The wires: the APIs that providers speak, one entry each in WIRES."""

from __future__ import annotations

from dataclasses import dataclass

from admin_config.defaults.provider_settings import (
    AnthropicSettings,
    CompatibleSettings,
    GoogleSettings,
    OpenAISettings,
    ProviderSettings,
)


@dataclass(frozen=True, kw_only=True)
class WireSpec:
    """A wire, as the adapter and the admin pages need to know it."""

    # Module and class of the adapter (agents.providers.provider_model). It is imported on first use.
    adapter: str
    settings: type[ProviderSettings] = ProviderSettings  # what an agent sets for a provider on this wire
    takes_version: bool = False  # an endpoint's address has an API version
    takes_capabilities: bool = False  # its servers differ, so an endpoint says what it can do (compatible_options)
    max_pages: int | None = None  # of the PDF files of a request together, an image as one page; it refuses more
    runs_tools: bool = True  # it has tools that the provider runs itself


WIRES: dict[str, WireSpec] = {
    "google": WireSpec(adapter="agents.providers.google.adapter:GoogleModel", settings=GoogleSettings, takes_version=True, max_pages=1000),
    "openai": WireSpec(adapter="agents.providers.openai.responses_adapter:OpenAIModel", settings=OpenAISettings),
    "anthropic": WireSpec(adapter="agents.providers.anthropic.adapter:AnthropicModel", settings=AnthropicSettings, max_pages=100),
    "compatible": WireSpec(
        adapter="agents.providers.openai.chat_adapter:ChatCompletionsModel",
        settings=CompatibleSettings,
        takes_capabilities=True,
        runs_tools=False,
    ),
}
