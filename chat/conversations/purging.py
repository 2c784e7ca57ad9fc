"""Purge of what members deleted: after the days of the organization's policy it is gone for good (docs/decisions/0026)."""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from redis.exceptions import RedisError

from admin_config.services.selectors import retention_days
from artifacts.models import Artifact
from chat.models import Conversation, ModelCall, PromptSnapshot
from chat.stream.event_log import LogKeys
from files.models import File
from tenants.context import tenant_tx
from tenants.deletion.graph import BATCH
from tenants.deletion.services import DeletionReport, rows_delete, unreferenced_delete
from tenants.redis.clients import sync_client

DELETED: Final[tuple[Any, ...]] = (Conversation, Artifact, File)  # with `deleted_at`; what hangs on them goes along
AT_ONCE: Final = 20  # rows of these


def deleted_purge(*, organization_id: UUID, until: float) -> DeletionReport:
    """Delete what was deleted longer ago than the organization keeps it. Return what went.

    Begins nothing more after `until` (time.monotonic): the next call goes on. Opens its own transactions.
    """
    report = DeletionReport()
    with tenant_tx(organization_id):
        days = retention_days()
    for model in DELETED:
        old = model.unscoped.using("system").filter(organization_id=organization_id, deleted_at__lt=Now() - timedelta(days=days))
        while time.monotonic() < until and (ids := list(old.order_by("deleted_at").values_list("pk", flat=True)[:AT_ONCE])):
            rows_delete(model, ids, organization_id=organization_id, report=report)
    if report.counts["chat.ModelCall"]:
        unreferenced_delete(organization_id, report)
    return report


def prompts_sweep(organization_id: UUID) -> dict[str, int]:
    """Delete the prompts of which no model call is left. Prompts may hold what a member wrote about themselves."""
    calls = ModelCall.unscoped.filter(organization_id=organization_id, prompt_hash=OuterRef("content_hash"))
    unused = PromptSnapshot.unscoped.using("system").filter(~Exists(calls), organization_id=organization_id)
    deleted = 0
    while ids := list(unused.values_list("pk", flat=True)[:BATCH]):
        deleted += PromptSnapshot.unscoped.using("system").filter(pk__in=ids, organization_id=organization_id).delete()[0]
    return {"chat.PromptSnapshot": deleted}


def run_keys_delete(organization_id: UUID, run_ids: Collection[UUID]) -> None:
    """Delete what Redis still has of these runs. While it is away, its own time limits do that, within a day."""
    keys = [key for run_id in run_ids for key in LogKeys.of(run_id).all]
    try:
        sync_client().unlink(*keys)
    except RedisError:
        return
