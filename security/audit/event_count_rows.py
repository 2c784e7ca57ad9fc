"""Writes the counted events of minutes that are over as rows of the audit logs (security.audit.event_counts)."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import orjson
from django.db import connections

from security.audit.actions import category_of
from security.audit.event_counts import MINUTE_S, MINUTES, Subject, minute_key
from security.audit.writing import clean_label, platform_insert
from security.models import AuditEvent, PlatformEvent
from tenants.context import tenant_tx
from tenants.models import Membership, Organization
from tenants.postgres.bulk_insert import rows_insert
from tenants.redis.clients import key, sync_client
from tenants.rounds import organizations_round
from tenants.time_ids import time_id_of

SETTLE_S = 30  # after a minute's end every process has pushed what it counted
ACCOUNT = "account"  # object kind: the SHA-256 of an e-mail address, which may be nobody's
NAMESPACE = UUID("b0a3b2a6-5f0c-4d0a-9f5e-6c1f3a9d7e11")

_ACCOUNTS = "select encode(sha256(email::bytea), 'hex'), id from tenants_user where encode(sha256(email::bytea), 'hex') = any(%s)"

EventCounts = list[tuple[Subject, int]]


def counted_events_write(*, now: float | None = None) -> int:
    """Write one row per subject of each minute that is over; return how many subjects there were.

    Safe to repeat: a row's id follows from its minute and subject. A minute that could not be written for one organization stays for the next
    round. Raises one of REDIS_ERRORS.
    """
    client = sync_client()
    end = (now or time.time()) - MINUTE_S - SETTLE_S
    done = 0
    for minute in sorted(int(member) for member in client.smembers(key(MINUTES))):  # type: ignore[union-attr]  # the stubs mix sync and async
        if minute > end:
            continue
        fields: Mapping[bytes, bytes] = client.hgetall(minute_key(minute))  # type: ignore[assignment]
        counts = [(Subject(*orjson.loads(field)), int(count)) for field, count in fields.items()]
        if not _write_minute(minute, counts):
            continue
        pipeline = client.pipeline(transaction=True)
        pipeline.delete(minute_key(minute))
        pipeline.srem(key(MINUTES), minute)
        pipeline.execute()
        done += len(counts)
    return done


def _write_minute(minute: int, counts: EventCounts) -> bool:
    """Write the minute's rows; return whether all could be written."""
    rooms: dict[str, EventCounts] = defaultdict(list)
    for subject, count in _with_accounts(counts):
        rooms[subject.organization_id].append((subject, count))
    for subject, count in rooms.pop("", []):
        platform_insert(PlatformEvent(id=_id(minute, subject), **_columns(minute, subject, count)), using="system", if_new=True)
    alive = Organization.objects.using("system").filter(pk__in=rooms)
    organization_count = organizations_round(
        lambda pk: _write_events(pk, minute, rooms[str(pk)]), failure="counted_events_not_written", organizations=alive
    )
    return organization_count == alive.count()


def _write_events(organization_id: UUID, minute: int, counts: EventCounts) -> int:
    """Write an organization's rows of a minute; return 1."""
    events = [
        AuditEvent(id=_id(minute, subject), organization_id=organization_id, **_columns(minute, subject, count))
        for subject, count in counts
    ]
    with tenant_tx(organization_id):
        rows_insert([], if_new=events)
    return 1


def _with_accounts(counts: EventCounts) -> EventCounts:
    """Add to each event about an account one for each organization of its user, and name the user in the platform's."""
    hashes = {subject.object_id for subject, _ in counts if subject.object_kind == ACCOUNT}
    users = _users(hashes) if hashes else {}
    organizations = _organizations(users.values()) if users else {}
    result: EventCounts = []
    for subject, count in counts:
        if subject.object_kind != ACCOUNT:
            result.append((subject, count))
            continue
        user_id = users.get(subject.object_id)
        if user_id is None:
            result.append((subject._replace(object_id=subject.object_id[:12]), count))
            continue
        of_user = subject._replace(object_kind="user", object_id=str(user_id))
        result += [(of_user._replace(organization_id=place), count) for place in ("", *organizations.get(user_id, ()))]
    return result


def _users(hashes: Iterable[str]) -> dict[str, int]:
    with connections["system"].cursor() as cursor:
        cursor.execute(_ACCOUNTS, [[*hashes]])
        return dict(cursor.fetchall())


def _organizations(user_ids: Iterable[int]) -> dict[int, Sequence[str]]:
    names: dict[int, list[str]] = defaultdict(list)
    rows = Membership.objects.using("system").filter(user_id__in=[*user_ids], organization__is_active=True)
    for user_id, organization_id in rows.values_list("user_id", "organization_id"):
        names[user_id].append(str(organization_id))
    return dict(names)


def _id(minute: int, subject: Subject) -> UUID:
    return time_id_of(minute, uuid5(NAMESPACE, f"{minute} {orjson.dumps([*subject]).decode()}").int)


def _columns(minute: int, subject: Subject, count: int) -> dict[str, Any]:
    return {
        "actor_user_id": subject.actor_user_id,
        "actor_kind": subject.actor_kind,
        "action": subject.action,
        "category": category_of(subject.action),
        "outcome": subject.outcome,
        "object_kind": subject.object_kind,
        "object_id": subject.object_id,
        "object_label": clean_label(subject.object_label),
        "detail": {**orjson.loads(subject.detail), "minute": datetime.fromtimestamp(minute, UTC).isoformat()},
        "count": count,
        "address": subject.address,
    }
