"""Endpoints and models, as a release has them."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal
from uuid import UUID

from pydantic import model_validator

from admin_config.defaults.compatible_options import CompatibleOptions
from admin_config.defaults.platform import PROVIDERS, ThinkingStyle
from admin_config.defaults.prices import Price, legacy_prices, price_of_call
from admin_config.release.base import Snapshot


class EndpointSnapshot(Snapshot):
    """Where a provider is reached."""

    id: UUID
    provider: str
    name: str
    base_url: str
    api_version: str
    secret_id: UUID | None  # row of the key; the key itself is never in a release
    priority: int
    timeout_s: int
    tool_mode: Literal["native", "xml"] = "native"
    compatible_options: CompatibleOptions = CompatibleOptions()


class ModelSnapshot(Snapshot):
    """A model that users may choose, with its prices."""

    id: UUID
    provider: str
    model_id: str
    display_name: str
    context_window: int
    max_output_tokens: int
    supports_thinking: bool
    thinking_style: ThinkingStyle
    supports_tools: bool
    is_default: bool
    supports_images: bool = False
    supports_pdf: bool = False
    builtin_tools: tuple[str, ...] = ()
    reasons: bool | None = None
    prices: tuple[Price, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _fill_legacy_prices(cls, content: Any) -> Any:
        if not isinstance(content, dict) or "prices" in content:
            return content
        return {**content, "prices": legacy_prices(content)}

    def cost_usd(
        self,
        *,
        day: date,
        fresh_input: int,
        cached_input: int,
        output: int,
        thinking: int,
        cache_write: int = 0,
        images: int = 0,
        searches: int = 0,
        pictures: int = 0,
    ) -> float | None:
        """Return the cost in US dollars of one call on that day (UTC), or None when the model has no price for what it used."""
        price = price_of_call(self.prices, day=day, prompt_tokens=fresh_input + cached_input + cache_write)
        if price is None:
            return None
        return price.cost_usd(
            fresh_input=fresh_input,
            cached_input=cached_input,
            output=output,
            thinking=thinking,
            cache_write=cache_write,
            images=images,
            searches=searches,
            pictures=pictures,
        )


def endpoint_with_demo_url(endpoint: EndpointSnapshot, url: str) -> EndpointSnapshot:
    """Return a demo endpoint with its address; every other endpoint as it is."""
    path = PROVIDERS[endpoint.provider].demo_path if endpoint.provider in PROVIDERS else None
    if endpoint.base_url or not url or path is None:
        return endpoint
    return endpoint.model_copy(update={"base_url": url.rstrip("/") + path})
