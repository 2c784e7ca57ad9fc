"""Celery task of retention (SECURITY 32)."""

from __future__ import annotations

import time
from typing import Final

from celery import shared_task

from retention.removal import retention_apply as apply
from tenants.rounds import organizations_round

APPLY_S: Final = 900.0  # of one round; what is left then is the next one's


@shared_task(name="retention.tasks.retention_apply", expires=3000)
def retention_apply() -> int:
    """Delete what is older than the rules of all organizations allow; return how many rows and contents went."""
    until = time.monotonic() + APPLY_S
    return organizations_round(
        lambda pk: apply(organization_id=pk, until=until).counts.total(), failure="retention_not_applied", until=until
    )
