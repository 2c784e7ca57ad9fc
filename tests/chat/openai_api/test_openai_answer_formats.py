"""Answers as JSON over the OpenAI-compatible API, with OpenAI's own client, on each provider's wire; calls one by one; errors that say when."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from asgiref.sync import sync_to_async
from django.core.asgi import get_asgi_application
from pydantic import BaseModel

from chat.models import ModelCall
from doubles.script import Call, Fault, Text
from tenants.access import Actor
from tests.agents.providers.matrix.modes import ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, Double, ProviderMode
from tests.chat.api.test_token_streams import bob, token_of
from tests.chat.openai_api.openai_requests import TOOL, ask, user
from tests.support.accounts.cast import Cast
from tests.support.agents.sdks import openai
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])
__all__ = ["bob"]

HEADER = "x-parley-conversation"
WIRES = (GOOGLE, OPENAI, ANTHROPIC, COMPATIBLE)


class Tea(BaseModel):
    name: str
    minutes: int
    origins: list[str]


TEA = Tea(name="Sencha", minutes=2, origins=["Uji"])
ANSWER = Text(TEA.model_dump_json())
MESSAGES: Any = [{"role": "user", "content": "Which tea? As JSON."}]


@pytest.fixture(params=WIRES, ids=str)
def mode(request: pytest.FixtureRequest) -> ProviderMode:
    wire: ProviderMode = request.param
    return wire


@pytest.fixture
def double(mode: ProviderMode, cast: Cast) -> Iterator[Double]:
    with mode.serve() as provider, allow_egress(provider.base_url):
        make_workspace(cast.acme, provider, mode.name, own_model=mode.model if mode is COMPATIBLE else "")
        yield provider


@asynccontextmanager
async def client_of(actor: Actor) -> AsyncIterator[openai.AsyncOpenAI]:
    _, headers = await token_of(actor)
    application: Any = get_asgi_application()  # its stubs and those of httpx2 name the same types differently
    transport = httpx2.ASGITransport(app=application)
    async with httpx2.AsyncClient(transport=transport) as http:
        key = headers["authorization"].removeprefix("Bearer ")
        yield openai.AsyncOpenAI(api_key=key, base_url="http://testserver/v1", max_retries=0, http_client=http)


def schema_sent(mode: ProviderMode, body: Any) -> Any:
    match mode.name:
        case "google":
            return body["generationConfig"]["responseJsonSchema"]
        case "openai":
            return body["text"]["format"]["schema"]
        case "anthropic":
            return body["output_config"]["format"]["schema"]
        case _:
            return body["response_format"]["json_schema"]["schema"]


async def test_parse_gets_an_answer_that_is_bound_to_the_schema(mode: ProviderMode, double: Double, bob: Actor) -> None:
    double.answer(ANSWER)
    async with client_of(bob) as client:
        completion = await client.chat.completions.parse(model="chat_model_agent", messages=MESSAGES, response_format=Tea)
    assert completion.choices[0].message.parsed == TEA
    [request] = double.requests
    assert request.refusal is None
    schema = schema_sent(mode, request.body)
    assert (schema["required"], schema["additionalProperties"]) == (["name", "minutes", "origins"], False)
    assert request.tool_names == (), "the agent's own tools would write beside the JSON"


async def test_json_of_any_shape(mode: ProviderMode, double: Double, bob: Actor) -> None:
    double.answer(ANSWER)
    async with client_of(bob) as client:
        completion = await client.chat.completions.create(
            model="chat_model_agent", messages=MESSAGES, response_format={"type": "json_object"}
        )
    assert json.loads(completion.choices[0].message.content or "") == TEA.model_dump()
    [request] = double.requests
    match mode.name:
        case "google":
            assert request.body["generationConfig"]["responseMimeType"] == "application/json"
        case "openai":
            assert request.body["text"] == {"format": {"type": "json_object"}}
        case "anthropic":
            assert "one JSON object and nothing else" in request.system_text
        case _:
            assert request.body["response_format"] == {"type": "json_object"}


async def test_one_call_in_an_answer(mode: ProviderMode, double: Double, bob: Actor) -> None:
    double.answer(Call("look_up", {"word": "tea"}), Call("look_up", {"word": "pot"}))
    double.answer(Text("Both."))
    tools: Any = [TOOL]
    async with client_of(bob) as client:
        first = await client.chat.completions.create(model="chat_model_agent", messages=MESSAGES, tools=tools, parallel_tool_calls=False)
        message = first.choices[0].message
        [call] = message.tool_calls or []
        history = [*MESSAGES, message.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": call.id, "content": "a drink"}]
        later = await client.chat.completions.create(model="chat_model_agent", messages=history, tools=tools, parallel_tool_calls=False)
    assert later.choices[0].message.content == "Both."
    assert [request.refusal for request in double.requests] == [None, None]
    request = double.requests[0].body
    if mode.name == "anthropic":
        assert request["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}
    elif mode.name != "google":
        assert request["parallel_tool_calls"] is False


@pytest.mark.parametrize("mode", [GOOGLE], ids=str, indirect=True)
async def test_a_model_that_cannot_do_both_says_so(mode: ProviderMode, double: Double, bob: Actor) -> None:
    response = await ask(bob, user("Hi"), tools=[TOOL], response_format={"type": "json_object"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "request_refused")
    assert "send no tools" in response.json()["error"]["message"]
    assert double.requests == []


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.json_schema"),
        ({"response_format": {"type": "yaml"}}, "response_format"),
        ({"parallel_tool_calls": "maybe"}, "parallel_tool_calls"),
    ],
)
async def test_another_form_is_refused_by_name(fields: dict[str, Any], param: str, acme: Workspace, bob: Actor) -> None:
    response = await ask(bob, user("Hi"), **fields)
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)


async def test_plain_text_and_single_calls_without_tools_are_the_agents(acme: Workspace, bob: Actor) -> None:
    acme.double.answer(Text("Yes."))
    response = await ask(bob, user("Hi"), response_format={"type": "text"}, parallel_tool_calls=False)
    assert response.headers[HEADER]
    refusal = await ask(bob, user("Hi"), response_format={"type": "json_object"}, headers={HEADER: response.headers[HEADER]})
    assert (refusal.status_code, refusal.json()["error"]["param"]) == (400, "response_format")


async def test_the_format_is_in_the_call_log(acme: Workspace, bob: Actor) -> None:
    acme.double.answer(ANSWER)
    schema = {"type": "object", "properties": {"name": {"type": "string", "default": None}}}
    response_format = {"type": "json_schema", "json_schema": {"name": "tea", "schema": schema}}
    assert (await ask(bob, user("Hi"), response_format=response_format)).status_code == 200
    [call] = await acme.rows(ModelCall)
    assert call.settings["answer_format"] == response_format


@pytest.mark.parametrize(
    ("fault", "status", "retry_after"),
    [
        (Fault.status(429, retry_after_s=33), 429, "33"),
        (Fault.status(402, "No credit."), 429, "3600"),
        (Fault.status(401), 503, "3600"),
    ],
)
async def test_errors_say_when_to_ask_again(fault: Fault, status: int, retry_after: str, acme: Workspace, bob: Actor) -> None:
    acme.double.answer(fault)
    response = await ask(bob, user("Hi"), tools=[TOOL])
    assert (response.status_code, response.headers["Retry-After"]) == (status, retry_after)


async def test_an_overload_says_when_to_ask_again(acme: Workspace, bob: Actor) -> None:
    acme.double.default(Fault.status(503))
    response = await ask(bob, user("Hi"))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_that_waits_for_an_approval_says_so(stream: bool, acme: Workspace, bob: Actor) -> None:
    await sync_to_async(acme.change_agent)("document_agent_google", ask_first=True)
    acme.double.answer(Text("I write it."), Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}))
    response = await ask(bob, user("Write about tea"), stream=stream)
    if stream:
        body = b"".join([part async for part in response.streaming_content]).decode()
        assert "write" in body.partition("approval_required")[0]
        error = json.loads(body.strip().split("\n\n")[-1].removeprefix("data: "))["error"]
    else:
        assert response.status_code == 409
        error = response.json()["error"]
    assert error["code"] == "approval_required"
    assert response.headers[HEADER] in error["message"]
