"""Claims on files whose text is still to be read. No two workers read one file, and a file whose reader died is found again.

Claims end by the database's clock.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection, models
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

MAX_CLAIMS = 3  # a document at which so many readers died is not read again
MARGIN_S = 30  # added to the time that reading may take
GAVE_UP = gettext_noop("It could not be read, after several attempts.")


class ClaimableFile(models.Model):
    """The fields of a claim."""

    claimed_until = models.DateTimeField(null=True, editable=False)
    claims = models.PositiveSmallIntegerField(default=0, editable=False)  # how many readers began

    class Meta:
        abstract = True


def unclaimed() -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lt=Now())


def claim(pending: QuerySet[Any], *, for_s: float) -> bool:
    """Claim the one file of the query for `for_s` seconds and a margin. Return False when another worker has it, or it was read."""
    until = Now() + timedelta(seconds=for_s + MARGIN_S)
    return bool(pending.filter(unclaimed()).update(claimed_until=until, claims=F("claims") + 1))


def claim_postpone(rows: QuerySet[Any], *, wait: timedelta) -> None:
    """Give the claim back without counting it, for another attempt after `wait`."""
    rows.update(claimed_until=Now() + wait, claims=F("claims") - 1)


def release_connection() -> None:
    """Give the database connection back before a long wait, because others may need it."""
    if not connection.in_atomic_block:
        connection.close()
