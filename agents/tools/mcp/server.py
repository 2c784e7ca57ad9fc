"""Where an MCP server is and what it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
