"""The view of the MCP server: a POST with an API token, answered by the SDK while the token's access lasts."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt

from chat.api.sse import while_access_lasts
from tenants.authentication.tokens import bearer_token
from tenants.errors import NotSignedIn
from tenants.rest.http import OrganizationRequest, error_response, organization_view
from tenants.rest.throttles import rate_check_async

if TYPE_CHECKING:
    from chat.mcp_server.sdk_bridge import SdkExchange

TOKEN_HINT = gettext_lazy('Send one of your Parley API tokens with the scope "chat" (Authorization: Bearer parley_...).')


@csrf_exempt  # sessions give no access here, only tokens
async def mcp(request: HttpRequest, slug: str | None = None) -> HttpResponseBase:
    """Answer one message of an MCP client. The server keeps no session and sends nothing unasked, so it takes POST alone.

    Source: MCP 2025-11-25 and 2026-07-28, "Streamable HTTP".
    """
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        if bearer_token(request.headers.get("Authorization")) is None:
            raise NotSignedIn(TOKEN_HINT)
        response: HttpResponseBase = await _answer(request, slug=slug)
    except NotSignedIn as error:
        response = error_response(error)
        response["WWW-Authenticate"] = "Bearer"
    return response


@organization_view(scope="chat")
async def _answer(request: OrganizationRequest) -> Any:
    await rate_check_async("read", request.actor, request.token)
    exchange = await _exchange(request)
    try:
        return await while_access_lasts(request, exchange.response())
    except BaseException:
        await exchange.close()
        raise


async def _exchange(request: OrganizationRequest) -> SdkExchange:
    """Load the SDK with the first client's message, beside the event loop: it is a sixth of a process's start, and few have such clients."""
    bridge = await asyncio.get_running_loop().run_in_executor(None, import_module, "chat.mcp_server.sdk_bridge")
    exchange: SdkExchange = bridge.SdkExchange(request)
    return exchange
