"""Celery task of artifacts. It is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

import structlog
from asgiref.sync import async_to_sync
from celery import shared_task

from artifacts.live.versions import live_documents_due, live_version_make
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.redis.notifications import notify_members

log = structlog.get_logger(__name__)


@shared_task(name="artifacts.tasks.live_versions_save", expires=60)
def live_versions_save() -> int:
    """Make versions of what was typed together in all organizations and rests, or was not saved for long. Return how many."""
    return sum(_save(*due) for due in live_documents_due())


def _save(organization_id: UUID, artifact_id: UUID) -> bool:
    try:
        with tenant_tx(organization_id):
            announcement = live_version_make(artifact_id)
    except NotFound:  # deleted meanwhile
        return False
    except Exception:  # must not keep the others' texts from being saved; the next round tries this one again
        log.exception("live_version_not_saved", artifact_id=str(artifact_id))
        return False
    if announcement is not None:
        async_to_sync(notify_members)(*announcement)
    return announcement is not None
