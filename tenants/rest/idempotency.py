"""Idempotency keys: a POST with an Idempotency-Key is carried out once, and a repeat within a day gets the first answer.

A key belongs to one member and one URL path. Responses that ask to try again (429, 5xx) are not kept.
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
from django.utils.translation import gettext, gettext_lazy

from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import BadRequest, Conflict, IdempotencyKeyReused
from tenants.models import MAX_PATH_CHARS, IdempotentAnswer
from tenants.rest.renderers import answer_bytes

MAX_KEY_CHARS = 255
RETENTION = timedelta(days=1)
CLAIM_TIMEOUT = timedelta(minutes=2)  # longer than any call takes, so its process has died


class RequestInProgress(Conflict):
    """An earlier call with the same key is still being worked on."""

    code = "still_working"
    message = gettext_lazy("The same call is being worked on. Ask again in a moment.")


@dataclass(frozen=True, slots=True)
class IdempotencyClaim:
    """The right to answer: this call is the first with its key."""

    organization_id: UUID
    answer_id: UUID


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The first answer to a POST with an idempotency key."""

    status: int
    content: Any  # parsed JSON


def key_check(key: str) -> str:
    """Return the key. Raises BadRequest when it is empty, too long, or has spaces or unprintable characters."""
    if not 0 < len(key) <= MAX_KEY_CHARS or not key.isascii() or not key.isprintable() or " " in key:
        raise BadRequest(
            gettext("An Idempotency-Key has 1 to %(max_key_length)s letters, digits and signs, without spaces.")
            % {"max_key_length": MAX_KEY_CHARS}
        )
    return key


def request_hash(method: str, path: str, body: bytes) -> str:
    """Return a keyed hash of the request. It does not reveal the body, which may hold a secret."""
    return salted_hmac("idempotency", b"\n".join([method.encode(), path.encode(), body]), algorithm="sha256").hexdigest()


def answer_claim(*, actor: Actor, path: str, key: str, digest: str) -> IdempotencyClaim | StoredAnswer:
    """Return a claim for the first call with the key, or the stored answer for a later one. Two statements.

    Raises IdempotencyKeyReused when the request differs from the first, and RequestInProgress.
    """
    with tenant_tx(actor.organization_id):
        row, is_first = IdempotentAnswer.objects.get_or_create(
            membership_id=actor.membership_id, path=path[:MAX_PATH_CHARS], key=key, defaults={"request_hash": digest}
        )
        if is_first or _take_over(row, digest):
            return IdempotencyClaim(actor.organization_id, row.pk)
    if row.request_hash != digest:
        raise IdempotencyKeyReused
    if row.status is None:
        raise RequestInProgress
    return StoredAnswer(row.status, orjson.loads(row.content) if row.content else None)


def answer_store(claim: IdempotencyClaim, *, status: int, content: Any) -> None:
    """Store the answer of a claimed call."""
    text = "" if content is None else answer_bytes(content).decode()
    with tenant_tx(claim.organization_id):
        IdempotentAnswer.objects.filter(pk=claim.answer_id).update(status=status, content=text)


def answer_release(claim: IdempotencyClaim) -> None:
    """Give a claim up without an answer: the next call with the key counts as the first."""
    with tenant_tx(claim.organization_id):
        IdempotentAnswer.objects.filter(pk=claim.answer_id).delete()


def answers_expire() -> int:
    """Delete the stored answers of all organizations that are older than a day; return how many."""
    rows = IdempotentAnswer.unscoped.using("system").filter(created_at__lt=Now() - RETENTION)
    return rows.delete()[0]


def _take_over(row: IdempotentAnswer, digest: str) -> bool:
    """Return whether the row has expired and this call is the first to claim it again."""
    age = timezone.now() - row.created_at
    if age < (CLAIM_TIMEOUT if row.status is None else RETENTION):
        return False
    over = IdempotentAnswer.objects.filter(pk=row.pk, created_at=row.created_at)
    return bool(over.update(request_hash=digest, status=None, content="", created_at=Now()))
