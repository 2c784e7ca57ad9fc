"""Which events there are: sign-ins that failed, refusals, uses of keys, the operator's looks, exports and deletions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.sign_in.throttle import Attempt
from security.audit import event_counts
from security.audit.event_counts import MAX_SUBJECTS, OTHERS, count_event
from security.egress import EgressRefused, fetch
from security.secrets.services import secret_create
from tenants.context import tenant_tx
from tenants.models import User
from tenants.request_context import RequestContext, request_context
from tests.accounts.conftest import forget_attempts
from tests.admin_config.pages import save
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.stores.audit_log import clean_counts, counted_to_rows, events, platform_events
from tests.support.stores.redis_servers import redis_away

pytestmark = [pytest.mark.redis, pytest.mark.django_db(databases=["default", "system", "owner"])]
EVERYTHING = pytest.mark.django_db(databases=["default", "system", "owner"], transaction=True)


FREE_ATTEMPTS = Attempt(account="", network="").own_counts[0].free


@pytest.fixture(autouse=True)
def _own_counts() -> Iterator[None]:
    with clean_counts():
        yield


@EVERYTHING
def test_failed_and_refused_sign_ins_are_in_the_log_of_the_accounts_organizations(cast: Cast) -> None:
    client = Client(REMOTE_ADDR="84.23.118.77")
    forget_attempts(settings.REDIS_URL)
    for email in (cast.bob.email, "nobody@example.org"):
        for _ in range(FREE_ATTEMPTS + 3):
            client.post("/login/", {"username": email, "password": "wrong"})
    assert [event for event in events(cast.acme) if event.category == "sign_in"] == []  # nothing in the request itself
    counted_to_rows()
    failure, refusal = sorted(events(cast.acme), key=lambda event: event.action)
    assert (failure.action, failure.count, failure.outcome) == ("user.sign_in_failed", FREE_ATTEMPTS, "failed")
    assert (refusal.action, refusal.count, refusal.outcome) == ("user.sign_in_refused", 3, "refused")
    assert {event.object_id for event in (failure, refusal)} == {str(cast.bob.pk)}
    assert (failure.address, failure.actor_kind, failure.actor_user_id) == ("84.23.118.0/24", "stranger", None)
    assert events(cast.other) == []
    platform_log = platform_events("user.sign_in_failed")
    assert sorted((event["object_kind"], event["count"]) for event in platform_log) == [("account", FREE_ATTEMPTS), ("user", FREE_ATTEMPTS)]
    assert not any("nobody" in str(event) for event in platform_log)  # what was typed may be a password


@EVERYTHING
def test_a_minute_is_written_once(cast: Cast) -> None:
    for _ in range(1000):
        count_event(organization_id=cast.acme.pk, actor_user_id=cast.bob.pk, action="limit.hit", object_kind="limit", object_id="chat")
    event_counts.counts_push()
    first = counted_to_rows()
    for _ in range(5):  # as a worker that died between the rows and Redis would repeat it
        counted_to_rows()
    assert first >= 1
    assert sum(event.count for event in events(cast.acme, "limit.hit")) == 1000
    assert len(events(cast.acme, "limit.hit")) <= 2  # a new minute may begin between them


@EVERYTHING
def test_while_redis_is_away_no_count_is_lost_and_the_log_has_one_line(
    cast: Cast, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    event_counts.counts_push()
    with redis_away(settings):
        for _ in range(3):
            count_event(organization_id=cast.acme.pk, actor_user_id=cast.bob.pk, action="limit.hit", object_kind="limit", object_id="chat")
            event_counts.counts_push()
    counted_to_rows()
    assert len([record for record in caplog.records if record.name == event_counts.__name__]) == 1
    assert sum(event.count for event in events(cast.acme, "limit.hit")) == 3


@EVERYTHING
def test_an_attack_with_many_names_fills_no_table(cast: Cast) -> None:
    for number in range(1000):
        count_event(
            organization_id=cast.acme.pk,
            actor_user_id=cast.bob.pk,
            action="egress.refuse",
            object_kind="host",
            object_id=f"10.0.{number // 256}.{number % 256}",
        )
    counted_to_rows()
    rows = events(cast.acme, "egress.refuse")
    assert len(rows) <= 2 * (MAX_SUBJECTS + 1)
    assert sum(row.count for row in rows) == 1000
    assert OTHERS in {row.object_id for row in rows}


@EVERYTHING
@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/latest/", "http://[::1]/", "http://0x7f.1/", "ftp://files.example/", "http://a:b@x.example/"]
)
async def test_refused_egress_is_in_the_log(url: str) -> None:
    from asgiref.sync import sync_to_async

    from tests.support.accounts.cast import make_cast

    cast = await sync_to_async(make_cast)()
    context = RequestContext("r1", organization_id=cast.acme.pk, actor_user_id=cast.bob.pk)
    with request_context(context), pytest.raises(EgressRefused):
        await fetch(url)
    await sync_to_async(counted_to_rows)()
    [event] = await sync_to_async(events)(cast.acme)
    assert (event.action, event.outcome, event.actor_user_id) == ("egress.refuse", "refused", cast.bob.pk)
    assert event.detail["reason"]
    assert "latest" not in event.object_label
    assert "a:b" not in event.object_label
    assert await sync_to_async(events)(cast.other) == []


@EVERYTHING
def test_a_limit_and_a_missing_right_are_in_the_log(cast: Cast, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 1, "write": 0, "chat": 0}
    bob, vera = Client(), Client()
    bob.force_login(cast.bob)
    vera.force_login(cast.vera)
    statuses = [bob.get("/o/acme/api/models/").status_code for _ in range(4)]
    assert 429 in statuses
    assert vera.post("/o/acme/api/conversations/", {}, content_type="application/json").status_code == 403
    counted_to_rows()
    entries = {
        (event.action, event.actor_user_id, event.object_id, event.outcome) for event in events(cast.acme) if event.category == "limits"
    }
    assert ("limit.hit", cast.bob.pk, "too_many_requests", "refused") in entries
    assert ("right.refuse", cast.vera.pk, "not_allowed", "refused") in entries
    assert sum(event.count for event in events(cast.acme, "limit.hit")) == statuses.count(429)


def test_what_the_operator_looks_at_is_in_the_organizations_log(cast: Cast) -> None:
    rita = User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita")
    operator = Client()
    operator.force_login(rita)
    assert operator.get(f"/operator/tenants/organization/{cast.acme.pk}/change/").status_code == 200
    assert operator.get(f"/operator/tenants/user/{cast.bob.pk}/change/").status_code == 200
    looks = events(cast.acme, "operator.look")
    assert [(look.actor_user_id, look.object_kind, look.object_label) for look in looks] == [
        (rita.pk, "organization", "Acme"),
        (rita.pk, "user", "Bob"),
    ]
    assert events(cast.other, "operator.look") == []


def test_a_mail_that_the_operator_reads_is_in_the_log_of_the_organizations_that_it_concerns(cast: Cast) -> None:
    rita = User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita")
    operator = Client()
    operator.force_login(rita)
    mail = Mail(kind="invitation", subject="Alice invited you", paragraphs=["Come in."])
    to_bob, to_stranger = mail_write(to=cast.bob.email, mail=mail), mail_write(to="new@x.example", mail=mail, organization_id=cast.other.pk)
    assert to_bob
    assert to_stranger
    for row in (to_bob, to_stranger):
        assert operator.get(f"/operator/accounts/outgoingmail/{row.pk}/change/").status_code == 200
    for organization in (cast.acme, cast.other):
        [look] = events(organization, "operator.look")
        assert (look.actor_user_id, look.object_kind, look.object_label) == (rita.pk, "outgoingmail", "Alice invited you")
    assert operator.get("/operator/accounts/outgoingmail/?q=bob").status_code == 200
    counted_to_rows()
    assert [look.object_label for look in events(cast.acme, "operator.look")][-1] == "the mail box"
    assert len(events(cast.other, "operator.look")) == 1, "none of theirs was in the list"


@pytest.mark.parametrize(("path", "kind"), [("membership", "the list of members"), ("user", "the list of users")])
def test_a_list_of_members_that_the_operator_saw_is_in_their_organizations_log(path: str, kind: str, cast: Cast) -> None:
    operator = Client()
    operator.force_login(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    assert operator.get(f"/operator/tenants/{path}/?q=bob").status_code == 200
    assert operator.get(f"/operator/tenants/{path}/?q=bob").status_code == 200
    assert operator.get(f"/operator/tenants/{path}/?q=nobody").status_code == 200
    counted_to_rows()
    assert sum(look.count for look in events(cast.acme, "operator.look") if look.object_label == kind) == 2
    assert events(cast.other, "operator.look") == [], "nobody of theirs was in the list"


def test_a_changed_role_is_told_with_before_and_after(cast: Cast) -> None:
    alice = Client()
    alice.force_login(cast.alice)
    membership = cast.bob.memberships.get()
    assert save(alice, f"/o/acme/admin/tenants/membership/{membership.pk}/change/", role="viewer").status_code == 302
    [event] = events(cast.acme, "membership.change")
    assert (event.before, event.after, event.object_label) == ({"role": "member"}, {"role": "viewer"}, "Bob")


def test_a_password_is_never_told(cast: Cast) -> None:
    operator = Client()
    operator.force_login(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    path = f"/operator/tenants/user/{cast.bob.pk}/change/"
    assert save(operator, path, new_password="a long enough phrase", name="Bobby").status_code == 302
    [event] = events(cast.acme, "user.operator.change")
    assert (event.before["name"], event.after["name"]) == ("Bob", "Bobby")
    assert event.after["new_password"] == "replaced"


@EVERYTHING
def test_a_rotation_of_the_key_ring_is_in_each_organizations_log(cast: Cast, settings: Settings) -> None:
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.pk):
            secret_create(organization_id=organization.pk, value="key-0123456789", url="https://api.example", purpose="test")
    settings.CREDENTIAL_KEYS = {"new": bytes(32), **settings.CREDENTIAL_KEYS}
    call_command("rotate_secrets")
    for organization in (cast.acme, cast.other):
        [event] = events(organization, "secret.rotate")
        assert (event.object_id, event.object_label, event.actor_kind) == ("new", "1 secret", "system")
