"""From a provider's name to its adapter and its model. The tables are in admin_config.defaults: `providers` and `wires`."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

from admin_config.defaults.providers import PROVIDERS
from admin_config.defaults.wires import WIRES
from agents.engine.ports import LanguageModel
from agents.errors import KeyMissing, RequestRefused
from agents.providers.connection import Connection
from agents.providers.provider_model import ProviderModel


def adapter_class(provider: str) -> type[ProviderModel[Any]]:
    """Return the class of the provider's adapter, imported on first use."""
    adapter: type[ProviderModel[Any]] = resolve_name(WIRES[PROVIDERS[provider].wire].adapter)
    return adapter


def language_model(provider: str, connection: Connection) -> LanguageModel:
    """Return the provider's model behind `connection`, without retries. Raises KeyMissing, or RequestRefused for an unknown provider."""
    spec = PROVIDERS.get(provider)
    if spec is None:
        raise RequestRefused(f"The provider {provider} is not supported.")
    if spec.needs_key and connection.key is None:
        raise KeyMissing(f"There is no API key for {spec.label}. An admin can enter one in the admin, at the provider's endpoint.")
    return adapter_class(provider)(connection, provider)
