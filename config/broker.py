"""Celery's Redis transport, which drops what is no message: one broken entry in a queue would end each worker that reads it."""

from __future__ import annotations

from typing import Any

import structlog
from kombu.transport import TRANSPORT_ALIASES, redis

# What kombu raises for an entry that is not JSON, lacks fields or has them in other types. Errors of the connection are none of these.
MALFORMED = (ValueError, TypeError, LookupError, AttributeError)

log = structlog.get_logger(__name__)


class _DropsMalformed:
    """Outlives malformed entries. For subclasses of kombu's channels."""

    def _brpop_read(self, **options: Any) -> bool:
        try:
            return bool(super()._brpop_read(**options))  # type: ignore[misc]
        except MALFORMED as error:
            log.warning("queue_entry_dropped", error=type(error).__name__)
            return True


class Channel(_DropsMalformed, redis.Channel):
    """A channel to one server."""


class SentinelChannel(_DropsMalformed, redis.SentinelChannel):
    """A channel to the primary that Sentinels name."""


class Transport(redis.Transport):
    """The transport of one server's addresses."""

    Channel = Channel


class SentinelTransport(redis.SentinelTransport):
    """The transport of Sentinels' addresses."""

    Channel = SentinelChannel


def use_robust_transport() -> None:
    """Let Celery use it. A URL of a Unix socket names its transport itself, so no setting of Celery could."""
    TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), f"{__name__}:Transport"), sentinel=f"{__name__}:SentinelTransport")
