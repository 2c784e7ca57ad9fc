"""The socket of a member who writes with others (docs/protocol.md, "Live documents")."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import structlog
from channels.exceptions import StopConsumer
from django.db import InterfaceError, OperationalError

from artifacts.live.access import artifact_to_write
from artifacts.live.documents import LiveChange, live_document_open
from artifacts.live.versions import live_version_make
from chat.api.member_socket import CLOSE_ACCESS_ENDED, CLOSE_RECONNECT, MemberConsumer
from chat.live.frames import CursorFrame, JoinFrame, LiveFrame, SaveFrame, UpdateFrame, live_frame_parse
from chat.live.presence import Person
from chat.live.rooms import Rooms, RoomSocket
from security.audit.refusals import refusal_count
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import BadRequest, Busy, NotAllowed, NotFound, ParleyError
from tenants.models import Membership
from tenants.redis.notifications import notify_members

log = structlog.get_logger(__name__)


class LiveConsumer(MemberConsumer):
    """Frames are read one after the other, so a page's changes are stored in their order. One is acknowledged when it is stored."""

    kind = "live"
    _is_inside = False
    channel_layer_alias = ""  # no channel layer: it drops messages without a word

    async def connect(self) -> None:
        await super().connect()
        self._artifact_id: UUID = self.scope["url_route"]["kwargs"]["artifact_id"]
        try:
            name = await self._in_db(_name_of_writer, self._artifact_id, self.actor)
        except (NotFound, NotAllowed, BadRequest):  # foreign and missing ones look the same
            await self.close(code=CLOSE_ACCESS_ENDED)
            raise StopConsumer from None
        person = Person(uuid4().hex, str(self.actor.membership_id), name)
        self._socket = RoomSocket(self.actor, person, self._close_for_reconnect, self._access_ended, asyncio.get_running_loop().time())
        self._sending = asyncio.create_task(self._send_frames())
        self._is_inside = True
        self._room = Rooms.current().enter(self._artifact_id, self._socket)

    def leave(self) -> None:
        if self._is_inside:
            self._is_inside = False
            self._sending.cancel()
            Rooms.current().leave(self._artifact_id, self._socket, self._save_and_tell)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self._is_inside:
            return
        try:
            await self._handle(live_frame_parse(text_data or ""))
        except BadRequest as exc:
            self._socket.tell("error", code=exc.code, message=str(exc.message))
        except (NotFound, NotAllowed):
            await self._access_ended()
        except (OperationalError, InterfaceError, Busy) as exc:  # the page comes in again, and sends what was not acknowledged
            log.warning("database_away", reason=type(exc).__name__)
            await self._close_for_reconnect()

    async def _handle(self, frame: LiveFrame) -> None:
        match frame:
            case JoinFrame():
                await self._join(frame)
            case UpdateFrame():
                await self._store(frame)
            case CursorFrame():
                self._move_cursor(frame)
            case SaveFrame():
                await self._save_and_tell()
                self._socket.tell("save-done")

    async def _join(self, frame: JoinFrame) -> None:
        cursor = (frame.document, frame.seq) if frame.document else None
        start = await self._in_db(live_document_open, artifact_id=self._artifact_id, actor=self.actor, page_cursor=cursor)
        self._socket.seq = start.seq
        self._socket.tell(
            "joined",
            document=str(start.document_id),
            seq=start.seq,
            version=start.version,
            savedSeq=start.saved_seq,
            updates=[b64encode(update).decode() for update in (start.state, *start.updates) if update],
        )

    async def _store(self, frame: UpdateFrame) -> None:
        change = LiveChange(self.actor, frame.document, frame.update)
        try:
            await self._room.writer.store(change, checked_at=self._socket.checked_at)
        except (NotFound, NotAllowed, Busy):
            raise
        except ParleyError as exc:
            refusal_count(exc, self.actor)
            self._socket.tell("error", code=exc.code, message=str(exc.message), id=frame.id)
        else:
            self._socket.tell("ack", id=frame.id)

    def _move_cursor(self, frame: CursorFrame) -> None:
        work = self._room.move_cursor(self._socket, frame.cursor.model_dump(exclude_none=True) if frame.cursor else None)
        if work is not None:
            Rooms.current().start(work)

    async def _save_and_tell(self) -> None:
        announcement = await self._in_db(live_version_make, self._artifact_id)
        if announcement is not None:
            await notify_members(*announcement)

    async def _in_db(self, work: Any, *args: Any, **kwargs: Any) -> Any:
        return await in_db(work, *args, organization_id=self.actor.organization_id, **kwargs)

    async def _close_for_reconnect(self) -> None:
        self.leave()
        await self.close(code=CLOSE_RECONNECT)

    async def _send_frames(self) -> None:
        frames = self._socket.frames
        with suppress(OSError):  # the page left during a send (ASGI: send raises OSError)
            while True:
                await self.send(text_data=await frames.get())


def _name_of_writer(artifact_id: UUID, actor: Actor) -> str:
    """Return the name that others see. Raises NotFound, NotAllowed, NotEditable."""
    artifact_to_write(artifact_id=artifact_id, actor=actor)
    return Membership.objects.select_related("user").get(pk=actor.membership_id).user.get_full_name()
