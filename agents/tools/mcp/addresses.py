"""Which addresses an admin may enter for an MCP server."""

from __future__ import annotations

from security.egress import EgressRefused
from security.egress.urls import in_egress_allowlist, parse_target


def validate_address(url: str) -> str:
    """`url`, or ValueError. Empty is no address; plain http only where the operator listed the server."""
    if not url:
        return url
    try:
        target = parse_target(url)
    except EgressRefused as exc:
        raise ValueError(str(exc)) from exc
    if target.scheme != "https" and not in_egress_allowlist(target.host, target.port):
        raise ValueError("The address must start with https://.")
    return url
