"""An audit event as JSON, for files and webhooks, and as a line of CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson
from django.utils.translation import gettext

from security.audit.actions import phrase
from security.audit_models import AuditFields
from security.csv_cells import csv_text
from tenants.models import User

COLUMNS: Final = (
    "time", "actor", "actor_id", "actor_kind", "sentence", "action", "category", "outcome", "count", "object_kind", "object_id", "object",
    "before", "after", "detail", "address", "user_agent", "session", "token_id", "request_id", "run_id", "id",
)  # fmt: skip


def event_record(event: AuditFields, people: Mapping[int, User]) -> dict[str, Any]:
    """Return the event's fields with values that JSON can hold."""
    actor = people.get(event.actor_user_id or 0)
    return {
        "time": event.created_at.isoformat(),
        "actor": actor_name(event, people),
        "actor_email": actor.email if actor else None,
        "actor_id": event.actor_user_id,
        "actor_kind": event.actor_kind,
        "sentence": sentence(event, people),
        "action": event.action,
        "category": event.category,
        "outcome": event.outcome,
        "count": event.count,
        "object_kind": event.object_kind,
        "object_id": event.object_id,
        "object": event.object_label,
        "before": event.before,
        "after": event.after,
        "detail": event.detail,
        "address": event.address,
        "user_agent": event.user_agent,
        "session": event.session_hash,
        "token_id": event.token_id,
        "request_id": event.request_id,
        "run_id": event.run_id,
        "id": event.pk,
    }


def actor_name(event: AuditFields, people: Mapping[int, User]) -> str:
    """Return who acted, in words."""
    if event.actor_user_id is not None:
        user = people.get(event.actor_user_id)
        return str(user) if user else gettext("Deleted user %(actor_user_id)s") % {"actor_user_id": event.actor_user_id}
    return gettext("Somebody unknown") if event.actor_kind == AuditFields.ActorKind.STRANGER else "Parley"


def object_name(event: AuditFields, people: Mapping[int, User]) -> str:
    """Return the name that the object had at that time; for a user without one, the name of today."""
    user = people.get(int(event.object_id)) if event.object_kind == "user" and event.object_id.isdecimal() else None
    return event.object_label or (str(user) if user else "")


def sentence(event: AuditFields, people: Mapping[int, User]) -> str:
    """Return the event as a sentence, such as "Maya made Jonas an admin"."""
    times = f" ({event.count:,} times)" if event.count > 1 else ""
    return f"{actor_name(event, people)} {phrase(event, object_name(event, people))}{times}"


def jsonl_lines(events: Iterable[AuditFields], people: Mapping[int, User]) -> bytes:
    return b"".join(orjson.dumps(event_record(event, people), option=orjson.OPT_APPEND_NEWLINE) for event in events)


def csv_head() -> bytes:
    return "\ufeff".encode() + (",".join(COLUMNS) + "\r\n").encode()  # the mark tells spreadsheets that it is UTF-8


def csv_lines(events: Iterable[AuditFields], people: Mapping[int, User]) -> bytes:
    """Return the events as lines of CSV. No cell is a formula, whatever an object is called."""
    records = (event_record(event, people) for event in events)
    return csv_text(([_cell(record[name]) for name in COLUMNS] for record in records), line_end="\r\n").encode()


def _cell(value: Any) -> str:
    return "" if value is None else orjson.dumps(value).decode() if isinstance(value, dict | list) else str(value)
