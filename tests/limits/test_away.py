"""While Redis is away, each limit lets through or refuses as it says, and nothing fails (SPEC 8.5)."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest
import redis
from asgiref.sync import sync_to_async
from pytest_django import Settings
from structlog.testing import capture_logs

from chat.models import Message
from doubles.script import Text
from limits.allowances import Allowance, Rule, allowances
from limits.models import RateLimit
from tenants.db import in_db
from tenants.redis.clients import close_redis, sync_client
from tenants.redis.pauses import QuestionPause, RedisPaused
from tests.chat.openai_api.openai_requests import ask, user
from tests.limits.test_usage_limits import limit, refusal
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace
from tests.support.stores.redis_servers import own_redis

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default", "system"]), pytest.mark.redis]


async def test_when_redis_stops_each_limit_does_what_it_says(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str, settings: Settings, tmp_path: Path
) -> None:
    acme.double.default(Text("Yes."))
    shared_url = settings.REDIS_URL
    await close_redis()
    sync_client.cache_clear()
    try:
        with ExitStack() as running:
            settings.REDIS_URL = running.enter_context(own_redis(tmp_path))
            await limit(cast, "messages", "1")
            async with chat_socket(alice, "acme") as socket:
                await socket.answer(chat_id, "Counted")
                assert (await refusal(socket, chat_id)).startswith("You may send 1 message in 30 days.")
        async with chat_socket(alice, "acme") as socket:  # it is stopped
            await socket.answer(chat_id, "Let through, because the limit is on messages")
            await in_db(lambda: RateLimit.objects.update(when_away="refuse"), organization_id=cast.acme.pk)
            assert (await refusal(socket, chat_id)).startswith("Messages can't be counted at the moment")
            await in_db(lambda: RateLimit.objects.update(when_away="by_kind", measure="cost"), organization_id=cast.acme.pk)
            assert (await refusal(socket, str(uuid4()))).startswith("Messages can't be counted at the moment")
        response = await ask(await sync_to_async(cast.actor)(cast.bob), user("Hi"))
        assert (response.status_code, response.json()["error"]["code"]) == (503, "limits_uncounted")
        assert response.headers["Retry-After"]
        assert len(await acme.rows(Message)) == 4, "what was refused was not stored"
    finally:
        await close_redis()
        settings.REDIS_URL = shared_url
        sync_client.cache_clear()


async def test_one_message_waits_for_a_redis_that_hangs_and_the_next_ones_do_not(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("limits.counters._pause", QuestionPause(600))
    acme.double.default(Text("Yes."))
    shared_url = settings.REDIS_URL
    await close_redis()
    sync_client.cache_clear()
    try:
        with own_redis(tmp_path) as settings.REDIS_URL, capture_logs() as logs:
            await limit(cast, "cost", "1")
            sync_client.cache_clear()  # a timer may have asked while the server began
            with redis.Redis.from_url(settings.REDIS_URL) as own:  # and it must be this server that is stopped
                process_id: int = own.info("server")["process_id"]
            async with chat_socket(alice, "acme") as socket:
                await socket.answer(chat_id, "Counted")
                with monkeypatch.context() as hanging:
                    hanging.setattr("limits.counters.QUESTION_TIMEOUT_S", 0.3)
                    os.kill(process_id, signal.SIGSTOP)
                    try:
                        refusals = [await refusal(socket, chat_id) for _ in range(3)]
                    finally:
                        os.kill(process_id, signal.SIGCONT)
                monkeypatch.setattr("limits.counters._pause", QuestionPause(600))  # as when it is over
                assert text_of(await socket.answer(chat_id, "Counted again")) == "Yes."
        assert all(text.startswith("Messages can't be counted at the moment") for text in refusals), refusals
    finally:
        await close_redis()
        settings.REDIS_URL = shared_url
        sync_client.cache_clear()
    reasons = [log["reason"] for log in logs if log["event"] == "message_not_counted"]
    assert reasons[:3] == ["TimeoutError", "RedisPaused", "RedisPaused"], reasons


def test_when_the_pause_is_over_one_asks_and_the_others_wait_for_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    now, pause = [100.0], QuestionPause(2.0)
    monkeypatch.setattr("tenants.redis.pauses.time.monotonic", lambda: now[0])
    with pytest.raises(ConnectionError), pause.question():
        raise ConnectionError
    assert not pause.is_on, "who says at once that it is away is asked each time"
    with pytest.raises(TimeoutError), pause.question():
        raise TimeoutError
    with pytest.raises(RedisPaused), pause.question():
        pass
    now[0] += 2.0
    with pause.question(), pytest.raises(RedisPaused), pause.question():
        pass
    with pause.question():
        assert not pause.is_on


def test_of_two_equal_limits_the_one_that_refuses_counts() -> None:
    rules = [Rule("organization", "", None, (None, 9, None, None), refuses_uncounted=refuses) for refuses in (False, True)]
    for ordered_rules in (rules, rules[::-1]):
        assert allowances(ordered_rules, role="member", groups=(), with_token=False) == (
            Allowance("organization", "hour", 9, refuses_uncounted=True),
        )
