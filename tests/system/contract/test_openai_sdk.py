"""The unmodified package `openai` against the running product: models, completions, streams, tools, errors, leaving."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest

from doubles.script import Call, Finish, Text, Thought, Usage
from doubles.signals import Gate
from tests.support.agents.sdks import openai
from tests.support.files.documents import PICTURE
from tests.support.system.product import wait_for
from tests.system.contract.openai_account import AGENT, WEATHER, Account, account, asking, client, last_request, text_of
from tests.system.request_predicates import is_title

__all__ = ["account", "client"]


@pytest.mark.parametrize("base", ["/v1", "/o/demo/v1"])
def test_models_are_listed_and_retrieved(account: Account, base: str) -> None:
    client = account.client(base=base)
    models = client.models.list().data
    assert models[0].id == AGENT
    for item in models[:2]:
        assert client.models.retrieve(item.id) == item
        assert item.created > 1_700_000_000


def test_the_agent_answers_with_its_own_tools(account: Account, client: openai.OpenAI) -> None:
    double = account.product.double
    document = {"operation": "create", "title": "Tea", "instruction": "About tea"}
    double.answer(Text("I write it."), Call("document_agent", document), when=lambda request: bool(request.tool_names))
    double.answer(Text("# Tea"), when=lambda request: "<instruction>" in request.user_text)
    double.answer(Text("Done."), Usage(input_tokens=90, output_tokens=7, thinking_tokens=3, cached_tokens=40))

    raw = client.chat.completions.with_raw_response.create(
        model=AGENT,
        messages=[
            {"role": "system", "content": "Speak like a gardener."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hello, friend."},
            {"role": "user", "content": [{"type": "text", "text": "Write about tea"}]},
        ],
        temperature=0.3,
        max_completion_tokens=500,
        stop=["THE END"],
        user="somebody",
    )
    completion = raw.parse()

    [choice] = completion.choices
    assert (choice.message.content, choice.finish_reason, choice.message.tool_calls) == ("I write it.\n\nDone.", "stop", None)
    assert completion.usage is not None
    assert completion.usage.completion_tokens_details is not None
    assert completion.usage.prompt_tokens_details is not None
    assert completion.usage.completion_tokens_details.reasoning_tokens == 3
    assert completion.usage.prompt_tokens_details.cached_tokens == 40
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens
    request = last_request(account)
    assert request.system_text.endswith("Speak like a gardener.")
    settings = request.body["generationConfig"]
    assert (settings["temperature"], settings["maxOutputTokens"], settings["stopSequences"]) == (0.3, 500, ["THE END"])

    conversation_id = raw.headers["x-parley-conversation"]
    conversation = account.member.conversation(conversation_id)
    assert [message["role"] for message in conversation["messages"]] == ["user", "assistant", "user", "assistant"]
    assert len(conversation["artifacts"]) == 1
    assert conversation_id not in [item["id"] for item in account.member.get("conversations/")["items"]]


def test_a_conversation_goes_on_by_its_id(account: Account, client: openai.OpenAI) -> None:
    account.product.double.answer(Text("Green tea."))
    first = client.chat.completions.with_raw_response.create(model=AGENT, messages=asking("Which tea?"))
    header = {"x-parley-conversation": first.headers["x-parley-conversation"]}
    account.product.double.answer(Text("Because of its taste."))
    client.chat.completions.create(model=AGENT, messages=asking("Why?"), extra_headers=header)
    texts = [part["text"] for content in last_request(account).contents for part in content["parts"] if part.get("text")]
    assert texts[-3:] == ["Which tea?", "Green tea.", "Why?"]


def test_an_answer_streams_with_usage(account: Account, client: openai.OpenAI) -> None:
    account.product.double.answer(Thought("Hm."), Text("One two three."))
    chunks = list(
        client.chat.completions.create(
            model=AGENT, messages=asking("Count"), stream=True, stream_options={"include_usage": True}, reasoning_effort="low"
        )
    )
    assert text_of(chunks) == "One two three."
    assert len(chunks) > 3
    assert {(chunk.id, chunk.model, chunk.created) for chunk in chunks} == {(chunks[0].id, AGENT, chunks[0].created)}
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].choices == []
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]


def test_text_arrives_while_the_model_writes(account: Account, client: openai.OpenAI) -> None:
    gate = Gate()
    account.product.double.answer(Text("Early ", pieces=["Early "]), gate, Text("late."))
    stream = client.chat.completions.create(model=AGENT, messages=asking("Go"), stream=True)
    first = next(iter(stream))
    gate.release()
    rest = list(stream)
    assert text_of([first, *rest[:1]]).startswith("Early")
    assert text_of([first, *rest]) == "Early late."


def test_a_cut_answer_says_so(account: Account, client: openai.OpenAI) -> None:
    account.product.double.answer(Text("Too lo"), Finish("MAX_TOKENS"))
    completion = client.chat.completions.create(model=AGENT, messages=asking("Go"), max_tokens=2)
    assert completion.choices[0].finish_reason == "length"


@pytest.mark.parametrize("is_stream", [False, True])
def test_the_callers_tools_are_passed_through_and_answered(account: Account, client: openai.OpenAI, is_stream: bool) -> None:
    double = account.product.double
    double.answer(Text("I look."), Call("get_weather", {"town": "Oslo"}), Call("get_weather", {"town": "Bergen"}))
    messages = asking("How is the weather?")
    calls = _streamed_calls(client, messages) if is_stream else _calls(client, messages)
    assert [json.loads(call["function"]["arguments"]) for call in calls] == [{"town": "Oslo"}, {"town": "Bergen"}]
    assert last_request(account).tool_names == ("get_weather",)

    double.answer(Text("Rain in both."))
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "rain"} for call in calls]
    history = [*messages, {"role": "assistant", "content": "I look.", "tool_calls": calls}, *results]
    completion = client.chat.completions.create(model=AGENT, messages=history, tools=[WEATHER], tool_choice="auto")

    assert completion.choices[0].message.content == "Rain in both."
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage is not None
    assert completion.usage.prompt_tokens > 0
    function_responses = [
        part["functionResponse"] for content in last_request(account).contents for part in content["parts"] if "functionResponse" in part
    ]
    assert [result["name"] for result in function_responses] == ["get_weather", "get_weather"]


def _calls(client: openai.OpenAI, messages: Any) -> list[Any]:
    [choice] = client.chat.completions.create(model=AGENT, messages=messages, tools=[WEATHER], tool_choice="required").choices
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", "I look.")
    return [call.model_dump() for call in choice.message.tool_calls or ()]


def _streamed_calls(client: openai.OpenAI, messages: Any) -> list[Any]:
    tool_choice: Any = {"type": "function", "function": {"name": "get_weather"}}
    with client.chat.completions.stream(model=AGENT, messages=messages, tools=[WEATHER], tool_choice=tool_choice) as stream:
        stream.until_done()
        [choice] = stream.get_final_completion().choices
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", "I look.")
    calls = [call.model_dump() for call in choice.message.tool_calls or ()]
    return [{**call, "function": {name: call["function"][name] for name in ("name", "arguments")}} for call in calls]


PNG = PICTURE


def showing(data: bytes, text: str = "What is it?") -> Any:
    url = f"data:image/png;base64,{b64encode(data).decode()}"
    return [
        {"role": "user", "content": [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url, "detail": "low"}}]}
    ]


@pytest.mark.parametrize("tools", [{}, {"tools": [WEATHER]}], ids=["the agent", "the caller's tools"])
def test_an_image_is_seen_by_the_model(account: Account, client: openai.OpenAI, tools: dict[str, Any]) -> None:
    account.product.double.answer(Text("A tree."), when=lambda request: not is_title(request))
    answer = client.chat.completions.create(model=AGENT, messages=showing(PNG), **tools)
    assert answer.choices[0].message.content == "A tree."
    parts = last_request(account).body["contents"][-1]["parts"]
    assert [b64decode(part["inlineData"]["data"]) for part in parts if "inlineData" in part] == [PNG]


@pytest.mark.parametrize("tools", [{}, {"tools": [WEATHER]}], ids=["the agent", "the caller's tools"])
def test_what_is_no_image_is_refused_in_words(client: openai.OpenAI, tools: dict[str, Any]) -> None:
    with pytest.raises(openai.APIStatusError) as refusal:
        client.chat.completions.create(model=AGENT, messages=showing(b"\x00\x01\x02"), **tools)
    assert (refusal.value.status_code, refusal.value.code) == (415, "file_type_not_allowed")


@pytest.mark.parametrize("tools", [None, [WEATHER]], ids=["agent", "tools"])
def test_a_disconnect_stops_the_run(account: Account, client: openai.OpenAI, tools: Any) -> None:
    gate = Gate()
    account.product.double.answer(Text("Beginning ", pieces=["Beginning "]), gate, Text("and end."))
    options = {"tools": tools} if tools else {}
    with client.chat.completions.with_streaming_response.create(model=AGENT, messages=asking("Go"), stream=True, **options) as response:
        conversation_id = response.headers.get("x-parley-conversation")
        next(response.iter_bytes())
        gate.reached.wait()
    last_request(account).disconnected.wait()
    gate.release()
    if conversation_id:
        wait_for(lambda: account.product.run(conversation_id).status == "stopped", "the run was stopped")
