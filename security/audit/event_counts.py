"""Events that may happen a thousand times a minute: one row per minute and subject, with a count.

`count_event` only adds to a table in memory, so it may be called on the hottest path and from any thread. A thread adds the table to
Redis within PUSH_S, and a task writes the rows of minutes that are over (`counted_events_write`). What a process holds when it is killed
is lost, at most PUSH_S of it and what a push under way has not sent. While Redis is away the counts stay in memory.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import structlog

from tenants.redis.clients import REDIS_ERRORS, key, sync_client
from tenants.request_context import current_request

PUSH_S = 0.5
MINUTE_S = 60
MAX_SUBJECTS = 50  # per organization, minute and process; the others are counted together
MAX_IN_MEMORY = 20_000  # while Redis is away
EXPIRY_S = 24 * 3600
OTHERS = "others"
MINUTES = "audit-minutes"  # Redis: the minutes that have counts

log = structlog.get_logger(__name__)


class Subject(NamedTuple):
    """What is counted together. Everything is text or None, so that it is one field of a Redis hash."""

    organization_id: str  # empty: the platform's log
    actor_user_id: int | None
    actor_kind: str
    action: str
    object_kind: str
    object_id: str
    object_label: str
    outcome: str
    address: str
    detail: str  # JSON


_lock = threading.Lock()
_counts: dict[int, Counter[Subject]] = defaultdict(Counter)  # by minute: seconds since 1970
_subjects: Counter[tuple[int, str, str]] = Counter()  # by minute, organization and action
_pushing = threading.Lock()
_is_new = threading.Event()  # that there is something to push
_is_redis_away = False  # whether the last push failed: an outage has one line in the log
_pusher: threading.Thread | None = None  # one for the process: a new one for each push would cost more than all else here


def count_event(
    *,
    organization_id: UUID | None,
    actor_user_id: int | None,
    action: str,
    object_kind: str,
    object_id: object,
    object_label: str = "",
    outcome: str = "done",
    detail: Mapping[str, Any] | None = None,
    actor_kind: str | None = None,
) -> None:
    """Count an event of this minute. Waits for nothing. `organization_id`: None for the platform operator's log."""
    subject = Subject(
        str(organization_id or ""),
        actor_user_id,
        actor_kind or ("system" if actor_user_id is None else "user"),
        action,
        object_kind,
        str(object_id)[:80],
        object_label[:200],
        outcome,
        current_request().address,
        orjson.dumps(detail or {}, default=str).decode(),
    )
    minute = int(time.time()) // MINUTE_S * MINUTE_S
    with _lock:
        _add(minute, subject)
        _wake_pusher()


def counts_push() -> None:
    """Add what was counted here to Redis, after a push that has begun. Keeps it when Redis is away."""
    with _pushing:
        with _lock:
            counts = dict(_counts)
            _counts.clear()
            _forget_subjects()
        if counts:
            _push(counts)


def _push(counts: Mapping[int, Counter[Subject]]) -> None:
    global _is_redis_away
    try:
        pipeline = sync_client().pipeline(transaction=True)
        for minute, subjects in counts.items():
            for subject, count in subjects.items():
                pipeline.hincrby(minute_key(minute), orjson.dumps([*subject]), count)  # type: ignore[arg-type]  # the stubs want text
            pipeline.expire(minute_key(minute), EXPIRY_S)
            pipeline.sadd(key(MINUTES), minute)
        pipeline.execute()
    except REDIS_ERRORS as error:
        if not _is_redis_away:
            log.warning("audit_counts_kept", reason=type(error).__name__)
        _is_redis_away = True
        _give_back(counts)
    else:
        _is_redis_away = False


def minute_key(minute: int) -> str:
    return key("audit-counts", minute)


def _add(minute: int, subject: Subject) -> None:
    subjects = _counts[minute]
    if subject not in subjects:
        room = (minute, subject.organization_id, subject.action)
        _subjects[room] += 1
        if _subjects[room] > MAX_SUBJECTS or sum(map(len, _counts.values())) > MAX_IN_MEMORY:
            subject = subject._replace(
                actor_user_id=None, actor_kind="stranger", object_id=OTHERS, object_label="", address="", detail="{}"
            )
    subjects[subject] += 1


def _wake_pusher() -> None:
    """Have the table pushed by PUSH_S after a push that is under way. An error ends the thread; the next event starts another."""
    global _pusher
    _is_new.set()
    if _pusher is None or not _pusher.is_alive():
        _pusher = threading.Thread(target=_push_forever, name="audit-counts", daemon=True)
        _pusher.start()


def _push_forever() -> None:
    while _is_new.wait():
        time.sleep(PUSH_S)
        _is_new.clear()
        counts_push()


def _forget_subjects() -> None:
    """Keep the subjects of this minute only: they limit how many rows it gets."""
    oldest = int(time.time()) - MINUTE_S
    for room in [room for room in _subjects if room[0] < oldest]:
        del _subjects[room]


def _give_back(counts: Mapping[int, Counter[Subject]]) -> None:
    with _lock:
        for minute, subjects in counts.items():
            if sum(map(len, _counts.values())) < MAX_IN_MEMORY:
                _counts[minute] += subjects
        _wake_pusher()
