"""Celery tasks of admin_config. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from admin_config.services.model_configs import models_update
from admin_config.services.platform.rollout import organization_roll_out, organizations_behind
from tenants.context import tenant_tx
from tenants.models import Organization

HOUR_S = 3600


@shared_task(name="admin_config.tasks.model_catalogue_update", expires=HOUR_S)
def model_catalogue_update() -> int:
    """Queue an update of each organization's models, so that one failure does not affect the others; return how many."""
    organization_ids = list(Organization.objects.using("system").values_list("pk", flat=True))
    for organization_id in organization_ids:
        organization_models_update.apply_async((str(organization_id),), expires=HOUR_S)
    return len(organization_ids)


@shared_task(name="admin_config.tasks.organization_models_update")
def organization_models_update(organization_id: str) -> int:
    """Update the organization's models with what is known today; return how many changed."""
    with tenant_tx(UUID(organization_id)):
        return len(models_update(organization_id=UUID(organization_id)).updates)


@shared_task(name="admin_config.tasks.platform_defaults_roll_out", expires=60)
def platform_defaults_roll_out() -> int:
    """Queue the newest defaults of the platform for each organization that has not got them yet; return how many."""
    behind = [str(organization_id) for organization_id in organizations_behind()]
    for organization_id in behind:
        organization_defaults_roll_out.apply_async((organization_id,), expires=60)
    return len(behind)


@shared_task(name="admin_config.tasks.organization_defaults_roll_out")
def organization_defaults_roll_out(organization_id: str) -> bool:
    """Bring the newest defaults of the platform to the organization; return whether it has them."""
    return organization_roll_out(UUID(organization_id))
