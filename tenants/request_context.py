"""Who sent the work that is being done: set by the rim (HTTP, sockets, Celery), read by the audit log.

The context variable follows await, create_task and sync_to_async.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from ipaddress import IPv6Address, ip_address
from typing import Any
from uuid import UUID

MAX_USER_AGENT_CHARS = 200


@dataclass(slots=True)
class RequestContext:
    """One request, socket or task. Authentication fills in who acts after the request has begun."""

    request_id: str
    address: str = ""  # of the client, an IP address; empty for tasks
    user_agent: str = ""
    session_key: str = field(default="", repr=False)  # as the cookie has it: whether it is valid is not known here
    organization_id: UUID | None = None  # of the member who acts
    actor_user_id: int | None = None
    token_id: UUID | None = None
    run_id: UUID | None = None


_current: ContextVar[RequestContext | None] = ContextVar("parley_request", default=None)
_NOTHING = RequestContext("")


def current_request() -> RequestContext:
    """Return the context of the work that is being done; an empty one outside of requests and tasks."""
    return _current.get() or _NOTHING


@contextmanager
def request_context(context: RequestContext) -> Iterator[RequestContext]:
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)


def enter_request_context(context: RequestContext | None) -> None:
    """Set the context of this task or thread from here on. None: there is none any more."""
    _current.set(context)


def enter_run(run_id: UUID, organization_id: UUID) -> None:
    """Say that this task works on a run from here on. The request that began it keeps its own context."""
    _current.set(replace(current_request(), run_id=run_id, organization_id=organization_id))


def note_actor(organization_id: UUID, user_id: int, token_id: UUID | None = None) -> None:
    """Say which member the request was authenticated as, and by which API token, if any."""
    context = _current.get()
    if context is not None:
        context.organization_id, context.actor_user_id, context.token_id = organization_id, user_id, token_id


def context_of(
    request_id: str, peer: object, headers: Mapping[str, str], cookies: Mapping[str, Any], session_cookie: str
) -> RequestContext:
    """Return the context of a request. The web server has already put the client behind a trusted proxy in the place of `peer`."""
    agent = "".join(character for character in headers.get("user-agent", "") if character.isprintable())
    return RequestContext(request_id, client_address(peer), agent[:MAX_USER_AGENT_CHARS], str(cookies.get(session_cookie, "")))


def client_address(peer: object) -> str:
    """Return the peer's IP address in its shortest form; empty when it is none, such as a Unix socket."""
    try:
        address = ip_address(str(peer))
    except ValueError:
        return ""
    ipv4 = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(ipv4 or address).partition("%")[0]
