"""The OpenAI double refuses what the real API refuses, in its words, and gives nothing away on the side."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from doubles.openai import ServerQuirks
from doubles.script import Call, Finish, Item, Refusal, Text, Thought, Usage
from tests.support.agents.openai import ServedOpenAI, openai_double
from tests.support.files.documents import animation
from tests.support.suite.network import NO_TRUST

MODEL, PLAIN = "gpt-6.2-sol", "gpt-4.1"
USER = {"role": "user", "content": "Hello"}
CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
ASSISTANT = {"role": "assistant", "content": "Hi"}
CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
STRANGE_CALL = CHAT_CALL | {"function": {"name": "a.b", "arguments": "{}"}}
CALL_MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
MOVING = {"type": "input_image", "image_url": f"data:image/gif;base64,{b64encode(animation()).decode()}"}
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


def function(**more: Any) -> dict[str, Any]:
    return {"name": "f", "parameters": OBJECT, "strict": False, **more}


def tool(**more: Any) -> dict[str, Any]:
    return {"type": "function", **function(**more)}


def reasoning(**more: Any) -> dict[str, Any]:
    return {"type": "reasoning", "id": "rs_r1", "summary": [], **more}


@pytest.fixture
def api() -> Iterator[ServedOpenAI]:
    with openai_double() as double:
        yield double


def post(api: ServedOpenAI, path: str, body: dict[str, Any], key: str | None = "test-key") -> httpx2.Response:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    with httpx2.Client(verify=NO_TRUST, trust_env=False) as http:
        return http.post(f"{api.base_url}{path}", json=body, headers=headers)


def refusal(api: ServedOpenAI, path: str, body: dict[str, Any]) -> tuple[int, str]:
    """Status and message; the double's record says the same."""
    response = post(api, path, body)
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert api.requests[-1].refusal == error["message"]
    return response.status_code, error["message"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"novelty": 1}, "Unknown parameter: 'novelty'."),
        ({"messages": []}, "Unknown parameter: 'messages'."),
        ({"max_tokens": 9}, "Unknown parameter: 'max_tokens'."),
        ({"input": "Hi", "model": None}, "Invalid type for 'model': expected a string, but got null instead."),
        ({"input": []}, 'One of "input" or'),
        ({"input": [USER | {"content": [{"type": "output_text", "text": "x"}]}]}, "Invalid value: 'output_text'."),
        ({"input": [ASSISTANT | {"content": [{"type": "input_text", "text": "x"}]}]}, "Invalid value: 'input_text'."),
        ({"input": [USER | {"content": [MOVING]}]}, "You uploaded an unsupported image."),
        ({"input": [{"type": "message", "role": "tool", "content": "x"}]}, "Invalid value: 'tool'."),
        ({"max_output_tokens": 15}, "Expected a value >= 16, but got 15"),
        ({"temperature": 0.5}, "Unsupported parameter: 'temperature' is not supported with this model."),
        ({"model": PLAIN, "temperature": 3}, "Expected a value <= 2, but got 3"),
        ({"model": PLAIN, "reasoning": {"effort": "low"}}, "Unsupported parameter: 'reasoning.effort'"),
        ({"model": PLAIN, "include": ["reasoning.encrypted_content"]}, "Encrypted content is not supported with this model."),
        ({"reasoning": {"effort": "none"}}, "Unsupported value: 'none' is not supported with the 'gpt-6.2-sol' model."),
        ({"reasoning": {"effort": "much"}}, "Invalid value: 'much'."),
        ({"include": ["everything"]}, "Invalid value: 'everything'."),
        ({"tools": [tool(name="a.b")]}, "string does not match pattern"),
        ({"tools": [tool(name="a" * 65)]}, "Expected a string with maximum length 64"),
        ({"tools": [tool(), tool()]}, "Duplicate tool name: 'f'."),
        ({"tools": [tool(name=f"f{n}") for n in range(129)]}, "Expected an array with maximum length 128"),
        ({"tools": [tool(parameters={"type": "string"})]}, "schema must be a JSON Schema of 'type: \"object\"'"),
        ({"tools": [tool(parameters=OBJECT | {"anyOf": []})]}, "at the top level"),
        ({"tools": [tool(parameters={"type": "object", "properties": {"a": {"type": "array"}}})]}, "array schema missing items"),
        ({"tools": [tool(parameters={"type": "object"})]}, "In context=(), object schema missing properties."),
        ({"input": [USER, CALL | {"name": "a.b"}, OUTPUT]}, "Invalid 'input[1].name': string does not match pattern."),
        ({"tools": [tool(strict=True)]}, "'additionalProperties' is required to be supplied and to be false."),
        ({"tools": [tool(strict=True, parameters=OBJECT | {"additionalProperties": False})]}, "Missing 'a'."),
        ({"text": {"format": {"type": "json_object"}}}, "'input' must contain the word 'json' in some form"),
        ({"text": {"format": {"type": "json_schema", "name": "a"}}}, "Missing required parameter: 'text.format.schema'."),
        (
            {"text": {"format": {"type": "json_schema", "name": "a", "schema": OBJECT, "strict": True}}},
            "Invalid schema for response_format",
        ),
        ({"text": {"format": {"type": "yaml"}}}, "Invalid value: 'yaml'."),
        ({"tool_choice": "required"}, "must be specified with 'tools' parameter"),
        ({"tools": [tool()], "tool_choice": {"type": "function", "name": "g"}}, "not found in 'tools' parameter"),
        ({"input": [USER, CALL]}, "No tool output found for function call c1."),
        ({"input": [USER, OUTPUT]}, "No tool call found for function call output with call_id c1."),
        ({"input": [USER, OUTPUT, CALL]}, "No tool call found for function call output with call_id c1."),
        ({"input": [USER, CALL | {"call_id": "c" * 65}]}, "Expected a string with maximum length 64"),
        ({"input": [USER, reasoning()]}, "was provided without its required following item."),
        ({"input": [USER, reasoning(), USER]}, "was provided without its required following item."),
        ({"input": [USER, CALL | {"id": "fc_r1_1"}, OUTPUT]}, "was provided without its required 'reasoning' item: 'rs_r1'."),
        ({"input": [USER, reasoning(encrypted_content="gAAAx"), ASSISTANT]}, "could not be verified"),
        ({"input": [USER, reasoning(), reasoning(), ASSISTANT]}, "Duplicate item found with id rs_r1."),
        ({"input": [USER, {"type": "reasoning", "summary": []}, ASSISTANT]}, "Missing required parameter: 'input[1].id'."),
        ({"previous_response_id": "resp_1"}, "Zero Data Retention"),
        ({"stream_options": {}}, None),
        ({"stream_options": {"include_obfuscation": False}}, "only allowed when 'stream' is enabled"),
    ],
)
def test_a_responses_request_that_breaks_a_rule_is_refused(api: ServedOpenAI, more: dict[str, Any], message: str | None) -> None:
    api.default(Text("Hi"))
    body = {"model": MODEL, "input": [USER], "store": False, **more}
    if message is None:
        assert post(api, "/responses", body).status_code == 200
        return
    status, error_message = refusal(api, "/responses", body)
    assert status == 400
    assert message in error_message


def test_without_storage_reasoning_must_be_encrypted(api: ServedOpenAI) -> None:
    status, error_message = refusal(api, "/responses", {"model": MODEL, "input": [USER, reasoning(), ASSISTANT], "store": False})
    assert (status, "Items are not persisted when `store` is set to false" in error_message) == (404, True)


def test_encrypted_reasoning_is_bound_to_its_model_and_item(api: ServedOpenAI) -> None:
    api.default(Text("Hi"))
    body = {"model": MODEL, "input": [USER], "store": False, "include": ["reasoning.encrypted_content"]}
    item, _ = post(api, "/responses", body).json()["output"]
    again = [USER, item, ASSISTANT, USER]
    assert post(api, "/responses", body | {"input": again}).status_code == 200
    assert "could not be verified" in refusal(api, "/responses", body | {"input": again, "model": "gpt-6-astra"})[1]
    other_input = [USER, item | {"id": "rs_r2"}, ASSISTANT]
    assert "could not be verified" in refusal(api, "/responses", body | {"input": other_input})[1]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"novelty": 1}, "Unknown parameter: 'novelty'."),
        ({"input": "Hi"}, "Unknown parameter: 'input'."),
        ({"top_k": 4}, "Unknown parameter: 'top_k'."),
        ({"messages": []}, "Expected an array with minimum length 1"),
        ({"messages": [{"role": "user", "content": None}]}, "Invalid type for 'messages[0].content'"),
        ({"messages": [{"role": "user"}]}, "Missing required parameter: 'messages[0].content'."),
        ({"messages": [USER, RESULT]}, "must be a response to a preceeding message with 'tool_calls'"),
        ({"messages": [USER, CALL_MESSAGE]}, "did not have response messages: c1"),
        ({"messages": [USER, CALL_MESSAGE, USER]}, "did not have response messages: c1"),
        ({"messages": [USER, CALL_MESSAGE, RESULT, RESULT]}, "must be a response to a preceeding message"),
        ({"messages": [USER, {"role": "assistant", "content": None}]}, "expected a string, got null"),
        ({"messages": [USER, {"role": "assistant", "content": "x", "tool_calls": []}]}, "Expected an array with minimum length 1"),
        ({"messages": [USER, ASSISTANT | {"reasoning_content": "x"}]}, "'reasoning_content' was unexpected"),
        ({"messages": [USER, CALL_MESSAGE | {"tool_calls": [CHAT_CALL | {"id": "c" * 41}]}]}, "Expected a string with maximum length 40"),
        ({"messages": [USER, CALL_MESSAGE | {"tool_calls": [STRANGE_CALL]}, RESULT]}, "string does not match pattern"),
        ({"tools": [{"type": "function", "function": function(description="a" * 1025)}]}, "Expected a string with maximum length 1024"),
        ({"model": MODEL, "max_tokens": 9}, "Use 'max_completion_tokens' instead."),
        ({"model": MODEL, "temperature": 0.5}, "Only the default (1) value is supported."),
        ({"model": MODEL, "stop": "x"}, "Unsupported parameter: 'stop'"),
        ({"reasoning_effort": "low"}, "Unrecognized request argument supplied: reasoning_effort"),
        ({"max_tokens": 1, "max_completion_tokens": 1}, "at the same time is not supported"),
        ({"stop": ["1", "2", "3", "4", "5"]}, "Expected an array with maximum length 4"),
        ({"tools": []}, "Expected an array with minimum length 1"),
        ({"tool_choice": "auto"}, "only allowed when 'tools' are specified"),
        ({"parallel_tool_calls": False}, "only allowed when 'tools' are specified"),
        ({"tools": [{"type": "function", "function": function(parameters={"type": "array"})}]}, 'type: "object"'),
        ({"stream_options": {"include_usage": True}}, "only allowed when 'stream' is enabled"),
    ],
)
def test_a_chat_completions_request_that_breaks_a_rule_is_refused(api: ServedOpenAI, more: dict[str, Any], message: str) -> None:
    status, error_message = refusal(api, "/chat/completions", {"model": PLAIN, "messages": [USER], **more})
    assert status == 400
    assert message in error_message


@pytest.mark.parametrize(("path", "body"), [("/responses", {"input": "Hi"}), ("/chat/completions", {"messages": [USER]})])
class TestBothForms:
    def test_a_missing_or_wrong_key_is_refused(self, api: ServedOpenAI, path: str, body: dict[str, Any]) -> None:
        absent, wrong = (post(api, path, {"model": PLAIN, **body}, key) for key in (None, "wrong-key"))
        assert (absent.status_code, wrong.status_code) == (401, 401)
        assert wrong.json()["error"]["code"] == "invalid_api_key"
        assert "wrong-key" not in wrong.text

    def test_an_unknown_model_is_not_found(self, api: ServedOpenAI, path: str, body: dict[str, Any]) -> None:
        status, error_message = refusal(api, path, {"model": "gpt-9", **body})
        assert (status, error_message) == (404, "The model `gpt-9` does not exist or you do not have access to it.")

    def test_a_body_that_is_no_json_is_refused(self, api: ServedOpenAI, path: str, body: dict[str, Any]) -> None:
        with httpx2.Client(verify=NO_TRUST, trust_env=False) as http:
            response = http.post(f"{api.base_url}{path}", content=b"{", headers={"authorization": "Bearer test-key"})
        assert (response.status_code, api.requests[-1].raw) == (400, b"{")

    def test_nothing_scripted_is_an_error(self, api: ServedOpenAI, path: str, body: dict[str, Any]) -> None:
        assert post(api, path, {"model": PLAIN, **body}).status_code == 500

    def test_the_key_is_not_kept(self, api: ServedOpenAI, path: str, body: dict[str, Any]) -> None:
        api.answer(Text("Hi"))
        post(api, path, {"model": PLAIN, **body})
        assert "authorization" not in api.requests[0].headers
        assert api.requests[0].key_is("test-key")


def test_models_are_listed_and_retrieved(api: ServedOpenAI) -> None:
    with httpx2.Client(verify=NO_TRUST, trust_env=False, headers={"authorization": "Bearer test-key"}) as http:
        listing = http.get(f"{api.base_url}/models").json()
        one = http.get(f"{api.base_url}/models/{MODEL}").json()
        assert http.get(f"{api.base_url}/models/gpt-9").status_code == 404
        assert http.get(f"{api.base_url}/embeddings").status_code == 404
    assert MODEL in [model["id"] for model in listing["data"]]
    assert one["id"] == MODEL
    with httpx2.Client(verify=NO_TRUST, trust_env=False) as http:
        assert http.get(f"{api.base_url}/models").status_code == 401


def test_without_streaming_the_answer_comes_as_one_object(api: ServedOpenAI) -> None:
    items: list[Item] = [Thought("Hm."), Text("Hi"), Call("f", {"a": 1}, id="c1"), Usage(9, 2, 5, 4)]
    api.default(*items)
    response = post(api, "/responses", {"model": MODEL, "input": "Hi", "reasoning": {"summary": "auto"}}).json()
    assert [item["type"] for item in response["output"]] == ["reasoning", "message", "function_call"]
    assert response["output"][0]["summary"] == [{"type": "summary_text", "text": "Hm."}]
    assert (response["status"], response["usage"]["output_tokens"]) == ("completed", 7)
    completion = post(api, "/chat/completions", {"model": PLAIN, "messages": [USER]}).json()
    [choice] = completion["choices"]
    assert (choice["message"]["content"], choice["message"]["tool_calls"]) == (
        "Hi",
        [CHAT_CALL | {"function": {"name": "f", "arguments": '{"a":1}'}}],
    )
    assert (choice["finish_reason"], completion["usage"]["prompt_tokens_details"]["cached_tokens"]) == ("tool_calls", 4)


def test_an_answer_cut_by_its_limit_is_incomplete(api: ServedOpenAI) -> None:
    api.answer(Refusal("No."), Finish("content_filter"))
    response = post(api, "/responses", {"model": PLAIN, "input": "Hi"}).json()
    assert (response["status"], response["incomplete_details"]) == ("incomplete", {"reason": "content_filter"})
    assert response["output"][0]["content"] == [{"type": "refusal", "refusal": "No."}]


def test_a_server_of_open_models_takes_its_own_fields() -> None:
    quirks = ServerQuirks(reasoning_field="reasoning_content", extra_fields=frozenset({"top_k"}))
    with openai_double(models=None, keys=None, quirks=quirks) as double:
        double.answer(Text("Hi"))
        messages = [USER, ASSISTANT | {"reasoning_content": "Hm."}, USER]
        assert post(double, "/chat/completions", {"model": "qwen3", "messages": messages, "top_k": 4}, None).status_code == 200


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([USER, CALL_MESSAGE, RESULT], "Tool call id was c1 but must be a-z, A-Z, 0-9, with a length of 9."),
        ([USER, CALL_MESSAGE, RESULT, USER], "Unexpected role 'user' after role 'tool'"),
    ],
)
def test_mistrals_models_refuse_more(messages: list[dict[str, Any]], message: str) -> None:
    with openai_double(models=None, quirks=ServerQuirks(mistral=True)) as double:
        assert refusal(double, "/chat/completions", {"model": "mistral-large-latest", "messages": messages}) == (400, message)


@pytest.mark.parametrize(
    ("pattern", "message"), [("a", "Pattern must start with '^' and end with '$'"), (r"^\d$", r"unknown escape at \d")]
)
def test_a_server_that_makes_grammars_takes_few_patterns(pattern: str, message: str) -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    body = {"model": "qwen3", "messages": [USER], "tools": [{"type": "function", "function": function(parameters=parameters)}]}
    with openai_double(models=None, quirks=ServerQuirks(makes_grammars=True)) as double:
        status, error_message = refusal(double, "/chat/completions", body)
    assert (status, message in error_message) == (400, True)
