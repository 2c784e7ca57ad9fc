"""Webhooks of the audit log against a receiver on this machine: signed, in order, none lost, and the same id when one comes twice."""

from __future__ import annotations

import base64
import hashlib
import hmac
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson
import pytest
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from security.audit import audit, webhooks
from security.audit.webhooks import LEASE, webhook_create, webhook_deliver, webhook_remove, webhook_switch, webhooks_due
from security.egress import EgressRefused
from security.models import AuditDelivery, AuditEvent, AuditWebhook, Secret
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NotFound
from tenants.models import Organization
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db(databases=["default", "system"], transaction=True)


@dataclass
class Receiver:
    """`statuses`: what the next requests are answered with; 200 after that."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def bodies(self) -> list[Any]:
        return [orjson.loads(body) for _, body in self.requests]

    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.requests]


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    new_receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            new_receiver.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(new_receiver.statuses.pop(0) if new_receiver.statuses else 200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    new_receiver.url = f"http://127.0.0.1:{server.server_port}/audit?tenant=1"
    settings.EGRESS_ALLOW = frozenset({("127.0.0.1", server.server_port)})
    yield new_receiver
    server.shutdown()
    server.server_close()


@pytest.fixture
def hook(cast: Cast, receiver: Receiver) -> tuple[AuditWebhook, str]:
    with tenant_tx(cast.acme.pk):
        webhook_and_secret = webhook_create(actor=cast.actor(cast.alice), url=receiver.url)
        AuditDelivery.objects.all().delete()
    return webhook_and_secret


def happen(organization: Organization, *actions: str) -> list[str]:
    return [
        str(audit(organization_id=organization.pk, actor_user_id=None, action=action, object_kind="thing", object_id="1").pk)
        for action in actions
    ]


def deliver(webhook: AuditWebhook) -> int:
    return webhook_deliver(organization_id=webhook.organization_id, webhook_id=webhook.pk)


def now_due(webhook: AuditWebhook) -> AuditWebhook:
    """The row, whose pause is over."""
    with tenant_tx(webhook.organization_id):
        AuditWebhook.objects.filter(pk=webhook.pk).update(next_try_at=timezone.now())
        return AuditWebhook.objects.get(pk=webhook.pk)


def test_events_arrive_signed_and_in_order(cast: Cast, receiver: Receiver, hook: tuple[AuditWebhook, str]) -> None:
    webhook, secret = hook
    ids = happen(cast.acme, "a.first", "a.second", "a.third")
    happen(cast.other, "b.foreign")
    assert webhooks_due() == [(cast.acme.pk, webhook.pk)]
    assert deliver(webhook) == 3
    assert receiver.ids() == ids
    assert [body["type"] for body in receiver.bodies()] == ["audit.a.first", "audit.a.second", "audit.a.third"]
    for headers, body in receiver.requests:
        message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), message, hashlib.sha256).digest()
        assert headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
        assert abs(time.time() - int(headers["webhook-timestamp"])) < 60
    assert (deliver(webhook), webhooks_due()) == (0, [])
    with tenant_tx(cast.acme.pk):
        state = AuditWebhook.objects.get()
        assert (state.delivered, state.failures, state.leased_until) == (3, 0, None)
        assert not AuditDelivery.objects.exists()


def test_a_receiver_that_fails_gets_the_rest_later(cast: Cast, receiver: Receiver, hook: tuple[AuditWebhook, str]) -> None:
    webhook, _ = hook
    ids = happen(cast.acme, "a.first", "a.second", "a.third")
    receiver.statuses = [200, 503]
    assert deliver(webhook) == 1
    assert deliver(webhook) == 0  # it pauses
    with tenant_tx(cast.acme.pk):
        state = AuditWebhook.objects.get()
        assert (state.failures, state.last_error) == (1, "The receiver answered with status 503.")
        assert state.next_try_at > timezone.now()
    now_due(webhook)
    assert deliver(webhook) == 2
    assert receiver.ids() == [ids[0], ids[1], ids[1], ids[2]]
    with tenant_tx(cast.acme.pk):
        assert AuditWebhook.objects.get().failures == 0


def test_pauses_grow_and_a_dead_receiver_is_given_up(cast: Cast, receiver: Receiver, hook: tuple[AuditWebhook, str]) -> None:
    webhook, _ = hook
    happen(cast.acme, "a.first")
    pauses = []
    for _ in range(12):
        receiver.statuses = [500]
        now_due(webhook)
        deliver(webhook)
        with tenant_tx(cast.acme.pk):
            pauses.append((AuditWebhook.objects.get().next_try_at - timezone.now()).total_seconds())
    assert pauses[0] < pauses[3] < pauses[6] <= max(pauses) <= webhooks.MAX_PAUSE_S
    with tenant_tx(cast.acme.pk):
        AuditWebhook.objects.update(created_at=F("created_at") - 2 * webhooks.GIVE_UP_AFTER)
    receiver.statuses = [500]
    now_due(webhook)
    deliver(webhook)
    with tenant_tx(cast.acme.pk):
        assert not AuditWebhook.objects.get().is_enabled
        assert AuditEvent.objects.filter(action="audit_webhook.disable", actor_kind="system").exists()


def test_a_worker_that_dies_loses_nothing(
    cast: Cast, receiver: Receiver, hook: tuple[AuditWebhook, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies after the receiver has answered and before it knows: the message comes again with the same id."""
    webhook, _ = hook
    ids = happen(cast.acme, "a.first", "a.second")

    class Killed(BaseException):
        pass

    def die(*arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(webhooks, "_note_delivery", die)
        with pytest.raises(Killed):
            deliver(webhook)
    with tenant_tx(cast.acme.pk):  # a process that is killed does not release its lease
        AuditWebhook.objects.update(leased_until=timezone.now() + LEASE)
    assert (deliver(webhook), webhooks_due()) == (0, [])
    with tenant_tx(cast.acme.pk):
        AuditWebhook.objects.update(leased_until=timezone.now() - LEASE)
    assert deliver(webhook) == 2
    assert receiver.ids() == [ids[0], *ids]
    assert len(set(receiver.ids())) == 2


def test_an_event_that_did_not_happen_is_not_sent(cast: Cast, receiver: Receiver, hook: tuple[AuditWebhook, str]) -> None:
    webhook, _ = hook
    with tenant_tx(cast.acme.pk):
        happen(cast.acme, "a.undone")
        transaction.set_rollback(True)
    assert (deliver(webhook), receiver.requests) == (0, [])


def test_what_an_organization_may_enter(cast: Cast, receiver: Receiver, hook: tuple[AuditWebhook, str]) -> None:
    alice, charlie = cast.actor(cast.alice), cast.actor(cast.charlie)
    with tenant_tx(cast.acme.pk):
        for url in (
            "http://siem.example/",
            "https://169.254.169.254/",
            "https://user:pw@siem.example/",
            "file:///etc/passwd",
            receiver.url,
        ):
            with pytest.raises((BadRequest, EgressRefused)):
                webhook_create(actor=alice, url=url)
    with tenant_tx(cast.other.pk), pytest.raises(NotFound):
        webhook_remove(actor=charlie, webhook_id=hook[0].pk)
    with tenant_tx(cast.acme.pk):
        assert "/audit" not in str(AuditEvent.objects.filter(object_kind="audit_webhook").values())  # paths often hold a token
        webhook_switch(actor=alice, webhook_id=hook[0].pk, is_enabled=False)
        AuditDelivery.objects.all().delete()
    happen(cast.acme, "a.first")
    with tenant_tx(cast.acme.pk):
        assert not AuditDelivery.objects.exists()
        webhook_remove(actor=alice, webhook_id=hook[0].pk)
        assert not Secret.objects.exists()


def test_the_page_shows_the_secret_once_and_the_state(cast: Cast, receiver: Receiver) -> None:
    with tenant_tx(cast.acme.pk):
        from tests.support.chat.seeding import seed_organization

        seed_organization(cast.acme)
    alice, settings_page = Client(), "/o/acme/admin/security/auditevent/settings/"
    alice.force_login(cast.alice)
    response = alice.post(f"{settings_page}webhooks/", {"url": receiver.url}, follow=False)
    assert response.status_code == 200
    assert "whsec_" in response.content.decode()
    page = alice.get(settings_page)
    assert "whsec_" not in page.content.decode()
    [state] = page.context["webhooks"]
    assert state.waiting >= 1
    assert deliver(state.webhook) >= 1
    assert alice.get(settings_page).context["webhooks"][0].waiting == 0
    path = f"{settings_page}webhooks/{state.webhook.pk}/"
    assert alice.post(path, {"do": "disable"}).status_code == 302
    assert alice.get(settings_page).context["webhooks"][0].state == "Off"
    assert alice.post(path, {"do": "remove"}).status_code == 302
    assert alice.get(settings_page).context["webhooks"] == []
    charlie = Client()
    charlie.force_login(cast.charlie)
    assert charlie.post(path, {"do": "remove"}).status_code == 404


def test_the_policy_is_saved_and_told(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        from tests.support.chat.seeding import seed_organization

        seed_organization(cast.acme)
    alice, page = Client(), "/o/acme/admin/security/auditevent/settings/"
    alice.force_login(cast.alice)
    assert alice.post(page, {"days": "90", "addresses": "none"}).status_code == 302
    assert Organization.objects.get(pk=cast.acme.pk).policy == {"audit_days": 90, "audit_addresses": "none"}
    for wrong in ({"days": "3", "addresses": "none"}, {"days": "x", "addresses": "none"}, {"days": "90", "addresses": "some"}):
        assert alice.post(page, wrong).status_code == 200
    with tenant_tx(cast.acme.pk):
        [event] = AuditEvent.objects.filter(action="audit.policy")
    assert (event.before["audit_days"], event.after["audit_days"]) == (400, 90)
