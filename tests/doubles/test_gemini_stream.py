"""What the double streams, read by the real SDK."""

from __future__ import annotations

import asyncio
import time

import orjson
from google.genai import types

from doubles.script import Call, Finish, Pacing, Text, Thought, Usage
from doubles.signals import Gate
from tests.doubles.sdk import MODEL, MODEL_3, http_client, open_stream, parts_of, sdk_client, stream, text_of
from tests.support.agents.gemini import ServedGemini, gemini_double

THOUGHTS = types.GenerateContentConfig(thinking_config=types.ThinkingConfig(include_thoughts=True))
TOOL = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(name="look", description="Look.", parameters_json_schema={"type": "object", "properties": {}})
    ]
)
TOOLS = types.GenerateContentConfig(tools=[TOOL], automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True))


async def test_a_scripted_answer_arrives_piece_by_piece_with_usage_and_an_end_mark(gemini: ServedGemini) -> None:
    gemini.answer(Text("Hello world", pieces=["Hello", " world"]), Usage(input_tokens=11, output_tokens=5))
    chunks = await stream(gemini)
    assert [part.text for part in parts_of(chunks)] == ["Hello", " world", ""]
    assert [chunk.candidates[0].finish_reason for chunk in chunks if chunk.candidates] == [None, None, types.FinishReason.STOP]
    usage = chunks[-1].usage_metadata
    assert usage is not None
    assert (usage.prompt_token_count, usage.candidates_token_count, usage.total_token_count) == (11, 5, 16)
    assert chunks[0].model_version == "gemini-2.5-flash"
    assert len({chunk.response_id for chunk in chunks}) == 1


async def test_thoughts_are_sent_only_when_asked_for_and_always_billed(gemini: ServedGemini) -> None:
    gemini.answer(Thought("Let me see."), Text("Yes."), times=2)
    with_thoughts, without_thoughts = await stream(gemini, config=THOUGHTS), await stream(gemini)
    assert "".join(part.text or "" for part in parts_of(with_thoughts) if part.thought) == "Let me see."
    assert not any(part.thought for part in parts_of(without_thoughts))
    for chunks in (with_thoughts, without_thoughts):
        usage = chunks[-1].usage_metadata
        assert usage is not None
        assert usage.thoughts_token_count


async def test_parallel_calls_come_whole_with_distinct_ids_and_one_signature(gemini: ServedGemini) -> None:
    gemini.answer(Text("Looking."), Call("look", {"at": "a"}), Call("look", {"at": "b"}, id="mine"))
    calls = [part for part in parts_of(await stream(gemini, config=TOOLS, model=MODEL_3)) if part.function_call]
    assert [part.function_call.args for part in calls if part.function_call] == [{"at": "a"}, {"at": "b"}]
    assert [part.function_call.id for part in calls if part.function_call][1] == "mine"
    assert [bool(part.thought_signature) for part in calls] == [True, False]


async def test_a_signed_call_is_accepted_when_it_is_sent_back_with_its_response(gemini: ServedGemini) -> None:
    gemini.answer(Call("look", {"at": "a"}), Call("look", {"at": "b"}))
    gemini.answer(Text("Seen."))
    calls = [part for part in parts_of(await stream(gemini, config=TOOLS, model=MODEL_3)) if part.function_call]
    responses = [
        types.Part(function_response=types.FunctionResponse(id=part.function_call.id, name="look", response={"output": 1}))
        for part in calls
        if part.function_call
    ]
    contents: types.ContentListUnion = [
        types.Content(role="user", parts=[types.Part(text="Look.")]),
        types.Content(role="model", parts=calls),
        types.Content(role="user", parts=responses),
    ]
    chunks = await stream(gemini, contents, TOOLS, model=MODEL_3)
    assert text_of(chunks) == "Seen."
    last = parts_of(chunks)[-1]
    assert (last.text, bool(last.thought_signature)) == ("", True)


async def test_a_gate_holds_the_stream_until_the_test_releases_it(gemini: ServedGemini) -> None:
    gate = Gate()
    gemini.answer(Text("before", pieces=["before"]), gate, Text("after", pieces=["after"]))
    async with open_stream(gemini) as chunks:
        first = await anext(chunks)
        await gate.reached.wait_async()
        assert not gemini.requests[0].finished.is_set()
        gate.release()
        rest = [chunk async for chunk in chunks]
    assert [text_of([first]), text_of(rest)] == ["before", "after"]


async def test_a_client_that_leaves_is_noticed_while_the_stream_waits(gemini: ServedGemini) -> None:
    gemini.answer(Text("before"), Gate())
    async with open_stream(gemini) as chunks:
        await anext(chunks)
    await gemini.requests[0].disconnected.wait_async()
    assert not gemini.requests[0].finished.is_set()


async def test_pacing_spreads_the_tokens_over_time(gemini: ServedGemini) -> None:
    gemini.answer(Text("four" * 20, pieces=["four"] * 20), pacing=Pacing(first_token_s=0.02, tokens_per_s=200))
    async with open_stream(gemini) as chunks:
        await anext(chunks)
        start = time.monotonic()
        assert len([chunk async for chunk in chunks]) == 20
    assert time.monotonic() - start >= 0.08


async def test_many_streams_run_side_by_side(gemini: ServedGemini) -> None:
    gate = Gate()
    gemini.answer(gate, Text("word " * 50), times=None)
    async with sdk_client(gemini) as client:

        async def one_stream() -> str:
            return text_of([chunk async for chunk in await client.aio.models.generate_content_stream(model=MODEL, contents="Hi")])

        streams = [asyncio.ensure_future(one_stream()) for _ in range(20)]
        await gemini.arrived(20).wait_async()
        gate.release()
        assert set(await asyncio.gather(*streams)) == {"word " * 50}


async def test_a_whole_answer_is_the_stream_merged(gemini: ServedGemini) -> None:
    gemini.answer(Thought("Hm."), Text("One two three"), Finish("MAX_TOKENS"))
    async with sdk_client(gemini) as client:
        response = await client.aio.models.generate_content(model=MODEL, contents="Hi", config=THOUGHTS)
    assert [(part.text, bool(part.thought)) for part in parts_of([response])] == [("Hm.", True), ("One two three", False)]
    assert [candidate.finish_reason for candidate in response.candidates or []] == [types.FinishReason.MAX_TOKENS]


async def test_the_output_limit_cuts_thoughts_text_and_calls(gemini: ServedGemini) -> None:
    """The chunk that would pass it is not sent; thoughts count, as on the API."""
    gemini.answer(Thought("one two"), Text("three four"), Call("look"), times=3)
    for limit, expected in ((1, ["one"]), (3, ["one", " two", "three"]), (5, ["one", " two", "three", " four"])):
        config = types.GenerateContentConfig(max_output_tokens=limit, thinking_config=THOUGHTS.thinking_config, tools=TOOLS.tools)
        chunks = await stream(gemini, config=config.model_copy(update={"automatic_function_calling": TOOLS.automatic_function_calling}))
        assert [part.text for part in parts_of(chunks) if part.text] == expected
        assert (chunks[-1].candidates or [])[0].finish_reason == types.FinishReason.MAX_TOKENS


async def test_an_answer_that_the_provider_threw_away_has_no_content_but_a_message(gemini: ServedGemini) -> None:
    gemini.answer(Finish("MALFORMED_FUNCTION_CALL", "Malformed function call: look(", bare=True), Usage(reported=False))
    async with http_client(gemini, "test-key") as http:  # the SDK drops the message
        path = f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
        answer = await http.post(path, json={"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]})
    chunk = orjson.loads(answer.text.removeprefix("data: "))
    reason = {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: look("}
    assert (chunk["candidates"], "usageMetadata" in chunk) == ([{"index": 0, **reason}], False)


async def test_answers_are_routed_by_model_system_instruction_and_predicate(gemini: ServedGemini) -> None:
    gemini.answer(Text("title"), system="name the chat")
    gemini.answer(Text("three"), model=MODEL_3)
    gemini.answer(Text("poem"), when=lambda request: "poem" in request.user_text)
    gemini.default(Text("else"))
    title_config = types.GenerateContentConfig(system_instruction="Please name the chat.")
    streams = [stream(gemini, "A poem"), stream(gemini, "x"), stream(gemini, model=MODEL_3), stream(gemini, "y", title_config)]
    assert [text_of(chunks) for chunks in await asyncio.gather(*streams)] == ["poem", "else", "three", "title"]
    assert gemini.queued_count == 0


async def test_requests_are_recorded_without_their_key(gemini: ServedGemini) -> None:
    gemini.default(Text("ok"))
    await stream(gemini, "What is up?")
    await gemini.arrived().wait_async()
    request = gemini.requests[0]
    assert request.path == "/v1beta/models/gemini-2.5-flash:streamGenerateContent"
    assert request.user_text == "What is up?"
    assert [request.key_is(key) for key in ("test-key", "other", "")] == [True, False, False]
    assert "test-key" not in repr(request)
    await request.finished.wait_async()


async def test_the_models_it_serves_are_listed() -> None:
    with gemini_double(models=[MODEL, MODEL_3]) as double:
        async with sdk_client(double) as client:
            names = [model.name async for model in await client.aio.models.list()]
    assert names == [f"models/{MODEL}", f"models/{MODEL_3}"]
