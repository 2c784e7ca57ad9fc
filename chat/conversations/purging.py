"""Purge of what members deleted: after the days of the organization's policy it is gone for good (docs/decisions/0026)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterable
from datetime import timedelta
from itertools import chain
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from admin_config.services.selectors import deleted_kept_days
from artifacts.models import Artifact, Version
from chat.models import Conversation, Message, ModelCall, Part, PromptSnapshot, Run
from files.models import File
from tenants.context import tenant_tx
from tenants.deletion.graph import BATCH, dependent_rows
from tenants.deletion.services import DeletionReport, rows_delete, unreferenced_delete

DELETED: Final[tuple[Any, ...]] = (Conversation, Artifact, File)  # with `deleted_at`; what hangs on them goes along
AT_ONCE: Final = 20  # rows of these
UUID_TEXT: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def deleted_purge(*, organization_id: UUID, until: float) -> DeletionReport:
    """Delete what was deleted longer ago than the organization keeps it. Return what went.

    Begins nothing more after `until` (time.monotonic): the next call goes on. Opens its own transactions.
    """
    report = DeletionReport()
    with tenant_tx(organization_id):
        days = deleted_kept_days()
    _temporary_purge(organization_id, until, report)
    _messages_purge(organization_id, days, until, report)
    for model in DELETED:
        old = model.unscoped.using("system").filter(organization_id=organization_id, deleted_at__lt=Now() - timedelta(days=days))
        while time.monotonic() < until and (ids := list(old.order_by("deleted_at").values_list("pk", flat=True)[:AT_ONCE])):
            rows_delete(model, ids, organization_id=organization_id, report=report)
    if report.counts["chat.ModelCall"]:
        unreferenced_delete(organization_id, report)
    return report


def _temporary_purge(organization_id: UUID, until: float, report: DeletionReport) -> None:
    """Delete temporary conversations whose day is over, with their documents and files; those with an answer under way at the next call."""
    active = Run.unscoped.filter(
        organization_id=OuterRef("organization_id"), conversation_id=OuterRef("pk"), finished_at=None, status__in=Run.ACTIVE
    )
    over = Conversation.unscoped.using("system").filter(~Exists(active), organization_id=organization_id, expires_at__lt=Now())
    while time.monotonic() < until and (ids := list(over.order_by("expires_at").values_list("pk", flat=True)[:AT_ONCE])):
        rows_delete(Conversation, ids, organization_id=organization_id, report=report)


def _messages_purge(organization_id: UUID, days: int, until: float, report: DeletionReport) -> None:
    """Delete messages that were deleted on their own, and the files that no other message of their conversation has."""
    old = Message.unscoped.using("system").filter(organization_id=organization_id, deleted_at__lt=Now() - timedelta(days=days))
    while time.monotonic() < until and (ids := list(old.order_by("deleted_at").values_list("pk", flat=True)[:AT_ONCE])):
        found = dependent_rows(Message, ids, organization_id)
        gone = Part.unscoped.using("system").filter(organization_id=organization_id, message_id__in=found[Message])
        conversation_ids = set(gone.values_list("message__conversation_id", flat=True))
        named = _named_ids(gone.values_list("content", flat=True))
        files = File.unscoped.using("system").filter(organization_id=organization_id, conversation_id__in=conversation_ids, pk__in=named)
        file_ids = set(files.values_list("pk", flat=True))
        rows_delete(Message, ids, organization_id=organization_id, report=report)
        if file_ids:
            rows_delete(File, file_ids - _remaining_ids(conversation_ids, organization_id), organization_id=organization_id, report=report)


def _remaining_ids(conversation_ids: Collection[UUID], organization_id: UUID) -> set[UUID]:
    """Return the ids in what is left of the conversations: in parts, and in images of artifacts."""
    parts = Part.unscoped.using("system").filter(organization_id=organization_id, message__conversation_id__in=conversation_ids)
    versions = Version.unscoped.using("system").filter(organization_id=organization_id, artifact__conversation_id__in=conversation_ids)
    return _named_ids(chain(parts.values_list("content", flat=True).iterator(), versions.values_list("metadata", flat=True).iterator()))


def _named_ids(contents: Iterable[Any]) -> set[UUID]:
    """Return everything in JSON values that looks like an id, wherever an entry has it."""
    return {UUID(match) for content in contents for match in UUID_TEXT.findall(json.dumps(content))}


def prompts_sweep(organization_id: UUID) -> dict[str, int]:
    """Delete the prompts of which no model call is left. Prompts may hold what a member wrote about themselves."""
    calls = ModelCall.unscoped.filter(organization_id=organization_id, prompt_hash=OuterRef("content_hash"))
    unused = PromptSnapshot.unscoped.using("system").filter(~Exists(calls), organization_id=organization_id)
    deleted = 0
    while ids := list(unused.values_list("pk", flat=True)[:BATCH]):
        deleted += PromptSnapshot.unscoped.using("system").filter(pk__in=ids, organization_id=organization_id).delete()[0]
    return {"chat.PromptSnapshot": deleted}
