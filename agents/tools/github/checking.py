"""One cheap call that tells whether GitHub takes a token: who it belongs to."""

from __future__ import annotations

from agents.providers.key_check import KeyVerdict
from agents.tools.github.settings import GithubSettings
from agents.tools.mcp.errors import McpError, McpUnauthorized
from agents.tools.mcp.loading import new_connection
from security.secret_text import SecretText

TIMEOUT_S = 15
REFUSED = "GitHub does not accept this token. Check that it is whole, and that it was not withdrawn or has ended."


async def token_check(url: str, token: SecretText) -> KeyVerdict:
    """What the server at `url` says to the token."""
    connection = await new_connection(GithubSettings(toolsets=("context",), timeout_s=TIMEOUT_S).server(url, token))
    try:
        await connection.tools()
    except McpUnauthorized:
        return KeyVerdict("refused", REFUSED)
    except McpError as error:
        return KeyVerdict("unreachable", str(error))
    finally:
        await connection.aclose()
    return KeyVerdict("ok", "GitHub accepts this token.")
