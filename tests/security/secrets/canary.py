"""Where a secret could have gone: every table, every Redis key, every log line; searched in clear and in the usual spellings."""

from __future__ import annotations

import base64
import io
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import redis
from django.conf import settings
from django.db import connections
from structlog.stdlib import ProcessorFormatter

from tests.support.agents.gemini import CANARY_KEY


def spellings(secret: str) -> Iterator[bytes]:
    """The secret itself, in hex, and in base64 at each of the three places where it can begin."""
    raw = secret.encode()
    yield raw
    yield raw.hex().encode()
    for shift in range(3):
        encoding = base64.b64encode(bytes(shift) + raw)
        yield encoding[4:-4] if shift else encoding[:-4]


def places_with(secret: str, places: Mapping[str, bytes]) -> list[str]:
    """The places that hold the secret."""
    return [place for place, content in places.items() if any(spelling in content for spelling in spellings(secret))]


def no_key_in(places: Mapping[str, bytes]) -> None:
    """Whatever a test does, the key of its provider's double is in none of the places (SPEC 2.5)."""
    assert not places_with(CANARY_KEY, places)


def database_text() -> dict[str, bytes]:
    """All rows of all tables, by table, those of partitions in their table: the owner alone reads every one."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition"
        )
        tables = [name for (name,) in cursor.fetchall()]
        dump = {}
        for table in tables:
            cursor.execute(f'select row::text from "{table}" as row')
            dump[f"table {table}"] = "\n".join(text for (text,) in cursor.fetchall()).encode()
        return dump


def redis_text() -> dict[str, bytes]:
    """All keys of the database with their values; three round trips, however many there are."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        keys = list(client.scan_iter(count=10_000))
        with client.pipeline(transaction=False) as kinds, client.pipeline(transaction=False) as values:
            for key in keys:
                kinds.type(key)
            for key, kind in zip(keys, kinds.execute(), strict=True):
                _ask_for(values, key, kind.decode())
            # A key that went, or became another one, while we looked: an error in place of its value.
            contents = values.execute(raise_on_error=False)
        return {f"redis {key.decode()}": key + repr(value).encode() for key, value in zip(keys, contents, strict=True)}


def delete_redis_keys() -> None:
    """Drop this test process's keys, as a Redis without files that starts again."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        if keys := list(client.scan_iter(f"{settings.REDIS_PREFIX}:*", count=10_000)):
            client.unlink(*keys)


def _ask_for(client: Any, key: bytes, kind: str) -> None:
    match kind:
        case "list":
            client.lrange(key, 0, -1)
        case "set":
            client.smembers(key)
        case "zset":
            client.zrange(key, 0, -1, withscores=True)
        case "hash":
            client.hgetall(key)
        case "stream":
            client.xrange(key)
        case _:
            client.get(key)


class _RawFormatter(logging.Formatter):
    """The whole record, before anything is removed from it."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{super().format(record)} {record.__dict__!r}"


@contextmanager
def capture_logs() -> Iterator[io.StringIO]:
    """What is logged while it is open at the most talkative level: as it is written, and raw."""
    text = io.StringIO()
    configured: Any = settings.LOGGING
    structured = {name: value for name, value in configured["formatters"]["structured"].items() if name != "()"}
    root = logging.getLogger()
    former, handlers = root.level, [logging.StreamHandler(text), logging.StreamHandler(text)]
    for handler, formatter in zip(handlers, (ProcessorFormatter(**structured), _RawFormatter()), strict=True):
        handler.setFormatter(formatter)
        root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield text
    finally:
        root.setLevel(former)
        for handler in handlers:
            root.removeHandler(handler)
