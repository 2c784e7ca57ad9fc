"""Whether endpoints and models can answer, as far as their rows and the last tests of connections tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext_noop as _

from admin_config.defaults.platform import PROVIDERS
from admin_config.models import ModelConfig, ProviderEndpoint
from admin_config.services.endpoints.connection_tests import last_test, saved_endpoint
from admin_config.services.own_keys import NO_KEY, key_state

USABLE, DISABLED = _("usable"), _("disabled")
STATE_COLORS = {
    USABLE: "success",
    DISABLED: "danger",
    _("no address"): "warning",
    _("no key"): "warning",
    _("no model enabled"): "warning",
    _("last test failed"): "danger",
    _("no usable endpoint"): "warning",
    _("not listed by its endpoint"): "warning",
}


def endpoint_state(row: ProviderEndpoint, providers_with_models: Collection[str]) -> str:
    """Return an English word of STATE_COLORS. `secret` must be loaded; `providers_with_models`: those with an enabled model."""
    if not row.is_enabled:
        return DISABLED
    if not saved_endpoint(row).base_url:
        return "no address"
    if key_state(row) == NO_KEY:
        return "no key"
    if (test := last_test(row)) and test.problem:
        return "last test failed"
    return USABLE if row.provider in providers_with_models else "no model enabled"


def providers_with_models() -> set[str]:
    """Return the providers of the current organization that have an enabled model. One query."""
    return set(ModelConfig.objects.filter(is_enabled=True).values_list("provider", flat=True).order_by().distinct())


@dataclass(frozen=True, slots=True)
class ModelPlaces:
    """Where an organization's models are answered. `model_ids`: ids by provider, where each usable endpoint was tested and gave a list."""

    usable: frozenset[str]
    model_ids: dict[str, frozenset[str]]


def model_places(rows: Iterable[ProviderEndpoint]) -> ModelPlaces:
    """Return the places of the endpoints' models. `secret` must be loaded."""
    usable = [row for row in rows if endpoint_state(row, PROVIDERS) == USABLE]
    providers = frozenset(row.provider for row in usable)
    tests = {provider: [last_test(row) for row in usable if row.provider == provider] for provider in providers}
    model_ids = {name: frozenset(model for test in each if test for model in test.models) for name, each in tests.items() if all(each)}
    return ModelPlaces(providers, {provider: ids for provider, ids in model_ids.items() if ids})


def model_state(row: ModelConfig, places: ModelPlaces) -> str:
    """Return an English word of STATE_COLORS."""
    if not row.is_enabled:
        return DISABLED
    if row.provider not in places.usable:
        return "no usable endpoint"
    model_ids = places.model_ids.get(row.provider)
    return USABLE if model_ids is None or row.model_id in model_ids else "not listed by its endpoint"
