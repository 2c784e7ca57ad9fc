"""Headers that nobody can read are refused in words at each route, before any view; odd ones harm none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, cycle, product
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from asgiref.sync import sync_to_async
from pytest_django import Settings

from config.web.body_limit import BodyLimit
from config.web.handler import Handler
from tenants.db import in_db
from tests.chat.api.test_token_streams import token_of
from tests.security import entry_points
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default", "system"])]

UNREADABLE = [
    "multipart/form-data; boundary*=utf-9''x",
    "multipart/form-data; boundary*0*=a''x; boundary*1=y",
    "multipart/form-data; boundary*=idna''%ff",
    "application/json; charset*=utf-9''x",
    "application/json; charset=\x00",
    "application/x-www-form-urlencoded; charset=hex",
    "application/x-www-form-urlencoded; charset=idna",
    "application/x-www-form-urlencoded; charset=undefined",
]
ODD = [
    "multipart/form-data; boundary*=utf-8''%ff",
    "multipart/form-data; boundary=b; boundary=c",
    "application/json; charset=utf-9",
    "application/x-www-form-urlencoded; charset=utf-16",
    "a" * 3000 + "/" + "b" * 3000,
    ";;;=;",
    "",
]
BODY = b"--b\r\nContent-Disposition: form-data; name*=utf-9''x\r\n\r\nx\r\n--b--\r\na=%ff&b=c"


def paths() -> Iterator[str]:
    """A path for each route, with ids that do not exist."""
    below = (f"o/<slug:slug>/{path}" for path in entry_points.REST)
    for pattern in chain(entry_points.ROUTES, entry_points.REST, below):
        yield "/" + "".join(_filled(piece) for piece in pattern.replace("<", "\0<").replace(">", ">\0").split("\0"))


def _filled(piece: str) -> str:
    if not piece.startswith("<"):
        return piece
    kind, _, name = piece[1:-1].partition(":")
    return "acme" if name == "slug" else str(uuid4()) if kind == "uuid" else "1" if kind == "int" else "x"


@pytest.fixture(autouse=True)
def _unlimited(settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 0, "write": 0, "chat": 0}


def http_client() -> httpx2.AsyncClient:
    application: Any = BodyLimit(Handler())
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=application, raise_app_exceptions=False), base_url="http://testserver")


async def test_a_header_that_nobody_can_read_is_refused_in_words_at_each_route(request: pytest.FixtureRequest, cast: Cast) -> None:
    """By day each route gets one of them in turn: they are refused in one place, before any view."""
    is_night = request.config.getoption("nightly")
    tries: Iterable[tuple[str, str]] = product(paths(), UNREADABLE) if is_night else zip(paths(), cycle(UNREADABLE))
    async with http_client() as http:
        for path, header in tries:
            answer = await http.post(path, content=BODY, headers={"content-type": header})
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request"), (path, header)
            assert "Content-Type" in answer.json()["error"]["message"]


async def test_no_door_falls_over_an_odd_header(cast: Cast) -> None:
    by_session = {"cookie": (await sync_to_async(Browser)(cast.alice)).cookie}
    _, by_token = await token_of(await in_db(cast.actor, cast.alice))
    async with http_client() as http:
        for path, header, way in zip(paths(), cycle(ODD), cycle([by_session, by_token])):
            answer = await http.post(path, content=BODY, headers={"content-type": header, **way})
            assert answer.status_code < 500, (path, header)
