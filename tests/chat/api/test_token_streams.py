"""POST /api/chat and its resume with a personal API token, as an AI SDK client calls them that knows a base URL and a header."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from chat.api.access_watch import AccessWatch, WatchedConnection
from chat.models import Conversation, Run
from chat.runs import supervisor
from doubles.script import Text
from doubles.signals import Gate
from security.api_tokens import api_token_create, api_token_revoke
from tenants.access import Actor
from tenants.db import in_db
from tenants.models import ApiToken, Membership
from tests.chat.api.test_http_streams import events, request_body
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.fixture
def bob(cast: Cast) -> Actor:
    return cast.actor(cast.bob)


@pytest.fixture
def vera(cast: Cast) -> Actor:
    return cast.actor(cast.vera)


@pytest.fixture
def charlie(cast: Cast) -> Actor:
    return cast.actor(cast.charlie)


async def token_of(actor: Actor, *scopes: str) -> tuple[ApiToken, dict[str, str]]:
    """A token and the header that carries it."""
    token_scopes = scopes or ("chat",)
    row, text = await in_db(api_token_create, actor=actor, name="CI", scopes=token_scopes, days=None, organization_id=actor.organization_id)
    return row, {"authorization": f"Bearer {text}"}


@pytest.mark.parametrize("base", ["", "/o/acme"])
async def test_a_token_posts_and_resumes(base: str, acme: Workspace, bob: Actor, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    client = AsyncClient(enforce_csrf_checks=True)
    _, headers = await token_of(bob)

    post_response = await client.post(f"{base}/api/chat", request_body(chat_id, "Hi"), content_type="application/json", headers=headers)
    resume_response = await client.get(f"{base}/api/chat/{chat_id}/stream", headers=headers)
    gate.release()

    for stream in (resume_response, post_response):
        assert text_of((await events(stream))[:-1]) == "One two."
    [conversation] = await acme.rows(Conversation)
    assert conversation.owner_id == bob.membership_id


async def test_a_token_without_the_right_may_not_post(acme: Workspace, bob: Actor, vera: Actor, charlie: Actor, chat_id: str) -> None:
    cases = [
        ("/o/acme", (await token_of(charlie))[1]),  # of another organization
        ("", (await token_of(bob, "read", "write"))[1]),
        ("", (await token_of(vera))[1]),  # viewers read only
        ("", {"authorization": "Bearer parley_nothing"}),
        ("", {}),
    ]
    statuses = []
    for base, headers in cases:
        body = request_body(chat_id, "Hi")
        answer = await AsyncClient().post(f"{base}/api/chat", body, content_type="application/json", headers=headers)
        statuses.append(answer.status_code)
    assert statuses == [404, 403, 403, 401, 401]
    assert await acme.rows(Conversation) == []


@pytest.mark.parametrize("end", ["revoked", "demoted"])
async def test_a_stream_ends_with_its_token(end: str, acme: Workspace, bob: Actor, chat_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream ends by itself, even while the run's owner has not seen yet that the access has ended."""
    monkeypatch.setattr(supervisor, "access_ends", lambda _: {})
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    token, headers = await token_of(bob)
    response = await AsyncClient().post("/api/chat", request_body(chat_id, "Hi"), content_type="application/json", headers=headers)
    reading = asyncio.ensure_future(events(response))
    await gate.reached.wait_async()

    if end == "revoked":
        await in_db(api_token_revoke, actor=bob, token_id=token.pk, organization_id=bob.organization_id)
    else:
        await in_db(Membership.objects.using("owner").filter(pk=bob.membership_id).update, role="viewer")
    done, _ = await asyncio.wait({reading}, timeout=60)
    gate.release()
    await acme.wait_for_row(Run, lambda run: run.finished_at)

    assert done == {reading}
    assert reading.cancelled()


async def test_a_slow_reader_gets_nothing_more_when_its_token_ends(acme: Workspace, bob: Actor, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    token, headers = await token_of(bob)
    response: Any = await AsyncClient().post("/api/chat", request_body(chat_id, "Hi"), content_type="application/json", headers=headers)
    reader = aiter(response.streaming_content)
    await anext(reader)  # and it does not ask for the next event while its access ends

    await in_db(api_token_revoke, actor=bob, token_id=token.pk, organization_id=bob.organization_id)
    await AccessWatch.current().check()
    await asyncio.gather(*AccessWatch.current()._closing)
    gate.release()
    await acme.wait_for_row(Run, lambda run: run.finished_at)

    with pytest.raises(asyncio.CancelledError):
        await anext(reader)


async def test_a_reader_that_takes_no_close_holds_up_nobody_elses(acme: Workspace, bob: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.api.access_watch.CHECK_INTERVAL_S", 3600)  # the checks are this test's
    token, _ = await token_of(bob)
    watch, numbers, reads_again = AccessWatch.current(), asyncio.Queue[int](), asyncio.Event()

    def socket(number: int) -> WatchedConnection:
        async def close() -> None:
            if number == 0:
                await reads_again.wait()
            numbers.put_nowait(number)

        return WatchedConnection(bob, "", "", close, token_id=token.pk)

    await in_db(api_token_revoke, actor=bob, token_id=token.pk, organization_id=bob.organization_id)
    for number in range(3):
        watch.add(socket(number))
    await asyncio.gather(watch.check(), watch.check())
    assert {await numbers.get(), await numbers.get()} == {1, 2}
    watch.add(socket(3))
    await watch.check()  # no check waits for a close, neither its own nor one of an earlier check: that of socket 0 has not ended
    assert await numbers.get() == 3
    reads_again.set()
    await asyncio.gather(*watch._closing)
    assert (numbers.get_nowait(), numbers.empty()) == (0, True), "each was closed once"


async def test_the_socket_has_the_limit_of_chats_a_minute(acme: Workspace, cast: Cast, chat_id: str, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 0, "write": 0, "chat": 1}
    acme.double.default(Text("Yes."))
    browser = await in_db(Browser, cast.bob)
    frames: list[dict[str, Any]] = []  # the first frame of each
    async with chat_socket(browser, "acme") as socket:
        for _ in range(3):  # a new minute may begin once between them
            await socket.send(chat_id, "Hi")
            frame = await socket.receive()
            frames.append(frame)
            while frame["type"] not in {"end", "error"}:
                frame = await socket.receive()
    assert (frames[0]["type"], frames[-1]["type"]) == ("start", "error")
    assert "requests in a minute" in frames[-1]["errorText"]
