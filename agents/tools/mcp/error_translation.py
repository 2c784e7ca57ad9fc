"""Translates the MCP SDK's errors into ours."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from agents.tools.mcp.server import McpError, McpServer, McpUnauthorized, disconnected_error, session_lost_error
from security.egress import EgressRefused, words_for_model
from security.redaction import redact

MAX_SERVER_MESSAGE_CHARS = 300  # of a server's own message
UNREACHABLE = "{server} can't be reached, or does not speak the Model Context Protocol."
_TIME = re.compile(r"tim(?:ed?|ing)[ -]?out", re.IGNORECASE)


def translate_error(error: BaseException, *, server: McpServer, status: int | None, has_lost_session: bool = False) -> McpError:
    """Return `error` as an McpError without the server's key.

    `status`: the last bad status of the server's answers; `has_lost_session`: they said that the session is gone. The SDK's errors contain
    neither.
    """
    if has_lost_session:
        return session_lost_error(server.label, was_refused=True)
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, McpError | EgressRefused):
            return cause if isinstance(cause, McpError) else McpError(words_for_model(cause, UNREACHABLE.format(server=server.label)))
    if status is not None:
        return _status_error(status, server.label)
    if any(isinstance(cause, FileNotFoundError | PermissionError) for cause in causes):
        return McpError(f"{server.label} can't be started: its program is missing.")
    server_error = next((cause.error for cause in causes if isinstance(cause, MCPError)), None)
    if server_error is None:
        return McpError(UNREACHABLE.format(server=server.label))
    if server_error.code == REQUEST_TIMEOUT:  # also what servers give an unknown session
        if server.stdio_server or _TIME.search(server_error.message):
            return McpError(f"{server.label} did not answer in time.")
        return session_lost_error(server.label, was_refused=False)
    if server_error.code == CONNECTION_CLOSED:
        return disconnected_error(server.label)
    return McpError(f"{server.label} refused the request: {redact(server.hide_keys(server_error.message))[:MAX_SERVER_MESSAGE_CHARS]}")


def _status_error(status: int, server: str) -> McpError:
    match status:
        case 401 | 403:
            return McpUnauthorized(f"{server} did not accept the key (status {status}).")
        case 429:
            return McpError(f"{server} gets too many requests just now (status 429). Try again later.")
        case _ if status >= 500:
            return McpError(f"{server} has a fault of its own (status {status}). Try again later.")
        case _:
            return McpError(f"{server} answered with status {status}. Check its address.")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors inside exception groups, and their causes."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _causes(inner)
        return
    yield error
    if error.__cause__ is not None:
        yield from _causes(error.__cause__)
