"""The event log's own line to Redis: what its flusher calls all day is one script."""

from __future__ import annotations

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, ReadOnlyError

from tenants.redis.pipeline import PipelinedRedis, pack_command


class PipelinedScript(PipelinedRedis):
    """A line to `script`, which answers with a number."""

    STALE_CONNECTION_ERRORS = (NoScriptError, ReadOnlyError)  # Redis forgot the script, which whoever takes a connection loads

    def __init__(self, script: str) -> None:
        super().__init__()
        self._script = script

    async def on_connect(self, connection: AbstractConnection) -> None:
        await connection.send_packed_command(pack_command(b"SCRIPT", b"LOAD", self._script.encode()), check_health=False)
        await connection.read_response()
