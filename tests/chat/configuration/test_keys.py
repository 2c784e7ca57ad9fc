"""Keys of members in answers: sent with one request, for one session, saved (SPEC 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings as django_settings
from django.test import AsyncClient
from pytest_django import Settings

from admin_config.defaults.platform import PROVIDERS
from admin_config.models import AppSettings
from agents.providers.retry import MAX_ATTEMPTS
from chat.models import Conversation, Run
from chat.runs.title_generation import title_generate
from doubles.script import Fault, Text
from doubles.signals import Gate
from tenants.context import tenant_tx
from tests.chat.api.test_http_streams import client_of, events, request_body
from tests.chat.runs.test_takeover import take_over as other_takes_over
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

REQUEST_KEY, SESSION_KEY, SAVED_KEY = "key-sent-with-a-request", "key-of-a-session", "key-that-is-saved"


@pytest.fixture
def gemini() -> Iterator[ServedGemini]:
    """Takes any key, and the tests look which one it was."""
    with gemini_double(keys=None) as double:
        yield double


@pytest.fixture
def acme(acme: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Google's own address is the double's, and members may bring keys."""
    monkeypatch.setitem(PROVIDERS, "google", replace(PROVIDERS["google"], base_url=acme.double.base_url))
    allow(acme)
    return acme


def allow(acme: Workspace, allowed: bool = True) -> None:
    with tenant_tx(acme.organization.pk):
        AppSettings.objects.update(own_keys_allowed=allowed)


async def post(browser: Browser, chat_id: str, key: str = REQUEST_KEY, **fields: Any) -> Any:
    """POST api/chat with a key in its header."""
    client: AsyncClient = await client_of(browser)
    headers = {"X-Google-Api-Key": key} if key else {}
    return await client.post("/o/acme/api/chat", request_body(chat_id, "Hi", **fields), content_type="application/json", headers=headers)


async def enter(browser: Browser, key: str, *, session_only: bool) -> None:
    response = await browser.call("PUT", "/o/acme/api/keys/", {"provider": "google", "key": key, "sessionOnly": session_only})
    assert response.status_code == 200, response.content


async def answer(browser: Browser, chat_id: str) -> list[Chunk]:
    async with chat_socket(browser, "acme") as socket:
        return await socket.answer(chat_id, "Hi")


async def take_over(acme: Workspace) -> Any:
    """Another process takes the active run; gives it when it is over."""
    await other_takes_over(acme)
    return await acme.wait_for_row(Run, lambda row: not row.is_active)


def key_names(acme: Workspace) -> list[str]:
    """Whose key each request to the model had, by its number of the scripted answers."""
    names = {REQUEST_KEY: "request", SESSION_KEY: "session", SAVED_KEY: "saved", acme.double.key: "organization"}
    return [next(name for key, name in names.items() if request.key_is(key)) for request in acme.double.requests]


def notice_of(chunks: list[Chunk]) -> dict[str, Any]:
    return next(chunk["data"] for chunk in chunks if chunk["type"] == "data-notice")


class TestSentWithARequest:
    async def test_a_sent_key_is_used_for_its_request_only(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        acme.double.default(Text("Yes."))
        assert text_of((await events(await post(alice, chat_id)))[:-1]) == "Yes."
        await events(await post(alice, chat_id, key=""))
        assert key_names(acme) == ["request", "organization"]

    async def test_a_sent_key_is_used_to_regenerate(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        acme.double.default(Text("Yes."))
        await events(await post(alice, chat_id, key=""))
        await events(await post(alice, chat_id, trigger="regenerate-message"))
        assert key_names(acme) == ["organization", "request"]

    async def test_a_sent_key_comes_before_every_other_key(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        acme.double.default(Text("Yes."))
        await enter(alice, SAVED_KEY, session_only=False)
        await enter(alice, SESSION_KEY, session_only=True)
        await events(await post(alice, chat_id))
        assert key_names(acme) == ["request"]

    async def test_a_process_that_leaves_runs_to_workers_answers_it_itself(
        self, acme: Workspace, alice: Browser, chat_id: str, settings: Settings
    ) -> None:
        settings.RUN_EXECUTOR = "celery"
        acme.double.answer(Text("Yes."))
        assert text_of((await events(await post(alice, chat_id)))[:-1]) == "Yes."
        assert key_names(acme) == ["request"]

    async def test_a_sent_key_is_refused_where_members_may_bring_none(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        await sync_to_async(allow)(acme, False)
        response = await post(alice, chat_id)
        assert (response.status_code, response.json()["error"]["code"]) == (403, "own_keys_not_allowed")
        assert await acme.rows(Conversation) == []

    async def test_what_cannot_be_a_key_is_refused_without_quoting_it(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        response = await post(alice, chat_id, key="x" * 5000)
        assert response.status_code == 400
        assert b"xxxxx" not in response.content
        assert await acme.rows(Conversation) == []

    async def test_viewers_and_others_get_no_further_with_a_key(
        self, acme: Workspace, vera: Browser, charlie: Browser, chat_id: str
    ) -> None:
        assert [(await post(browser, chat_id)).status_code for browser in (vera, charlie)] == [403, 404]

    async def test_the_rate_limit_of_a_sent_key_opens_no_breaker(self, acme: Workspace, alice: Browser, bob: Browser) -> None:
        for _ in range(5 * MAX_ATTEMPTS):
            acme.double.answer(Fault.status(429, retry_after_s=0), when=lambda request: request.key_is(REQUEST_KEY))
        acme.double.answer(Text("Hi."), when=lambda request: not request.key_is(REQUEST_KEY))
        for _ in range(5):
            await events(await post(alice, str(uuid4())))
        assert text_of(await answer(bob, str(uuid4()))) == "Hi."


class TestTakenOver:
    async def test_without_the_sent_key_the_next_source_is_used(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        acme.double.answer(Text("Lost "), Gate("never"))
        acme.double.answer(Text("Whole."))
        response = await post(alice, chat_id)
        await acme.double.arrived(1).wait_async()
        run = await take_over(acme)
        assert run.status == Run.Status.DONE
        assert key_names(acme) == ["request", "organization"]
        await events(response)

    async def test_a_taken_over_run_without_a_key_says_that_it_came_with_the_request(
        self, acme: Workspace, alice: Browser, chat_id: str
    ) -> None:
        await sync_to_async(acme.remove_key)()
        acme.double.answer(Text("Lost "), Gate("never"))
        response = await post(alice, chat_id)
        await acme.double.arrived(1).wait_async()
        run = await take_over(acme)
        assert (run.status, run.error_code) == (Run.Status.FAILED, "key_missing")
        notice = notice_of(await events(response))
        assert "was sent with the request only" in notice["text"]
        assert notice["action"] == "settings"

    async def test_a_sessions_key_is_found_by_the_next_process(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        await enter(alice, SESSION_KEY, session_only=True)
        acme.double.answer(Text("Lost "), Gate("never"))
        acme.double.answer(Text("Whole."))
        async with chat_socket(alice, "acme") as socket:
            await socket.send(chat_id, "Hi")
            await acme.double.arrived(1).wait_async()
            await take_over(acme)
        assert key_names(acme) == ["session", "session"]


class TestEntered:
    async def test_a_sessions_key_is_used_in_that_session_and_no_other(
        self, acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str
    ) -> None:
        acme.double.default(Text("Yes."))
        await enter(alice, SESSION_KEY, session_only=True)
        await answer(alice, chat_id)
        await answer(await sync_to_async(Browser)(cast.alice), str(uuid4()))
        await answer(bob, str(uuid4()))
        assert key_names(acme) == ["session", "organization", "organization"]

    async def test_a_saved_key_is_used_in_every_session_of_its_member(
        self, acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str
    ) -> None:
        acme.double.default(Text("Yes."))
        await enter(alice, SAVED_KEY, session_only=False)
        for browser in (alice, await sync_to_async(Browser)(cast.alice), bob):
            await answer(browser, str(uuid4()))
        assert key_names(acme) == ["saved", "saved", "organization"]

    async def test_signing_out_ends_it_for_answers_that_are_taken_over_later(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        await enter(alice, SESSION_KEY, session_only=True)
        acme.double.answer(Text("Lost "), Gate("never"))
        acme.double.answer(Text("Whole."))
        async with chat_socket(alice, "acme") as socket:
            await socket.send(chat_id, "Hi")
            await acme.double.arrived(1).wait_async()
            await alice.call("POST", "/logout/")
            await take_over(acme)
        assert key_names(acme) == ["session", "organization"]

    async def test_the_title_is_written_with_the_key_of_the_answer(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        acme.double.default(Text("Yes."))
        await enter(alice, SESSION_KEY, session_only=True)
        await answer(alice, chat_id)
        [conversation] = await acme.rows(Conversation)
        assert await title_generate(organization_id=acme.organization.pk, conversation_id=conversation.pk) == "Yes"
        assert key_names(acme) == ["session", "session"]

    async def test_without_a_key_the_answer_says_where_to_enter_one(self, acme: Workspace, alice: Browser, chat_id: str) -> None:
        await sync_to_async(acme.remove_key)()
        notice = notice_of(await answer(alice, chat_id))
        assert (notice["code"], notice["action"]) == ("key_missing", "settings")
        assert "“API keys”" in notice["text"]


async def test_the_session_is_named_in_the_run_but_not_shown(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Yes."))
    await answer(alice, chat_id)
    [run] = await acme.rows(Run)
    assert len(run.session_hash) == 64
    assert alice.client.cookies[django_settings.SESSION_COOKIE_NAME].value not in run.session_hash
