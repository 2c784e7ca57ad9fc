"""Reads of conversations. Every row that a user can reach is loaded through the access checks here (SECURITY 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from agents.engine.run_progress import unwrap_entry
from agents.messages import ToolCall
from artifacts.schemas import ArtifactSummary
from artifacts.selectors import SUMMARIES_SQL
from chat.conversations.shapes import ConversationItem
from chat.models import WAITING_FOR, Conversation, Message, Run, WaitReason
from chat.storage.run_loading import stored_entries
from tenants.access import Actor
from tenants.context import current_organization_id
from tenants.errors import NotFound
from tenants.postgres.prepared_statements import Rows, read_committed, read_rows

# The number of transactions that had ended when the statement ran. Announcements of two processes can overtake each other; this
# number orders them by what they saw. (All transactions below a snapshot's xmax have ended, except those that it lists:
# https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT)
# A standby lists none. There it is a lower number, so that no announcement that comes later counts as older than what was read.
REVISION_SQL = """(
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_snapshot_xmin(now_seen)::text::bigint
        ELSE pg_snapshot_xmax(now_seen)::text::bigint - (SELECT count(*) FROM pg_snapshot_xip(now_seen)) END
    FROM pg_current_snapshot() AS now_seen
)"""
CLIENT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def conversations_of(actor: Actor) -> QuerySet[Conversation]:
    """Return the conversations that the actor may see: their own, except deleted ones."""
    return Conversation.objects.filter(owner_id=actor.membership_id, deleted_at=None)


def conversation_get_for_user(*, actor: Actor, key: str, lock: bool = False) -> Conversation:
    """Return the actor's conversation by its id or by the id that a client chose. `lock`: lock its row.

    Raises NotFound when it is missing, deleted or somebody else's.
    """
    rows = conversations_of(actor).filter(key_condition(key))
    conversation = (rows.select_for_update(of=("self",)).order_by("pk") if lock else rows).first()
    if conversation is None:
        raise NotFound
    return conversation


def assistant_of(*, actor: Actor, key: str) -> str:
    """Return the key of the assistant that answers in the member's own conversation; blank: the chat agent, or no such conversation."""
    return conversations_of(actor).filter(key_condition(key)).values_list("assistant", flat=True).first() or ""


def conversation_detail(*, actor: Actor, key: str) -> tuple[Conversation, RunState, list[ArtifactSummary]]:
    """Return the actor's conversation, its `run_state` and its artifacts. One query. Raises NotFound.

    Call it before reading the messages. Then a complete answer may still be reported as running, but never an incomplete one as
    finished. Artifacts that are added in between are in that run's log.
    """
    conversation_id = parse_uuid(key)
    key_check(key)
    names = [field.attname for field in Conversation._meta.concrete_fields]
    sql = _DETAIL.format(
        columns=", ".join(f"c.{name}" for name in names), key="c.id = %s" if conversation_id else "c.client_id = %s AND c.client_id <> ''"
    )
    rows = read_rows(sql, [current_organization_id(), actor.membership_id, conversation_id or key])
    if not rows:
        raise NotFound
    open_status, artifacts, *values = rows[0]
    return (
        Conversation.from_db("default", names, values),
        run_state(open_status),
        [ArtifactSummary.model_validate(artifact) for artifact in artifacts],
    )


# Plain SQL, because each opening waits for it, and the ORM needs milliseconds of CPU to compile it.
_DETAIL = f"""\
SELECT
    (SELECT status FROM chat_run WHERE organization_id = c.organization_id AND conversation_id = c.id AND finished_at IS NULL),
    {SUMMARIES_SQL},
    {{columns}}
FROM chat_conversation c
WHERE c.organization_id = %s AND c.owner_id = %s AND c.deleted_at IS NULL AND {{key}}
"""  # noqa: S608 - no value is in it


def _open_status() -> Subquery:
    """Select the status of the run that has not ended; None: there is none."""
    return Subquery(Run.objects.filter(conversation_id=OuterRef("pk"), finished_at=None).values("status")[:1])


def key_condition(key: str) -> Q:
    """Return a condition that matches the id when `key` is a UUID, else the client's id; it matches nothing for an invalid key."""
    conversation_id = parse_uuid(key)
    if conversation_id is not None:
        return Q(pk=conversation_id)
    return Q(client_id=key) if CLIENT_ID.fullmatch(key) else Q(pk__in=())


def key_check(key: str) -> None:
    """Raises NotFound when no conversation can have this key."""
    if parse_uuid(key) is None and not CLIENT_ID.fullmatch(key):
        raise NotFound


def message_by_name(conversation: Conversation, name: str) -> Message | None:
    """Return the conversation's message with the id that its client chose, else the one with our id, or None."""
    message_id = parse_uuid(name)
    messages = conversation.messages.filter(deleted_at=None)
    message = messages.filter(client_msg_id=name).first() if name else None
    return message or (messages.filter(pk=message_id).first() if message_id else None)


def parse_uuid(text: str) -> UUID | None:
    """Return the UUID, or None when `text` is not one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def annotate_activity(rows: QuerySet[Conversation]) -> QuerySet[Conversation]:
    """Annotate `open_status` (the status of the run that has not ended, or None), `is_unread` and `revision`."""
    runs = Run.objects.filter(conversation_id=OuterRef("pk"))
    return rows.annotate(
        open_status=_open_status(),
        is_unread=Exists(runs.filter(finished_at__gt=OuterRef("seen_at"))),
        revision=RawSQL(REVISION_SQL, (), output_field=BigIntegerField()),  # noqa: S611 - no value is in it
    )


def conversation_item(row: Any) -> ConversationItem:
    """`row` comes from `annotate_activity`."""
    return ConversationItem(
        id=row.pk,
        title=row.title,
        head_id=row.head_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        unread=row.is_unread,
        pinned=row.is_pinned,
        archived=row.archived_at is not None,
        project_id=row.project_id,
        revision=row.revision,
        **run_state(row.open_status),
    )


class RunState(TypedDict):
    """Whether an answer is being written, and what it waits for."""

    active_run: bool
    waiting: WaitReason | None


def run_state(status: str | None) -> RunState:
    return {"active_run": status in Run.ACTIVE, "waiting": WAITING_FOR.get(status or "")}


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The state of a conversation, for announcements."""

    item: ConversationItem
    owner_id: UUID
    is_listed: bool  # whether it is in the owner's list
    is_untitled: bool  # neither the user nor the model has named it yet; a temporary one gets no title


def conversation_state(conversation_id: UUID) -> ConversationState | None:
    """Return the conversation's state, or None when it is deleted. One query.

    Does not check access: for announcements, and for callers that have already found the conversation for their user.
    """
    return _state_from(read_rows(_STATE, [current_organization_id(), conversation_id]))


def committed_state(organization_id: UUID, conversation_id: UUID) -> ConversationState | None:
    """Return what `conversation_state` does, outside a transaction."""
    return _state_from(read_committed(organization_id, _STATE, [organization_id, conversation_id]))


def _state_from(rows: Rows) -> ConversationState | None:
    if not rows:
        return None
    owner_id, is_listed, is_temporary, title_source, *values = rows[0]
    is_untitled = title_source == Conversation.TitleSource.DEFAULT and not is_temporary
    return ConversationState(conversation_item(_Activity(*values)), owner_id, is_listed, is_untitled)


class _Activity(NamedTuple):
    """A row of `_STATE`, with the names of `annotate_activity`."""

    pk: UUID
    title: str
    head_id: UUID | None
    created_at: datetime
    updated_at: datetime
    is_pinned: bool
    archived_at: datetime | None
    project_id: UUID | None
    revision: int
    open_status: str | None
    is_unread: bool


# `annotate_activity` as plain SQL, because each run reads it at its end, and the ORM needs up to a millisecond of CPU to compile it.
_STATE = f"""\
SELECT c.owner_id, c.listed, c.expires_at IS NOT NULL, c.title_source,
    c.id, c.title, c.head_id, c.created_at, c.updated_at, c.is_pinned, c.archived_at, c.project_id, {REVISION_SQL},
    (SELECT status FROM chat_run WHERE organization_id = c.organization_id AND conversation_id = c.id AND finished_at IS NULL),
    EXISTS (SELECT FROM chat_run WHERE organization_id = c.organization_id AND conversation_id = c.id AND finished_at > c.seen_at)
FROM chat_conversation c WHERE c.organization_id = %s AND c.id = %s AND c.deleted_at IS NULL
"""  # noqa: S608 - no value is in it


def active_run(conversation: Conversation) -> Run | None:
    """Return the conversation's active run, or None."""
    return Run.objects.filter(conversation=conversation, status__in=Run.ACTIVE).first()


def stored_call(run: Run, call_id: str) -> ToolCall:
    """Return a stored tool call of the run, or of one of its sub-agents. Raises NotFound."""
    entries = (unwrap_entry(row.entry) for row in stored_entries(run.answer_id))
    call = next((entry for entry in entries if isinstance(entry, ToolCall) and entry.id == call_id), None)
    if call is None:
        raise NotFound
    return call


def latest_run(*, actor: Actor, key: str) -> Run | None:
    """Return the newest run of the actor's conversation, or None when there is no such conversation or it has no run."""
    conversation = conversations_of(actor).filter(key_condition(key)).first()
    return Run.objects.filter(conversation=conversation).order_by("-created_at").first() if conversation else None
