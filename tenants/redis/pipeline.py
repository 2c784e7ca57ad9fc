"""Pipelined Redis: many frequent commands in one write, and one wait for all replies, without redis-py's overhead.

redis-py needs 0.3 ms of CPU per command: it packs each argument with a search, checks out a connection for each command, and reads each
reply by itself. Only for commands and scripts that reply with one number.
"""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
from collections.abc import Sequence
from typing import ClassVar
from weakref import WeakKeyDictionary

import structlog
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError, ReadOnlyError, ResponseError

from tenants.redis.clients import REDIS_ERRORS, no_timeout_client

log = structlog.get_logger(__name__)

REPLY_TIMEOUT_S = 5.0  # for a whole batch
READ_BYTES = 65_536

Reply = int | ResponseError
_PendingCall = tuple[Sequence[bytes], asyncio.Future[list[Reply]]]


class PipelinedRedis:
    """One connection for batches of calls, one batch at a time.

    It is opened by the first batch and kept as long as it works, until `close` or `close_redis`.
    """

    STALE_CONNECTION_ERRORS: ClassVar[tuple[type[ResponseError], ...]] = (
        ReadOnlyError,
    )  # the server is a replica now: a new connection reaches the new primary

    def __init__(self) -> None:
        self._connection: AbstractConnection | None = None
        self._pool: ConnectionPool | None = None

    async def call(self, calls: Sequence[bytes]) -> list[Reply]:
        """Send `calls` (made by `pack_command` or ScriptCall) and return each one's reply, or Redis's error for it.

        Raises one of REDIS_ERRORS when the connection fails; then any of the calls may have run.
        """
        try:
            answers = await self._call_once(calls)
        except REDIS_ERRORS:  # an idle connection may have been closed, which only shows when it is used
            answers = await self._call_once(calls)
        if any(isinstance(answer, self.STALE_CONNECTION_ERRORS) for answer in answers if not isinstance(answer, int)):
            await self.close()
            answers = await self._call_once(calls)
        return answers

    async def close(self) -> None:
        """Give the connection back, disconnected. The next call opens another."""
        connection, self._connection = self._connection, None
        if connection is not None and self._pool is not None:
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)

    async def on_connect(self, connection: AbstractConnection) -> None:
        """Run first on each new connection. Does nothing here; for subclasses."""

    async def _call_once(self, calls: Sequence[bytes]) -> list[Reply]:
        try:
            async with asyncio.timeout(REPLY_TIMEOUT_S):
                connection = self._connection or await self._connect()
                return await _read_replies(connection, calls)
        except BaseException:
            await self.close()  # unread replies would be taken for those of the next batch
            raise

    async def _connect(self) -> AbstractConnection:
        self._pool = no_timeout_client().connection_pool
        connection: AbstractConnection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        self._connection = connection
        await self.on_connect(connection)
        return connection


class SharedPipeline:
    """A loop's shared connection for short calls of many tasks: calls that arrive while a batch is under way go out together.

    It lives as long as the loop's client (`close_redis`). It is keyed by the client because it holds the loop, which could not be freed
    otherwise.
    """

    _by_client: ClassVar[WeakKeyDictionary[Redis, SharedPipeline]] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> SharedPipeline:
        client = no_timeout_client()
        line = cls._by_client.get(client)
        if line is None:
            line = cls._by_client[client] = cls(asyncio.get_running_loop())
        return line

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._pipeline = PipelinedRedis()
        self._waiting: list[_PendingCall] = []
        self._task: asyncio.Task[None] | None = None

    async def call(self, *calls: bytes) -> list[Reply]:
        """Send calls as `PipelinedRedis.call` does. The caller sets a time limit; calls cancelled before they are sent are not made."""
        answers: asyncio.Future[list[Reply]] = self._loop.create_future()
        self._waiting.append((calls, answers))
        if self._task is None or self._task.done():
            self._task = self._loop.create_task(self._send_all(), name="redis-line", context=contextvars.Context())
        return await answers

    async def _send_all(self) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            if batch := [each for each in waiting if not each[1].done()]:
                await self._send(batch)

    async def _send(self, batch: Sequence[_PendingCall]) -> None:
        try:
            found = iter(await self._pipeline.call([call for calls, _ in batch for call in calls]))
        except Exception as exc:
            if not isinstance(exc, REDIS_ERRORS):
                log.exception("redis_line_failed")
            for _, answers in batch:
                if not answers.done():
                    answers.set_exception(exc)
            return
        for calls, answers in batch:
            own = [next(found) for _ in calls]
            if not answers.done():
                answers.set_result(own)


class ScriptCall:
    """Calls of `script` that share keys and first arguments, which are packed only once.

    `more`: the number of arguments that each call adds.
    """

    def __init__(self, script: str, keys: Sequence[str], first: Sequence[bytes], *, more: int) -> None:
        sha = hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()
        parts = [b"EVALSHA", sha.encode(), b"%d" % len(keys), *map(str.encode, keys), *first]
        self._head = b"*%d\r\n%b" % (len(parts) + more, b"".join(map(bulk_string, parts)))

    def with_arguments(self, *more: bytes) -> bytes:
        """Return one call in Redis's wire format; pass exactly as many arguments as `more` announced."""
        return self._head + b"".join([b"$%d\r\n%b\r\n" % (len(text), text) for text in more])


def pack_command(*arguments: bytes) -> bytes:
    """Return one command in Redis's wire format (RESP)."""
    return b"*%d\r\n%b" % (len(arguments), b"".join(map(bulk_string, arguments)))


def bulk_string(text: bytes) -> bytes:
    return b"$%d\r\n%b\r\n" % (len(text), text)


async def _read_replies(connection: AbstractConnection, calls: Sequence[bytes]) -> list[Reply]:
    """Send the calls and read all replies. Each reply is one line, so they can be read together, bypassing redis-py."""
    reader, writer = connection._reader, connection._writer  # noqa: SLF001
    if reader is None or writer is None:
        raise RedisConnectionError("the connection was closed")
    writer.write(b"".join(calls))  # no drain: at most one batch waits to be written
    lines = b""
    while lines.count(b"\n") < len(calls):
        if not (read := await reader.read(READ_BYTES)):
            raise RedisConnectionError("Redis closed the connection")
        lines += read
    return [_parse_reply(connection, line) for line in lines.split(b"\r\n")[:-1]]


def _parse_reply(connection: AbstractConnection, line: bytes) -> Reply:
    if line.startswith(b":"):
        return int(line[1:])
    error = connection._parser.parse_error(line[1:].decode(errors="replace"))  # type: ignore[no-untyped-call]  # noqa: SLF001
    if isinstance(error, ResponseError):  # Redis refused the command; the connection still works
        return error
    raise error
