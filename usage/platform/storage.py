"""How much room each organization's files take: counted some times an hour, so that no page of the operator's adds all files up."""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from files.quotas import organization_bytes
from tenants.context import tenant_tx
from tenants.models import Organization
from tenants.rounds import organizations_round
from usage.models import OrganizationStorage

FRESH: Final = timedelta(minutes=30)


def storage_count(*, organization_id: UUID) -> int:
    """Count what the organization's files take, as its quota does, and keep it. Return the bytes."""
    with tenant_tx(organization_id):
        size_bytes = organization_bytes()
        OrganizationStorage.objects.update_or_create(defaults={"size_bytes": size_bytes, "counted_at": Now()})
    return size_bytes


def storages_count(*, until: float) -> int:
    """Count anew where the figure is old, in any order; return for how many. `until`: when to begin no more, by time.monotonic()."""
    old = Q(counted_at__lt=timezone.now() - FRESH)
    fresh = OrganizationStorage.unscoped.using("system").exclude(old).values("organization_id")
    behind = Organization.objects.using("system").exclude(pk__in=fresh)
    return organizations_round(_count, failure="storage_not_counted", until=until, organizations=behind)


def _count(organization_id: UUID) -> int:
    storage_count(organization_id=organization_id)
    return 1
