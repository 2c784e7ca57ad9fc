"""Who asks, and what a refused request is answered with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

import structlog
from django.utils.translation import gettext
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from chat.openai_api.errors import public_error
from tenants.errors import NotAllowed
from tenants.rest.http import OrganizationRequest

log = structlog.get_logger(__name__)

Context = ServerRequestContext[Any, Any]
Params = TypeVar("Params")
Result = TypeVar("Result")


def request_of(context: Context, *, scope: str = "chat") -> OrganizationRequest:
    """Return the HTTP request of a message, with its actor and token. Raises NotAllowed when the token lacks the scope."""
    assert context.request is not None  # chat.mcp_server.sdk_bridge sends it along
    request: OrganizationRequest = context.request.scope["parley.request"]
    if request.token is None or scope not in request.token.scopes:
        raise NotAllowed(gettext('This API token lacks the scope "%(needed)s".') % {"needed": scope})
    return request


def handler(answer: Callable[[Context, Params], Awaitable[Result]]) -> Callable[[Context, Params], Awaitable[Result]]:
    """Decorate a handler so that its errors become errors of the protocol, with Parley's words and code."""

    @wraps(answer)
    async def handle(context: Context, params: Params) -> Result:
        try:
            return await answer(context, params)
        except MCPError:
            raise
        except Exception as exc:
            error = public_error(exc)
            if error.status == 500:
                log.exception("mcp_server_failed", method=context.method)
            raise MCPError(INVALID_PARAMS if error.status < 500 else INTERNAL_ERROR, str(error.message), {"code": error.code}) from None

    return handle
