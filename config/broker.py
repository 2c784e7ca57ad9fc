"""Celery's Redis transport with three habits of its own.

It drops what is no message: one broken entry in a queue would end each worker that reads it. And in lanes it lets organizations take turns
(tenants.lanes.turns): what is sent waits there, and what is done frees a slot there. A connection that is closed says so.
"""

from __future__ import annotations

from typing import Any

import structlog
from kombu.transport import TRANSPORT_ALIASES, redis
from kombu.utils.json import dumps
from redis.exceptions import ConnectionError as RedisConnectionError

from tenants.lanes.table import LANES, ORGANIZATION
from tenants.lanes.turns import job_end, job_put
from tenants.redis.clients import REDIS_ERRORS

# What kombu raises for an entry that is not JSON, lacks fields or has them in other types. Errors of the connection are none of these.
MALFORMED = (ValueError, TypeError, LookupError, AttributeError)

log = structlog.get_logger(__name__)

held_jobs: dict[str, str] = {}  # what this process works on: the lane, by the message's delivery tag


class LaneChannel:
    """What is added to a channel of kombu's; in front of the class in a list of bases."""

    def _brpop_read(self, **options: Any) -> bool:
        try:
            return bool(super()._brpop_read(**options))  # type: ignore[misc]
        except MALFORMED as error:
            log.warning("queue_entry_dropped", error=type(error).__name__)
            return True

    def _create_client(self, asynchronous: bool = False) -> Any:
        """Celery closes a lost connection twice, and the second time its transport knows no address: kombu's AttributeError ended workers."""
        if getattr(self.connection, "client", None) is None:  # type: ignore[attr-defined]
            raise RedisConnectionError("The connection to the broker is closed.")
        return super()._create_client(asynchronous)  # type: ignore[misc]

    def _put(self, queue: str, message: dict[str, Any], **options: Any) -> None:
        if queue not in LANES:
            super()._put(queue, message, **options)  # type: ignore[misc]
            return
        organization, job = message["headers"].get(ORGANIZATION) or "", message["properties"]["delivery_tag"]
        with self.conn_or_acquire() as client:  # type: ignore[attr-defined]
            job_put(client, queue, organization=organization, job=job, message=dumps(message))

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        try:
            super().basic_ack(delivery_tag, multiple=multiple)  # type: ignore[misc]
        finally:
            self._end(delivery_tag)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().basic_reject(delivery_tag, requeue=requeue)  # type: ignore[misc]
        finally:
            self._end(delivery_tag)

    def _end(self, delivery_tag: str) -> None:
        if (lane := held_jobs.pop(delivery_tag, None)) is None:
            return
        try:
            with self.conn_or_acquire() as client:  # type: ignore[attr-defined]
                job_end(client, lane, delivery_tag)
        except REDIS_ERRORS as error:
            log.warning("slot_not_freed", lane=lane, error=type(error).__name__)  # it is free when its lease has ended


class LaneTransport:
    """What is added to a transport of kombu's."""

    def _deliver(self, message: dict[str, Any], queue: str) -> None:
        if queue in LANES:
            held_jobs[message["properties"]["delivery_tag"]] = queue
        super()._deliver(message, queue)  # type: ignore[misc]


class Channel(LaneChannel, redis.Channel):
    """A channel to one server."""


class SentinelChannel(LaneChannel, redis.SentinelChannel):
    """A channel to the primary that Sentinels name."""


class Transport(LaneTransport, redis.Transport):  # type: ignore[misc]  # kombu's stubs name the parameters otherwise
    """The transport of one server's addresses."""

    Channel = Channel


class SentinelTransport(LaneTransport, redis.SentinelTransport):  # type: ignore[misc]
    """The transport of Sentinels' addresses."""

    Channel = SentinelChannel


def use_robust_transport() -> None:
    """Let Celery use it. A URL of a Unix socket names its transport itself, so no setting of Celery could."""
    TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), f"{__name__}:Transport"), sentinel=f"{__name__}:SentinelTransport")
