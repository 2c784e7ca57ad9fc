"""Background work on all organizations, or on many rows, one after the other."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from typing import Any
from uuid import UUID

import structlog
from django.db.models import QuerySet

from tenants.models import Organization

log = structlog.get_logger(__name__)


def organizations_round(
    work: Callable[[UUID], int], *, failure: str, until: float = math.inf, organizations: QuerySet[Organization] | None = None
) -> int:
    """Do the work for each of the organizations, by default all active ones, and return the sum of what it returns.

    A fault ends the work for that organization alone: it is logged as the event `failure`, and the next round tries again. The order changes,
    so that a large organization keeps nobody waiting for ever. `until`: when to begin no more, by time.monotonic().
    """
    if organizations is None:
        organizations = Organization.objects.using("system").filter(is_active=True)
    ids = list(organizations.order_by("?").values_list("pk", flat=True))
    in_time = ({"organization_id": pk} for pk in takewhile(lambda _: time.monotonic() < until, ids))

    def work_on(organization_id: UUID) -> int:
        return work(organization_id)

    return rows_round(work_on, in_time, failure=failure)


def rows_round(work: Callable[..., int], rows: Iterable[Mapping[str, Any]], *, failure: str) -> int:
    """Do the work with the ids of each row as its keyword arguments, and return the sum of what it returns.

    A fault ends the work on that row alone: it is logged as the event `failure` with the ids, and the next round tries again.
    """
    done = 0
    for row in rows:
        try:
            done += work(**row)
        except Exception:  # whatever it is, it must not keep the others from their work
            log.exception(failure, **{name: str(value) for name, value in row.items()})
    return done
