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
    max_tools: int | None = None  # of a request; it refuses more
    counted_builtin_tools: frozenset[str] = frozenset()  # those that the provider runs itself and counts with them


WIRES: dict[str, WireSpec] = {
    "google": WireSpec(
        adapter="agents.providers.google.adapter:GoogleModel",
        settings=GoogleSettings,
        takes_version=True,
        max_pages=1000,
        max_tools=512,  # https://github.com/google-gemini/gemini-cli/issues/19083
    ),
    "openai": WireSpec(
        adapter="agents.providers.openai.responses_adapter:OpenAIModel",
        settings=OpenAISettings,
        max_tools=128,  # https://github.com/zed-industries/zed/issues/32946
        counted_builtin_tools=frozenset({"web_search", "code_execution", "image_generation"}),
    ),
    "anthropic": WireSpec(adapter="agents.providers.anthropic.adapter:AnthropicModel", settings=AnthropicSettings, max_pages=100),
    "compatible": WireSpec(
        adapter="agents.providers.openai.chat_adapter:ChatCompletionsModel",
        settings=CompatibleSettings,
        takes_capabilities=True,
        runs_tools=False,
    ),
}
