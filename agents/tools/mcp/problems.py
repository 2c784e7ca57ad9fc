"""The SDK's errors in our words."""

from __future__ import annotations

from collections.abc import Iterator

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from agents.tools.mcp.errors import McpFailed, McpUnauthorized, gone
from agents.tools.mcp.server import McpServer
from security.egress import EgressRefused
from security.redaction import redact

TOLD_LIMIT = 300  # characters of a server's own words


def mcp_problem(error: BaseException, *, server: McpServer, status: int | None) -> McpFailed:
    """`error` as one of ours, without the server's key. `status`: the last bad status that the server answered with; the SDK's errors don't tell it."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, McpFailed | EgressRefused):
            return cause if isinstance(cause, McpFailed) else McpFailed(str(cause))
    if status is not None:
        return _of_status(status, server.label)
    if any(isinstance(cause, FileNotFoundError | PermissionError) for cause in causes):
        return McpFailed(f"{server.label} can't be started: its program is missing.")
    told = next((cause.error for cause in causes if isinstance(cause, MCPError)), None)
    if told is None:
        return McpFailed(f"{server.label} can't be reached, or does not speak the Model Context Protocol.")
    if told.code == REQUEST_TIMEOUT:
        return McpFailed(f"{server.label} did not answer in time.")
    if told.code == CONNECTION_CLOSED:
        return gone(server.label)
    return McpFailed(f"{server.label} refused the request: {redact(server.hidden(told.message))[:TOLD_LIMIT]}")


def _of_status(status: int, server: str) -> McpFailed:
    match status:
        case 401 | 403:
            return McpUnauthorized(f"{server} did not accept the key (status {status}).")
        case 429:
            return McpFailed(f"{server} gets too many requests just now (status 429). Try again later.")
        case _ if status >= 500:
            return McpFailed(f"{server} has a fault of its own (status {status}). Try again later.")
        case _:
            return McpFailed(f"{server} answered with status {status}. Check its address.")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The errors inside groups of errors, and what led to each."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _causes(inner)
        return
    yield error
    if error.__cause__ is not None:
        yield from _causes(error.__cause__)
