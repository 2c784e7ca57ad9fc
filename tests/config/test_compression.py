"""Pages and JSON answers are compressed for clients that accept it; nothing else is."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator

import pytest
from django.http import FileResponse, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import AsyncRequestFactory

from config.web.compression import MAX_BYTES_IN_LOOP, CompressionMiddleware
from tests.rest.conftest import make_conversation, signed_in
from tests.support.accounts.cast import Cast

WORDS = {"words": ["one two three"] * 200}
LIST = "/o/acme/api/conversations/"


async def answered(response: HttpResponseBase, accepts: str = "br, gzip") -> HttpResponseBase:
    async def view(_request: object) -> HttpResponseBase:
        return response

    request = AsyncRequestFactory().get("/", headers={"Accept-Encoding": accepts})
    packed: HttpResponseBase = await CompressionMiddleware(view)(request)  # type: ignore[misc]
    return packed


@pytest.mark.parametrize("repeats", [1, MAX_BYTES_IN_LOOP // 1000])
async def test_json_and_pages_are_compressed(repeats: int) -> None:
    text = json.dumps(WORDS) * repeats
    for media_type in ("application/json", "text/html; charset=utf-8", "application/vnd.oai.openapi+json"):
        response = await answered(HttpResponse(text, content_type=media_type))
        assert isinstance(response, HttpResponse)
        assert gzip.decompress(response.content).decode() == text
        assert (response.headers["Content-Encoding"], response.headers["Vary"]) == ("gzip", "Accept-Encoding")
        assert int(response.headers["Content-Length"]) == len(response.content) < len(text) / 5


async def test_short_answers_other_clients_and_packed_files_get_what_there_is() -> None:
    for response, accepts in (
        (JsonResponse({"short": True}), "gzip"),
        (JsonResponse(WORDS), "identity"),
        (HttpResponse(b"x" * 5000, content_type="application/pdf"), "gzip"),
        (FileResponse(iter([b'{"a": 1}' * 1000]), content_type="application/json"), "gzip"),
    ):
        assert "Content-Encoding" not in (await answered(response, accepts)).headers


async def test_a_stream_is_passed_on_piece_by_piece() -> None:
    async def events() -> AsyncIterator[str]:
        for number in range(500):
            yield f"data: {number}\n\n"

    response = await answered(StreamingHttpResponse(events(), content_type="text/event-stream"))
    assert "Content-Encoding" not in response.headers
    assert [part async for part in response][:2] == [b"data: 0\n\n", b"data: 1\n\n"]  # type: ignore[attr-defined]


async def test_the_length_of_an_answer_does_not_tell_its_content() -> None:
    lengths = {len((await answered(JsonResponse(WORDS))).content) for _ in range(30)}  # type: ignore[attr-defined]
    assert len(lengths) > 5


@pytest.mark.django_db
def test_the_list_of_conversations_is_compressed_and_revalidated(cast: Cast) -> None:
    alice = signed_in(cast.alice)
    for number in range(10):
        make_conversation(cast, cast.alice, f"Tea {number}")
    for _ in range(50):  # transactions of other tests raise the revision that is in the list
        plain, packed = alice.get(LIST), alice.get(LIST, headers={"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        revalidation = alice.get(LIST, headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
        if gzip.decompress(packed.content) == plain.content and revalidation.status_code == 304:
            return
    pytest.fail("The packed list is not the plain one, or is sent again to whoever has it.")
