"""Holds whose process is lost, of all organizations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from uuid import UUID

from django.db.models.functions import Now

from limits.models import Hold


def holds_expired(limit: int) -> Mapping[UUID, set[UUID]]:
    """Return the ids of the calls, by organization, the oldest holds first, at most `limit`."""
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    expired = Hold.unscoped.using("system").filter(until__lt=Now()).order_by("until")
    for organization_id, call_id in expired.values_list("organization_id", "call_id")[:limit]:
        found[organization_id].add(call_id)
    return found
