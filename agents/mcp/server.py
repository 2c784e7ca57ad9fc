"""Where an MCP server is and what it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from security.secret_text import SecretText

TIMEOUT_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """`label`: its name in messages. `headers` go to the server of `url` only. `stdio_server`: a name in settings.MCP_STDIO_SERVERS."""

    label: str
    url: str = ""
    stdio_server: str = ""
    headers: Mapping[str, SecretText] = field(default_factory=dict, repr=False)
    timeout_s: int = TIMEOUT_S
