"""Connections to the endpoints of a release: the only place where an endpoint gets its key (SPEC 2.5).

Keys are held only by these objects, for the duration of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from uuid import UUID

from admin_config.defaults.platform import PROVIDERS
from admin_config.defaults.wires import WIRES
from admin_config.errors import RunConfigError
from admin_config.release import EndpointSnapshot, ReleaseSnapshot
from agents.errors import RequestRefused, RunError
from agents.providers.connection import Connection
from agents.runtime.key_lookup import KeyOwner, KeyRows, UsableKey, key_for, key_open
from security.egress import checked_client

PreloadedKeys = Mapping[UUID, UsableKey]
NO_PRELOADED_KEYS: PreloadedKeys = MappingProxyType({})


def preload_first_key(snapshot: ReleaseSnapshot, model_config_id: UUID, owner: KeyOwner, rows: KeyRows | None = None) -> PreloadedKeys:
    """Return the key of the endpoint that a run calls first, by endpoint id. Call it inside the organization's transaction.

    What `rows` has is not read again. Empty when there is no usable key; the model call then reports the reason.
    """
    try:
        endpoints = snapshot.endpoints_of(snapshot.provider_of(model_config_id))
        return {endpoint.id: key_open(endpoint, owner, rows) for endpoint in endpoints[:1]}
    except (RunError, RunConfigError):
        return {}


def first_secret_id(snapshot: ReleaseSnapshot, model_config_id: UUID | None, assistant: str = "") -> UUID | None:
    """Return the id of the organization's own key that `preload_first_key` needs, or None."""
    try:
        endpoints = snapshot.endpoints_of(snapshot.chat_model(model_config_id, assistant)[1].provider)
    except RunConfigError:
        return None
    return endpoints[0].secret_id if endpoints else None


async def connection_open(
    endpoint: EndpointSnapshot, organization_id: UUID, owner: KeyOwner, preloaded_keys: PreloadedKeys = NO_PRELOADED_KEYS
) -> Connection:
    """Return a connection to the endpoint, with the key that `owner` may use there. `preloaded_keys` holds keys that are already loaded.

    Raises KeyMissing, RequestRefused.
    """
    if endpoint.provider not in PROVIDERS:
        raise RequestRefused(f"The provider {endpoint.provider} is not supported.")
    key = preloaded_keys[endpoint.id] if endpoint.id in preloaded_keys else await key_for(endpoint, organization_id, owner)
    return replace(keyless_connection(endpoint), key=key.text, is_member_key=key.is_member_key)


def keyless_connection(endpoint: EndpointSnapshot) -> Connection:
    """Return a connection without a key, for adapters that are only to write a request."""
    return Connection(
        base_url=endpoint.base_url,
        api_version=endpoint.api_version,
        timeout_s=endpoint.timeout_s,
        options=endpoint.compatible_options.model_dump() if WIRES[PROVIDERS[endpoint.provider].wire].takes_capabilities else {},
        http=checked_client(),
    )


class RunConnections:
    """The connections of one run. Each is opened on first use, so that keys that are not needed are never decrypted."""

    def __init__(self, organization_id: UUID, owner: KeyOwner, preloaded_keys: PreloadedKeys = NO_PRELOADED_KEYS) -> None:
        self.organization_id = organization_id
        self._owner = owner
        self._keys = preloaded_keys
        self._connections: dict[UUID, Connection] = {}

    async def open(self, endpoint: EndpointSnapshot) -> Connection:
        """Return the connection to the endpoint, the same one each time. Raises what `connection_open` raises."""
        if endpoint.id not in self._connections:
            self._connections[endpoint.id] = await connection_open(endpoint, self.organization_id, self._owner, self._keys)
        return self._connections[endpoint.id]
