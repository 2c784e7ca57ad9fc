"""Consumers of the WebSockets: they parse frames, call services and forward chunks.

They contain no rules and no ORM queries. A socket owns no run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, Protocol

import orjson
import structlog
from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext_lazy

from agents.runtime.key_lookup import RequestKeys
from chat.api.chat_requests import ContinuedRunStream, request_handle
from chat.api.frames import AbortFrame, ChatRequest, FrameTooLong, ResumeFrame, SendFrame, frame_parse
from chat.api.group_renewal import GroupRenewal, NotifySocket
from chat.api.member_socket import CLOSE_RECONNECT, CLOSE_TOO_LONG, MemberConsumer
from chat.api.run_streams import RunStream, resumable_stream
from chat.stream.viewer import LogRebuilt
from security.audit.refusals import refusal_count
from telemetry.families import ERRORS
from telemetry.spans import bind_trace, frame_span
from tenants.authentication.sessions import session_hash
from tenants.errors import BadRequest, ParleyError, TooManyRequests, Unavailable
from tenants.redis.clients import COMMAND_TIMEOUT_S
from tenants.redis.notifications import member_group
from tenants.rest.throttles import rate_check_async

log = structlog.get_logger(__name__)


MAX_CONCURRENT_REQUESTS = 16  # per socket
TOO_MANY_REQUESTS = gettext_lazy("Too many answers at once. Wait for one to finish.")
UNEXPECTED_ERROR = gettext_lazy("Something went wrong on our side. Reload the page; nothing you sent is lost.")


class AnswerStream(Protocol):
    """The chunks of a run for one viewer."""

    def batches(self) -> AsyncGenerator[list[bytes], None]: ...


class NotifyConsumer(MemberConsumer):
    """Sends notifications about changes to a member's tab. The client sends nothing."""

    async def connect(self) -> None:
        await super().connect()
        self._joined = NotifySocket(self.actor.membership_id, self.channel_name, self._close_for_reconnect)
        GroupRenewal.current().add(self._joined)

    async def join(self) -> None:
        async with asyncio.timeout(COMMAND_TIMEOUT_S):  # the layer has no time limit of its own, because some of its reads wait
            await self.channel_layer.group_add(member_group(self.actor.membership_id), self.channel_name)

    def leave(self) -> None:
        if hasattr(self, "_joined"):
            GroupRenewal.current().remove(self._joined)

    async def _close_for_reconnect(self) -> None:
        """Redis has lost the socket's group: the page reconnects, and reads what it missed."""
        await self.close(code=CLOSE_RECONNECT)

    async def disconnect(self, code: int) -> None:
        if hasattr(self, "actor"):
            await self.channel_layer.group_discard(member_group(self.actor.membership_id), self.channel_name)

    async def member_notice(self, event: dict[str, Any]) -> None:
        """Forward a notification from the channel layer (tenants.redis.notifications)."""
        await self.send(text_data=orjson.dumps(event["payload"]).decode())


class ChatConsumer(MemberConsumer):
    """Speaks the protocol of the AI SDK's WebSocketChatTransport (PROTOCOLS a)."""

    kind = "chat"
    channel_layer_alias = ""  # no channel layer: nothing is sent through it, and a Redis that is down must not close the socket

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._requests: dict[str, asyncio.Task[None]] = {}

    def leave(self) -> None:
        for task in self._requests.values():
            task.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        try:
            frame = frame_parse(text_data or "")
        except FrameTooLong as exc:
            await self.end(CLOSE_TOO_LONG, text_data, str(exc))
            return
        except BadRequest as exc:
            await self._refuse(request_id_of(text_data), exc)
            return
        # Each request gets a task, because Channels reads no further frame of a socket while a handler waits.
        match frame:
            case SendFrame():
                await self._start_request("send", frame.request_id, self._send(frame))
            case ResumeFrame():
                await self._start_request("resume", frame.request_id, self._resume(frame))
            case AbortFrame() if frame.request_id in self._requests:
                self._requests[frame.request_id].cancel()

    async def tell(self, text: str | None, reason: str) -> None:
        await self._reply("error", request_id_of(text), errorText=reason)

    async def _refuse(self, request_id: str, error: BadRequest) -> None:
        """Refuse a malformed frame, which counts as a read."""
        try:
            await rate_check_async("read", self.actor, None)
        except TooManyRequests as exc:
            refusal_count(exc, self.actor)
            await self._reply("error", request_id, errorText=exc.message)
        else:
            await self._reply("error", request_id, errorText=error.message)

    async def _start_request(self, kind: str, request_id: str, work: Coroutine[Any, Any, None]) -> None:
        if request_id in self._requests or len(self._requests) >= MAX_CONCURRENT_REQUESTS:
            work.close()
            await self._reply("error", request_id, errorText=str(TOO_MANY_REQUESTS))
            return
        task = asyncio.create_task(self._report_errors(kind, request_id, work), name=f"chat-request-{request_id}")
        self._requests[request_id] = task
        task.add_done_callback(lambda done: self._discard_request(request_id, done))

    def _discard_request(self, request_id: str, done: asyncio.Task[None]) -> None:
        if self._requests.get(request_id) is done:
            del self._requests[request_id]

    async def _report_errors(self, kind: str, request_id: str, work: Coroutine[Any, Any, None]) -> None:
        """Do the work, tell the client of its error, and leave a line in the log."""
        begun_s, outcome = time.monotonic(), "left"
        try:
            await work
            outcome = "ok"
        except ParleyError as exc:
            outcome = exc.code
            refusal_count(exc, self.actor)
            await self._reply("error", request_id, errorText=exc.message)
        except LogRebuilt:
            outcome = "log_rebuilt"
            await self.close(code=CLOSE_RECONNECT)
        except (OperationalError, InterfaceError) as exc:
            outcome = Unavailable.code
            log.warning("database_away", reason=type(exc).__name__)
            await self._reply("error", request_id, errorText=str(Unavailable.message))
        except OSError:
            pass  # the viewer left during a send (ASGI: send raises OSError)
        except Exception:
            outcome = "internal_error"
            log.exception("chat_request_failed")
            await self._reply("error", request_id, errorText=str(UNEXPECTED_ERROR))
        finally:
            if outcome not in ("ok", "left"):
                ERRORS.labels("socket", outcome).inc()
            log.info("chat_request", kind=kind, outcome=outcome, duration_ms=round((time.monotonic() - begun_s) * 1000))

    async def _send(self, frame: SendFrame) -> None:
        await rate_check_async("chat", self.actor, None)
        with frame_span("send") as span:  # to the start of the run, which may outlive this process
            bind_trace(span)
            run_stream = await request_handle(self.actor, await self.request_of(frame), self.keys())
        await self._follow(frame, run_stream)

    async def request_of(self, frame: SendFrame) -> ChatRequest:
        """Return what the frame asks for. Raises ParleyError, also in subclasses that allow less."""
        return frame.as_request()

    def keys(self) -> RequestKeys:
        return RequestKeys(session_hash=session_hash(self.scope["session"].session_key))

    async def _resume(self, frame: ResumeFrame) -> None:
        await rate_check_async("read", self.actor, None)
        with frame_span("resume") as span:
            bind_trace(span)
            async with self._limits.resume_turn(self.actor):
                run_stream = await resumable_stream(self.actor, frame.id)
        if run_stream is None:
            await self._reply("no-active", frame.request_id)
        else:
            await self._follow(frame, run_stream)

    async def _follow(self, frame: SendFrame | ResumeFrame, run_stream: RunStream | ContinuedRunStream) -> None:
        request_id = frame.request_id
        await self._reply("start", request_id)
        send: Any = self.base_send  # skips two layers of Channels, because it is called for each token
        sequence = 0
        async with aclosing(self.visible_stream(run_stream).batches()) as batches:
            async for batch in batches:
                for chunk in batch:
                    await send({"type": "websocket.send", "text": chunk_frame(request_id, sequence, chunk)})
                    sequence += 1
        await self._reply("end", request_id)
        self.answer_ended(frame.id)

    def answer_ended(self, conversation: str) -> None:
        """Follow up on an answer that was sent to its end. `conversation`: its key. Does nothing here; for subclasses."""

    def visible_stream(self, run_stream: RunStream | ContinuedRunStream) -> AnswerStream:
        """Return what the viewer gets of the run: all of it; less in subclasses."""
        return run_stream

    async def _reply(self, kind: str, request_id: str, **fields: Any) -> None:
        await self.send(text_data=orjson.dumps({"type": kind, "requestId": request_id, **fields}).decode())


def chunk_frame(request_id: str, sequence: int, chunk: bytes) -> str:
    """Return the frame of a chunk. The chunk is JSON already, so it is not encoded again."""
    return f'{{"type":"chunk","requestId":"{request_id}","sequence":{sequence},"chunk":{chunk.decode()}}}'


def request_id_of(text: str | None) -> str:
    """Return the request id of a frame that could not be parsed; empty when it has none."""
    try:
        return str(orjson.loads(text or "").get("requestId", ""))[:64]
    except (orjson.JSONDecodeError, AttributeError):
        return ""
