"""Many calls of one Redis script as one write, and one wait for their answers: what the event log's flusher does all day.

redis-py packs each argument with a search of its own and reads each answer by itself; most of a flush's time went there.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError, NoScriptError, ReadOnlyError, ResponseError

from tenants.redis import REDIS_DOWN, unlimited_client

ANSWER_S = 5.0  # for a whole batch
READ_BYTES = 65_536

Answer = int | ResponseError


class ScriptLine:
    """A connection that is kept from the first batch on, as long as it works; `close` closes it, or `close_redis`.

    `script` answers with a number.
    """

    def __init__(self, script: str) -> None:
        self._script = script
        self._connection: AbstractConnection | None = None
        self._pool: ConnectionPool | None = None

    async def call(self, calls: Sequence[bytes]) -> list[Answer]:
        """Make `calls` of the script (see ScriptCall); give each one's answer, or Redis's error.

        Raises one of REDIS_DOWN; then any of them may have run.
        """
        try:
            answers = await self._tried(calls)
        except REDIS_DOWN:  # a connection that was closed while nobody used it is found out by its use
            answers = await self._tried(calls)
        # Redis forgot the script, which whoever takes a connection loads; or it is a replica now, and a new connection leads to its successor.
        if any(isinstance(answer, NoScriptError | ReadOnlyError) for answer in answers if not isinstance(answer, int)):
            await self.close()
            answers = await self._tried(calls)
        return answers

    async def close(self) -> None:
        """Give the connection up; the next call takes another."""
        connection, self._connection = self._connection, None
        if connection is not None and self._pool is not None:
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)

    async def _tried(self, calls: Sequence[bytes]) -> list[Answer]:
        try:
            async with asyncio.timeout(ANSWER_S):
                connection = self._connection or await self._begin()
                return await _answers(connection, calls)
        except BaseException:
            await self.close()  # answers that nobody read would be taken for the next batch's
            raise

    async def _begin(self) -> AbstractConnection:
        self._pool = unlimited_client().connection_pool
        connection: AbstractConnection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        self._connection = connection
        await connection.send_packed_command(packed(b"SCRIPT", b"LOAD", self._script.encode()), check_health=False)
        await connection.read_response()
        return connection


class ScriptCall:
    """The calls of `script` that share keys and first arguments, which are packed once."""

    def __init__(self, script: str, keys: Sequence[str], first: Sequence[bytes], *, more: int) -> None:
        sha = hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()
        parts = [b"EVALSHA", sha.encode(), b"%d" % len(keys), *map(str.encode, keys), *first]
        self._head = b"*%d\r\n%b" % (len(parts) + more, b"".join(map(bulk, parts)))

    def with_arguments(self, *more: bytes) -> bytes:
        """One call as Redis reads it; `more` has as many arguments as was said."""
        return self._head + b"".join([b"$%d\r\n%b\r\n" % (len(text), text) for text in more])


def packed(*arguments: bytes) -> bytes:
    """One command as Redis reads it (RESP)."""
    return b"*%d\r\n%b" % (len(arguments), b"".join(map(bulk, arguments)))


def bulk(text: bytes) -> bytes:
    return b"$%d\r\n%b\r\n" % (len(text), text)


async def _answers(connection: AbstractConnection, calls: Sequence[bytes]) -> list[Answer]:
    """Each answer is a line, so they are read together, past redis-py."""
    reader, writer = connection._reader, connection._writer  # noqa: SLF001
    if reader is None or writer is None:
        raise RedisConnectionError("the connection was closed")
    writer.write(b"".join(calls))  # what waits to be written is one batch at most: no drain
    lines = b""
    while lines.count(b"\n") < len(calls):
        if not (read := await reader.read(READ_BYTES)):
            raise RedisConnectionError("Redis closed the connection")
        lines += read
    return [_answer(connection, line) for line in lines.split(b"\r\n")[:-1]]


def _answer(connection: AbstractConnection, line: bytes) -> Answer:
    if line.startswith(b":"):
        return int(line[1:])
    error = connection._parser.parse_error(line[1:].decode(errors="replace"))  # type: ignore[no-untyped-call]  # noqa: SLF001
    if isinstance(error, ResponseError):  # Redis's own word: the connection is as good as before
        return error
    raise error
