"""A cache in Redis for pages and search results, per organization and source."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
import structlog

from tenants.redis.clients import REDIS_ERRORS, key, redis_client

log = structlog.get_logger(__name__)

MAX_CACHED_BYTES = 1024 * 1024  # larger values are not cached


@dataclass(frozen=True, slots=True)
class WebCache:
    """The cache of one source. When Redis is unavailable or `ttl_s` is 0, nothing is found or stored."""

    organization_id: UUID
    source_id: UUID
    area: str  # what is cached, such as `page`
    ttl_s: int

    async def get(self, *key_parts: object) -> Any:
        """Return the cached JSON value for these key parts, or None."""
        if not self.ttl_s:
            return None
        try:
            payload = await redis_client("cache").get(self._key(key_parts))
        except REDIS_ERRORS as error:
            log.warning("web_cache_away", reason=type(error).__name__)
            return None
        return None if payload is None else orjson.loads(payload)

    async def set(self, value: Any, *key_parts: object) -> None:
        content = orjson.dumps(value)
        if not self.ttl_s or len(content) > MAX_CACHED_BYTES:
            return
        try:
            await redis_client("cache").set(self._key(key_parts), content, ex=self.ttl_s)
        except REDIS_ERRORS as error:
            log.warning("web_cache_away", reason=type(error).__name__)

    def _key(self, key_parts: tuple[object, ...]) -> str:
        digest = hashlib.sha256(orjson.dumps(key_parts, default=str)).hexdigest()
        return key(self.organization_id, "web", self.area, self.source_id, digest)
