from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.security.canary import database_text, delete_redis_keys, found, redis_text
from tests.support.cast import Cast
from tests.support.chat_socket import Browser
from tests.support.gemini import ServedGemini, gemini
from tests.support.time_limits import long_breaker_timeout
from tests.support.workspace import Workspace, allow_egress, make_workspace

__all__ = ["gemini", "long_breaker_timeout"]


@pytest.fixture
def acme(cast: Cast, gemini: ServedGemini, request: pytest.FixtureRequest) -> Iterator[Workspace]:
    """Acme with the Gemini double as its provider. Whatever the test does, the key is in no table and in no key of Redis (SPEC 2.5)."""
    with allow_egress(gemini.base_url):
        yield make_workspace(cast.acme, gemini)
    marker = request.node.get_closest_marker("django_db")
    if marker and "system" in marker.kwargs.get("databases", ()):  # else the test may not read the tables of all
        assert not found(gemini.key, database_text() | redis_text())
        delete_redis_keys()


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
