"""How visitors of embedded chats are let in, by which tokens and pages, and when they are forgotten."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import jwt
import orjson
import pytest
from asgiref.sync import sync_to_async
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from chat.models import Conversation
from embed.api.consumers import CLOSE_BEARER
from embed.models import EmbedSite, EmbedVisitor
from embed.tasks import visitors_forget
from files.models import File
from security.api_tokens import api_token_create
from tenants.authentication.tokens import SCOPES
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership, User
from tests.admin_config.conftest import SignedIn, signed_in
from tests.embed.support import SHOP, acall, begin, call, host_token, make_site, session, visitor_communicator, visitor_socket
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import TIMEOUT_S, Browser
from tests.support.chat.workspace import Workspace
from tests.support.stores.locks import in_own_connections, wait_until_blocked
from tests.support.stores.redis_servers import redis_away
from tests.support.suite.time_limits import scaled_to_load

__all__ = ["signed_in"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system", "owner"])


def test_while_redis_is_away_no_session_begins_and_nobody_is_made(cast: Cast, settings: Settings) -> None:
    key, secret = make_site(cast, cast.alice)
    visitor_token = begin(key).json()["visitorToken"]
    with redis_away(settings):
        for fields in ({}, {"visitorToken": visitor_token}, {"hostToken": host_token(secret, key)}):
            assert begin(key, **fields).status_code == 503
    with tenant_tx(cast.acme.pk):
        assert EmbedVisitor.objects.count() == 1


async def test_a_socket_says_who_opens_it_and_ends_with_the_bearer(acme: Workspace, cast: Cast, alice: Browser) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    bearer = (await session(key))["bearer"]
    for first in ({"type": "authenticate", "bearer": bearer[:-2] + "xx"}, {"type": "resume", "requestId": "r", "id": "x"}):
        socket = visitor_communicator(key)
        await socket.connect(timeout=TIMEOUT_S)
        await socket.send_to(text_data=orjson.dumps(first).decode())
        assert (await socket.receive_output(timeout=TIMEOUT_S))["code"] == CLOSE_BEARER
    async with visitor_socket(key, bearer) as own_socket:
        request = await own_socket.resume(str(uuid4()))
        assert (await own_socket.receive()) == {"type": "no-active", "requestId": request}

        @sync_to_async
        def end() -> None:
            with tenant_tx(cast.acme.pk):
                EmbedSite.objects.update(is_active=False)

        await end()
        await own_socket.send(str(uuid4()), "Still there?")
        assert "session has ended" in (await own_socket.receive())["errorText"]
    assert (await acall(bearer, "GET", f"/embed/{key}/api/conversations/x/")).status_code == 401


def test_only_a_fresh_token_of_this_embed_signs_a_visitor_in(cast: Cast) -> None:
    key, secret = make_site(cast, cast.alice)
    foreign_key, foreign_secret = make_site(cast, cast.charlie)
    now = int(time.time())
    good = host_token(secret, key)
    header, claims, signature = good.split(".")
    none = jwt.encode({"sub": "x", "aud": key, "exp": now + 60}, "", algorithm="none")
    bad_tokens = {
        "expired": host_token(secret, key, exp=now - 60),
        "long-lived": host_token(secret, key, exp=now + 3600),
        "no exp": host_token(secret, key, exp=None),
        "no sub": host_token(secret, key, sub=None),
        "blank sub": host_token(secret, key, sub=""),
        "other audience": host_token(secret, foreign_key),
        "audience list": host_token(secret, key, aud=[key, foreign_key]),
        "foreign secret": host_token(foreign_secret, key),
        "other algorithm": host_token(secret, key, algorithm="HS512"),
        "no algorithm": none,
        "changed": f"{header}.{claims}x.{signature}",
        "no token": "hello",
    }
    for what, token in bad_tokens.items():
        answer = begin(key, hostToken=token)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "host_token_refused"), what
    assert begin(key, hostToken=good).status_code == 200
    assert "used before" in begin(key, hostToken=good).json()["error"]["message"]
    assert begin(key, hostToken=f"{good}=").status_code == 401

    one, two = (begin(key, hostToken=host_token(secret, key, jti=number)).json() for number in ("1", "2"))
    with tenant_tx(cast.acme.pk):
        [visitor] = EmbedVisitor.objects.all()  # the same customer each time
    assert begin(foreign_key, hostToken=host_token(foreign_secret, foreign_key)).status_code == 200
    assert one["bearer"]
    assert two["visitorToken"] == ""

    # A bearer is good for its own embed, and for no other way in.
    bearer = one["bearer"]
    assert call(bearer, "GET", f"/embed/{key}/api/conversations/{uuid4()}/").status_code == 404
    assert call(bearer, "GET", f"/embed/{foreign_key}/api/conversations/{uuid4()}/").status_code == 401
    assert call("", "GET", f"/embed/{key}/api/conversations/{uuid4()}/").status_code == 401
    for path in ("/o/acme/api/conversations/", "/api/conversations/", "/o/acme/api/search/?q=tea", "/o/acme/api/me/", "/v1/models"):
        assert call(bearer, "GET", path).status_code == 401, path
    member = Client()
    member.force_login(cast.alice)
    assert member.get(f"/embed/{key}/api/conversations/{uuid4()}/").status_code == 401  # a cookie is nobody here
    with tenant_tx(cast.acme.pk):
        _, token = api_token_create(actor=cast.actor(cast.alice), name="All", scopes=SCOPES, days=1)
    assert call(token, "GET", "/api/conversations/").status_code == 200
    assert call(token, "GET", f"/embed/{key}/api/conversations/{uuid4()}/").status_code == 401  # and neither is a member's token
    assert visitor.subject == "customer-7"


def test_a_session_begins_from_the_frame_alone_and_only_where_the_embed_lets_strangers_in(cast: Cast) -> None:
    key, secret = make_site(cast, cast.alice, anonymous_allowed=False)
    for origin in (SHOP, "null", None):
        assert begin(key, origin=origin).status_code == 403
    assert "only for visitors" in begin(key).json()["error"]["message"]
    assert begin(key, hostToken=host_token(secret, key)).status_code == 200
    assert begin("x" * 43).status_code == 404
    assert begin("short").status_code == 404


def test_the_frame_names_who_may_show_it_and_neither_it_nor_the_script_has_a_cookie(cast: Cast) -> None:
    key, _ = make_site(cast, cast.alice, greeting="</script><b>Hi")
    member = Client()
    member.force_login(cast.alice)
    page = member.get(f"/embed/{key}/")
    assert f"frame-ancestors 'self' {SHOP};" in page["Content-Security-Policy"]
    assert "X-Frame-Options" not in page
    diagrams = member.get(f"/embed/{key}/sandbox/mermaid/")
    assert f"frame-ancestors 'self' {SHOP}" in diagrams["Content-Security-Policy"]
    assert diagrams["Content-Security-Policy"].startswith("sandbox allow-scripts;")
    assert not diagrams.cookies
    assert member.get(f"/embed/{key}/sandbox/python/").status_code == 404
    assert not page.cookies
    assert b"Hi" in page.content
    assert b"<b>Hi" not in page.content
    assert cast.alice.email.encode() not in page.content
    script = member.get("/embed.js")
    assert script["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert not script.cookies
    again = member.get("/embed.js", headers={"If-None-Match": script["ETag"]})
    assert again.status_code == 304
    small = member.get("/embed.js", headers={"Accept-Encoding": "gzip"})
    assert small["Content-Encoding"] == "gzip"
    assert len(small.content) < 15 * 1024
    with tenant_tx(cast.acme.pk):
        EmbedSite.objects.update(is_active=False)
    assert member.get(f"/embed/{key}/").status_code == 404


def test_a_visitor_is_no_member_and_never_becomes_one(cast: Cast) -> None:
    key, _ = make_site(cast, cast.alice)
    begin(key)
    member = Membership.objects.using("auth").get(role=Membership.Role.VISITOR)
    assert not User.objects.using("auth").get(pk=member.user_id).has_usable_password()
    browser = Client()
    browser.force_login(member.user)  # which no sign-in offers
    assert browser.get("/o/acme/api/conversations/").status_code in {401, 404}
    assert browser.get("/o/acme/admin/").status_code in {302, 404}
    for change in ({"role": "member"}, {"role": "owner"}):
        with pytest.raises(DatabaseError), identity_tx(cast.acme.pk, acting_user_id=cast.alice.pk):
            Membership.objects.using("auth").filter(pk=member.pk).update(**change)
    with pytest.raises(DatabaseError), identity_tx(cast.acme.pk, acting_user_id=cast.alice.pk):
        Membership.objects.using("auth").filter(user=cast.bob).update(role="visitor")
    with pytest.raises(DatabaseError), identity_tx(cast.other.pk, acting_user_id=cast.charlie.pk):
        Membership.objects.using("auth").create(organization=cast.other, user=cast.bob, role="visitor")
    admin = Client()
    admin.force_login(cast.alice)
    assert b"Visitor " not in admin.get("/o/acme/admin/tenants/membership/").content


def test_visitors_who_stay_away_are_deleted_with_what_they_wrote(cast: Cast) -> None:
    key, _ = make_site(cast, cast.alice, keep_days=7)
    absent_visitor, active_visitor = begin(key).json(), begin(key).json()
    with tenant_tx(cast.acme.pk):
        first = EmbedVisitor.objects.order_by("created_at").first()
        assert first is not None
        Conversation.objects.create(owner_id=first.membership_id, title="Tea", updated_at=timezone.now())
        EmbedVisitor.objects.filter(pk=first.pk).update(last_seen_at="2026-01-01T00:00Z")
    assert visitors_forget() == 1
    with tenant_tx(cast.acme.pk):
        assert EmbedVisitor.objects.count() == 1
        assert not Conversation.objects.exists()
    path = f"/embed/{key}/api/conversations/{uuid4()}/"
    assert [call(one["bearer"], "GET", path).status_code for one in (absent_visitor, active_visitor)] == [401, 404]


def test_the_operators_list_of_users_leaves_visitors_out(cast: Cast, signed_in: SignedIn) -> None:
    key, _ = make_site(cast, cast.alice)
    begin(key)
    operator = signed_in(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))
    html = operator.get("/operator/tenants/user/").content.decode()
    assert "alice@example.org" in html
    assert "visitor.invalid" not in html


def test_a_visitor_whose_file_the_storage_keeps_keeps_no_other_from_being_forgotten(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    undeletable = {"BACKEND": "tests.support.files.failing_storage.UndeletableDisk", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "files": undeletable}
    key, _ = make_site(cast, cast.alice, keep_days=7)
    begin(key)
    begin(key)
    with tenant_tx(cast.acme.pk):
        owner_id = EmbedVisitor.objects.order_by("created_at").values_list("membership_id", flat=True)[0]
        File.objects.create(owner_id=owner_id, name="tea.txt", media_type="text/plain", kind="text", size_bytes=3)
        EmbedVisitor.objects.update(last_seen_at="2026-01-01T00:00Z")
    assert visitors_forget() == 1
    members = Membership.objects.using("system").filter(role=Membership.Role.VISITOR)
    assert [member.pk for member in members] == [owner_id]
    settings.STORAGES = {**settings.STORAGES, "files": {**undeletable, "BACKEND": "django.core.files.storage.FileSystemStorage"}}
    with identity_tx(cast.acme.pk, acting_user_id=cast.alice.pk):
        members.using("auth").update(created_at="2026-01-01T00:00Z")
    assert visitors_forget() == 1, "the next night goes on with it"
    assert not members.all().exists()


def test_a_visitor_who_comes_back_while_others_are_forgotten_stays(cast: Cast) -> None:
    key, _ = make_site(cast, cast.alice, keep_days=7)
    tokens = [begin(key).json()["visitorToken"] for _ in range(2)]
    with tenant_tx(cast.acme.pk):
        visitor_ids = list(EmbedVisitor.objects.values_list("pk", flat=True))
        EmbedVisitor.objects.update(last_seen_at="2026-01-01T00:00Z")
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic(using="owner"):
            _ = list(User.objects.using("owner").select_for_update())  # the first one's deletion waits here
            forgetting = threads.submit(in_own_connections, visitors_forget)
            wait_until_blocked(forgetting)
            for token in tokens:
                begin(key, visitorToken=token)
        assert forgetting.result(timeout=scaled_to_load(10)) == 1
    with tenant_tx(cast.acme.pk):
        assert EmbedVisitor.objects.filter(last_seen_at__gt="2026-02-01T00:00Z").count() == 2, "one came back, one is new"
        assert EmbedVisitor.objects.filter(pk__in=visitor_ids).count() == 1
    assert visitors_forget() == 0
