"""Purge of what members deleted: after the days of the organization's policy it is gone for good (docs/decisions/0026)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from admin_config.services.selectors import deleted_kept_days
from artifacts.models import Artifact, Version
from artifacts.services import artifacts_delete_of_conversations
from chat.models import Conversation, Message, ModelCall, Part, PromptSnapshot, Run
from files.models import File
from files.services import files_delete_of_conversations
from tenants.context import tenant_tx
from tenants.deletion.graph import BATCH, dependent_rows
from tenants.deletion.services import DeletionReport, rows_delete, rows_delete_or_leave, unreferenced_delete

DELETED: Final[tuple[Any, ...]] = (Conversation, Artifact, File)  # with `deleted_at`; what hangs on them goes along
AT_ONCE: Final = 20  # rows of these
PURGE_MARK: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""`deleted_at` of what goes now: nobody restores it, and the next purge ends a broken one."""
UUID_TEXT: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def deleted_purge(*, organization_id: UUID, until: float) -> DeletionReport:
    """Delete what was deleted longer ago than the organization keeps it. Return what went.

    Begins nothing more after `until` (time.monotonic): the next call goes on. Opens its own transactions.
    """
    report = DeletionReport()
    with tenant_tx(organization_id):
        days = deleted_kept_days()
    try:
        _temporary_purge(organization_id, until, report)
        _messages_purge(organization_id, days, until, report)
        for model in DELETED:
            old = model.unscoped.using("system").filter(organization_id=organization_id, deleted_at__lt=Now() - timedelta(days=days))
            oldest = old.order_by("deleted_at").values_list("pk", flat=True)
            while time.monotonic() < until and (ids := list(oldest.exclude(pk__in=report.left)[:AT_ONCE])):
                rows_delete_or_leave(model, ids, organization_id=organization_id, report=report)
    finally:
        report.log_left(organization_id)
    if report.counts["chat.ModelCall"]:
        unreferenced_delete(organization_id, report)
    return report


def taken_purge(
    model: type[Conversation] | type[File], take: Callable[[], list[UUID]], *, organization_id: UUID, until: float, report: DeletionReport
) -> None:
    """Delete what `take` marks as PURGE_MARK, until it finds nothing more; before it, what a broken-off purge has left. See `deleted_purge`."""
    marked_rows = model.unscoped.using("system").filter(organization_id=organization_id, deleted_at=PURGE_MARK).values_list("pk", flat=True)
    while time.monotonic() < until and (ids := list(marked_rows.exclude(pk__in=report.left)[:AT_ONCE]) or take()):
        rows_delete_or_leave(model, ids, organization_id=organization_id, report=report)


def conversations_take(due: QuerySet[Conversation], *, organization_id: UUID) -> list[UUID]:
    """Mark some of the conversations that are due, with what is in them, as PURGE_MARK; return their ids.

    They are asked for again under their locks, so that one stays that somebody sent into, pinned, shared or edited a moment ago. What
    is locked by somebody else is in use, and waits for the next purge.
    """
    with tenant_tx(organization_id, using="system"):
        locked_ids = list(due.select_for_update(of=("self",), skip_locked=True).values_list("pk", flat=True)[:AT_ONCE])
        inside = Artifact.objects.filter(conversation_id__in=locked_ids, deleted_at=None)
        free = list(inside.select_for_update(of=("self",), skip_locked=True).values_list("pk", flat=True))
        in_use = set(inside.exclude(pk__in=free).values_list("conversation_id", flat=True))
        ids = list(due.filter(pk__in=set(locked_ids) - in_use).values_list("pk", flat=True))
        Conversation.objects.filter(pk__in=ids).update(deleted_at=PURGE_MARK)
        artifacts_delete_of_conversations(conversation_ids=ids, at=PURGE_MARK)
        files_delete_of_conversations(conversation_ids=ids, at=PURGE_MARK)
    return ids


def files_take(due: QuerySet[File], *, organization_id: UUID) -> list[UUID]:
    """Mark some of the files that are due as PURGE_MARK; return their ids. Asks again under the locks of their conversations."""
    with tenant_tx(organization_id, using="system"):
        candidates = dict(due.values_list("pk", "conversation_id")[:AT_ONCE])
        chats = Conversation.objects.filter(pk__in=set(candidates.values())).select_for_update(of=("self",), skip_locked=True)
        free = list(chats.values_list("pk", flat=True))
        ids = list(due.filter(pk__in=candidates, conversation_id__in=free).values_list("pk", flat=True))
        File.objects.filter(pk__in=ids).update(deleted_at=PURGE_MARK)
    return ids


def _temporary_purge(organization_id: UUID, until: float, report: DeletionReport) -> None:
    """Delete temporary conversations whose day is over, with their documents and files; those with an answer under way at the next call."""
    active = Run.unscoped.filter(
        organization_id=OuterRef("organization_id"), conversation_id=OuterRef("pk"), finished_at=None, status__in=Run.ACTIVE
    )
    over = Conversation.unscoped.using("system").filter(~Exists(active), organization_id=organization_id, expires_at__lt=Now())
    over = over.exclude(deleted_at=PURGE_MARK).order_by("expires_at")
    take = partial(conversations_take, over, organization_id=organization_id)
    taken_purge(Conversation, take, organization_id=organization_id, until=until, report=report)


def _messages_purge(organization_id: UUID, days: int, until: float, report: DeletionReport) -> None:
    """Delete messages that were deleted on their own, and the files that no other message of their conversation has."""
    old = Message.unscoped.using("system").filter(organization_id=organization_id, deleted_at__lt=Now() - timedelta(days=days))
    while time.monotonic() < until and (ids := list(old.order_by("deleted_at").values_list("pk", flat=True)[:AT_ONCE])):
        _files_take_of_messages(dependent_rows(Message, ids, organization_id)[Message], organization_id)
        rows_delete(Message, ids, organization_id=organization_id, report=report)


def _files_take_of_messages(message_ids: Collection[UUID], organization_id: UUID) -> None:
    """Mark the files that only these messages have as PURGE_MARK, before the messages go, which alone name them.

    Under the locks of their conversations: a file that somebody sends again at that moment stays, or the send is told that it is gone.
    """
    with tenant_tx(organization_id, using="system"):
        parts = Part.objects.filter(message_id__in=message_ids)
        conversation_ids = set(parts.values_list("message__conversation_id", flat=True))
        locked = Conversation.objects.filter(pk__in=conversation_ids).select_for_update(of=("self",)).order_by("pk")
        _ = list(locked.values_list("pk", flat=True))
        file_ids = _named_ids(parts.values_list("content", flat=True)) - _remaining_ids(conversation_ids, message_ids)
        File.objects.filter(conversation_id__in=conversation_ids, pk__in=file_ids).update(deleted_at=PURGE_MARK)


def _remaining_ids(conversation_ids: Collection[UUID], message_ids: Collection[UUID]) -> set[UUID]:
    """Return the ids in what is left of the conversations without these messages: in parts, and in images of artifacts."""
    parts = Part.objects.filter(message__conversation_id__in=conversation_ids).exclude(message_id__in=message_ids)
    versions = Version.objects.filter(artifact__conversation_id__in=conversation_ids)
    return _named_ids(chain(parts.values_list("content", flat=True).iterator(), versions.values_list("metadata", flat=True).iterator()))


def _named_ids(contents: Iterable[Any]) -> set[UUID]:
    """Return everything in JSON values that looks like an id, wherever an entry has it."""
    return {UUID(match) for content in contents for match in UUID_TEXT.findall(json.dumps(content))}


def prompts_sweep(organization_id: UUID) -> dict[str, int]:
    """Delete the prompts of which no model call is left. Prompts may hold what a member wrote about themselves."""
    calls = ModelCall.unscoped.filter(organization_id=organization_id, prompt_hash=OuterRef("content_hash"))
    prompts = PromptSnapshot.unscoped.using("system").filter(~Exists(calls), organization_id=organization_id)
    deleted = 0
    while ids := list(prompts.values_list("pk", flat=True)[:BATCH]):
        deleted += prompts.filter(pk__in=ids).delete()[0]
    return {"chat.PromptSnapshot": deleted}
