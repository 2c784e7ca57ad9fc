"""The only ways to write an audit event at once: in the caller's transaction, with what the request is known by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict
from uuid import UUID

from django.db import connections

from security.audit.actions import category_of
from security.audit_sql import shorten_address
from security.models import AuditEvent, PlatformEvent
from security.redaction import redact_values
from tenants.authentication.sessions import session_hash
from tenants.context import current_alias, tenant_tx
from tenants.request_context import current_request

MAX_LABEL_CHARS = 200

ActorKind = AuditEvent.ActorKind
Outcome = AuditEvent.Outcome


class Origin(TypedDict):
    """The columns that say where an event came from."""

    address: str
    user_agent: str
    session_hash: str
    token_id: UUID | None
    request_id: str


def audit(
    *,
    organization_id: UUID,
    actor_user_id: int | None,
    action: str,
    object_kind: str,
    object_id: object,
    detail: Mapping[str, Any] | None = None,
    object_label: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    outcome: str = Outcome.DONE,
    actor_kind: str | None = None,
    run_id: UUID | None = None,
) -> AuditEvent:
    """Append one event to the organization's audit log, in the caller's transaction if there is one.

    `action` is an object and a verb such as "secret.create". `detail` is JSON of ids and field names, without content or secrets.
    `before` and `after`: what changed, by field; of a secret at most its last four characters. `object_label`: its name for readers.
    Address, request, session, token and run come from tenants.request_context.
    """
    with tenant_tx(organization_id):
        return AuditEvent.objects.create(
            organization_id=organization_id,
            actor_user_id=actor_user_id,
            actor_kind=actor_kind or _kind_of(actor_user_id),
            action=action,
            category=category_of(action),
            outcome=outcome,
            object_kind=object_kind,
            object_id=str(object_id)[:80],
            object_label=clean_label(object_label),
            detail=detail or {},
            before=redact_values(before or {}),
            after=redact_values(after or {}),
            run_id=run_id or current_request().run_id,
            **origin_of_request(is_known=actor_user_id is not None),
        )


def platform_audit(
    *,
    actor_user_id: int | None,
    action: str,
    object_kind: str,
    object_id: object,
    organization_id: UUID | None = None,
    detail: Mapping[str, Any] | None = None,
    object_label: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    outcome: str = Outcome.DONE,
    actor_kind: str | None = None,
) -> None:
    """Append one event to the platform operator's log, like `audit`. `organization_id`: the one that it is about, if any."""
    platform_insert(
        PlatformEvent(
            about_organization_id=organization_id,
            actor_user_id=actor_user_id,
            actor_kind=actor_kind or _kind_of(actor_user_id),
            action=action,
            category=category_of(action),
            outcome=outcome,
            object_kind=object_kind,
            object_id=str(object_id)[:80],
            object_label=clean_label(object_label),
            detail=detail or {},
            before=redact_values(before or {}),
            after=redact_values(after or {}),
            **origin_of_request(is_known=actor_user_id is not None),
        )
    )


def platform_insert(event: PlatformEvent, *, using: str | None = None, if_new: bool = False) -> None:
    """Insert the row without reading it back: the app role may add to this table, but not read it."""
    event.address = shorten_address(event.address)
    fields = [field for field in PlatformEvent._meta.local_concrete_fields if field.name != "created_at"]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    connection = connections[using or current_alias()]
    values = [field.get_db_prep_save(getattr(event, field.attname), connection) for field in fields]
    marks = ", ".join(["%s"] * len(fields))
    conflict = " on conflict do nothing" if if_new else ""
    with connection.cursor() as cursor:
        cursor.execute(f'insert into "{PlatformEvent._meta.db_table}" ({columns}) values ({marks}){conflict}', values)  # noqa: S608  our own column names


def origin_of_request(*, is_known: bool) -> Origin:
    """Return where the work comes from. The session counts only when somebody is known by it."""
    request = current_request()
    is_session = is_known and request.token_id is None and bool(request.session_key)
    return {
        "address": request.address,
        "user_agent": request.user_agent,
        "session_hash": session_hash(request.session_key)[:16] if is_session else "",
        "token_id": request.token_id if is_known else None,
        "request_id": request.request_id[:40],
    }


def clean_label(text: str) -> str:
    """Return a name as one line without control characters, such as those that change the direction of text."""
    return "".join(character if character.isprintable() else " " for character in text)[:MAX_LABEL_CHARS].strip()


def _kind_of(actor_user_id: int | None) -> str:
    return ActorKind.SYSTEM if actor_user_id is None else ActorKind.USER
