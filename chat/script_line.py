"""Many calls of one Redis script as one write, and one wait for their answers: what the event log's flusher does all day.

redis-py's pipeline took four times the CPU: it packs each argument with a search of its own, and takes a connection and two time limits for
each batch and each answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import NoScriptError, ReadOnlyError, ResponseError

from tenants.redis import REDIS_DOWN, unlimited_client

ANSWER_S = 5.0  # for a whole batch

Argument = bytes | str | int


class ScriptLine:
    """A connection that is kept from the first batch on, as long as it works; `close` closes it, or `close_redis`."""

    def __init__(self, script: str) -> None:
        self._script = script
        self._connection: AbstractConnection | None = None
        self._pool: ConnectionPool | None = None
        self._sha = ""

    async def call(self, calls: Sequence[Sequence[Argument]]) -> list[Any]:
        """Run the script for each of `calls` (number of keys, keys, arguments); give each one's answer, or Redis's error.

        Raises one of REDIS_DOWN; then any of them may have run.
        """
        try:
            answers = await self._tried(calls)
        except REDIS_DOWN:  # a connection that was closed while nobody used it is found out by its use
            answers = await self._tried(calls)
        # Redis forgot the script, which whoever takes a connection loads; or it is a replica now, and a new connection leads to its successor.
        if any(isinstance(answer, NoScriptError | ReadOnlyError) for answer in answers):
            await self.close()
            answers = await self._tried(calls)
        return answers

    async def close(self) -> None:
        """Give the connection up; the next call takes another."""
        connection, self._connection = self._connection, None
        if connection is not None and self._pool is not None:
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)

    async def _tried(self, calls: Sequence[Sequence[Argument]]) -> list[Any]:
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._answers(calls)
        except BaseException:
            await self.close()  # answers that nobody read would be taken for the next batch's
            raise

    async def _answers(self, calls: Sequence[Sequence[Argument]]) -> list[Any]:
        connection = self._connection or await self._begin()
        commands = b"".join([packed("EVALSHA", self._sha, *arguments) for arguments in calls])
        await connection.send_packed_command(commands, check_health=False)
        return [await _answer(connection) for _ in calls]

    async def _begin(self) -> AbstractConnection:
        self._pool = unlimited_client().connection_pool
        connection: AbstractConnection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        self._connection = connection
        await connection.send_packed_command(packed("SCRIPT", "LOAD", self._script), check_health=False)
        self._sha = (await connection.read_response()).decode()
        return connection


def packed(*arguments: Argument) -> bytes:
    """One command as Redis reads it (RESP)."""
    texts = [argument if isinstance(argument, bytes) else str(argument).encode() for argument in arguments]
    return b"*%d\r\n%b" % (len(texts), b"".join([b"$%d\r\n%b\r\n" % (len(text), text) for text in texts]))


async def _answer(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response()
    except ResponseError as error:  # Redis's own word: the connection is as good as before
        return error
