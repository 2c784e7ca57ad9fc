"""The platform's providers with their models: one entry each in PROVIDERS, which the admin site, the engine and the docs read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext_lazy, gettext_noop as _

ThinkingStyle = Literal["none", "budget", "level"]
Wire = str  # a key of admin_config.defaults.wires.WIRES

# Tools that providers run themselves while they answer.
BUILTIN_TOOLS: dict[str, str] = {
    "web_search": _("Web search"),
    "url_context": _("Reading web pages"),
    "code_execution": _("Running code"),
    "image_generation": _("Making images"),
}

# Limits of unknown models, in tokens: small enough for nearly every current model.
UNKNOWN_CONTEXT_WINDOW = 128_000
UNKNOWN_MAX_OUTPUT = 8_192


@dataclass(frozen=True)
class Abilities:
    """What a model supports besides text, tools and thinking."""

    supports_images: bool = False
    supports_pdf: bool = False
    builtin_tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelDefaults:
    """A model that a provider has from the start."""

    model_id: str
    display_name: str
    thinking_style: ThinkingStyle
    context_window: int = 1_048_576
    max_output_tokens: int = 65_536
    is_default: bool = False


@dataclass(frozen=True)
class ProviderSpec:
    """A provider with its models."""

    label: str
    base_url: str  # blank: from the operator's settings (the demo provider), or an admin must enter it
    api_version: str
    wire: Wire  # the API that it speaks
    models: tuple[ModelDefaults, ...]
    # Those of the models here and of models whose whole id matches `families`. Other models are assumed to have none until an admin says
    # so. None: nothing is known of any model.
    abilities: Abilities | None = None
    families: re.Pattern[str] | None = None
    builtin_tools: tuple[str, ...] = ()  # those that its agents have enabled at first
    needs_key: bool = True  # it can't be used without a key
    takes_key: bool = True  # members may use a key of their own, where the organization allows it
    key_header: str = ""  # the header in which an API caller may send a key of their own for one answer
    key_variable: str = ""  # the environment variable with the platform's own key
    tools_note: str = ""  # for admins, what is special about the tools that it runs itself
    plugins: frozenset[str] = frozenset()  # those that its agents have enabled at first, besides their kind's
    demo_path: str | None = None  # where the demo server speaks this provider's wire, below its URL; None: this is no demo


# Text models that certainly have all abilities of their provider; not those for speech, images or live audio, nor the smallest ones.
_GEMINI = re.compile(r"gemini-(?:2\.5|[3-9](?:\.\d+)?)-(?:pro|flash|flash-lite)(?:-preview|-latest|-\d+)*")
_GPT = re.compile(r"gpt-(?:4o|4\.1|[56](?:\.\d+)?)(?:-(?:mini|sol|terra|luna|astra))?(?:-\d{4}-\d\d-\d\d)?")
_CLAUDE = re.compile(r"claude-(?:3-7-sonnet|(?:opus|sonnet|haiku|fable|mythos)-[4-9](?:-\d{1,2})?)(?:-latest|-\d{8})?")

_WEB_AND_CODE_TOOLS = ("web_search", "url_context", "code_execution")
_ALL_ABILITIES = Abilities(supports_images=True, supports_pdf=True, builtin_tools=_WEB_AND_CODE_TOOLS)


_DEMO_LABELS = {
    "OpenAI": _("Demo (OpenAI protocol)"),
    "Anthropic": _("Demo (Anthropic protocol)"),
    "compatible": _("Demo (compatible protocol)"),
}


def _demo_wire(name: str, wire: Wire, model_id: str, thinking_style: ThinkingStyle, path: str, tools: tuple[str, ...] = ()) -> ProviderSpec:
    """Return the demo on another provider's wire, so that newcomers see one conversation move between providers (SPEC 2.8).

    `tools`: those that the provider runs itself.
    """
    return ProviderSpec(
        label=_DEMO_LABELS[name],
        base_url="",
        api_version="",
        wire=wire,
        models=(
            ModelDefaults(model_id, f"Demo ({name})", thinking_style, context_window=32_768, max_output_tokens=8_192, is_default=True),
        ),
        abilities=Abilities(supports_images=True, supports_pdf=True, builtin_tools=tools),
        builtin_tools=tools,
        needs_key=False,
        takes_key=False,
        plugins=frozenset({"suggestions"}),
        demo_path=path,
    )


PROVIDERS: dict[str, ProviderSpec] = {
    "google": ProviderSpec(
        label="Google Gemini",
        base_url="https://generativelanguage.googleapis.com",
        api_version="v1beta",
        wire="google",
        abilities=_ALL_ABILITIES,
        families=_GEMINI,
        key_header="x-google-api-key",
        key_variable="GEMINI_API_KEY",
        tools_note=_(
            "Gemini models before 3, so also Gemini 2.5, run none of them while the agent has tools of Parley, such as the document agent."
        ),
        models=(
            ModelDefaults("gemini-2.5-flash", "Gemini 2.5 Flash", "budget", is_default=True),
            ModelDefaults("gemini-2.5-pro", "Gemini 2.5 Pro", "budget"),
            ModelDefaults("gemini-3-flash-preview", "Gemini 3 Flash (preview)", "level"),
        ),
    ),
    "openai": ProviderSpec(
        label="OpenAI",
        base_url="https://api.openai.com/v1",
        api_version="",
        wire="openai",
        abilities=Abilities(supports_images=True, supports_pdf=True, builtin_tools=("web_search", "code_execution", "image_generation")),
        families=_GPT,
        key_header="x-openai-api-key",
        key_variable="OPENAI_API_KEY",
        models=(
            ModelDefaults("gpt-6.2-sol", "GPT-6.2 Sol", "budget", 1_050_000, 128_000, is_default=True),
            ModelDefaults("gpt-6-astra", "GPT-6 Astra", "budget", 1_050_000, 128_000),
            ModelDefaults("gpt-6-luna", "GPT-6 Luna", "budget", 1_050_000, 128_000),
        ),
    ),
    "anthropic": ProviderSpec(
        label="Anthropic Claude",
        base_url="https://api.anthropic.com",
        api_version="",
        wire="anthropic",
        abilities=_ALL_ABILITIES,
        families=_CLAUDE,
        key_header="x-anthropic-api-key",
        key_variable="ANTHROPIC_API_KEY",
        models=(
            ModelDefaults("claude-sonnet-5-5", "Claude Sonnet 5.5", "level", 1_000_000, 128_000, is_default=True),
            ModelDefaults("claude-opus-5-5", "Claude Opus 5.5", "level", 1_000_000, 128_000),
            ModelDefaults("claude-haiku-5-5", "Claude Haiku 5.5", "level", 1_000_000, 128_000),
        ),
    ),
    "compatible": ProviderSpec(
        label=_("OpenAI-compatible endpoint"),
        base_url="",  # different in every installation, so an admin enters it
        api_version="",
        wire="compatible",
        models=(),
        needs_key=False,
    ),
    "demo": ProviderSpec(
        label=_("Demo (no key, scripted)"),
        base_url="",
        api_version="v1beta",
        wire="google",
        abilities=_ALL_ABILITIES,
        builtin_tools=_WEB_AND_CODE_TOOLS,
        needs_key=False,
        takes_key=False,
        plugins=frozenset({"suggestions"}),  # shown on a first visit; elsewhere they cost one call per answer
        models=(
            ModelDefaults("demo-standard", "Demo", "budget", context_window=32_768, max_output_tokens=8_192, is_default=True),
            ModelDefaults("demo-fast", "Demo (fast)", "none", context_window=32_768, max_output_tokens=8_192),
        ),
        demo_path="",
    ),
    "demo_openai": _demo_wire("OpenAI", "openai", "gpt-6-demo", "budget", "/v1", tuple(BUILTIN_TOOLS)),
    "demo_anthropic": _demo_wire("Anthropic", "anthropic", "claude-demo", "level", "", _WEB_AND_CODE_TOOLS),
    "demo_compatible": _demo_wire("compatible", "compatible", "compatible-demo", "none", "/v1"),
}
DEFAULT_PROVIDER, DEMO_PROVIDER = "google", "demo"
DEMO_WIRES = tuple(name for name, spec in PROVIDERS.items() if spec.demo_path is not None and name != DEMO_PROVIDER)

PROVIDER_CHOICES = [(provider, gettext_lazy(spec.label)) for provider, spec in PROVIDERS.items()]
ALL_PROVIDERS = "all"  # in place of a provider: the row of a kind whose values hold for each of them (SPEC 4.15)


def is_demo(provider: str) -> bool:
    """Return whether a script answers for this provider instead of a model."""
    return provider in PROVIDERS and PROVIDERS[provider].demo_path is not None
