"""Celery task of artifacts. It is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

import structlog
from asgiref.sync import async_to_sync
from celery import shared_task

from artifacts.live.versions import live_documents_due, live_version_save
from artifacts.models import Artifact, Version
from artifacts.schemas import artifact_notice
from artifacts.services import artifact_lock
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.redis.notifications import notify_member

log = structlog.get_logger(__name__)


@shared_task(name="artifacts.tasks.live_versions_save", expires=60)
def live_versions_save() -> int:
    """Make versions of what was typed together in all organizations and rests, or was not saved for long. Return how many."""
    return sum(_save(*due) for due in live_documents_due())


def _save(organization_id: UUID, artifact_id: UUID) -> bool:
    try:
        with tenant_tx(organization_id):
            version = _version_of(artifact_id)
    except NotFound:  # deleted meanwhile
        return False
    except Exception:  # must not keep the others' texts from being saved; the next round tries this one again
        log.exception("live_version_not_saved", artifact_id=str(artifact_id))
        return False
    if version is not None:
        async_to_sync(notify_member)(version.artifact.owner_id, artifact_notice(version))
    return version is not None


def _version_of(artifact_id: UUID) -> Version | None:
    return live_version_save(artifact_lock(Artifact(pk=artifact_id)))
