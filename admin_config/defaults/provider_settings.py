"""Typed settings of each provider's own API, from which the agents' form fields are made (SPEC 2.9).

A blank setting is not sent, so the provider's own default applies. agents.runtime.provider_options puts them into requests.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from django.utils.translation import gettext, gettext_noop as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

Threshold = Literal["OFF", "BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_LOW_AND_ABOVE"]
# No counted repetition of \w: the compiled pattern would take 4 MB in each place that uses it.
Name = Annotated[str, StringConstraints(pattern=r"^[\w./:@+-]+$", max_length=120)]
SAFETY_NOTE = _("What Gemini does with such content.")


def _check_timeout(line: str) -> str:
    """Raise ValueError unless the line names a provider of a gateway and its seconds."""
    if not _TIMEOUT.fullmatch(line):
        raise ValueError(gettext("Name a provider and its seconds, 1 to 600, such as anthropic: 10."))
    return line


_TIMEOUT = re.compile(r"[\w./@+-]+: *(?:[1-9]\d?|[1-5]\d\d|600)", re.ASCII)
ProviderTimeout = Annotated[str, StringConstraints(max_length=120), AfterValidator(_check_timeout)]


class ProviderSettings(BaseModel):
    """Base class. Settings of newer releases are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    def set_values(self) -> dict[str, Any]:
        """Return the values that are set, as JSON."""
        return self.model_dump(mode="json", exclude_defaults=True)


class GoogleSettings(ProviderSettings):
    """Settings of the Gemini API."""

    thinking_level: Literal["minimal", "low", "medium", "high"] | None = Field(
        default=None,
        title=_("Thinking level"),
        description=_("Holds when the user has switched thinking on. For models that think in levels. Blank: high."),
    )
    harassment: Threshold | None = Field(default=None, title=_("Safety: harassment"), description=SAFETY_NOTE)
    hate_speech: Threshold | None = Field(default=None, title=_("Safety: hate speech"), description=SAFETY_NOTE)
    sexually_explicit: Threshold | None = Field(default=None, title=_("Safety: sexually explicit"), description=SAFETY_NOTE)
    dangerous_content: Threshold | None = Field(default=None, title=_("Safety: dangerous content"), description=SAFETY_NOTE)
    civic_integrity: Threshold | None = Field(default=None, title=_("Safety: civic integrity"), description=SAFETY_NOTE)


class OpenAISettings(ProviderSettings):
    """Settings of OpenAI's Responses API."""

    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = Field(
        default=None,
        title=_("Reasoning effort"),
        description=_("Holds when the user has switched thinking on. Blank: from the thinking budget. No model takes them all."),
    )
    reasoning_summary: Literal["auto", "concise", "detailed"] | None = Field(
        default=None, title=_("Reasoning summary"), description=_("What users see of the reasoning. Blank: auto.")
    )


class AnthropicSettings(ProviderSettings):
    """Settings of Anthropic's Messages API."""

    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = Field(
        default=None,
        title=_("Effort"),
        description=_("Holds when the user has switched thinking on. For models that decide themselves how much they think. Blank: high."),
    )
    thinking_display: Literal["summarized", "omitted"] | None = Field(
        default=None,
        title=_("Thinking display"),
        description=_("Holds when the user has switched thinking on. Omitted: users see none of it. Blank: summarized."),
    )


class CompatibleSettings(ProviderSettings):
    """Settings of a gateway behind an OpenAI-compatible endpoint."""

    # the gateway whose field names the other settings are sent with
    gateway: Literal["openrouter", "vercel"] | None = Field(
        default=None,
        title=_("Gateway"),
        description=_("The settings below are sent in the words of this gateway. Blank: the server is none."),
    )
    order: tuple[Name, ...] = Field(
        default=(), title=_("Providers, in order"), description=_("Asked first, in this order. One on each line.")
    )
    only: tuple[Name, ...] = Field(default=(), title=_("Only these providers"), description=_("One on each line. Blank: all."))
    fallback_models: tuple[Name, ...] = Field(
        default=(), title=_("Fallback models"), description=_("Answer when the model can't, in this order. One on each line.")
    )
    user: str = Field(default="", max_length=120, title=_("User"), description=_("The name under which the gateway counts these requests."))
    tags: tuple[Name, ...] = Field(
        default=(), title=_("Tags"), description=_("For the gateway's reports. One on each line. Not for OpenRouter.")
    )
    provider_timeouts: tuple[ProviderTimeout, ...] = Field(
        default=(),
        title=_("Time limits of providers"),
        description=_(
            "Seconds until a provider begins to answer; then the gateway asks the next. One on each line, such as anthropic: 10. "
            "For providers with keys of your own at the gateway. Not for OpenRouter."
        ),
    )
    zero_data_retention: bool = Field(
        default=False, title=_("Zero data retention"), description=_("Only providers that keep nothing of a request.")
    )

    @model_validator(mode="after")
    def _check_gateway(self) -> CompatibleSettings:
        if self.gateway is None and self.set_values():
            raise ValueError(gettext("Choose the gateway that these settings are for."))
        if self.gateway == "openrouter" and self.tags:
            raise ValueError(gettext("OpenRouter knows no tags."))
        if self.gateway == "openrouter" and self.provider_timeouts:
            raise ValueError(gettext("OpenRouter knows no time limits of providers."))
        return self

    @property
    def timeouts_ms(self) -> dict[str, int]:
        """The time limits by provider, in milliseconds."""
        parts = (line.partition(":") for line in self.provider_timeouts)
        return {name: int(seconds) * 1000 for name, _colon, seconds in parts}
