"""The socket of a member: who may open it, how many, and when it is closed. The consumers in other modules say what it carries."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NoReturn

import structlog
from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext_lazy
from structlog.contextvars import bind_contextvars

from chat.api.access_watch import AccessWatch, WatchedConnection
from chat.api.frames import MAX_SEND_BYTES, FrameTooLong
from chat.api.socket_limits import SocketLimits
from security.audit.refusals import refusal_count
from telemetry.families import ERRORS, SOCKETS
from tenants.access import Actor
from tenants.authentication.session_auth import socket_member
from tenants.authentication.sessions import session_hash
from tenants.errors import (
    Busy,
    NotFound,
    NotSignedIn,
    OrganizationSuspended,
    ParleyError,
    SecondFactorNeeded,
    SignOnNeeded,
    TooManyRequests,
    Unavailable,
)
from tenants.localization.language import socket_language_use
from tenants.redis.clients import REDIS_ERRORS
from tenants.request_context import current_request
from tenants.rest.throttles import rate_check_async

log = structlog.get_logger(__name__)

CLOSE_ACCESS_ENDED = 4403
CLOSE_RECONNECT = 4409
CLOSE_TOO_MUCH = 1008  # too many frames or sockets (RFC 6455: policy violation); the client comes back after 10 s at the earliest
CLOSE_TOO_LONG = 1009
CLOSE_FAILED = 1011  # a fault of ours; the client comes back after a pause that grows, as after the next one
CLOSE_TRY_LATER = 1013  # the database or Redis is away or overloaded
FLOOD = gettext_lazy("Too much was sent at once over this connection, so it is closed. It can be opened again in ten seconds.")


class SocketFlooded(ParleyError):
    """A socket sent more frames than it may."""

    code = "socket_flooded"
    status = 429


class MemberConsumer(AsyncWebsocketConsumer):
    """A socket for signed-in members of the organization in the URL.

    It is closed within a second when access ends (chat.api.access_watch), and at once when the member's sockets send far too much.
    """

    actor: Actor
    kind = "notify"  # in metrics and logs

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = SocketLimits.current()
        self._meter = self._limits.meter()
        self._is_accepted = self._is_counted = self._is_closing = False

    async def connect(self) -> None:
        if self._limits.is_paused(self.pause_key):  # before any query
            await self._refuse_socket(CLOSE_TOO_MUCH)
        try:
            self.actor, user = await socket_member(self.scope)
            await rate_check_async("read", self.actor, None)
        except (NotSignedIn, NotFound, OrganizationSuspended, SecondFactorNeeded, SignOnNeeded):
            await self._refuse_socket(CLOSE_ACCESS_ENDED)
        except TooManyRequests:
            await self._refuse_socket(CLOSE_TOO_MUCH)
        socket_language_use(self.scope, user)
        if not self.count_socket():
            await self._refuse_socket(CLOSE_TOO_MUCH)
        await self.join()
        await self.accept()
        session = self.scope["session"]
        self.watch(
            WatchedConnection(
                self.actor, session_hash(session.session_key), user.get_session_auth_hash(), self._access_ended, session=session
            )
        )

    @property
    def pause_key(self) -> str | None:
        """Whose new sockets are refused for a while after this one has flooded."""
        session_key: str | None = self.scope["session"].session_key
        return session_key

    def count_socket(self) -> bool:
        """Count the actor's socket. Return False when there are too many."""
        self._is_counted = self._limits.open(self.actor)
        if not self._is_counted:
            log.warning("sockets_too_many", membership_id=str(self.actor.membership_id))
            return False
        bind_contextvars(organization_id=str(self.actor.organization_id))
        SOCKETS.labels(self.kind).inc()
        return True

    def watch(self, connection: WatchedConnection) -> None:
        """Close the socket when the access of this connection ends."""
        self._watched = connection
        AccessWatch.current().add(connection)

    async def join(self) -> None:
        """Do what the socket can't be without, before the page counts on it. Does nothing here; for subclasses."""

    async def accept(self, subprotocol: str | None = None, headers: Any = None) -> None:
        self._is_accepted = True
        await super().accept(subprotocol, headers)

    async def _refuse_socket(self, code: int) -> NoReturn:
        """Close with a code that the client can read: of a refused handshake, browsers tell a page nothing.

        A network that has had too many of these gets a refused handshake (403), which leaves no connection.
        """
        if self._limits.may_open_refused(current_request().address):
            await self.accept()
        await self.close(code=code)
        raise StopConsumer

    async def dispatch(self, message: dict[str, Any]) -> None:
        """As Channels does, but without a turn in a thread that closes old connections: `in_db`, which all work goes through, leaves none."""
        await getattr(self, get_handler_name(message))(message)

    async def websocket_receive(self, message: Any) -> None:
        if self._is_closing:
            return
        self._watched.is_used = True
        text = message.get("text")
        length = len(text or message.get("bytes") or "")
        if self._meter.is_flood(length) or self._limits.is_flood(self.actor, length):
            log.warning("socket_flooded", membership_id=str(self.actor.membership_id))
            refusal_count(SocketFlooded(), self.actor)
            self._limits.pause(self.pause_key)
            await self.end(CLOSE_TOO_MUCH, text, str(FLOOD))
        elif length > MAX_SEND_BYTES:
            await self.end(CLOSE_TOO_LONG, text, str(FrameTooLong.message))
        else:
            await super().websocket_receive(message)

    async def end(self, code: int, text: str | None, reason: str) -> None:
        """Close the socket because of the frame `text`, and read no other."""
        self._is_closing = True
        self.leave()
        await self.tell(text, reason)
        await self.close(code=code)

    async def tell(self, text: str | None, reason: str) -> None:
        """Tell the client why its socket is closed, in answer to a frame. Does nothing here; for subclasses."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        # Clean up here, because a consumer that the server cancels gets no disconnect().
        try:
            await super().__call__(scope, receive, send)
        except (OperationalError, InterfaceError, Busy, Unavailable, *REDIS_ERRORS) as exc:  # or the client left during a send: OSError
            if await self._close_after(CLOSE_TRY_LATER):
                ERRORS.labels("socket", Unavailable.code).inc()
                log.warning("socket_failed", kind=self.kind, outcome=Unavailable.code, reason=type(exc).__name__)
        except Exception:  # ours: told and counted also when the client has left
            ERRORS.labels("socket", "internal_error").inc()
            log.exception("socket_failed", kind=self.kind, outcome="internal_error")
            await self._close_after(CLOSE_FAILED)
        finally:
            if hasattr(self, "_watched"):
                AccessWatch.current().remove(self._watched)
            if self._is_counted:
                self._limits.close(self.actor)
                SOCKETS.labels(self.kind).dec()
            self.leave()

    async def _close_after(self, code: int) -> bool:
        """Close the socket, which can't go on, with a code: the server would cut it off without one. Return False when the client has left."""
        with suppress(Exception):
            if not self._is_accepted:
                await self.accept()
            await self.close(code=code)
            return True
        return False

    def leave(self) -> None:
        """Stop the socket's own tasks. Does nothing here; for subclasses."""

    async def _access_ended(self) -> None:
        self.leave()  # first, because a client that has stopped reading may delay the close
        await self.close(code=CLOSE_ACCESS_ENDED)
