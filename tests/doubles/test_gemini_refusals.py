"""Each rule of the Gemini API that the double enforces, one request body per rule, over real HTTP."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from google.genai import errors, types

from doubles.gemini.signatures import sign
from doubles.script import Text
from tests.doubles.sdk import MODEL, MODEL_2, MODEL_3, http_client, stream
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.files.documents import encrypted, pdf

Body = dict[str, Any]
PNG = "iVBORw0KGgo="
REFERRING: Body = {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/A"}]}}, "$defs": {"A": {}}}
CALL, RESPONSE = ({kind: {"id": "s1", "toolType": "URL_CONTEXT"}} for kind in ("toolCall", "toolResponse"))


def says(text: str) -> Body:
    return {"role": "user", "parts": [{"text": text}]}


def answers(text: str) -> Body:
    return {"role": "model", "parts": [{"text": text}]}


def asks(*names: str, **extra: Any) -> Body:
    return {"role": "model", "parts": [{"functionCall": {"name": name, "id": f"id-{name}", "args": {}}, **extra} for name in names]}


def gives(*names: str) -> Body:
    return {"role": "user", "parts": [{"functionResponse": {"name": name, "id": f"id-{name}", "response": {}}} for name in names]}


def body(*contents: Body, config: Body | None = None, **rest: Any) -> Body:
    return {"contents": [*contents], **({"generationConfig": config} if config else {}), **rest}


def paper(document: bytes) -> Body:
    return inline(mimeType="application/pdf", data=b64encode(document).decode())


def inline(**data: str) -> Body:
    return {"role": "user", "parts": [{"inlineData": data}]}


def tools(*declarations: Body, **rest: Any) -> Body:
    return body(says("Hi"), tools=[{"functionDeclarations": [*declarations]}], **rest)


def signed(name: str, model: str = MODEL_3) -> Body:
    call = {"functionCall": {"name": name, "id": f"id-{name}", "args": {}}}
    return {"role": "model", "parts": [{**call, "thoughtSignature": sign(call, model)}]}


@pytest.fixture(scope="module")
def double() -> Iterator[ServedGemini]:
    with gemini_double() as server:
        server.default(Text("ok"))
        yield server


async def post(double: ServedGemini, payload: Any, model: str = MODEL, **options: Any) -> httpx2.Response:
    path = options.pop("path", f"/v1beta/models/{model}:streamGenerateContent?alt=sse")
    async with http_client(double, options.pop("key", "test-key")) as http:
        return await http.post(path, **({"content": payload} if isinstance(payload, bytes) else {"json": payload}))


HISTORY = [
    (body(), "contents is not specified"),
    ({}, "contents is not specified"),
    (body({"role": "assistant", "parts": [{"text": "x"}]}), "Please use a valid role: user, model."),
    (body({"parts": [{"text": "x"}]}, answers("y"), says("z")), "Please use a valid role: user, model."),
    (body({"role": "user", "parts": []}), "contents.parts must not be empty"),
    (body({"role": "user", "parts": [{}]}), "required oneof field 'data' must have one initialized field"),
    (body({"role": "user", "parts": [{"thought": True}]}), "required oneof field 'data'"),
    (body(says("a"), answers("b")), "Please ensure that single turn requests end with a user role"),
    (body(asks("look"), gives("look")), "function call turn comes immediately after a user turn"),
    (body(says("a"), answers("b"), asks("look"), gives("look")), "function call turn comes immediately after a user turn"),
    (body({"role": "user", "parts": asks("look")["parts"]}), "function call turn comes immediately after a user turn"),
    (body(gives("look")), "function response turn comes immediately after a function call turn"),
    (body(says("a"), gives("look")), "function response turn comes immediately after a function call turn"),
    (body(says("a"), asks("look", "read"), gives("look")), "number of function response parts is equal to the number of function call"),
    (body(says("a"), asks("look"), gives("look", "look")), "number of function response parts is equal"),
    (body(says("a"), asks("look"), says("b")), "number of function response parts is equal"),
    (body(says("a"), asks("look")), "number of function response parts is equal"),
    (body(says("a"), asks("look", "read"), gives("read", "look")), "function response name is equal"),
    (
        body(says("a"), asks("look"), {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {}}}]}),
        "function response id is equal",
    ),
    (
        body(says("a"), asks("look"), {"role": "user", "parts": [{"functionResponse": {"id": "id-look", "response": {}}}]}),
        "Name cannot be empty",
    ),
    (
        body(says("a"), asks("look"), {"role": "user", "parts": [{"functionResponse": {"id": "id-look", "name": "look"}}]}),
        "response is not specified",
    ),
]

FORM = [
    (b"{", "Invalid JSON payload received."),
    (b"[]", "Root element must be a message"),
    (body(says("a"), surprise=1), 'Unknown name "surprise": Cannot find field.'),
    (body({"role": "user", "parts": [{"txt": "x"}]}), "Unknown name \"txt\" at 'contents[0].parts[0]': Cannot find field."),
    (body(says("a"), config={"thinkingConfig": {"budget": 1}}), "at 'generation_config.thinking_config'"),
    (tools({"name": "f", "schema": {}}), "Unknown name \"schema\" at 'tools[0].function_declarations[0]'"),
    (body({"role": "user", "parts": [{"text": 1}]}), "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 1"),
    (body({"role": "user", "parts": [{"text": "x", "functionCall": {"name": "f"}}]}), "oneof field 'data' is already set"),
    (body({"role": "user", "parts": [{"text": "x", "thoughtSignature": "?"}]}), "Base64 decoding failed"),
    (body({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": "text"}}]}), "google.protobuf.Struct"),
    (body(says("a"), config={"temperature": "hot"}), "(TYPE_FLOAT)"),
    (body(says("a"), config={"maxOutputTokens": 1.5}), "(TYPE_INT32)"),
]

CONFIG = [
    (body(says("a"), config={"temperature": 2.1}), "temperature must be in the range [0, 2]"),
    (body(says("a"), config={"temperature": -0.1}), "temperature must be in the range [0, 2]"),
    (body(says("a"), config={"topP": 1.1}), "top_p must be in the range [0, 1]"),
    (body(says("a"), config={"maxOutputTokens": 0}), "max_output_tokens must be positive"),
    (body(says("a"), config={"maxOutputTokens": 65_537}), "supported range is from 1 (inclusive) to 65537 (exclusive)"),
    (body(says("a"), config={"stopSequences": [*"abcdef"]}), "at most 5 stop sequences"),
    (body(says("a"), config={"topK": 0}), "top_k must be in the range [1, 1000]"),
    (body(says("a"), config={"topK": 2.5}), "(TYPE_INT32)"),
    (body(says("a"), config={"seed": 2**31}), "(TYPE_INT32)"),
    (body(says("a"), config={"presencePenalty": 2.1}), "presence_penalty must be in the range [-2, 2]"),
    (body(says("a"), config={"frequencyPenalty": 0.5}), "Penalty is not enabled for models/gemini-2.5-flash"),
    (body(says("a"), config={"candidateCount": 2}), "Only one candidate can be specified"),
    (body(says("a"), config={"responseMimeType": "text/html"}), "allowed mimetypes"),
    (body(says("a"), tools=[{"googleSearch": {"queries": ["x"]}}]), 'Unknown name "queries"'),
    (body(says("a"), tools=[{"codeExecution": {"language": "PYTHON"}}]), 'Unknown name "language"'),
    (body(says("a"), tools=[{"webSearch": {}}]), 'Unknown name "webSearch"'),
    (body(inline(data=PNG)), "mime_type must not be empty"),
    (body(inline(mimeType="image/png")), "data must not be empty"),
    (body(inline(mimeType="image/gif", data=PNG)), "Unsupported MIME type: image/gif"),
    (body(inline(mimeType="image/jpeg", data=PNG)), "Unable to process input image"),
    (body(inline(mimeType="application/pdf", data=PNG)), "no pages"),
    (body(paper(encrypted(pdf("Tea.")))), "no pages"),
    (body(paper(pdf(*"a" * 1001))), "contains 1001 pages which exceeds the supported page limit of 1000"),
    (body({"role": "user", "parts": [{"executableCode": {"language": "PYTHON", "code": "1"}}]}), "role model"),
    (body(says("a"), {"role": "model", "parts": [CALL]}, says("b")), "tool_response part with the same id"),
    (body(says("a"), config={"responseSchema": {"type": "STRING"}}), "only allowed when response mime type"),
    (body(says("a"), config={"thinkingConfig": {"thinkingBudget": 99, "thinkingLevel": "LOW"}}), "only one of thinking budget"),
    (body(says("a"), config={"thinkingConfig": {"thinkingLevel": "LOW"}}), "Thinking level is not supported for this model."),
    (body(says("a"), config={"thinkingConfig": {"thinkingBudget": 24_577}}), "budget 24577 is invalid"),
    (body(says("a"), config={"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": True}}), "only enabled when thinking is enabled"),
    (body(says("a"), systemInstruction={"parts": []}), "system_instruction.parts"),
]

TOOLS = [
    (tools({"name": "9f"}), "Invalid function name"),
    (tools({"name": "has space"}), "Invalid function name"),
    (tools({"name": "f" * 129}), "Invalid function name"),
    (tools(*({"name": f"f{number}"} for number in range(513))), "At most 512 function declarations can be specified."),
    (tools({"description": "nameless"}), "Invalid function name"),
    (tools({"name": "f"}, {"name": "f"}), "Duplicate function declaration found: f"),
    (tools({"name": "f", "parameters": {"type": "OBJECT"}, "parametersJsonSchema": {"type": "object"}}), "must not both be set"),
    (tools({"name": "f", "parametersJsonSchema": {"type": "thing"}}), "Invalid JSON schema"),
    (tools({"name": "f", "parametersJsonSchema": {"type": "string"}}), "schema type should be OBJECT"),
    (tools({"name": "f", "parametersJsonSchema": REFERRING}), "reference to undefined schema at properties.a.anyOf.0"),
    (tools({"name": "f", "parameters": {"type": ["STRING", "NULL"]}}), "(TYPE_ENUM)"),
    (tools({"name": "f", "parameters": {"type": "OBJECT", "$ref": "#"}}), 'Unknown name "$ref"'),
    (tools({"name": "f", "parameters": {"type": "OBJECT", "properties": {"a": {"type": "ARRAY"}}}}), "items: missing field"),
    (tools({"name": "f", "parameters": {"type": "OBJECT", "required": ["a"]}}), "property is not defined"),
    (body(says("a"), tools=[{}]), "required one_of 'tool_type'"),
    (body(says("a"), tools=[{"googleSearch": {}}, {"functionDeclarations": [{"name": "f"}]}]), "({google_search}) and Function Calling"),
    (body(says("a"), toolConfig={"functionCallingConfig": {"mode": "ANY"}}), "without function_declarations"),
    (body(says("a"), toolConfig={"functionCallingConfig": {"mode": "NONE"}}), "without function_declarations"),
    (tools({"name": "f"}, toolConfig={"functionCallingConfig": {"mode": "MUST"}}), "(TYPE_ENUM)"),
    (tools({"name": "f"}, toolConfig={"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["f"]}}), "mode is ANY"),
    (tools({"name": "f"}, toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}}), "must be declared"),
]


@pytest.mark.parametrize(("payload", "message"), [*HISTORY, *FORM, *CONFIG, *TOOLS])
async def test_a_request_that_breaks_a_rule_is_refused(double: ServedGemini, payload: Any, message: str) -> None:
    response = await post(double, payload)
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["status"]) == (400, 400, "INVALID_ARGUMENT")
    assert message in error["message"]


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (body(says("a"), asks("look"), gives("look")), "missing a thought_signature"),
        (body(says("a"), signed("look"), gives("look"), asks("read"), gives("read")), "missing a thought_signature"),
        (body(says("a"), asks("look", thoughtSignature="AAAA"), gives("look")), "Corrupted thought signature"),
        (body(says("a"), signed("look", MODEL), gives("look")), "Corrupted thought signature"),
        (
            body(says("a"), {"role": "model", "parts": [{"text": "b", "thoughtSignature": "AAAA"}]}, says("c")),
            "Corrupted thought signature",
        ),
        (
            body(says("a"), tools=[{"googleSearch": {}}, {"functionDeclarations": [{"name": "f"}]}]),
            "include_server_side_tool_invocations",
        ),
    ],
)
async def test_a_gemini_3_model_refuses_more(double: ServedGemini, payload: Any, message: str) -> None:
    response = await post(double, payload, MODEL_3)
    assert response.status_code == 400
    assert message in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("payload", "model"),
    [
        (body({"parts": [{"text": "without a role"}]}), MODEL),
        (body(says("a"), says("b")), MODEL),
        (body(says("a"), asks("look", "read"), gives("look", "read")), MODEL),
        (body(says("a"), signed("look"), gives("look")), MODEL_3),
        (body(says("a"), asks("look"), gives("look"), answers("b"), says("c")), MODEL_3),  # an older turn needs no signature
        (body(says("a"), asks("look", thoughtSignature="skip_thought_signature_validator"), gives("look")), MODEL_3),
        (body(says("a"), config={"thinkingConfig": {"thinking_budget": 512, "include_thoughts": True}}), MODEL),
        (body(says("a"), config={"thinkingConfig": {"thinking_level": "low"}}), MODEL_3),
        (body(says("a"), tools=[{"googleSearch": {}}, {"urlContext": {}}, {"codeExecution": {}}]), MODEL),
        (body(says("a"), {"role": "model", "parts": [CALL, RESPONSE, {"text": "b"}]}, says("c")), MODEL_3),
        (body(says("a"), config={"presencePenalty": 0.5, "frequencyPenalty": -0.5, "seed": -1}), MODEL_2),
        (body(says("a"), config={"presencePenalty": 0}), MODEL_3),
        (tools({"name": "f"}, toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}}), MODEL),
        (
            tools({"name": "a.b:c-d", "parameters_json_schema": {"type": "object", "properties": {"x": {"type": ["string", "null"]}}}}),
            MODEL,
        ),
        (tools({"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}}), MODEL),
        (body({"role": "user", "parts": [{"inlineData": {"mime_type": "image/png", "data": PNG}}]}), MODEL),
        (body(says("a"), system_instruction={"parts": [{"text": "Be brief."}]}), MODEL),
    ],
)
async def test_a_request_that_keeps_the_rules_is_answered(double: ServedGemini, payload: Body, model: str) -> None:
    response = await post(double, payload, model)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/event-stream"
    assert response.text.endswith("\r\n\r\n")
    assert "[DONE]" not in response.text


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v1beta/models/no-such-model:streamGenerateContent?alt=sse", 404),
        ("/v1/models/gemini-flash-latest:streamGenerateContent?alt=sse", 404),
        ("/v1beta/models/gemini-2.5-flash:embedContent", 404),
        ("/v2/models/gemini-2.5-flash:generateContent", 404),
        ("/v1beta/models/gemini-2.5-flash:streamGenerateContent", 400),
    ],
)
async def test_an_unknown_path_or_model_is_refused(double: ServedGemini, path: str, code: int) -> None:
    assert (await post(double, body(says("a")), path=path)).status_code == code


async def test_a_wrong_key_is_an_invalid_argument_with_a_reason_and_no_key_is_forbidden(double: ServedGemini) -> None:
    wrong, absent = await post(double, body(says("a")), key="wrong"), await post(double, body(says("a")), key="")
    assert wrong.status_code == 400
    assert wrong.json()["error"]["details"][0]["reason"] == "API_KEY_INVALID"
    assert absent.status_code == 403


async def test_a_refusal_reaches_the_sdk_and_the_record(gemini: ServedGemini) -> None:
    config = types.GenerateContentConfig(thinking_config=types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW))
    with pytest.raises(errors.ClientError, match="Thinking level is not supported"):
        await stream(gemini, config=config)
    assert gemini.requests[0].refusal == "Thinking level is not supported for this model."


async def test_a_request_without_a_scripted_answer_fails_loudly(gemini: ServedGemini) -> None:
    with pytest.raises(errors.ServerError, match="Nothing is scripted for request 1"):
        await stream(gemini, "Hello?")
