"""A POST with an Idempotency-Key is carried out once: the same request again, within a day, gets the first answer again.

A key belongs to one member and one address. Answers that ask to try again (429, defects of ours) are not kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.crypto import salted_hmac

from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import BadRequest, Conflict, KeyReused
from tenants.models import PATH_MAX, IdempotentAnswer

KEY_MAX = 255  # characters
KEPT = timedelta(days=1)
ABANDONED = timedelta(minutes=2)  # longer than any of our calls takes: its process has died


class StillWorking(Conflict):
    code = "still_working"
    message = "The same call is being worked on. Ask again in a moment."


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer: this call is the first with its key."""

    organization_id: UUID
    answer_id: UUID


@dataclass(frozen=True, slots=True)
class Kept:
    status: int
    content: Any


def key_checked(key: str) -> str:
    """Raises BadRequest."""
    if not 0 < len(key) <= KEY_MAX or not key.isascii() or not key.isprintable() or " " in key:
        raise BadRequest(f"An Idempotency-Key has 1 to {KEY_MAX} letters, digits and signs, without spaces.")
    return key


def request_hash(method: str, path: str, body: bytes) -> str:
    """What the request is, without giving away what was in it: a body may hold a secret."""
    return salted_hmac("idempotency", b"\n".join([method.encode(), path.encode(), body]), algorithm="sha256").hexdigest()


def answer_begin(*, actor: Actor, path: str, key: str, digest: str) -> Claim | Kept:
    """A claim for the first call, the kept answer for a later one; two statements. Raises KeyReused, StillWorking."""
    with tenant_tx(actor.organization_id):
        row, is_first = IdempotentAnswer.objects.get_or_create(
            membership_id=actor.membership_id, path=path[:PATH_MAX], key=key, defaults={"request_hash": digest}
        )
        if is_first or _take_over(row, digest):
            return Claim(actor.organization_id, row.pk)
    if row.request_hash != digest:
        raise KeyReused
    if row.status is None:
        raise StillWorking
    return Kept(row.status, orjson.loads(row.content) if row.content else None)


def answer_keep(claim: Claim, *, status: int, content: Any) -> None:
    text = "" if content is None else orjson.dumps(content).decode()
    with tenant_tx(claim.organization_id):
        IdempotentAnswer.objects.filter(pk=claim.answer_id).update(status=status, content=text)


def answer_release(claim: Claim) -> None:
    """Nothing was answered that should be kept: the next call with the key is a first one."""
    with tenant_tx(claim.organization_id):
        IdempotentAnswer.objects.filter(pk=claim.answer_id).delete()


def answers_expire() -> int:
    """Forget the answers of all organizations that are older than a day; return how many."""
    rows = IdempotentAnswer.unscoped.using("system").filter(created_at__lt=Now() - KEPT)
    return rows.delete()[0]


def _take_over(row: IdempotentAnswer, digest: str) -> bool:
    """Whether the row's time is over and this call is the first to see it."""
    age = timezone.now() - row.created_at
    if age < (ABANDONED if row.status is None else KEPT):
        return False
    over = IdempotentAnswer.objects.filter(pk=row.pk, created_at=row.created_at)
    return bool(over.update(request_hash=digest, status=None, content="", created_at=Now()))
