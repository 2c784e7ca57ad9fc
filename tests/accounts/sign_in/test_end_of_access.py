"""Who loses access loses it within a second: sockets, streams and answers end by a notice, not by the next look of a poll."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction
from django.test import AsyncClient

from accounts.members.services import member_deactivate, member_leave, member_remove, member_role_set
from accounts.organizations.second_factor import second_factor_set
from accounts.sessions.session_list import sessions_end_others
from chat.models import Part, Run
from chat.runs import supervisor
from doubles.script import Text
from doubles.signals import Gate
from security.api_tokens import api_token_create, api_token_revoke, api_token_revoke_of_member
from tenants.access import Actor
from tenants.authentication.session_proof import BY_SIGN_ON, METHODS, SIGN_ON
from tenants.db import in_db
from tenants.models import ApiToken, Organization, User
from tenants.redis.access_notices import AccessNotice, access_notice_send, access_notices
from tests.chat.api.test_http_streams import request_body
from tests.chat.conftest import acme, gemini, no_key_in_redis_after_all
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.suite.time_limits import scaled_to_load

__all__ = ["acme", "gemini", "no_key_in_redis_after_all"]

pytestmark = pytest.mark.django_db(transaction=True)

WITHIN_S = 1.0  # what docs/security.md promises, on a machine with nothing else to do; there is no poll that would help


def save(row: User | Organization, **values: object) -> None:
    """As the operator's pages do."""
    for name, value in values.items():
        setattr(row, name, value)
    with transaction.atomic(using="auth"):
        row.save(using="auth")


def ask_for_sign_on(organization: Organization) -> None:
    """As accounts.sso.sign_on_rule does."""
    organization.policy = {SIGN_ON: {"domains": ["example.org"], "way_in": []}}
    with transaction.atomic(using="auth"):
        organization.save(using="auth", update_fields=["policy"])


def new_password(user: User) -> None:
    user.set_password("another correct horse")
    user.save(update_fields=["password"])


def add_step(browser: Browser, step: dict[str, str]) -> None:
    """Note one more proof in the browser's session."""
    session = browser.client.session
    session[METHODS] = [*session[METHODS], {"at": time.time(), **step}]
    session.save()


ENDS: dict[str, Callable[[Cast, Actor, Actor, Browser], object]] = {
    "role": lambda cast, alice, bob, browser: member_role_set(actor=alice, membership_id=bob.membership_id, role="viewer"),
    "deactivated": lambda cast, alice, bob, browser: member_deactivate(actor=alice, membership_id=bob.membership_id),
    "removed": lambda cast, alice, bob, browser: member_remove(actor=alice, membership_id=bob.membership_id),
    "left": lambda cast, alice, bob, browser: member_leave(actor=bob),
    "ended elsewhere": lambda cast, alice, bob, browser: sessions_end_others(user_id=bob.user_id, session_key=None),
    "signed out": lambda cast, alice, bob, browser: browser.client.post("/logout/"),
    "password": lambda cast, alice, bob, browser: new_password(cast.bob),
    "account": lambda cast, alice, bob, browser: save(cast.bob, is_active=False),
    "organization": lambda cast, alice, bob, browser: save(cast.acme, is_active=False),
}
RULES: dict[str, Callable[[Cast, Actor], object]] = {
    "second factor": lambda cast, alice: second_factor_set(actor=alice, asked_of="everybody", grace_days=0),
    "sign-on": lambda cast, alice: ask_for_sign_on(cast.acme),
}
PROOFS: dict[str, Callable[[Cast], dict[str, str]]] = {
    "second factor": lambda cast: {"method": "mfa"},
    "sign-on": lambda cast: {"method": BY_SIGN_ON, "provider": str(cast.acme.pk)},
}
RUN_ENDS: dict[str, Callable[[Actor, Actor, ApiToken], object]] = {
    "role": lambda alice, bob, token: member_role_set(actor=alice, membership_id=bob.membership_id, role="viewer"),
    "deactivated": lambda alice, bob, token: member_deactivate(actor=alice, membership_id=bob.membership_id),
    "token": lambda alice, bob, token: api_token_revoke(actor=bob, token_id=token.pk),
    "token by an admin": lambda alice, bob, token: api_token_revoke_of_member(actor=alice, token_id=token.pk),
}


@pytest.fixture(autouse=True)
def _no_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a notice ends something."""
    monkeypatch.setattr("chat.api.access_watch.CHECK_INTERVAL_S", 3600)
    monkeypatch.setattr(supervisor, "MAX_CHECKS_WITHOUT_ACCESS", -1)


@pytest.mark.parametrize("kind", ENDS)
async def test_an_open_socket_closes_within_a_second(kind: str, cast: Cast) -> None:
    alice, bob = await sync_to_async(cast.actor)(cast.alice), await sync_to_async(cast.actor)(cast.bob)
    browser, others = await sync_to_async(Browser)(cast.bob), await sync_to_async(Browser)(cast.alice)
    async with chat_socket(browser, "acme") as socket, chat_socket(others, "acme") as other:
        began = time.monotonic()
        await sync_to_async(ENDS[kind])(cast, alice, bob, browser)
        frame = await socket.socket.receive_output(timeout=scaled_to_load(WITHIN_S))
        took_s = time.monotonic() - began
        if kind != "organization":
            await other.frame("resume", id=str(uuid4()), headers={}, body={})
            assert (await other.receive())["type"] == "no-active", "nobody else's socket ends"
    print(f"{kind}: the socket closed {took_s * 1000:.0f} ms after the request to end the access")
    assert frame == {"type": "websocket.close", "code": 4403}
    assert took_s < scaled_to_load(WITHIN_S)


async def test_a_notice_between_the_handshake_and_the_first_look_is_heard(cast: Cast) -> None:
    row_id = str(uuid4())
    await sync_to_async(access_notice_send)("membership", row_id, using="default")
    notices: asyncio.Queue[AccessNotice] = asyncio.Queue()
    with access_notices(notices.put_nowait):
        async with asyncio.timeout(60):
            while (await notices.get()).id != row_id:
                pass


@pytest.mark.parametrize("kind", RULES)
async def test_a_socket_closes_within_a_second_when_the_organization_asks_more_of_its_session(kind: str, cast: Cast) -> None:
    alice = await sync_to_async(cast.actor)(cast.alice)
    browser, proven_browser, charlie = [await sync_to_async(Browser)(user) for user in (cast.bob, cast.alice, cast.charlie)]
    async with (
        chat_socket(browser, "acme") as socket,
        chat_socket(proven_browser, "acme") as other,
        chat_socket(charlie, "other") as foreign,
    ):
        await sync_to_async(add_step)(proven_browser, PROOFS[kind](cast))  # after its socket was opened
        await sync_to_async(RULES[kind])(cast, alice)
        frame = await socket.socket.receive_output(timeout=scaled_to_load(WITHIN_S))
        for open_socket in (other, foreign):
            await open_socket.frame("resume", id=str(uuid4()), headers={}, body={})
            assert (await open_socket.receive())["type"] == "no-active"
    assert frame == {"type": "websocket.close", "code": 4403}


@pytest.mark.parametrize("kind", RUN_ENDS)
async def test_a_stream_and_its_answer_end_within_a_second(kind: str, acme: Workspace, cast: Cast) -> None:
    alice, bob = await sync_to_async(cast.actor)(cast.alice), await sync_to_async(cast.actor)(cast.bob)
    gate = Gate("never")
    acme.double.answer(Text("Half "), gate)
    row, text = await in_db(api_token_create, actor=bob, name="CI", scopes=("chat",), days=None, organization_id=bob.organization_id)
    headers = {"authorization": f"Bearer {text}"}
    response = await AsyncClient().post("/api/chat", request_body(str(uuid4()), "Go"), content_type="application/json", headers=headers)
    reading = asyncio.ensure_future(anext_forever(response))
    await gate.reached.wait_async()

    began = time.monotonic()
    await sync_to_async(RUN_ENDS[kind])(alice, bob, row)
    await asyncio.wait({reading}, timeout=scaled_to_load(WITHIN_S))
    stream_s = time.monotonic() - began
    run = await acme.wait_for_row(Run, lambda run: not run.is_active)
    run_s = time.monotonic() - began
    print(f"{kind}: the stream ended after {stream_s * 1000:.0f} ms, the answer after {run_s * 1000:.0f} ms")
    assert reading.cancelled()
    assert run.status == Run.Status.STOPPED
    assert [part.content["code"] for part in await acme.rows(Part, message_id=run.answer_id, kind="notice")] == ["access_ended"]
    assert run_s < scaled_to_load(WITHIN_S)


async def anext_forever(response: object) -> None:
    async for _ in response.streaming_content:  # type: ignore[attr-defined]  # of a streaming response
        pass
