"""The organization's policy on members' own keys, and the endpoint that each provider's key is sent to (SPEC 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from admin_config.defaults.github import GITHUB, GITHUB_LABEL, GITHUB_URL
from admin_config.defaults.platform import PROVIDERS
from admin_config.errors import RunConfigError
from admin_config.models import ProviderEndpoint
from admin_config.release import EndpointSnapshot
from admin_config.services.github_endpoints import github_endpoint
from admin_config.services.selectors import live_release
from security.egress import EgressRefused, origin_of
from tenants.context import current_organization_id
from tenants.errors import NotAllowed
from tenants.postgres.prepared_statements import read_rows

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PLATFORM_KEY = gettext_noop("platform's key")
NO_KEY = gettext_noop("missing")


class OwnKeysNotAllowed(NotAllowed):
    """The organization does not allow members' own keys."""

    code = "own_keys_not_allowed"
    message = gettext_lazy(
        "This organization does not let its members use their own API keys. An owner or admin can allow it in the admin's settings."
    )
    action = "settings"


API_KEY: Final = gettext_lazy("API key")


@dataclass(frozen=True, slots=True)
class KeyDestination:
    """The endpoint that a provider's keys are sent to."""

    label: str
    endpoint: EndpointSnapshot  # the one that the live release prefers
    origin: str  # scheme, host and port of the endpoint


@dataclass(frozen=True, slots=True)
class KeyService:
    """Something that members may have a key for."""

    label: str
    base_url: str
    takes_key: bool = True
    needs_key: bool = True
    is_shared: bool = True  # organizations have a key for it, too
    word: StrOrPromise = API_KEY  # what such a key is called there


def key_services() -> dict[str, KeyService]:
    """Return the services by the name under which members' keys are stored: the providers in their usual order, then GitHub."""
    providers = {name: KeyService(p.label, p.base_url, takes_key=p.takes_key, needs_key=p.needs_key) for name, p in PROVIDERS.items()}
    return {**providers, GITHUB: KeyService(GITHUB_LABEL, GITHUB_URL, is_shared=False, word=gettext("access token"))}


def own_keys_allowed() -> bool:
    """Return whether members of the current organization may use their own keys now. One query; not part of a release."""
    rows = read_rows("SELECT own_keys_allowed FROM admin_config_appsettings WHERE organization_id = %s", [current_organization_id()])
    return bool(rows and rows[0][0])


def own_keys_check(allowed: bool | None = None) -> None:
    """Raise OwnKeysNotAllowed if members may not use their own keys. `allowed`: whether they may, if it has just been read."""
    if not (own_keys_allowed() if allowed is None else allowed):
        raise OwnKeysNotAllowed


def key_destinations(*, organization_id: UUID) -> dict[str, KeyDestination]:
    """Return the destinations by provider: the enabled providers in their usual order, then GitHub.

    Empty before anything was published. Needs the organization's `tenant_tx`.
    """
    try:
        snapshot = live_release(organization_id=organization_id).snapshot
    except RunConfigError:
        return {}
    endpoints = (*snapshot.endpoints, *filter(None, [github_endpoint(snapshot)]))
    best = {endpoint.provider: endpoint for endpoint in reversed(endpoints) if endpoint.base_url}
    places = {name: _key_destination(taker.label, best[name]) for name, taker in key_services().items() if taker.takes_key and name in best}
    return {name: place for name, place in places.items() if place is not None}


def is_default_origin(provider: str, url: str) -> bool:
    """Return whether `url` leads to the provider's own address, not to one that an admin entered."""
    taker = key_services().get(provider)
    return taker is not None and bool(taker.base_url) and same_origin(taker.base_url, url)


def platform_key(provider: str, url: str) -> str:
    """Return the platform's own key for requests to `url`; empty if there is none. It is sent only to the provider's own address."""
    return str(settings.PROVIDER_KEYS.get(provider, "")) if is_default_origin(provider, url) else ""


def key_state(endpoint: ProviderEndpoint) -> str:
    """Return in words which key the organization's requests to the endpoint carry. `secret` must be loaded."""
    defaults = PROVIDERS[endpoint.provider]
    if endpoint.secret:
        return str(endpoint.secret)
    if platform_key(endpoint.provider, endpoint.base_url or defaults.base_url):
        return PLATFORM_KEY
    return NO_KEY if defaults.needs_key else gettext("not needed")


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
