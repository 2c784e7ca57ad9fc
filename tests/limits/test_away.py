"""While Redis is away, each limit lets through or refuses as it says, and nothing fails (SPEC 8.5)."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from pytest_django import Settings

from chat.models import Message
from doubles.script import Text
from limits.allowances import Allowance, Rule, allowances
from limits.models import RateLimit
from tenants.db import in_db
from tenants.redis.clients import close_redis, sync_client
from tests.chat.test_openai_api import ask, user
from tests.limits.test_usage_limits import limit, refusal
from tests.support.cast import Cast
from tests.support.chat_socket import Browser, chat_socket
from tests.support.redis_servers import own_redis
from tests.support.workspace import Workspace

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default", "system"]), pytest.mark.redis]


async def test_when_redis_stops_each_limit_does_what_it_says(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str, settings: Settings, tmp_path: Path
) -> None:
    acme.double.default(Text("Yes."))
    shared = settings.REDIS_URL
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
        refused = await ask(await sync_to_async(cast.actor)(cast.bob), user("Hi"))
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "limits_uncounted")
        assert refused.headers["Retry-After"]
        assert len(await acme.rows(Message)) == 4, "what was refused was not stored"
    finally:
        await close_redis()
        settings.REDIS_URL = shared
        sync_client.cache_clear()


def test_of_two_equal_limits_the_one_that_refuses_counts() -> None:
    rules = [Rule("organization", "", None, (None, 9, None, None), refuses_uncounted=refuses) for refuses in (False, True)]
    for given in (rules, rules[::-1]):
        assert allowances(given, role="member", groups=(), with_token=False) == (
            Allowance("organization", "hour", 9, refuses_uncounted=True),
        )
