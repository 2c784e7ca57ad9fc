"""The organization's policy on keys that its members bring, and where each provider's key goes (SPEC 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from admin_config.defaults.github import GITHUB, GITHUB_LABEL, GITHUB_URL
from admin_config.defaults.platform import PROVIDERS
from admin_config.errors import RunConfigError
from admin_config.models import AppSettings
from admin_config.release import EndpointSnapshot
from admin_config.services.github_endpoints import github_endpoint
from admin_config.services.selectors import live_release
from security.egress import EgressRefused, origin_of
from tenants.errors import NotAllowed
from tenants.postgres.prepared_select import BoundSelect, PreparedSelect

OWN_KEYS_REFUSED = (
    "This organization does not let its members use their own API keys. An owner or admin can allow it in the admin's settings."
)


class OwnKeysNotAllowed(NotAllowed):
    code = "own_keys_not_allowed"
    message = OWN_KEYS_REFUSED
    action = "settings"


@dataclass(frozen=True, slots=True)
class KeyDestination:
    """A provider that takes keys, and the origin (scheme, host, port) of the endpoint that the live release prefers."""

    label: str
    endpoint: EndpointSnapshot
    origin: str


@dataclass(frozen=True, slots=True)
class KeyService:
    """Something that members may have a key for. `word`: what such a key is called there; `is_shared`: organizations have one, too."""

    label: str
    base_url: str
    takes_key: bool = True
    needs_key: bool = True
    is_shared: bool = True
    word: str = "API key"


def key_services() -> dict[str, KeyService]:
    """By the name under which members' keys are kept: the providers in their usual order, then GitHub."""
    providers = {name: KeyService(p.label, p.base_url, takes_key=p.takes_key, needs_key=p.needs_key) for name, p in PROVIDERS.items()}
    return {**providers, GITHUB: KeyService(GITHUB_LABEL, GITHUB_URL, is_shared=False, word="access token")}


def own_keys_allowed() -> bool:
    """Whether members of the current organization may use their own keys now. One query; no release keeps it."""
    return bool(_ALLOWED.rows())


def own_keys_allowed_select() -> BoundSelect[Any]:
    """What `own_keys_allowed` asks the database."""
    return _ALLOWED.bind()


_ALLOWED = PreparedSelect(lambda: AppSettings.objects.filter(own_keys_allowed=True).values_list("pk")[:1])


def own_keys_check() -> None:
    """Raises OwnKeysNotAllowed."""
    if not own_keys_allowed():
        raise OwnKeysNotAllowed


def key_destinations(*, organization_id: UUID) -> dict[str, KeyDestination]:
    """By provider, the enabled ones in their usual order, then GitHub; none before anything was published. Needs the organization's `tenant_tx`."""
    try:
        snapshot = live_release(organization_id=organization_id).snapshot
    except RunConfigError:
        return {}
    endpoints = (*snapshot.endpoints, *filter(None, [github_endpoint(snapshot)]))
    best = {endpoint.provider: endpoint for endpoint in reversed(endpoints) if endpoint.base_url}
    places = {name: _key_destination(taker.label, best[name]) for name, taker in key_services().items() if taker.takes_key and name in best}
    return {name: place for name, place in places.items() if place is not None}


def is_default_origin(provider: str, url: str) -> bool:
    """Whether `url` leads to the provider's own address, and not to one that an admin entered."""
    taker = key_services().get(provider)
    return taker is not None and bool(taker.base_url) and same_origin(taker.base_url, url)


def same_origin(first: str, second: str) -> bool:
    try:
        return origin_of(first) == origin_of(second)
    except EgressRefused:
        return False


def _key_destination(label: str, endpoint: EndpointSnapshot) -> KeyDestination | None:
    try:
        return KeyDestination(label, endpoint, origin_of(endpoint.base_url))
    except EgressRefused:
        return None
