"""The event log's own line to Redis: what its flusher calls all day is one script."""

from __future__ import annotations

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, ReadOnlyError

from tenants.redis.pipeline import RedisLine, packed


class PipelinedScript(RedisLine):
    """A line to `script`, which answers with a number."""

    OUTDATED = (NoScriptError, ReadOnlyError)  # Redis forgot the script, which whoever takes a connection loads

    def __init__(self, script: str) -> None:
        super().__init__()
        self._script = script

    async def begun(self, connection: AbstractConnection) -> None:
        await connection.send_packed_command(packed(b"SCRIPT", b"LOAD", self._script.encode()), check_health=False)
        await connection.read_response()
