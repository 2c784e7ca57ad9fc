from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.security.secrets.canary import delete_redis_keys, no_key_in, redis_text
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini
from tests.support.chat.chat_socket import Browser
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace
from tests.support.suite.time_limits import long_breaker_timeout

__all__ = ["gemini", "long_breaker_timeout"]


@pytest.fixture(scope="module")
def no_key_in_redis_after_all() -> Iterator[None]:
    """Whatever the module's tests do, the key of their double is in no key of Redis; what they stored is looked through as it is deleted."""
    yield
    no_key_in(redis_text())
    delete_redis_keys()


@pytest.fixture
def acme(cast: Cast, gemini: ServedGemini, no_key_in_redis_after_all: None) -> Iterator[Workspace]:
    """Acme with the Gemini double as its provider."""
    with allow_egress(gemini.base_url):
        yield make_workspace(cast.acme, gemini)


@pytest.fixture
def alice(cast: Cast) -> Browser:
    return Browser(cast.alice)


@pytest.fixture
def bob(cast: Cast) -> Browser:
    return Browser(cast.bob)


@pytest.fixture
def vera(cast: Cast) -> Browser:
    return Browser(cast.vera)


@pytest.fixture
def charlie(cast: Cast) -> Browser:
    return Browser(cast.charlie)


@pytest.fixture
def chat_id() -> str:
    return str(uuid4())
