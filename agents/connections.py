"""The one place where an endpoint of a release gets its key (SPEC 2.5). Keys live in these objects only, as long as a run."""

from __future__ import annotations

from uuid import UUID

from admin_config.release import EndpointSnapshot
from agents.engine.errors import RequestRefused
from agents.keys import KeyOwner, key_for
from agents.providers.base import Connection
from agents.providers.registry import PROVIDERS, adapter_load
from security.egress import checked_client

COMPATIBLE = ("compatible", "demo_compatible")


async def connection_open(endpoint: EndpointSnapshot, organization_id: UUID, owner: KeyOwner) -> Connection:
    """The endpoint with the key that may be used there for `owner`. Raises KeyMissing, RequestRefused."""
    if endpoint.provider not in PROVIDERS:
        raise RequestRefused(f"The provider {endpoint.provider} is not supported.")
    await adapter_load(endpoint.provider)
    return Connection(
        base_url=endpoint.base_url,
        api_version=endpoint.api_version,
        key=await key_for(endpoint, organization_id, owner),
        timeout_s=endpoint.timeout_s,
        options=endpoint.compatible_options.model_dump() if endpoint.provider in COMPATIBLE else {},
        http=checked_client(),
    )


class RunConnections:
    """The connections of one run. Each is opened when its endpoint is first asked, so a key that is not used is not opened."""

    def __init__(self, organization_id: UUID, owner: KeyOwner) -> None:
        self.organization_id = organization_id
        self._owner = owner
        self._opened: dict[UUID, Connection] = {}

    async def open(self, endpoint: EndpointSnapshot) -> Connection:
        """See `connection_open`; the same one each time."""
        if endpoint.id not in self._opened:
            self._opened[endpoint.id] = await connection_open(endpoint, self.organization_id, self._owner)
        return self._opened[endpoint.id]
