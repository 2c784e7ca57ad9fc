"""An MCP server: its address and headers, the addresses that admins may enter, and the errors that it can cause.

The errors' messages are for users and for the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from security.egress.urls import https_check
from security.known_secrets import EchoFilter
from security.secrets.secret_text import SecretText

TIMEOUT_S = 30
MIN_SECRET_CHARS = 4  # characters; shorter values would also be removed from ordinary words
PUBLIC_HEADERS = frozenset({"x-mcp-toolsets", "x-mcp-readonly"})  # our own headers, which hold no secret


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """How to reach a server and what to send to it."""

    label: str  # its name in messages
    url: str = ""
    stdio_server: str = ""  # a name in settings.MCP_STDIO_SERVERS
    headers: Mapping[str, SecretText] = field(default_factory=dict, repr=False)  # sent to the server at `url` only
    timeout_s: int = TIMEOUT_S

    def hide_keys(self, text: str) -> str:
        """Return `text` without the keys in the headers, in any form: a server may send back what it received."""
        values = (header.reveal() for name, header in self.headers.items() if name.lower() not in PUBLIC_HEADERS)
        secrets = (value.removeprefix("Bearer ") for value in values)
        return EchoFilter.removing(*(secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS)).hide(text)


def validate_address(url: str) -> str:
    """Return `url`, which may be empty. Raises ValueError for plain http, unless the operator listed the server."""
    if url:
        https_check(url)
    return url


class McpError(Exception):
    """The server gave no usable answer. The message is a plain sentence without secrets."""


class McpUnauthorized(McpError):
    """The server did not accept the key."""


class McpDisconnected(McpError):
    """The connection or the session ended. It is unknown whether the call was carried out, unless `was_refused`."""

    was_refused = False  # the server has certainly not carried it out


class McpSessionLost(McpDisconnected):
    """The server has forgotten the session."""

    def __init__(self, message: str, *, was_refused: bool) -> None:
        super().__init__(message)
        self.was_refused = was_refused


def disconnected_error(server: str) -> McpDisconnected:
    return McpDisconnected(f"{server} ended the connection before it had answered.")


def session_lost_error(server: str, *, was_refused: bool) -> McpSessionLost:
    outcome = "The call was not carried out" if was_refused else "It is unknown whether the call was carried out"
    return McpSessionLost(f"{server} has ended the session. {outcome}. The next call begins a new session.", was_refused=was_refused)
