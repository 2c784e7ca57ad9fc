"""The organization's policy on keys that its members bring, and where each provider's key goes (SPEC 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from admin_config.defaults import PROVIDERS
from admin_config.errors import RunConfigError
from admin_config.models import AppSettings
from admin_config.release import EndpointSnapshot
from admin_config.selectors import live_release
from security.egress import EgressRefused, origin_of
from tenants.errors import NotAllowed

REFUSED = "This organization does not let its members use their own API keys. An owner or admin can allow it in the admin's settings."


class OwnKeysNotAllowed(NotAllowed):
    code = "own_keys_not_allowed"
    message = REFUSED
    action = "settings"


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A provider that takes keys, and the origin (scheme, host, port) of the endpoint that the live release prefers."""

    label: str
    endpoint: EndpointSnapshot
    origin: str


def own_keys_allowed() -> bool:
    """Whether members of the current organization may use their own keys now. One query; no release keeps it."""
    return AppSettings.objects.filter(own_keys_allowed=True).exists()


def own_keys_check() -> None:
    """Raises OwnKeysNotAllowed."""
    if not own_keys_allowed():
        raise OwnKeysNotAllowed


def key_places(*, organization_id: UUID) -> dict[str, KeyPlace]:
    """By provider, the enabled ones in their usual order; none before anything was published. Needs the organization's `tenant_tx`."""
    try:
        endpoints = live_release(organization_id=organization_id).snapshot.endpoints
    except RunConfigError:
        return {}
    best = {endpoint.provider: endpoint for endpoint in reversed(endpoints) if endpoint.base_url}
    places = {name: _place(defaults.label, best[name]) for name, defaults in PROVIDERS.items() if defaults.takes_key and name in best}
    return {name: place for name, place in places.items() if place is not None}


def is_default_origin(provider: str, url: str) -> bool:
    """Whether `url` leads to the provider's own address, and not to one that an admin entered."""
    return provider in PROVIDERS and bool(PROVIDERS[provider].base_url) and same_origin(PROVIDERS[provider].base_url, url)


def same_origin(first: str, second: str) -> bool:
    try:
        return origin_of(first) == origin_of(second)
    except EgressRefused:
        return False


def _place(label: str, endpoint: EndpointSnapshot) -> KeyPlace | None:
    try:
        return KeyPlace(label, endpoint, origin_of(endpoint.base_url))
    except EgressRefused:
        return None
