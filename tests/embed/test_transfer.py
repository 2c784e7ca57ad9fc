"""A visitor's conversations go along at sign-in: to the visitor whom the page signs in, or to a member; never out of the organization."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from artifacts.models import Artifact
from artifacts.selectors import artifact_get_for_member
from chat.models import Conversation
from doubles.script import Call, Text
from doubles.signals import Gate
from embed.models import EmbedSite, EmbedVisitor
from embed.tasks import visitors_forget
from embed.transfer.services import transfer_to_visitor
from files.models import File
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.e2e.scripted_provider import is_chat, is_document
from tests.embed.support import acall, begin, call, host_token, make_site, visitor_socket
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace
from tests.support.stores.audit_log import events
from tests.support.stores.locks import in_own_connections, wait_until_blocked
from tests.support.suite.time_limits import scaled_to_load

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

abegin = sync_to_async(begin)


def write(cast: Cast, visitor: EmbedVisitor, title: str, **fields: Any) -> UUID:
    """Return a conversation of the visitor, with a document and a file."""
    with tenant_tx(cast.acme.pk):
        row = Conversation.objects.create(owner_id=visitor.membership_id, title=title, updated_at=timezone.now(), **fields)
        Artifact.objects.create(conversation_id=row.pk, owner_id=visitor.membership_id, title=title, kind="text")
        File.objects.create(
            conversation_id=row.pk,
            owner_id=visitor.membership_id,
            name="a.txt",
            media_type="text/plain",
            kind="text",
            size_bytes=1,
            sha256="0" * 64,
            state=File.State.READY,
        )
    return row.pk


def visitor_of(cast: Cast, **fields: Any) -> EmbedVisitor:
    with tenant_tx(cast.acme.pk):
        return EmbedVisitor.objects.select_related("membership").get(**fields)


def owners(cast: Cast, conversation_id: UUID) -> set[UUID]:
    with tenant_tx(cast.acme.pk):
        artifact, file = Artifact.objects.get(conversation_id=conversation_id), File.objects.get(conversation_id=conversation_id)
        return {Conversation.objects.get(pk=conversation_id).owner_id, artifact.owner_id, file.owner_id}


def test_a_stranger_whom_the_page_signs_in_keeps_the_conversations(cast: Cast) -> None:
    key, secret = make_site(cast, cast.alice)
    other_key, other_secret = make_site(cast, cast.alice, name="Second")
    foreign_key, foreign_secret = make_site(cast, cast.charlie)
    mine = begin(key).json()["visitorToken"]
    stranger = visitor_of(cast)
    tea, put_away = write(cast, stranger, "Tea"), write(cast, stranger, "Old", archived_at=timezone.now())

    # The token counts in its own embed alone, and no token is as good as a wrong one.
    for site, signs in ((other_key, other_secret), (foreign_key, foreign_secret)):
        answer = begin(site, hostToken=host_token(signs, site), visitorToken=mine).json()
        assert answer["conversationId"] is None
    for wrong in ("", "x" * 43, "\0"):
        assert begin(key, hostToken=host_token(secret, key, sub="lea", jti=wrong), visitorToken=wrong).json()["conversationId"] is None
    assert begin(key, hostToken="no token", visitorToken=mine).status_code == 401
    assert owners(cast, tea) == {stranger.membership_id}

    began = begin(key, hostToken=host_token(secret, key), visitorToken=mine).json()
    kim = visitor_of(cast, site__name="Shop", subject="customer-7")
    assert (began["conversationId"], began["visitorToken"]) == (str(tea), "")
    assert owners(cast, tea) == owners(cast, put_away) == {kim.membership_id}
    assert begin(key, visitorToken=mine).json()["conversationId"] is None
    assert begin(key, hostToken=host_token(secret, key, jti="2"), visitorToken=mine).json()["conversationId"] == str(tea)
    [event] = events(cast.acme, "conversation.take_over")
    assert (event.actor_user_id, event.object_label, event.detail["conversations"]) == (kim.membership.user_id, "Shop", 2)
    assert not events(cast.other, "conversation.take_over")


def test_what_a_stranger_takes_along_while_absent_ones_are_forgotten_stays(cast: Cast) -> None:
    key, secret = make_site(cast, cast.alice, keep_days=7)
    mine = begin(key).json()["visitorToken"]
    stranger = visitor_of(cast)
    tea = write(cast, stranger, "Tea")
    begin(key, hostToken=host_token(secret, key))
    kim = visitor_of(cast, site__name="Shop", subject="customer-7")
    with tenant_tx(cast.acme.pk):
        EmbedVisitor.objects.filter(pk=stranger.pk).update(last_seen_at="2026-01-01T00:00Z")
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(cast.acme.pk):
            transfer_to_visitor(mine, kim)
            forgetting = threads.submit(in_own_connections, visitors_forget)
            wait_until_blocked(forgetting)
        assert forgetting.result(timeout=scaled_to_load(10)) == 1
    assert owners(cast, tea) == {kim.membership_id}


def test_a_member_takes_the_own_conversations_along_once(cast: Cast) -> None:
    key, _ = make_site(cast, cast.alice, members_may_keep=True)
    closed_key, _ = make_site(cast, cast.alice, name="Closed")
    foreign_key, _ = make_site(cast, cast.charlie, members_may_keep=True)
    session, other, closed, foreign = (begin(each).json() for each in (key, key, closed_key, foreign_key))
    with tenant_tx(cast.acme.pk):
        stranger = EmbedVisitor.objects.filter(site__name="Shop").order_by("created_at")[0]
    tea = write(cast, stranger, "Tea")
    bob, charlie = signed_in(cast.bob), signed_in(cast.charlie)

    def place(bearer: str, site: str = key) -> str:
        url: str = call(bearer, "POST", f"/embed/{site}/api/transfer/").json()["url"]
        return urlsplit(url).path

    assert call(closed["bearer"], "POST", f"/embed/{closed_key}/api/transfer/").status_code == 404
    assert call(foreign["bearer"], "POST", f"/embed/{key}/api/transfer/").status_code == 401
    page = place(session["bearer"])
    assert Client().get(page).headers["Location"].startswith("/login/?next=")
    response = bob.get(page)
    assert "1 conversation" in response.content.decode()
    assert (response.headers["Referrer-Policy"], "no-store" in response.headers["Cache-Control"]) == ("same-origin", True)
    assert owners(cast, tea) == {stranger.membership_id}  # looking moves nothing

    # Nobody of another organization, no code of another embed, and nobody who may only read.
    for client, path in (
        (charlie, page),
        (bob, page.replace(key, foreign_key)),
        (bob, page.replace(key, closed_key)),
        (bob, re.sub(r"[^/]+/$", "x/", page)),
        (bob, place(other["bearer"])),  # that visitor has written nothing
        (bob, place(foreign["bearer"], foreign_key)),
    ):
        assert (client.get(path).status_code, client.post(path).status_code) == (404, 404), path
    with tenant_tx(cast.acme.pk):
        Membership.objects.filter(user=cast.bob).update(role=Membership.Role.VIEWER)
    assert bob.post(page).status_code == 403
    with tenant_tx(cast.acme.pk):
        Membership.objects.filter(user=cast.bob).update(role=Membership.Role.MEMBER)
    assert Client(enforce_csrf_checks=True).post(page).status_code == 403
    assert owners(cast, tea) == {stranger.membership_id}
    with tenant_tx(cast.acme.pk):
        EmbedSite.objects.filter(name="Shop").update(members_may_keep=False)
    assert bob.post(page).status_code == 404
    with tenant_tx(cast.acme.pk):
        EmbedSite.objects.filter(name="Shop").update(members_may_keep=True)

    assert bob.post(page).headers["Location"] == f"/o/acme/c/{tea}/"
    assert owners(cast, tea) == {cast.actor(cast.bob).membership_id}
    again = write(cast, stranger, "Later")
    assert bob.post(page).status_code == 404  # the code is used up
    assert owners(cast, again) == {stranger.membership_id}
    assert call(session["bearer"], "GET", f"/embed/{key}/api/conversations/{tea}/").status_code == 404
    assert bob.get(f"/o/acme/api/conversations/{tea}/").json()["title"] == "Tea"
    assert charlie.get(f"/o/other/api/conversations/{tea}/").status_code == 404
    [event] = events(cast.acme, "conversation.take_over")
    assert (event.actor_user_id, event.detail["conversations"]) == (cast.bob.pk, 1)


async def test_an_answer_under_way_goes_on_and_what_it_makes_is_the_members(
    acme: Workspace, cast: Cast, bob: Browser, chat_id: str
) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice, members_may_keep=True)
    bearer = (await abegin(key)).json()["bearer"]
    gate = Gate()
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Teas", "instruction": "A list."}), when=is_chat)
    acme.double.answer(Text("# Teas\n\n"), gate, Text("Hojicha."), when=is_document)
    acme.double.answer(Text("It is written."), when=is_chat)
    path = urlsplit((await acall(bearer, "POST", f"/embed/{key}/api/transfer/")).json()["url"]).path
    async with visitor_socket(key, bearer) as socket:
        await socket.send(chat_id, "Write a list.")
        await gate.reached.wait_async()
        redirect = await sync_to_async(lambda: signed_in(cast.bob).post(path))()
        assert redirect.headers["Location"] == f"/o/acme/c/{chat_id}/"
        gate.release()
        async with chat_socket(bob, "acme") as own:
            assert text_of(await own.chunks(await own.resume(chat_id))).endswith("It is written.")
            acme.double.answer(Text("Gladly."))
            assert text_of(await own.answer(chat_id, "More?")) == "Gladly."

    def document() -> Artifact:
        with tenant_tx(cast.acme.pk):
            artifact = Artifact.objects.get()
            return artifact_get_for_member(artifact_id=artifact.pk, actor=cast.actor(cast.bob))

    assert (await sync_to_async(document)()).title == "Teas"
    response = await acall(bearer, "GET", f"/embed/{key}/api/conversations/{chat_id}/")
    assert response.status_code == 404
