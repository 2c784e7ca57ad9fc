"""Visitors of embedded chats: how they are let in, what they reach, and that it is nothing else."""

from __future__ import annotations

import time
from typing import Any
from uuid import uuid4

import jwt
import orjson
import pytest
from asgiref.sync import sync_to_async
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from chat.api.member_socket import CLOSE_TOO_MUCH
from chat.models import Conversation
from doubles.script import Call, Text
from embed.api import waiting_sockets
from embed.api.consumers import CLOSE_BEARER
from embed.models import EmbedSite, EmbedVisitor
from embed.tasks import visitors_forget
from security.api_tokens import api_token_create
from tenants.authentication.tokens import SCOPES
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership, User
from tenants.redis.clients import sync_client
from tests.e2e.scripted_provider import is_chat, is_document
from tests.embed.support import SHOP, acall, begin, call, host_token, make_site, visitor_communicator, visitor_socket
from tests.support.cast import Cast
from tests.support.chat_socket import TIMEOUT_S, Browser, chat_socket, text_of
from tests.support.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

STATE = {"filter": "none", "count": 3}


async def session(key: str, **asked: str) -> dict[str, Any]:
    answer = await sync_to_async(begin)(key, **asked)
    assert answer.status_code == 200, answer.content
    assert not answer.cookies
    found: dict[str, Any] = answer.json()
    return found


async def test_a_visitor_chats_comes_back_and_reaches_nobody_elses_conversation(
    acme: Workspace, cast: Cast, bob: Browser, chat_id: str
) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    first = await session(key)
    path = f"/embed/{key}/api/conversations/{chat_id}/"
    acme.double.answer(Text("Hojicha."))
    async with visitor_socket(key, first["bearer"]) as socket:
        assert (
            text_of(await socket.answer(chat_id, "What tea at night?", modelId=str(uuid4()), assistant="no_such_one", thinking=True))
            == "Hojicha."
        )
    answer_id = (await acall(first["bearer"], "GET", path)).json()["messages"][1]["id"]
    assert (await acall(first["bearer"], "PUT", f"{path}messages/{answer_id}/feedback/", {"rating": "up"})).status_code == 204

    again = await session(key, visitorToken=first["visitorToken"])
    assert (again["conversationId"], again["visitorToken"]) == (chat_id, "")
    stranger = await session(key)
    bobs = str(uuid4())
    acme.double.answer(Text("For Bob."))
    async with chat_socket(bob, "acme") as socket:
        await socket.answer(bobs, "Mine.")
    assert stranger["conversationId"] is None
    assert (await acall(stranger["bearer"], "GET", path)).status_code == 404
    assert (await acall(again["bearer"], "GET", f"/embed/{key}/api/conversations/{bobs}/")).status_code == 404
    assert (await bob.call("GET", f"/o/acme/api/conversations/{chat_id}/")).status_code == 404
    for method, other in (
        ("PATCH", path),
        ("GET", f"/embed/{key}/api/conversations/"),
        ("GET", f"{path}export/"),
        ("GET", f"{path}readers/"),
    ):
        assert (await acall(again["bearer"], method, other, {})).status_code in {404, 405}, other

    assert (await acall(again["bearer"], "POST", f"{path}archive/", {})).status_code == 204
    assert (await session(key, visitorToken=first["visitorToken"]))["conversationId"] is None
    assert (await acall(again["bearer"], "DELETE", path)).status_code == 204
    assert (await acall(again["bearer"], "GET", path)).status_code == 404


async def test_the_page_state_goes_in_and_comes_back_and_nothing_else_does(acme: Workspace, cast: Cast, chat_id: str) -> None:
    key, secret = await sync_to_async(make_site)(cast, cast.alice)
    bearer = (await session(key, hostToken=host_token(secret, key)))["bearer"]
    acme.double.answer(Call("update_page_state", {"filter": "low", "price": 1}))
    async with visitor_socket(key, bearer) as socket:
        chunks = await socket.answer(chat_id, "Show low caffeine.", pageState=STATE)
        [asked] = [chunk for chunk in chunks if chunk["type"] == "tool-input-available"]
        assert asked["input"] == {"filter": "low"}
        acme.double.answer(Call("plan", {"title": "Steps", "steps": [{"text": "Look", "state": "done"}]}))
        acme.double.answer(Text("Done."))
        output = {"toolCallId": asked["toolCallId"], "output": {"written": ["filter"], "ignored": []}}
        given = await acall(bearer, "POST", f"/embed/{key}/api/conversations/{chat_id}/tool-outputs/", output)
        assert given.status_code == 202
        seen = await socket.chunks(await socket.resume(chat_id))
        assert "Done." in text_of(seen)
        stored = (await acall(bearer, "GET", f"/embed/{key}/api/conversations/{chat_id}/")).json()
        told_to_visitor = orjson.dumps([chunks, seen, stored["messages"]]).decode()
        # Models, costs, and what the organization's tools were given and gave back, stay with it.
        assert "Steps" in told_to_visitor
        for private in ("usage", "modelName", "provider", "costUsd", "written: filter", '"output":"'):
            assert private not in told_to_visitor, private
        assert [part["input"] for part in stored["messages"][1]["parts"] if part.get("toolName") == "plan"] == [{}]
        told = orjson.dumps(acme.double.requests[-1].body).decode()
        assert "written: filter; ignored: price (the page has no such key)" in told
        assert "Kim" in told  # the name that the host's token gave

        file = {"type": "file", "url": "data:text/plain;base64,aGk=", "filename": "a.txt", "mediaType": "text/plain"}
        message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": "See"}, file]}
        await socket.frame("send", id=chat_id, trigger="submit-message", messages=[message], headers={}, body={})
        assert (await socket.receive())["errorText"] == "Files can't be sent in this chat."
    denied = await acall(bearer, "POST", f"/embed/{key}/api/conversations/{chat_id}/approvals/{uuid4()}/", {"approved": True})
    assert denied.json()["error"]["message"] == "A visitor can't allow this."


async def test_a_visitors_socket_reaches_the_own_conversation_and_nothing_of_the_organization(
    acme: Workspace, cast: Cast, bob: Browser, chat_id: str
) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    bobs, others = str(uuid4()), str(uuid4())
    acme.double.answer(Text("For Bob."))
    async with chat_socket(bob, "acme") as socket:
        question = await socket.answer(bobs, "Mine.")
    answer_id = next(chunk["messageId"] for chunk in question if chunk["type"] == "start")
    stranger, other = await session(key), await session(key)
    acme.double.answer(Text("For the other."))
    async with visitor_socket(key, other["bearer"]) as socket:
        await socket.answer(others, "Theirs.")
    requests = len(acme.double.requests)
    async with visitor_socket(key, stranger["bearer"]) as socket:
        for foreign in (bobs, others):
            await socket.resume(foreign)
            assert (await socket.receive())["type"] in {"no-active", "error"}, foreign
            await socket.send(foreign, "Show me.")
            assert (await socket.receive())["type"] == "error", foreign
            await socket.regenerate(foreign, answer_id)
            assert (await socket.receive())["type"] == "error", foreign
        assert len(acme.double.requests) == requests
        acme.double.answer(Text("Yours."))
        assert text_of(await socket.answer(chat_id, "My own?")) == "Yours."
    told = orjson.dumps(acme.double.requests[-1].body).decode()
    assert "Mine." not in told
    assert "Theirs." not in told


async def test_a_visitor_reads_the_documents_of_the_own_answers_alone(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    second_key, _ = await sync_to_async(make_site)(cast, cast.alice, name="Second")
    foreign_key, _ = await sync_to_async(make_site)(cast, cast.charlie)
    own, other, elsewhere, foreign = [await session(site) for site in (key, key, second_key, foreign_key)]
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Teas", "instruction": "A list."}), when=is_chat)
    acme.double.answer(Text("# Teas\n\nHojicha."), when=is_document)
    acme.double.answer(Text("It is written."), when=is_chat)
    async with visitor_socket(key, own["bearer"]) as socket:
        chunks = await socket.answer(chat_id, "Write a list.")
    stored = (await acall(own["bearer"], "GET", f"/embed/{key}/api/conversations/{chat_id}/")).json()
    shown = [chunk["data"] for chunk in chunks if chunk["type"] == "data-artifact"][-1]
    assert [part["data"] for part in stored["messages"][1]["parts"] if part["type"] == "data-artifact"] == [shown]
    assert shown.keys() == {"id", "title", "kind", "status", "version", "operation"}
    assert "Hojicha" not in orjson.dumps([chunks, stored]).decode()
    api = f"/api/artifacts/{shown['id']}/versions/1/"
    read = await acall(own["bearer"], "GET", f"/embed/{key}{api}")
    assert read.json() == {"title": "Teas", "kind": "text", "number": 1, "content": "# Teas\n\nHojicha."}
    for bearer, site, status in (
        (other["bearer"], key, 404),
        (elsewhere["bearer"], second_key, 404),
        (elsewhere["bearer"], key, 401),
        (foreign["bearer"], foreign_key, 404),
        (foreign["bearer"], key, 401),
        ("", key, 401),
    ):
        assert (await acall(bearer, "GET", f"/embed/{site}{api}")).status_code == status
    for path in (f"/embed/{key}/api/artifacts/{shown['id']}/", f"/embed/{key}{api[:-2]}", f"/o/acme{api}"):
        assert (await acall(own["bearer"], "GET", path)).status_code in {401, 404}, path
    assert (await alice.call("GET", f"/o/acme{api}")).status_code == 404  # nor does a member of the organization
    assert (await acall(own["bearer"], "DELETE", f"/embed/{key}/api/conversations/{chat_id}/")).status_code == 204
    assert (await acall(own["bearer"], "GET", f"/embed/{key}{api}")).status_code == 404


async def test_sockets_that_say_nothing_are_bounded(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    bearer = (await session(key))["bearer"]
    monkeypatch.setattr(waiting_sockets, "MAX_OF_NETWORK", 2)
    silent = [visitor_communicator(key) for _ in range(3)]
    for socket in silent:
        assert (await socket.connect(timeout=TIMEOUT_S))[0]
    assert (await silent[2].receive_output(timeout=TIMEOUT_S))["code"] == CLOSE_TOO_MUCH
    await silent[0].disconnect()
    async with visitor_socket(key, bearer) as opened:  # one that has said whose it is waits no longer
        request = await opened.resume(str(uuid4()))
        assert (await opened.receive()) == {"type": "no-active", "requestId": request}
        async with visitor_socket(key, bearer) as another:
            await another.resume(str(uuid4()))
            assert (await another.receive())["type"] == "no-active"
    await silent[1].disconnect()


def test_while_redis_is_away_no_session_begins_and_nobody_is_made(cast: Cast, settings: Settings) -> None:
    key, secret = make_site(cast, cast.alice)
    known = begin(key).json()["visitorToken"]
    settings.REDIS_URL = "redis://127.0.0.1:1"
    sync_client.cache_clear()
    try:
        for asked in ({}, {"visitorToken": known}, {"hostToken": host_token(secret, key)}):
            assert begin(key, **asked).status_code == 503
    finally:
        sync_client.cache_clear()
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
    async with visitor_socket(key, bearer) as opened:
        request = await opened.resume(str(uuid4()))
        assert (await opened.receive()) == {"type": "no-active", "requestId": request}

        @sync_to_async
        def end() -> None:
            with tenant_tx(cast.acme.pk):
                EmbedSite.objects.update(is_active=False)

        await end()
        await opened.send(str(uuid4()), "Still there?")
        assert "session has ended" in (await opened.receive())["errorText"]
    assert (await acall(bearer, "GET", f"/embed/{key}/api/conversations/x/")).status_code == 401


def test_only_a_fresh_token_of_this_embed_signs_a_visitor_in(cast: Cast) -> None:
    key, secret = make_site(cast, cast.alice)
    foreign_key, foreign_secret = make_site(cast, cast.charlie)
    now = int(time.time())
    good = host_token(secret, key)
    header, claims, signature = good.split(".")
    none = jwt.encode({"sub": "x", "aud": key, "exp": now + 60}, "", algorithm="none")
    refused = {
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
    for what, token in refused.items():
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
    gone, stays = begin(key).json(), begin(key).json()
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
    assert [call(one["bearer"], "GET", path).status_code for one in (gone, stays)] == [401, 404]
