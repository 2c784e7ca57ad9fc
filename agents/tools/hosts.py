"""Where tools send to, and the hosts that an organization never calls (docs/security.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from admin_config.services.selectors import never_hosts
from agents.engine.ports import Tool, ToolContext, ToolOutcome, ToolTraits
from agents.engine.taint import host_matches
from agents.errors import ToolFailed
from agents.messages import ToolDefinition
from agents.tools.base import LoadedTools
from security.audit import count_event
from security.egress import EgressRefused
from security.egress.urls import DEFAULT_PORTS, in_fetch_allowlist, parse_target
from tenants.db import in_db
from tenants.request_context import current_request

NEVER_CALLED = "This organization does not allow calls to {host}. Do not try again; say so, and go on without it."


def host_of_url(url: str) -> str:
    """Return the host of `url` as the egress client would call it, with a port that is not the usual one; "" for no usable address."""
    try:
        target = parse_target(url, in_fetch_allowlist)
    except EgressRefused:
        return _admin_host(url)
    return _authority(target.scheme, target.host, target.port)


def _admin_host(url: str) -> str:
    try:
        target = parse_target(url)  # an address that only an admin may enter
    except EgressRefused:
        return ""
    return _authority(target.scheme, target.host, target.port)


def _authority(scheme: str, host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host.rstrip(".")
    return name if port == DEFAULT_PORTS[scheme] else f"{name}:{port}"


def fixed_destination(url: str) -> Callable[[Mapping[str, Any]], str]:
    """Return the `ToolTraits.destination` of a tool whose address an admin entered."""
    host = host_of_url(url)
    return lambda arguments: host


class HostNeverCalled(ToolFailed):
    """The organization never calls the host. Its message is for the model."""

    def __init__(self, host: str) -> None:
        super().__init__(NEVER_CALLED.format(host=host))
        self.host = host


async def check_never_hosts(host: str, *, tool: str, organization_id: UUID) -> None:
    """Raise HostNeverCalled when the organization never calls `host`, as its settings say now. The refusal is counted for the audit log."""
    if host and host_matches(host, await in_db(never_hosts, organization_id=organization_id), any_port=True):
        _count_refusal(organization_id, host, tool)
        raise HostNeverCalled(host)


def _count_refusal(organization_id: UUID, host: str, tool: str) -> None:
    """Count the refusal: a model may ask a hundred times a minute."""
    count_event(
        organization_id=organization_id,
        actor_user_id=current_request().actor_user_id,
        action="egress.refuse",
        object_kind="host",
        object_id=host,
        object_label=host,
        outcome="refused",
        detail={"tool": tool, "reason": "the organization never calls this host"},
    )


def guard_tools(loaded_tools: LoadedTools, organization_id: UUID) -> LoadedTools:
    """Return the tools; those that send something out call no host that the organization never calls."""
    return replace(
        loaded_tools, tools=[GuardedTool(tool, organization_id) if tool.traits.destination else tool for tool in loaded_tools.tools]
    )


@dataclass(frozen=True, slots=True)
class GuardedTool:
    """Implements `Tool`."""

    tool: Tool
    organization_id: UUID

    @property
    def definition(self) -> ToolDefinition:
        return self.tool.definition

    @property
    def traits(self) -> ToolTraits:
        return self.tool.traits

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        host = self.traits.host_of(arguments)
        await check_never_hosts(host, tool=self.definition.name, organization_id=self.organization_id)
        return await self.tool.run(arguments, context)
