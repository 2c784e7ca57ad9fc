from __future__ import annotations

import gzip

import pytest
from pytest_django import Settings

from security.egress import EgressRefused, FetchFailed, aclose_clients, fetch, words_for_model
from security.egress.requests import MAX_DOCUMENT_BYTES
from tests.security.egress.fake_internet import answer, fake_internet


@pytest.fixture(autouse=True)
def no_exceptions(settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset()
    settings.DEMO_PROVIDER_URL = ""


async def test_fetch_returns_the_document() -> None:
    async with fake_internet() as world:
        world.pages["/"] = answer(gzip.compress(b"<p>hi</p>"), content_encoding="gzip", content_type="text/html")
        page = await fetch("http://page.example/", client=world.client)
    assert (page.url, page.status, page.headers["content-type"], page.content) == ("http://page.example/", 200, "text/html", b"<p>hi</p>")


async def test_a_missing_page_is_an_answer() -> None:
    async with fake_internet() as world:
        world.pages["/"] = answer(b"gone", status="404 Not Found")
        assert (await fetch("http://page.example/", client=world.client)).status == 404


async def test_redirects_are_followed_and_drop_headers_on_the_way_out() -> None:
    async with fake_internet() as world:
        world.pages["/a"] = answer(status="301 Moved", location="/b")
        world.pages["/b"] = answer(status="302 Found", location="//other.example/c")
        world.pages["/c"] = answer(status="307 Temporary", location="http://page.example/d")
        world.pages["/d"] = answer(b"here")
        page = await fetch("http://page.example/a", headers={"Authorization": "Bearer abc"}, client=world.client)
    assert (page.url, page.content) == ("http://page.example/d", b"here")
    assert ["Bearer abc" in request for request in world.requests] == [True, True, False, False]


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1/", "http://inside.example/", "http://page.example:22/", "file:///etc/passwd", "http://u:p@page.example/"]
)
async def test_each_redirect_is_checked(location: str) -> None:
    names = {"page.example": [["8.8.8.8"]], "inside.example": [["10.0.0.1"]]}
    async with fake_internet(names) as world:
        world.pages["/"] = answer(status="302 Found", location=location)
        with pytest.raises(EgressRefused):
            await fetch("http://page.example/", client=world.client)
        assert len(world.requests) == 1


async def test_redirects_end_after_five() -> None:
    async with fake_internet() as world:
        world.pages["/"] = answer(status="302 Found", location="/")
        with pytest.raises(EgressRefused):
            await fetch("http://page.example/", client=world.client)
        assert len(world.requests) == 6


@pytest.mark.parametrize("is_packed", [False, True])
async def test_the_size_counts_after_unpacking(is_packed: bool) -> None:
    def page(size_bytes: int) -> bytes:
        return answer(gzip.compress(bytes(size_bytes)), content_encoding="gzip") if is_packed else answer(bytes(size_bytes))

    async with fake_internet() as world:
        world.pages |= {"/fits": page(MAX_DOCUMENT_BYTES), "/large": page(MAX_DOCUMENT_BYTES + 1)}
        assert len((await fetch("http://page.example/fits", client=world.client)).content) == MAX_DOCUMENT_BYTES
        with pytest.raises(EgressRefused):
            await fetch("http://page.example/large", client=world.client)


async def test_faults_of_the_network_have_one_name() -> None:
    async with fake_internet() as world:
        world.pages["/"] = b"no http\r\n\r\n"
        for url in ("http://page.example/", "http://missing.example/"):
            with pytest.raises(FetchFailed):
                await fetch(url, client=world.client)


async def test_a_model_cannot_tell_a_name_inside_from_one_that_does_not_exist() -> None:
    names = {"page.example": [["8.8.8.8"]], "inside.example": [["10.0.0.1"]], "dead.example": [["8.8.4.4"]]}
    places = [
        "missing.example",
        "inside.example",
        "dead.example",
        "10.0.0.1",
        "db.internal",
        "printer",
        "page.example:22",
        "page.example/in",
    ]
    async with fake_internet(names, dead=["8.8.4.4"]) as world:
        world.pages["/in"] = answer(status="302 Found", location="http://inside.example/")
        messages = set()
        for place in places:
            with pytest.raises((EgressRefused, FetchFailed)) as error:
                await fetch(f"http://{place}/" if "/" not in place else f"http://{place}", client=world.client)
            assert isinstance(error.value, EgressRefused | FetchFailed)
            messages.add(words_for_model(error.value, "It can't be opened."))
    assert messages == {"It can't be opened."}
    assert {*world.names.lookups} == {"missing.example", "inside.example", "dead.example", "page.example"}, "the others are not looked up"


async def test_own_addresses_are_refused_by_name_and_by_number(settings: Settings) -> None:
    settings.PUBLIC_URL, settings.OWN_ADDRESSES = "https://chat.example", frozenset({"203.0.114.0/28"})
    async with fake_internet({"rebound.example": [["203.0.114.9"]]}) as world:
        for host in ("chat.example", "203.0.114.9", "rebound.example"):
            with pytest.raises(EgressRefused):
                await fetch(f"http://{host}/", client=world.client)
        assert (world.names.lookups, world.wire.connections) == (["rebound.example"], [])


async def test_a_slow_page_is_given_up() -> None:
    async with fake_internet() as world:
        world.pages["/"] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe"
        with pytest.raises(FetchFailed):
            await fetch("http://page.example/", timeout_s=0.05, client=world.client)


async def test_what_admins_may_enter_is_not_for_models(settings: Settings) -> None:
    """A model chooses the address: the private servers of EGRESS_ALLOW are refused, those of FETCH_ALLOW and the demo are not."""
    settings.EGRESS_ALLOW = frozenset({("127.0.0.1", 11434)})
    with pytest.raises(EgressRefused):
        await fetch("http://127.0.0.1:11434/api/tags")
    async with fake_internet() as world:
        world.pages["/"] = answer(b"wiki")
        host, port = "127.0.0.1", world.wire.server_port
        settings.FETCH_ALLOW = frozenset({(host, port)})
        assert (await fetch(f"http://{host}:{port}/")).content == b"wiki"
        settings.FETCH_ALLOW, settings.DEMO_PROVIDER_URL = frozenset(), f"http://{host}:{port}"
        assert (await fetch(f"http://{host}:{port}/")).content == b"wiki"
    await aclose_clients()
