"""The agent's own search and its reading of web pages, from a message in the chat to the pages below the answer (SPEC 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from pytest_django import Settings

from admin_config.models import ToolSource
from agents.tools.web.pages import UNREACHABLE
from doubles.script import Call, Text
from tenants.context import tenant_tx
from tests.security.secrets.canary import database_text, places_with, redis_text
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import gemini_double, serve
from tests.support.agents.search_engines import KEY, PAGE, PICTURE, SearchEngines
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket
from tests.support.chat.tools import give_tool
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace
from tests.support.files.documents import pdf

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

HTML = f"""<!doctype html><title>Green tea</title><nav><a href="/">Home</a></nav>
<main><h1>Green tea</h1><p>Brew it at <b>80 degrees</b>, see <a href="more">more</a>. {"Wait. " * 60}</p></main><script>steal()</script>"""


@pytest.fixture
def web(settings: Settings) -> Iterator[SearchEngines]:
    """Search engines and pages; models may read there, admins may enter the address."""
    app = SearchEngines()
    with serve(app) as app.url, allow_egress(app.url):
        url = urlsplit(app.url)
        settings.FETCH_ALLOW = frozenset({(url.hostname, url.port)})
        yield app


async def use_tool(workspace: Workspace, browser: Browser, tool: str, **arguments: Any) -> tuple[Any, list[Chunk]]:
    """What the tool gave when a model called it so, and the answer's chunks."""
    workspace.double.answer(Call(tool, arguments), when=lambda request: tool in request.tool_names)
    workspace.double.default(Text("Fine."))
    async with chat_socket(browser, workspace.organization.slug) as socket:
        chunks = await socket.answer(str(uuid4()), "Look it up.")
    (end,) = [chunk for chunk in chunks if chunk["type"] in ("tool-output-available", "tool-output-error")]
    return end.get("output", end.get("errorText")), chunks


def sources(chunks: list[Chunk]) -> list[str]:
    return [chunk["url"] for chunk in chunks if chunk["type"] == "source-url"]


@pytest.mark.parametrize(
    ("backend", "searches"),
    [
        ("tavily", [("/search", "topic", "general"), ("/search", "topic", "news"), ("/search", "search_depth", "advanced")]),
        ("brave", [("/res/v1/web/search", "count", "8"), ("/res/v1/news/search", "count", "8"), None]),
        ("serper", [("/search", "num", 8), ("/news", "num", 8), ("/scholar", "num", 8)]),
    ],
)
async def test_a_search_reaches_the_model_and_its_pages_the_user(
    acme: Workspace, alice: Browser, web: SearchEngines, backend: str, searches: list[tuple[str, str, object] | None]
) -> None:
    await sync_to_async(give_tool)(acme, "search", secret=KEY, url=web.url, backend=backend, base_url=web.url)
    for kind, expected in zip(("info", "news", "research"), searches, strict=True):
        output, chunks = await use_tool(acme, alice, "search", query="green  tea", type=kind)
        if expected is None:
            assert "no index of research papers" in output
            continue
        path, name, value = expected
        assert (web.searches[-1][0], web.searches[-1][1][name]) == (path, value)
        (result,) = output["results"]  # one page once, and no address that is none
        assert (result["title"], result["url"], result["snippet"]) == (PAGE["title"], PAGE["url"], PAGE["snippet"])
        assert result["published"] in ("2026-11-20", "2 days ago", "2026")
        assert sources(chunks) == [PAGE["url"]]
    output, _ = await use_tool(acme, alice, "search", query="tea", type="image")
    assert output["results"][0]["url"] == PICTURE
    for kind, word in (("api", "documentation"), ("data", "dataset"), ("tool", "software")):
        await use_tool(acme, alice, "search", query="tea", type=kind)
        assert word in (web.searches[-1][1].get("query") or web.searches[-1][1]["q"])


async def test_an_answer_is_kept_for_its_organization_alone_and_the_key_nowhere(
    acme: Workspace, alice: Browser, charlie: Browser, cast: Cast, web: SearchEngines
) -> None:
    settings = {"secret": KEY, "url": web.url, "backend": "tavily", "base_url": web.url}
    await sync_to_async(give_tool)(acme, "search", **settings)
    for _ in range(2):
        await use_tool(acme, alice, "search", query="tea")
    assert len(web.searches) == 1
    assert len([name for name in redis_text() if f":{cast.acme.pk}:web:search:" in name]) == 1
    with gemini_double() as double, allow_egress(double.base_url):
        other = await sync_to_async(make_workspace)(cast.other, double)
        await sync_to_async(give_tool)(other, "search", **settings)
        await use_tool(other, charlie, "search", query="tea")
    assert len(web.searches) == 2
    assert not places_with(KEY, await sync_to_async(database_text)() | redis_text())


@pytest.mark.parametrize(
    ("status", "expected"), [(401, "did not take the key"), (429, "asked too often"), (432, "used up"), (500, "may be down")]
)
async def test_a_search_that_fails_tells_the_model_why(
    acme: Workspace, alice: Browser, web: SearchEngines, status: int, expected: str
) -> None:
    await sync_to_async(give_tool)(acme, "search", secret=KEY, url=web.url, backend="tavily", base_url=web.url)
    web.status = status
    output, chunks = await use_tool(acme, alice, "search", query="tea")
    assert expected in output
    assert KEY not in str(chunks)


async def test_without_a_key_the_answer_comes_and_says_so(acme: Workspace, alice: Browser, web: SearchEngines) -> None:
    await sync_to_async(give_tool)(acme, "search", backend="tavily", base_url=web.url)
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(str(uuid4()), "Look it up.")
    assert any("no usable key" in chunk["data"]["text"] for chunk in chunks if chunk["type"] == "data-notice")
    assert not web.searches


async def test_a_key_goes_only_where_it_was_entered_for(acme: Workspace, alice: Browser, web: SearchEngines) -> None:
    source_id = await sync_to_async(give_tool)(acme, "search", secret=KEY, url="https://api.tavily.com", backend="tavily")

    def move() -> None:
        with tenant_tx(acme.organization.pk):
            ToolSource.objects.filter(pk=source_id).update(settings={"backend": "tavily", "base_url": web.url})
        acme.publish()

    await sync_to_async(move)()
    output, _ = await use_tool(acme, alice, "search", query="tea")
    assert "no usable key" in output
    assert not web.searches


async def test_a_page_comes_as_markdown_in_pieces(acme: Workspace, alice: Browser, web: SearchEngines) -> None:
    await sync_to_async(give_tool)(acme, "fetch_url")
    web.pages["/tea"] = (200, "text/html; charset=utf-8", HTML.encode())
    output, chunks = await use_tool(acme, alice, "fetch_url", url=f"{web.url}/tea", max_chars=100)
    assert output["title"] == "Green tea"
    assert output["text"].startswith(f"# Green tea\n\nBrew it at **80 degrees**, see [more]({web.url}/more). Wait.")
    assert output["next_offset"] == 100
    assert sources(chunks) == [f"{web.url}/tea"]
    rest, _ = await use_tool(acme, alice, "fetch_url", url=f"{web.url}/tea", offset=100)
    assert len(output["text"] + rest["text"]) == output["total_chars"]
    assert rest["next_offset"] is None
    assert "steal" not in rest["text"]
    assert "Home" not in output["text"]
    assert web.page_requests == ["/tea"]  # the second piece came out of the cache


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ((200, "application/pdf", pdf("Tea in a PDF.")), "Tea in a PDF."),
        ((200, "application/json", b'{"tea": [1]}'), '{"tea": [1]}'),
        ((200, "text/plain; charset=latin-1", "Gr\xfcn".encode("latin-1")), "Gr\xfcn"),
        ((200, "image/png", b"\x89PNG"), "image/png, which can't be read"),
        ((200, "application/pdf", b"no pdf"), "can't be read"),
        ((404, "text/html", b"gone"), "status 404"),
        ((200, "text/plain", b"x" * (5 * 1024 * 1024 + 1)), "larger than allowed"),
    ],
)
async def test_other_kinds_of_pages(
    acme: Workspace, alice: Browser, web: SearchEngines, page: tuple[int, str, bytes], expected: str
) -> None:
    await sync_to_async(give_tool)(acme, "fetch_url")
    web.pages["/page"] = page
    output, _ = await use_tool(acme, alice, "fetch_url", url=f"{web.url}/page")
    assert expected in (output if isinstance(output, str) else output["text"])


@pytest.mark.parametrize(
    "url",
    [
        *("http://169.254.169.254/latest", "http://127.0.0.1:5432/", "file:///etc/passwd", "http://a:b@tea.example/", "tea"),
        *("http://db.internal/", "http://printer/", "http://localhost/", "http://tea.example:\uff18\uff10/", "http://tea.example:22/"),
    ],
)
async def test_a_model_reaches_nothing_private(acme: Workspace, alice: Browser, web: SearchEngines, url: str) -> None:
    """Not even the addresses that admins may enter: the model's own provider is one of them here."""
    await sync_to_async(give_tool)(acme, "fetch_url")
    for private in (url, f"{acme.double.base_url}/v1/models"):
        output, _ = await use_tool(acme, alice, "fetch_url", url=private)
        assert output == UNREACHABLE, "one sentence for all, so that nothing inside can be probed"
