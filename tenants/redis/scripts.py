"""Lua scripts that Redis keeps by their hash."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1
from typing import Any

import redis.asyncio as aioredis
from redis.exceptions import NoScriptError


class Script:
    """A script to be made once. redis-py's own belongs to one client, so with a client for each loop it would be made for each call."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.hash = sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def run(self, client: aioredis.Redis, keys: Sequence[str | bytes], arguments: Sequence[str | bytes | float]) -> Any:
        """Return the script's reply. Raises one of REDIS_ERRORS."""
        commands: Any = client  # redis-py types the commands of blocking and of asynchronous clients together
        call_arguments = (len(keys), *keys, *arguments)
        try:
            return await commands.evalsha(self.hash, *call_arguments)
        except NoScriptError:  # it was never sent to this server, or the server was restarted
            return await commands.eval(self.text, *call_arguments)
