"""The benchmark's light double answers as the strict one does, at the pace that was asked for."""

from __future__ import annotations

import asyncio
import base64
import re
from typing import Any

import httpx2
import orjson
import pytest

from bench.clients import HttpConnection, MeasureError, open_connection, post_bytes
from bench.measure import Load
from bench.model.answer_bytes import BLOCK_TOKENS, LENGTH, PLACEHOLDER, ages_ms
from bench.systems import ModelServerClient, answer_as
from doubles.script import Text
from tests.support.agents.gemini import gemini_double
from tests.support.agents.light_double import light_double

BODY: dict[str, Any] = {
    "contents": [{"role": "user", "parts": [{"text": "What is tea?"}]}],
    "systemInstruction": {"role": "user", "parts": [{"text": "You answer."}]},
    "generationConfig": {"temperature": 0.5},
}
PATH = "/v1beta/models/{}:streamGenerateContent?alt=sse"


async def events(base_url: str, model: str, headers: dict[str, str]) -> list[bytes]:
    """The answer's bytes, event by event; what each answer has of its own is replaced."""
    async with httpx2.AsyncClient(base_url=base_url, trust_env=False, headers=headers) as client:
        content = (await client.post(PATH.format(model), content=orjson.dumps(BODY))).raise_for_status().content
    content = re.sub(rb'"responseId":"\w+"', b'"responseId":"-"', content)
    return re.sub(rb'"text":"[\w@-]{4}"', b'"text":"----"', content).split(b"\r\n\r\n")


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-flash-preview"])
async def test_the_model_servers_answer_equals_the_strict_doubles_byte_for_byte(model: str) -> None:
    async with light_double() as light:
        await answer_as(Load(chats=1, tokens=3 * BLOCK_TOKENS + 1), ModelServerClient(light))
        with gemini_double() as strict:
            count = 3 * BLOCK_TOKENS + 1
            strict.answer(Text(PLACEHOLDER * count, [PLACEHOLDER] * count))
            expected = await events(strict.base_url, model, {"x-goog-api-key": strict.key})
        assert await events(light, model, {}) == expected


async def test_every_stream_is_paced_by_its_own_start() -> None:
    async with light_double() as light:
        await answer_as(Load(chats=3, tokens=5, tokens_per_s=50, first_token_s=0.1), ModelServerClient(light))
        streams = await asyncio.gather(*(send_times(light, after_s) for after_s in (0, 0.007, 0.013)))
        for request_time, *times in streams:  # a token may be late on a busy machine, and then the next ones catch up
            assert len(times) == 5
            assert all(time - request_time > 0.1 + 0.02 * number - 0.002 for number, time in enumerate(times))


async def test_answers_at_full_speed_begin_when_every_chat_has_asked() -> None:
    async with light_double() as light:
        await answer_as(Load(chats=2, tokens=1), ModelServerClient(light))
        (first, first_sent), (second, _) = await asyncio.gather(*(send_times(light, after_s) for after_s in (0, 0.1)))
    assert first < second
    assert first_sent >= second - 0.002


async def send_times(base_url: str, after_s: float) -> list[float]:
    """When it was asked, and when each token was sent."""
    await asyncio.sleep(after_s)
    loop = asyncio.get_running_loop()
    times = [loop.time()]
    connection = await open_connection(HttpConnection, base_url)

    def on_text(text: str) -> None:
        times.append(loop.time() - next(iter(ages_ms(text, int(loop.time() * 1e9)))) / 1000)

    await connection.stream(post_bytes(base_url + PATH.format("gemini-2.5-flash"), {}, orjson.dumps(BODY)), on_text)
    connection.transport.close()
    return times


async def test_a_connection_serves_one_call_after_the_other_and_knows_the_newest() -> None:
    async with light_double() as light:
        script = ModelServerClient(light)
        texts: list[str] = []
        connection = await open_connection(HttpConnection, light)
        for tokens, model in ((2, "gemini-2.5-flash"), (3, "gemini-3-flash-preview")):
            await answer_as(Load(chats=1, tokens=tokens), script)
            await connection.stream(post_bytes(light + PATH.format(model), {}, orjson.dumps(BODY)), texts.append)
        connection.transport.close()
        call = await script.last_call()
        assert (call.model, call.body) == ("gemini-3-flash-preview", BODY)
        assert [len(text) for text in texts] == [LENGTH] * 5
        assert all(base64.urlsafe_b64decode(text) for text in texts)


async def test_an_unknown_path_is_an_error() -> None:
    async with light_double() as light:
        connection = await open_connection(HttpConnection, light)
        with pytest.raises(MeasureError, match="No such path"):
            await connection.stream(post_bytes(f"{light}/v1beta/models/x:embedContent?", {}, b"{}"), lambda _: None)
        connection.transport.close()
