"""Celery task of retention (SECURITY 32)."""

from __future__ import annotations

import time
from itertools import takewhile
from typing import Final
from uuid import UUID

import structlog
from celery import shared_task

from retention.removal import retention_apply as apply
from tenants.models import Organization

APPLY_S: Final = 900.0  # of one round; what is left then is the next one's

log = structlog.get_logger(__name__)


@shared_task(name="retention.tasks.retention_apply", expires=3000)
def retention_apply() -> int:
    """Delete what is older than the rules of all organizations allow; return how many rows and contents went.

    The order changes, so that a large organization keeps nobody waiting for ever.
    """
    until = time.monotonic() + APPLY_S
    organization_ids = list(Organization.objects.using("system").filter(is_active=True).order_by("?").values_list("pk", flat=True))
    return sum(_apply(organization_id, until) for organization_id in takewhile(lambda _: time.monotonic() < until, organization_ids))


def _apply(organization_id: UUID, until: float) -> int:
    try:
        return apply(organization_id=organization_id, until=until).counts.total()
    except Exception:  # must not keep the others' rules from being applied; the next round tries this one again
        log.exception("retention_not_applied", organization_id=str(organization_id))
        return 0
