"""The sockets of live documents in this process, by document, and what they are told.

Notices come from artifacts.live.relay. Each socket knows the number of the last update that it was sent; a gap is filled from the database,
where each room also looks every ROUND_S: without Redis updates come late, but they come.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable, Collection, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID
from weakref import WeakKeyDictionary

import orjson
import structlog

from artifacts.errors import LiveDocumentReplaced
from artifacts.live.documents import LiveProgress, live_progress
from artifacts.live.relay import LiveNotice, LiveNotices, live_notice_send_now
from chat.live.presence import RENEW_S, Person, people_present, presence_end, presence_renew
from chat.live.writing import ChangeWriter, refused_actors
from tenants.access import Actor
from tenants.db import in_db
from tenants.redis.clients import REDIS_ERRORS

log = structlog.get_logger(__name__)

ROUND_S: Final = 0.7  # rights that end, end within a second
CURSORS_S: Final = 0.1  # in which cursors gather
MAX_WAITING: Final = 2000  # frames of one socket that its client does not read


@dataclass(eq=False, slots=True)
class RoomSocket:
    """One member's socket. `seq`: the last update that it was sent; None before it has joined."""

    actor: Actor
    person: Person
    reconnect: Callable[[], Awaitable[None]]  # awaited when it has to come in again
    end: Callable[[], Awaitable[None]]  # awaited when the member may not write here any more
    checked_at: float  # when their right was looked at, in the loop's time
    seq: int | None = None
    is_slow: bool = False  # its client did not read, and lacks frames
    frames: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(MAX_WAITING))

    def tell(self, kind: str, **fields: Any) -> None:
        self.send(frame_of(kind, **fields))

    def send(self, frame: str) -> None:
        """Put a frame into the queue."""
        try:
            self.frames.put_nowait(frame)
        except asyncio.QueueFull:
            self.is_slow = True

    def send_update(self, seq: int, frame: str) -> bool:
        """Send an update unless it was sent. Return False when the client has to come in again, because one before it is missing or it is slow."""
        if self.seq is not None and seq > self.seq + 1:
            return False
        if seq - 1 == self.seq:
            self.seq = seq
            self.send(frame)
        return not self.is_slow


def frame_of(kind: str, **fields: Any) -> str:
    return orjson.dumps({"type": kind, **fields}).decode()


class Room:
    """The sockets of one document."""

    def __init__(self, organization_id: UUID, artifact_id: UUID) -> None:
        self.organization_id, self.artifact_id = organization_id, artifact_id
        self.sockets: set[RoomSocket] = set()
        self.writer = ChangeWriter(organization_id, artifact_id)
        self._moved_cursors: dict[str, Any] = {}  # cursors that the others were not shown, by socket
        self._next_renewal = 0.0
        self._newest_save = (0, 0)  # the newest that was told: a version, and the last update that it has

    def hear(self, notice: LiveNotice) -> Coroutine[Any, Any, None] | None:
        """Hand a notice on. Return what is to be done besides, if anything."""
        match notice.kind:
            case "update":
                frame = _update_frame(notice.seq, notice.content)
                behind = [socket for socket in self.sockets if not socket.send_update(notice.seq, frame)]
                return self.look() if behind else None
            case "saved":
                self._tell_saved(notice.seq, int(notice.content))
            case "cursor":
                self._tell_joined("cursors", cursors=orjson.loads(notice.content))
            case "people":
                return self.tell_people()
        return None

    def _tell_saved(self, seq: int, version: int) -> None:
        """Say it once, whether a notice or a look brought it."""
        if (version, seq) > self._newest_save:
            self._newest_save = (version, seq)
            self._tell_joined("saved", seq=seq, version=version)

    def _tell_joined(self, kind: str, **fields: Any) -> None:
        frame = frame_of(kind, **fields)
        for socket in [*self.sockets]:
            if socket.seq is not None:
                socket.send(frame)

    def move_cursor(self, socket: RoomSocket, cursor: Any) -> Coroutine[Any, Any, None] | None:
        """Note where the socket's cursor is. Return what is to be done, unless that is under way."""
        is_first = not self._moved_cursors
        self._moved_cursors[socket.person.id] = cursor
        return self._show_cursors() if is_first else None

    async def _show_cursors(self) -> None:
        """Wait for more of them, then show them to everybody in one notice."""
        await asyncio.sleep(CURSORS_S)
        cursors, self._moved_cursors = self._moved_cursors, {}
        await live_notice_send_now(LiveNotice(self.artifact_id, "cursor", content=orjson.dumps(cursors)))

    async def repeat(self) -> None:
        """Look again and again, as long as there is somebody."""
        loop = asyncio.get_running_loop()
        while self.sockets:
            await asyncio.sleep(ROUND_S)
            await self.look()
            if loop.time() >= self._next_renewal:
                self._next_renewal = loop.time() + RENEW_S
                await self.tell_people(renew=True)

    async def look(self) -> None:
        """End the sockets of those who may not write any more, and send the rest what it has not been sent."""
        sockets, now = list(self.sockets), asyncio.get_running_loop().time()
        seqs = [socket.seq for socket in sockets if socket.seq is not None]
        actors = {socket.actor for socket in sockets}
        try:
            non_writers = await in_db(refused_actors, self.artifact_id, actors, organization_id=self.organization_id)
            progress = await in_db(_progress_after, self.artifact_id, seqs, organization_id=self.organization_id)
        except LiveDocumentReplaced:  # some are so far behind that what they lack is only in the state by now
            await self._reconnect([socket for socket in sockets if socket.seq is not None and socket.seq < max(seqs)] or sockets)
            return
        except Exception:  # of the database or anything else: the next look tries again
            log.exception("live_room_not_looked_at", artifact_id=str(self.artifact_id))
            return
        for socket in sockets:
            socket.checked_at = now
            if socket.actor in non_writers:
                await _close(socket.end)
        self._tell_saved(progress.saved_seq, progress.version)
        allowed = [socket for socket in sockets if socket.actor not in non_writers]
        frames = [(seq, _update_frame(seq, content)) for seq, content in progress.updates]
        await self._reconnect([socket for socket in allowed if not all(socket.send_update(*row) for row in frames) or socket.is_slow])

    async def _reconnect(self, sockets: Collection[RoomSocket]) -> None:
        for socket in sockets:
            await _close(socket.reconnect)

    async def tell_people(self, *, renew: bool = False) -> None:
        """Tell all who is there. Without Redis nobody learns of anybody new."""
        try:
            if renew:
                await presence_renew(self.artifact_id, [socket.person for socket in self.sockets])
            people = await people_present(self.artifact_id)
        except REDIS_ERRORS as error:
            log.warning("live_people_unknown", reason=type(error).__name__)
            return
        for socket in [*self.sockets]:
            others = [{"id": person.id, "member": person.member, "name": person.name} for person in people if person != socket.person]
            socket.tell("people", people=others)


class Rooms:
    """The rooms of one event loop. `current()` creates them on first use."""

    _of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Rooms] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> Rooms:
        return cls._of_loop.setdefault(asyncio.get_running_loop(), cls())

    def __init__(self) -> None:
        self._rooms: dict[UUID, Room] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def enter(self, artifact_id: UUID, socket: RoomSocket) -> Room:
        """Let a socket in, and return the room. Its actor was checked."""
        if not self._rooms:
            LiveNotices.current().add(self._on_notice)
        room = self._rooms.get(artifact_id)
        if room is None:
            room = self._rooms[artifact_id] = Room(socket.actor.organization_id, artifact_id)
        is_first = not room.sockets
        room.sockets.add(socket)
        if is_first:
            self.start(room.repeat())
        self.start(self._announce(room, socket))
        return room

    def leave(self, artifact_id: UUID, socket: RoomSocket, save: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Let a socket out. `save` is called when nobody is left anywhere."""
        room = self._rooms[artifact_id]
        room.sockets.remove(socket)
        if not room.sockets:
            del self._rooms[artifact_id]
            if not self._rooms:
                LiveNotices.current().remove(self._on_notice)
        self.start(self._depart(artifact_id, socket, save))

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it in a task of its own."""
        task = asyncio.ensure_future(_log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_notice(self, notice: LiveNotice) -> None:
        room = self._rooms.get(notice.artifact_id)
        work = room.hear(notice) if room else None
        if work is not None:
            self.start(work)

    async def _announce(self, room: Room, socket: RoomSocket) -> None:
        await presence_renew(room.artifact_id, [socket.person])
        await live_notice_send_now(LiveNotice(room.artifact_id, "people"))

    async def _depart(self, artifact_id: UUID, socket: RoomSocket, save: Callable[[], Coroutine[Any, Any, None]]) -> None:
        await presence_end(artifact_id, socket.person.id)
        await live_notice_send_now(LiveNotice(artifact_id, "people"))
        if not await people_present(artifact_id):
            await save()


def _update_frame(seq: int, content: bytes) -> str:
    return frame_of("update", seq=seq, content=b64encode(content).decode())


def _progress_after(artifact_id: UUID, numbers: Collection[int]) -> LiveProgress:
    """Return what came after the least of these numbers. Raises LiveDocumentReplaced."""
    return live_progress(artifact_id=artifact_id, seq=min(numbers)) if numbers else LiveProgress([], 0, 0)


async def _close(close: Callable[[], Awaitable[None]]) -> None:
    try:
        await close()
    except Exception:
        log.exception("live_socket_not_closed")


async def _log_errors(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except REDIS_ERRORS as error:
        log.warning("live_room_without_redis", reason=type(error).__name__)
    except Exception:
        log.exception("live_room_failed")
