"""Connections to GitHub for one member (SPEC 4.3), and the check whether GitHub accepts a token."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from django.utils.translation import gettext, gettext_noop

from admin_config.release import ToolSourceSnapshot
from admin_config.services.github_endpoints import demo_url, source_endpoint
from agents.runtime.key_lookup import KeyOwner, key_for
from agents.tools.github.settings import GithubSettings
from agents.tools.mcp.loading import new_connection
from agents.tools.mcp.server import McpError, McpUnauthorized

if TYPE_CHECKING:
    from agents.tools.mcp.connection import McpConnection
from agents.providers.key_check import KeyVerdict
from security.secrets.secret_text import SecretText

REFUSAL = "GitHub did not accept your access token. Enter another one in your settings under “API keys”."
TIMEOUT_S = 15
CHECK_REFUSED = gettext_noop("GitHub does not accept this token. Check that it is whole, and that it was not withdrawn or has ended.")


@dataclass(frozen=True, slots=True)
class GithubCaller:
    """Whose token is used."""

    organization_id: UUID
    key_owner: KeyOwner


async def github_connection(
    source: ToolSourceSnapshot, *, provider: str, caller: GithubCaller, exit_stack: AsyncExitStack
) -> McpConnection:
    """Return a connection, which `exit_stack` closes. Raises KeyMissing.

    `provider` is the working agent's: the demo provider has a GitHub of its own, without tokens.
    """
    settings = GithubSettings.model_validate(source.settings)
    url, token = demo_url(provider), None
    if not url:
        endpoint = source_endpoint(source.id, source.settings)
        url, token = endpoint.base_url, (await key_for(endpoint, caller.organization_id, caller.key_owner)).text
    connection = await new_connection(settings.server(url, token))
    exit_stack.push_async_callback(connection.aclose)
    return connection


def github_error_text(error: McpError) -> str:
    """Return why GitHub gave no answer, and what helps."""
    return REFUSAL if isinstance(error, McpUnauthorized) else str(error)


async def token_check(url: str, token: SecretText) -> KeyVerdict:
    """Check the token at the server `url` with one cheap call, listing the tools."""
    connection = await new_connection(GithubSettings(toolsets=("context",), timeout_s=TIMEOUT_S).server(url, token))
    try:
        await connection.tools()
    except McpUnauthorized:
        return KeyVerdict("refused", gettext(CHECK_REFUSED))
    except McpError as error:
        return KeyVerdict("unreachable", str(error))
    finally:
        await connection.aclose()
    return KeyVerdict("ok", gettext("GitHub accepts this token."))
