"""The wires: the APIs that providers speak, one entry each in WIRES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from django.utils.translation import gettext_noop as _

from admin_config.defaults.provider_settings import (
    AnthropicSettings,
    CompatibleSettings,
    GoogleSettings,
    OpenAISettings,
    ProviderSettings,
)

NOT_SENT: Final = _("This provider's API does not have it, so it is not sent.")
NOT_SENT_TO_REASONING: Final = _("Reasoning models do not take it, so it is not sent to them.")
SENT_WHERE_TAKEN: Final = _("Sent to endpoints whose page says that they take it.")
FOUR_SENT: Final = _("This provider takes 4, so only the first 4 are sent.")


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
    setting_notes: Mapping[str, str] = field(default_factory=dict)  # of sampling settings that it takes only in part, or not at all


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
        setting_notes={
            **dict.fromkeys(("top_k", "presence_penalty", "frequency_penalty", "seed", "stop_sequences"), NOT_SENT),
            **dict.fromkeys(("temperature", "top_p"), NOT_SENT_TO_REASONING),
        },
    ),
    "anthropic": WireSpec(
        adapter="agents.providers.anthropic.adapter:AnthropicModel",
        settings=AnthropicSettings,
        max_pages=100,
        setting_notes=dict.fromkeys(("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed"), NOT_SENT),
    ),
    "compatible": WireSpec(
        adapter="agents.providers.openai.chat_adapter:ChatCompletionsModel",
        settings=CompatibleSettings,
        takes_capabilities=True,
        runs_tools=False,
        setting_notes={"top_k": SENT_WHERE_TAKEN, "stop_sequences": FOUR_SENT},
    ),
}
