"""What the real SDK makes of each scripted fault."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from google.genai import errors

from doubles.script import Fault, Text
from tests.doubles.sdk import MODEL, http_client, open_stream, sdk_client, stream, text_of
from tests.support.agents.gemini import ServedGemini

HALF = Text("Half an", pieces=["Half an"])


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        (400, "INVALID_ARGUMENT", errors.ClientError),
        (401, "UNAUTHENTICATED", errors.ClientError),
        (403, "PERMISSION_DENIED", errors.ClientError),
        (429, "RESOURCE_EXHAUSTED", errors.ClientError),
        (500, "INTERNAL", errors.ServerError),
        (503, "UNAVAILABLE", errors.ServerError),
    ],
)
async def test_a_status_comes_as_the_sdks_error(gemini: ServedGemini, code: int, status: str, error: type[errors.APIError]) -> None:
    gemini.answer(Fault.status(code))
    with pytest.raises(error) as raised:
        await stream(gemini)
    assert (raised.value.code, raised.value.status) == (code, status)
    assert raised.value.message


async def test_a_rate_limit_names_the_time_to_wait(gemini: ServedGemini) -> None:
    gemini.answer(Fault.status(429, retry_after_s=2))
    with pytest.raises(errors.ClientError) as raised:
        await stream(gemini)
    assert raised.value.details["error"]["details"] == [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}]


async def test_a_rejected_key_can_be_scripted(gemini: ServedGemini) -> None:
    gemini.answer(Fault.status(400, reason="API_KEY_INVALID"))
    with pytest.raises(errors.ClientError, match="API key not valid"):
        await stream(gemini)


async def test_a_gateways_page_keeps_its_status(gemini: ServedGemini) -> None:
    gemini.answer(Fault.html(502))
    with pytest.raises(errors.ServerError, match="Bad Gateway"):
        await stream(gemini)


async def test_a_blocked_prompt_has_no_candidate(gemini: ServedGemini) -> None:
    gemini.answer(Fault.blocked("SAFETY"), times=2)
    chunks = await stream(gemini)
    async with sdk_client(gemini) as client:
        whole = await client.aio.models.generate_content(model=MODEL, contents="Hi")
    for response in (*chunks, whole):
        assert not response.candidates
        assert response.prompt_feedback is not None
        assert response.prompt_feedback.block_reason == "SAFETY"


async def test_a_cut_stream_ends_cleanly_without_an_end_mark(gemini: ServedGemini) -> None:
    gemini.answer(HALF, Fault.cut(), Text("never sent"))
    chunks = await stream(gemini)
    assert text_of(chunks) == "Half an"
    assert not any(candidate.finish_reason for chunk in chunks for candidate in chunk.candidates or [])


@pytest.mark.parametrize(("fault", "error"), [(Fault.drop(), httpx2.RemoteProtocolError), (Fault.reset(), httpx2.ReadError)])
async def test_a_broken_connection_is_a_transport_error(gemini: ServedGemini, fault: Fault, error: type[Exception]) -> None:
    gemini.answer(HALF, fault)
    async with open_stream(gemini) as chunks:
        assert text_of([await anext(chunks)]) == "Half an"
        with pytest.raises(error):
            await anext(chunks)


async def test_an_error_inside_the_stream_is_raised_where_it_stands(gemini: ServedGemini) -> None:
    gemini.answer(HALF, Fault.mid_stream_error(503))
    async with open_stream(gemini) as chunks:
        assert text_of([await anext(chunks)]) == "Half an"
        with pytest.raises(errors.ServerError, match="overloaded") as raised:
            await anext(chunks)
    assert raised.value.code == 503


async def test_an_error_may_be_all_that_a_good_answer_holds(gemini: ServedGemini) -> None:
    gemini.answer(Fault.mid_stream_error(429, "Slow down."))
    with pytest.raises(errors.ClientError, match="Slow down"):
        await stream(gemini)


async def test_a_malformed_chunk_is_unreadable(gemini: ServedGemini) -> None:
    gemini.answer(HALF, Fault.malformed(), Text("more"))
    with pytest.raises(errors.UnknownApiResponseError):
        await stream(gemini)


async def test_comments_stand_between_the_chunks(gemini: ServedGemini) -> None:
    gemini.answer(Fault.sse_comment("still here"), HALF)
    async with http_client(gemini, gemini.key) as http:
        body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
        response = await http.post(f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse", json=body)
    assert response.text.startswith(": still here\r\n\r\ndata: {")


async def test_silence_lasts_until_the_client_gives_up(gemini: ServedGemini) -> None:
    gemini.answer(HALF, Fault.silence())
    async with open_stream(gemini) as chunks:
        assert text_of([await anext(chunks)]) == "Half an"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await anext(chunks)
    await gemini.requests[0].disconnected.wait_async()
