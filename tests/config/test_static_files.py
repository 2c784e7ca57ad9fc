from __future__ import annotations

import warnings
from wsgiref.headers import Headers

import pytest
from django.conf import settings
from django.test import AsyncClient, Client

from config.web.static_files import StaticFilesMiddleware

FILE = "/static/css/pages.css"


def test_a_static_file_is_served_with_its_type(client: Client) -> None:
    response = client.get(FILE)
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/css")
    assert b"--accent" in response.content


async def test_a_static_file_is_served_and_revalidated_without_a_stream(async_client: AsyncClient) -> None:
    first = await async_client.get(FILE)
    assert (first.status_code, first.streaming) == (200, False)
    again = await async_client.get(FILE, headers={"If-Modified-Since": first.headers["Last-Modified"]})
    assert (again.status_code, again.content) == (304, b"")
    part = await async_client.get(FILE, headers={"Range": "bytes=0-9"})
    assert (part.status_code, len(part.content)) == (206, 10)


def test_only_files_for_the_sandboxed_frames_are_readable_from_elsewhere(client: Client) -> None:
    assert "Access-Control-Allow-Origin" not in client.get(FILE).headers
    headers = Headers()
    for url in ("/static/css/pages.css", "/static/dist/assets/frame-BzMx30zZ.js", "/static/pyodide/314.0.7/pyodide.asm.wasm"):
        settings.WHITENOISE_ADD_HEADERS_FUNCTION(headers, "", url)
        assert headers.get("Access-Control-Allow-Origin") == (None if "css" in url else "*")


@pytest.mark.parametrize("path", ["/static/css/missing.css", "/static/../manage.py", "/static/css/../../manage.py"])
def test_nothing_else_is_served(path: str, client: Client, db: None) -> None:
    assert client.get(path).status_code == 404


def test_the_middleware_starts_without_a_warning() -> None:
    """whitenoise warns about a STATIC_ROOT that does not exist; nothing is collected here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StaticFilesMiddleware(lambda request: None)
