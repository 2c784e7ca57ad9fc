"""How the calls of tool sources went, for the board of operations: the last ones of each source, in Redis. Nothing else depends on it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any, Final
from uuid import UUID

import structlog

from agents.engine.ports import Tool, ToolContext, ToolOutcome, ToolTraits
from agents.messages import ToolDefinition
from tenants.redis.clients import REDIS_ERRORS, key, no_timeout_client, sync_client

log = structlog.get_logger(__name__)

MAX_CALLS: Final = 100  # of a source that are known
MEMORY_S: Final = 30 * 86_400  # after its last call
TIMEOUT_S: Final = 1.0
FAILED, DONE = "x", "."


@dataclass(frozen=True, slots=True)
class RecentCall:
    """A call of a source."""

    at: datetime
    took_ms: int
    is_failed: bool


@dataclass(frozen=True, slots=True)
class RecentCalls:
    """The last calls of a source, newest first: one at least, at most MAX_CALLS."""

    newest: Sequence[RecentCall]

    @property
    def last(self) -> datetime:
        return self.newest[0].at

    @property
    def count(self) -> int:
        return len(self.newest)

    @property
    def failed(self) -> int:
        return sum(call.is_failed for call in self.newest)

    @property
    def median_ms(self) -> int | None:
        """Of the calls that did not fail."""
        done = [call.took_ms for call in self.newest if not call.is_failed]
        return round(median(done)) if done else None

    @property
    def failed_percent(self) -> float:
        return 100 * self.failed / self.count


@dataclass(frozen=True, slots=True)
class NotedTool:
    """Implements `Tool`: the tool, whose calls are noted."""

    tool: Tool
    organization_id: UUID
    source_id: UUID

    @property
    def definition(self) -> ToolDefinition:
        return self.tool.definition

    @property
    def traits(self) -> ToolTraits:
        return self.tool.traits

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        started, outcome = time.monotonic(), FAILED
        try:
            result = await self.tool.run(arguments, context)
            outcome = FAILED if result.is_error else DONE
            return result
        finally:
            await call_note(self.organization_id, self.source_id, took_s=time.monotonic() - started, outcome=outcome)


async def call_note(organization_id: UUID, source_id: UUID, *, took_s: float, outcome: str) -> None:
    """Add a call to those of its source. While Redis is away it is not noted."""
    name = _key(organization_id, source_id)
    try:
        async with asyncio.timeout(TIMEOUT_S), no_timeout_client().pipeline(transaction=False) as pipe:
            pipe.lpush(name, f"{time.time():.0f} {took_s * 1000:.0f} {outcome}")
            pipe.ltrim(name, 0, MAX_CALLS - 1)
            pipe.expire(name, MEMORY_S)
            await pipe.execute()
    except REDIS_ERRORS as error:
        log.warning("call_not_noted", reason=type(error).__name__)


def recent_calls_of(organization_id: UUID, source_ids: Sequence[UUID]) -> dict[UUID, RecentCalls] | None:
    """Return what is known of the sources that were called; None while Redis is away. One question to Redis."""
    try:
        with sync_client().pipeline(transaction=False) as pipe:
            for source_id in source_ids:
                pipe.lrange(_key(organization_id, source_id), 0, MAX_CALLS - 1)
            lists = pipe.execute()
    except REDIS_ERRORS:
        return None
    return {source_id: RecentCalls([*map(_recent_call, calls)]) for source_id, calls in zip(source_ids, lists, strict=True) if calls}


def _recent_call(entry: bytes) -> RecentCall:
    at, took_ms, outcome = entry.decode().split(" ")
    return RecentCall(datetime.fromtimestamp(int(at), UTC), int(took_ms), outcome != DONE)


def _key(organization_id: UUID, source_id: UUID) -> str:
    return key("tool-calls", organization_id, source_id)
