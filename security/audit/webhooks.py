"""Signed webhooks of the audit log, as Standard Webhooks has them (https://www.standardwebhooks.com).

The database queues each event for each enabled webhook in the event's own transaction (security.audit_sql). A worker sends the oldest
first, one after the other, and deletes the row when the receiver has answered 2xx. A worker that dies between the answer and the deletion
leaves the row: the event is sent again with the same `webhook-id`, by which receivers drop it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import orjson
import structlog
from asgiref.sync import async_to_sync
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from security.audit.reading import people_of
from security.audit.records import event_record
from security.audit.writing import audit
from security.egress import EgressRefused, FetchFailed, aclose_clients, post
from security.egress.urls import parse_target
from security.models import AuditDelivery, AuditWebhook
from security.secrets.errors import SecretUnusable
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_create, secret_delete, secret_reveal
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.errors import BadRequest, NotFound

MAX_WEBHOOKS: Final = 3  # per organization
SECRET_PREFIX: Final = "whsec_"  # noqa: S105  as the standard writes secrets
PURPOSE: Final = "audit webhook"
TIMEOUT_S: Final = 10.0
BATCH: Final = 50
MAX_WORK_S: Final = 60.0  # of one task
LEASE: Final = timedelta(seconds=90)  # longer than a batch of one slow receiver takes to be noticed
FIRST_PAUSE_S: Final = 10
MAX_PAUSE_S: Final = 3600
GIVE_UP_AFTER: Final = timedelta(days=7)  # without a single delivery
MIN_FAILURES: Final = 10  # in a row, before it gives up: a week in which nothing happened is no failure

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Message:
    """One request to a receiver."""

    delivery_id: UUID
    event_id: UUID
    body: bytes


def webhook_create(*, actor: Actor, url: str) -> tuple[AuditWebhook, str]:
    """Make a webhook; return it and its secret, which can't be read again. Needs the organization's `tenant_tx`.

    Raises BadRequest (too many, not https, has it already) and EgressRefused.
    """
    url = url.strip()
    if len(url) > 500 or AuditWebhook.objects.filter(url=url).exists():
        raise BadRequest(gettext("This address is too long, or it gets the events already."))
    if AuditWebhook.objects.count() >= MAX_WEBHOOKS:
        raise BadRequest(
            gettext("An organization has at most %(max_webhooks)s webhooks. Remove one first.") % {"max_webhooks": MAX_WEBHOOKS}
        )
    secret = SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    secret_row = secret_create(organization_id=actor.organization_id, value=secret, url=url, purpose=PURPOSE, actor_user_id=actor.user_id)
    webhook = AuditWebhook.objects.create(url=url, secret=secret_row)
    _audit(webhook, actor, "create")
    return webhook, secret


def webhook_switch(*, actor: Actor, webhook_id: UUID, is_enabled: bool) -> None:
    """Switch a webhook on or off. Needs the organization's `tenant_tx`. Raises NotFound."""
    webhook = _webhook(webhook_id)
    AuditWebhook.objects.filter(pk=webhook.pk).update(is_enabled=is_enabled, next_try_at=Now(), failures=0)
    _audit(webhook, actor, "enable" if is_enabled else "disable")


def webhook_remove(*, actor: Actor, webhook_id: UUID) -> None:
    """Remove a webhook with what waits for it. Needs the organization's `tenant_tx`. Raises NotFound."""
    webhook = _webhook(webhook_id)
    _audit(webhook, actor, "delete")
    AuditDelivery.objects.filter(webhook_id=webhook.pk).delete()
    AuditWebhook.objects.filter(pk=webhook.pk).delete()
    secret_delete(secret_id=webhook.secret_id, actor_user_id=actor.user_id)


def webhooks_due() -> list[tuple[UUID, UUID]]:
    """Return (organization id, webhook id) of webhooks that have something to send now. One query over all organizations."""
    waiting = AuditDelivery.unscoped.using("system").filter(organization_id=OuterRef("organization_id"), webhook_id=OuterRef("pk"))
    due = _free(AuditWebhook.unscoped.using("system")).filter(Exists(waiting), organization__is_active=True)
    return list(due.order_by("next_try_at").values_list("organization_id", "pk")[:500])


def webhook_deliver(*, organization_id: UUID, webhook_id: UUID) -> int:
    """Send what waits for a webhook, oldest first, until nothing is left, one fails or MAX_WORK_S are over; return how many were sent.

    Does nothing while another worker sends. No transaction is open while the receiver answers.
    """
    end, sent_count = time.monotonic() + MAX_WORK_S, 0
    with tenant_tx(organization_id):
        if not _free(AuditWebhook.objects.filter(pk=webhook_id)).update(leased_until=timezone.now() + LEASE):
            return 0
        webhook = AuditWebhook.objects.get(pk=webhook_id)
        secret = _secret(webhook)
    try:
        while secret and (messages := _batch(organization_id, webhook_id)):
            done = async_to_sync(_send_batch)(webhook, secret, messages)
            sent_count += done
            if done < len(messages) or time.monotonic() > end:
                break
    finally:
        with tenant_tx(organization_id):
            AuditWebhook.objects.filter(pk=webhook_id).update(leased_until=None)
    return sent_count


def signed_headers(message_id: str, body: bytes, secret: SecretText, *, timestamp: int) -> dict[str, str]:
    """Return the headers of a message. The key is what follows the secret's prefix, in base64."""
    key = base64.b64decode(secret.reveal().removeprefix(SECRET_PREFIX))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "content-type": "application/json",
        "user-agent": "Parley-Webhook/1",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _free(webhooks: QuerySet[AuditWebhook]) -> QuerySet[AuditWebhook]:
    return webhooks.filter(Q(leased_until=None) | Q(leased_until__lt=Now()), is_enabled=True, next_try_at__lte=Now())


def _secret(webhook: AuditWebhook) -> SecretText | None:
    try:
        return secret_reveal(secret_id=webhook.secret_id, url=webhook.url)
    except SecretUnusable as error:
        _note_failure(webhook, str(error))
        return None


def _batch(organization_id: UUID, webhook_id: UUID) -> list[Message]:
    with tenant_tx(organization_id):
        AuditWebhook.objects.filter(pk=webhook_id).update(leased_until=timezone.now() + LEASE)
        rows = AuditDelivery.objects.filter(webhook_id=webhook_id).select_related("event").order_by("created_at", "id")
        deliveries = list(rows[:BATCH])
        people = people_of([delivery.event for delivery in deliveries])
    return [Message(delivery.pk, delivery.event_id, _body(delivery.event, people)) for delivery in deliveries]


def _body(event: Any, people: Any) -> bytes:
    content = {"type": f"audit.{event.action}", "timestamp": event.created_at.isoformat(), "data": event_record(event, people)}
    return orjson.dumps(content)


async def _send_batch(webhook: AuditWebhook, secret: SecretText, messages: list[Message]) -> int:
    """Send the messages in order up to the first that fails, over one connection; return how many were delivered."""
    try:
        for number, message in enumerate(messages):
            if problem := await _send(webhook.url, message, secret):
                await in_db(_note_failure, webhook, problem, organization_id=webhook.organization_id)
                return number
            await in_db(_note_delivery, webhook, message, organization_id=webhook.organization_id)
    finally:
        await aclose_clients()
    return len(messages)


async def _send(url: str, message: Message, secret: SecretText) -> str:
    """Return why the message was not delivered; empty when it was."""
    headers = signed_headers(str(message.event_id), message.body, secret, timestamp=int(time.time()))
    try:
        status = await post(url, content=message.body, headers=headers, timeout_s=TIMEOUT_S)
    except (EgressRefused, FetchFailed) as error:
        return str(error)
    return "" if 200 <= status < 300 else f"The receiver answered with status {status}."


def _note_delivery(webhook: AuditWebhook, message: Message) -> None:
    AuditDelivery.objects.filter(pk=message.delivery_id).delete()
    AuditWebhook.objects.filter(pk=webhook.pk).update(
        delivered=F("delivered") + 1, last_delivered_at=Now(), failures=0, last_error="", leased_until=timezone.now() + LEASE
    )


def _note_failure(webhook: AuditWebhook, problem: str) -> None:
    """Note the failure, and when to try again: pauses double up to an hour. Gives up after a week without a delivery."""
    failures = AuditWebhook.objects.values_list("failures", flat=True).get(pk=webhook.pk)
    pause = min(FIRST_PAUSE_S * 2 ** min(failures, 20), MAX_PAUSE_S)
    since = webhook.last_delivered_at or webhook.created_at
    is_lost = failures > MIN_FAILURES and timezone.now() - since > GIVE_UP_AFTER
    AuditWebhook.objects.filter(pk=webhook.pk).update(
        failures=failures + 1,
        last_error=problem[:200],
        last_failed_at=Now(),
        next_try_at=timezone.now() + timedelta(seconds=pause),
        is_enabled=not is_lost,
    )
    log.warning("audit_webhook_failed", webhook_id=str(webhook.pk), failures=failures + 1, gives_up=is_lost)
    if is_lost:
        _audit(webhook, None, "disable")


def _webhook(webhook_id: UUID) -> AuditWebhook:
    webhook = AuditWebhook.objects.filter(pk=webhook_id).first()
    if webhook is None:
        raise NotFound
    return webhook


def _audit(webhook: AuditWebhook, actor: Actor | None, verb: str) -> None:
    assert webhook.organization_id is not None
    audit(
        organization_id=webhook.organization_id,
        actor_user_id=actor.user_id if actor else None,
        action=f"audit_webhook.{verb}",
        object_kind="audit_webhook",
        object_id=webhook.pk,
        object_label=parse_target(webhook.url).origin,  # paths of webhooks often hold a token
    )
