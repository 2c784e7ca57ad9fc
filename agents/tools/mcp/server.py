"""Where an MCP server is and what it is sent.

Which addresses an admin may enter for an MCP server.

What can go wrong with an MCP server, in words for the person at the screen and for the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from security.egress import EgressRefused
from security.egress.urls import in_egress_allowlist, parse_target
from security.redaction import REDACTED
from security.secret_text import SecretText

TIMEOUT_S = 30
MIN_SECRET_CHARS = 4  # characters: what is shorter would be taken out of ordinary words
PUBLIC_HEADERS = frozenset({"x-mcp-toolsets", "x-mcp-readonly"})  # headers of ours that hold no secret


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """`label`: its name in messages. `headers` go to the server of `url` only. `stdio_server`: a name in settings.MCP_STDIO_SERVERS."""

    label: str
    url: str = ""
    stdio_server: str = ""
    headers: Mapping[str, SecretText] = field(default_factory=dict, repr=False)
    timeout_s: int = TIMEOUT_S

    def hidden(self, text: str) -> str:
        """`text` without the key that the headers carry: a server may send back what it was sent."""
        for value in (header.reveal() for name, header in self.headers.items() if name.lower() not in PUBLIC_HEADERS):
            secret = value.removeprefix("Bearer ")
            text = text.replace(secret, REDACTED) if len(secret) >= MIN_SECRET_CHARS else text
        return text


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


class McpError(Exception):
    """The server gave no usable answer. The text is a plain sentence without secrets."""


class McpUnauthorized(McpError):
    """The server did not take the key."""


class McpDisconnected(McpError):
    """The connection ended. Whether the call was carried out is not known."""


def disconnected(server: str) -> McpDisconnected:
    return McpDisconnected(f"{server} ended the connection before it had answered.")
