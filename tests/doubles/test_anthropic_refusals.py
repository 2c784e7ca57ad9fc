"""Each rule of the Claude API that the double enforces, one request body per rule, over real HTTP."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import httpx2
import pytest
from PIL import Image

from doubles.anthropic.signatures import prefix_of, sign
from doubles.script import Text, Thought
from tests.support.agents.anthropic import ALWAYS_THINKS, BUDGETED, SWITCHABLE, ServedAnthropic, anthropic_double
from tests.support.files.documents import encrypted, pdf
from tests.support.suite.network import NO_TRUST

Body = dict[str, Any]

BOTH = "claude-opus-4-6"
SONNET = "claude-sonnet-5-5"
HEADERS = {"authorization": "Bearer test-key", "anthropic-version": "2026-10-21"}
OLD = {"anthropic-version": "2023-06-01"}
BETA = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}
MARK: Body = {"cache_control": {"type": "ephemeral"}}
BUDGET = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
HI = {"role": "user", "content": "Hi"}
OBJECT = {"type": "object"}
CODE: Body = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "bash_code_execution", "input": {}}


def text(value: str, **more: Any) -> Body:
    return {"type": "text", "text": value, **more}


def call(call_id: str = "c1", **more: Any) -> Body:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}, **more}


def result(call_id: str = "c1", **more: Any) -> Body:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok", **more}


def user(*blocks: Body) -> Body:
    return {"role": "user", "content": [*blocks]}


def claude(*blocks: Body) -> Body:
    return {"role": "assistant", "content": [*blocks]}


def tool(name: str = "look", **more: Any) -> Body:
    return {"name": name, "input_schema": {"type": "object"}, **more}


def picture(side: int = 1) -> Body:
    data = BytesIO()
    Image.new("1", (side, 1)).save(data, "PNG")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": b64encode(data.getvalue()).decode()}}


def paper(*documents: bytes) -> list[Body]:
    sources = [{"type": "base64", "media_type": "application/pdf", "data": b64encode(document).decode()} for document in documents]
    return [{"type": "document", "source": source} for source in sources]


def body(*messages: Body, model: str = SWITCHABLE, **rest: Any) -> Body:
    return {"model": model, "max_tokens": 4096, "messages": [*(messages or (HI,))], **rest}


def thought(value: str = "Hm.", model: str = BUDGETED, request_body: Body | None = None, **more: Any) -> Body:
    """Signed for the request `request_body`; None: the one that says hi."""
    before = request_body or body(model=model)
    return {"type": "thinking", "thinking": value, "signature": sign(value, model, prefix_of(before, len(before["messages"]))), **more}


@pytest.fixture(scope="module")
def double() -> Iterator[ServedAnthropic]:
    with anthropic_double() as server:
        server.default(Text("ok"))
        yield server


async def post(double: ServedAnthropic, payload: Any, path: str = "/v1/messages", **headers: str) -> httpx2.Response:
    request_headers = {**HEADERS, **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with httpx2.AsyncClient(verify=NO_TRUST, trust_env=False) as http:
        body_argument = {"content": payload} if isinstance(payload, bytes) else {"json": payload}
        return await http.post(
            double.base_url + path, headers={name: value for name, value in request_headers.items() if value}, **body_argument
        )


def message(answer: httpx2.Response) -> str:
    return str(answer.json()["error"]["message"])


FORM: list[tuple[Any, str]] = [
    (b"{", "not valid JSON"),
    (b"[]", "valid dictionary"),
    ({"model": SWITCHABLE, "messages": [HI]}, "max_tokens: Field required"),
    ({"model": SWITCHABLE, "max_tokens": 5}, "messages: Field required"),
    ({"max_tokens": 5, "messages": [HI]}, "model: Field required"),
    (body(max_tokens="5"), "max_tokens: Input should be a valid integer"),
    (body(max_tokens=0), "max_tokens: Input should be greater than or equal to 1"),
    (body(surprise=1), "surprise: Extra inputs are not permitted"),
    (body(temperature=0.5), "temperature: Extra inputs are not permitted"),
    (body(user(text("a", tone="b"))), "messages.0.content.0.text.tone: Extra inputs are not permitted"),
    (body({"role": "model", "content": "a"}), "messages.0.role: Input should be 'user' or 'assistant'"),
    (body(user({"type": "song"})), "messages.0.content.0: Input tag 'song'"),
    (body(HI, claude(call("a:1")), user(result("a:1"))), "messages.1.content.0.tool_use.id: String should match pattern"),
    (body(HI, claude(call(input=[])), user(result())), "messages.1.content.0.tool_use.input: Input should be a valid dictionary"),
    (body(HI, claude({"type": "thinking", "thinking": "x"}), HI), "messages.1.content.0.thinking.signature: Field required"),
    (body(HI, claude(thought(**MARK)), HI), "thinking.cache_control: Extra inputs are not permitted"),
    (body(tools=[tool("a.b")]), "tools.0.custom.name: String should match pattern"),
    (body(tools=[{"name": "look"}]), "tools.0.custom.input_schema: Field required"),
    (
        body(thinking={"type": "enabled", "budget_tokens": 1023}, model=BUDGETED),
        "budget_tokens: Input should be greater than or equal to 1024",
    ),
    (body(output_config={"effort": "minimal"}), "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"),
]

HISTORY = [
    (body() | {"messages": []}, "at least one message is required"),
    (body(claude(text("a")), HI), 'first message must use the "user" role'),
    (body(HI, HI), 'roles must alternate between "user" and "assistant"'),
    (body(HI, claude(), HI), "messages.1: all messages must have non-empty content"),
    (body(user(text(""))), "text content blocks must be non-empty"),
    (body(user(picture(8001))), "image dimensions exceed max allowed size: 8000 pixels"),
    (body(user(*[picture()] * 20, picture(2001))), "exceed max allowed size for many-image requests: 2000 pixels"),
    (body(user(*[picture()] * 101)), "101 images > 100"),
    (body(user(*paper(b"%PDF-1.7 tea"))), "The PDF specified was not valid."),
    (body(user(*paper(encrypted(pdf("Tea."))))), "The PDF specified is password protected."),
    (body(user(*paper(pdf(*"a" * 101)))), "A maximum of 100 PDF pages may be provided."),
    (body(user(*paper(pdf(*"a" * 60), pdf(*"a" * 40)), picture())), "100 document pages + 1 images > 100"),
    (body(user(text(" \n"))), "text content blocks must contain non-whitespace text"),
    (body(user(call())), "`tool_use` blocks can only be in `assistant` messages"),
    (body(HI, claude(result()), HI), "`tool_result` blocks can only be in `user` messages"),
    (body(user(thought())), "`thinking` blocks can only be in `assistant` messages"),
    (body(HI, claude(call())), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1."),
    (body(HI, claude(call()), HI), "messages.1: `tool_use` ids were found without `tool_result` blocks"),
    (body(HI, claude(call(), call("c2")), user(result())), "immediately after: c2."),
    (body(HI, claude(call()), user(text("a"), result())), "immediately after: c1."),  # the results come first
    (body(user(result())), "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: c1."),
    (body(HI, claude(call()), user(result(), result("c2"))), "messages.2.content.1: unexpected `tool_use_id`"),
    (body(HI, claude(call()), user(result(), result())), "each tool_use must have a single result"),
    (body(HI, claude(call(), call()), user(result())), "`tool_use` ids must be unique"),
    (body(HI, claude(call()), user(result(content="", is_error=True))), "content cannot be empty if `is_error` is true"),
    (body(HI, claude(CODE, call()), user(result())), "container_id is required when there are pending tool uses"),
    (body(HI, claude(text("So"))), "does not support assistant message prefill"),
    (body(HI, claude(text("So ")), model=BUDGETED), "cannot end with trailing whitespace"),
]

CONFIG = [
    (body(max_tokens=64_001, model=BUDGETED), "max_tokens: 64001 > 64000"),
    (body(thinking=BUDGET, model=BUDGETED, max_tokens=1024), "`max_tokens` must be greater than `thinking.budget_tokens`"),
    (body(thinking=BUDGET), '"thinking.type.enabled" is not supported for this model'),
    (body(thinking={"type": "disabled"}, model=ALWAYS_THINKS), '"thinking.type.disabled" is not supported for this model'),
    (body(thinking={"type": "disabled"}, model=SONNET), '"thinking.type.disabled" is not supported'),
    (body(thinking={"type": "between_tools"}), '"thinking.type.between_tools" is not supported'),
    (body(thinking=ADAPTIVE, model=BUDGETED), "adaptive thinking is not supported on this model"),
    (body(thinking=ADAPTIVE | {"block_binding": {}}), "block_binding: Extra inputs are not permitted"),  # without the beta header
    (body(output_config={"effort": "low"}, model=BUDGETED), "does not support the effort parameter"),
    (body(output_config={"effort": "max"}, thinking={"type": "disabled"}), "not supported while thinking is off"),
    (body(output_config={"format": {"type": "json_object"}}), "output_config.format"),
    (body(output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}}), "must be explicitly set to false"),
    (body(tools=[tool(), tool()]), "Tool names must be unique"),
    (body(tools=[tool(input_schema={"type": "string"})]), "tools.0.custom.input_schema.type: Input should be 'object'"),
    (body(tools=[tool(input_schema={})]), "tools.0.custom.input_schema.type: Field required"),
    (body(tools=[tool(input_schema={"type": "object", "properties": 5})]), "JSON schema is invalid"),
    (
        body(tools=[tool(input_schema=OBJECT | {"anyOf": [{"required": ["a"]}]})]),
        "does not support oneOf, allOf, or anyOf at the top level",
    ),
    (body(tools=[tool(input_schema=OBJECT | {"properties": {"a[]": {}}})]), "Property keys should match pattern"),
    (body(tool_choice={"type": "auto"}), "may only be specified while providing tools"),
    (body(tools=[tool()], tool_choice={"type": "any"}), "Thinking may not be enabled when tool_choice forces tool use"),
    (body(tools=[tool()], tool_choice={"type": "any"}, model=ALWAYS_THINKS), 'type "tool" and "any" are not supported for this model'),
    (body(tools=[tool()], tool_choice={"type": "tool", "name": "hear"}, model=BUDGETED), "Tool 'hear' not found in provided tools"),
    (body(system=[text("")]), "system: text content blocks must be non-empty"),
    (body(user(*[text("a", **MARK)] * 3), system=[text("s", **MARK)], tools=[tool(**MARK)]), "A maximum of 4 blocks with cache_control"),
    (body(stop_sequences=["\n"]), "each stop sequence must contain non-whitespace"),
    (body(user(text("word " * 180_000)), model=BUDGETED), "prompt is too long: "),
]

THINKING = [
    (body(HI, claude(thought("Hm.") | {"thinking": "Ha."}, text("a")), HI, model=BUDGETED), "messages.1.content.0: Invalid `signature`"),
    (body(HI, claude(thought() | {"signature": "?"}, text("a")), HI, model=BUDGETED), "Invalid `signature` in `thinking` block"),
    (
        body(HI, claude({"type": "redacted_thinking", "data": "abcd"}, text("a")), HI, model=BUDGETED),
        "Invalid `data` in `redacted_thinking`",
    ),
    (
        body(HI, claude(text("a"), thought()), HI, model=BUDGETED),
        "messages.1: The final block in an assistant message cannot be `thinking`.",
    ),
    (body(HI, claude(call()), user(result()), model=BUDGETED, thinking=BUDGET), "messages.1.content.0.type: Expected `thinking` or"),
    (body(HI, claude(thought(), call()), user(result()), model=BUDGETED), "When thinking is disabled, an `assistant` message in the final"),
    (
        body(HI, claude(thought(model=ALWAYS_THINKS), text("a")), HI, model=ALWAYS_THINKS, system="New."),
        "The block is bound to a different conversation",
    ),
    (
        body({"role": "user", "content": "Ho"}, claude(thought(model=ALWAYS_THINKS), text("a")), HI, model=ALWAYS_THINKS),
        "The block is bound to a different conversation",
    ),
]


@pytest.mark.parametrize(("payload", "expected"), FORM + HISTORY + CONFIG + THINKING)
async def test_a_wrong_request_is_refused_with_the_apis_words(double: ServedAnthropic, payload: Any, expected: str) -> None:
    answer = await post(double, payload)
    assert (answer.status_code, answer.json()["type"], answer.json()["error"]["type"]) == (400, "error", "invalid_request_error")
    assert expected in message(answer)
    assert answer.json()["request_id"]


@pytest.mark.parametrize(
    "payload",
    [
        body(user(text("a"), text("b")), system="s", stop_sequences=["END"]),
        body(system=[text("s", **MARK), text("t")], tools=[tool(description="d"), tool("b", **MARK)], tool_choice={"type": "none"}),
        body(HI, claude(text("a"), call(), call("c2")), user(result("c2", content=[text("x")]), result(is_error=True), text("b"))),
        body(HI, claude(text("So")), model=BUDGETED),
        body(HI, claude(thought(), call()), user(result()), model=BUDGETED, thinking=BUDGET),
        body(HI, claude(call()), user(result()), claude(text("a")), HI, model=BUDGETED, thinking=BUDGET),  # only the newest step must
        body(HI, claude(thought(model=BUDGETED), text("a")), HI),  # another model's thinking is passed over
        body(HI, claude(thought(model=ALWAYS_THINKS), text("a")), HI, model=ALWAYS_THINKS),
        body(tools=[tool()], tool_choice={"type": "any"}, thinking={"type": "disabled"}),
        body(model=SONNET, thinking={"type": "between_tools"}, output_config={"effort": "low"}),
        body(model=BOTH, thinking=BUDGET),
        body(model=BOTH, thinking=ADAPTIVE | {"display": "summarized"}),
    ],
)
async def test_a_right_request_is_answered(double: ServedAnthropic, payload: Body) -> None:
    answer = await post(double, payload)
    assert answer.status_code == 200, answer.text


async def test_thinking_of_a_changed_conversation_may_be_dropped(double: ServedAnthropic) -> None:
    binding = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    changed = body(HI, claude(thought(model=ALWAYS_THINKS), text("a")), HI, model=ALWAYS_THINKS, system="New.", thinking=ADAPTIVE | binding)
    assert (await post(double, changed, **BETA)).status_code == 200


async def test_what_the_double_thought_can_be_sent_back() -> None:
    with anthropic_double() as double:
        double.answer(Thought("Hm."), Thought("x", redacted=True), Text("ok"))
        double.answer(Text("ok"))
        request_body = body(model=ALWAYS_THINKS, thinking=ADAPTIVE | {"display": "summarized"})
        answer = (await post(double, request_body)).json()
        again = await post(double, request_body | {"messages": [HI, claude(*answer["content"]), HI]})
        assert again.status_code == 200, again.text


@pytest.mark.parametrize(
    ("path", "headers", "status", "kind"),
    [
        ("/v1/messages", {"authorization": ""}, 401, "authentication_error"),
        ("/v1/messages", {"authorization": "Bearer other"}, 401, "authentication_error"),
        ("/v1/messages", {"authorization": "", "x_api_key": "test-key"}, 200, None),
        ("/v1/messages", {"anthropic_version": ""}, 400, "invalid_request_error"),
        ("/v1/messages", {"anthropic_version": "2020-01-01"}, 400, "invalid_request_error"),
        ("/v1/complete", {}, 404, "not_found_error"),
    ],
)
async def test_a_wrong_key_version_or_path_is_refused(
    double: ServedAnthropic, path: str, headers: dict[str, str], status: int, kind: str | None
) -> None:
    answer = await post(double, body(), path, **headers)
    assert (answer.status_code, answer.json().get("error", {}).get("type")) == (status, kind)


async def test_an_unknown_model_is_not_found(double: ServedAnthropic) -> None:
    answer = await post(double, body(model="claude-9"))
    assert (answer.status_code, message(answer)) == (404, "model: claude-9")


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (body(temperature=0.5, model=BUDGETED), None),
        (body(temperature=1.5, model=BUDGETED), "temperature: Input should be less than or equal to 1"),
        (body(temperature=0.5, model=BUDGETED, thinking=BUDGET), "may only be set to 1 when thinking is enabled"),
        (body(top_p=0.5), "`top_p` is deprecated for this model."),
    ],
)
async def test_sampling_exists_in_the_old_version_only(double: ServedAnthropic, payload: Body, expected: str | None) -> None:
    answer = await post(double, payload, anthropic_version="2023-06-01")
    assert answer.status_code == (400 if expected else 200)
    assert not expected or expected in message(answer)


async def test_a_count_needs_no_limit_and_is_checked_alike(double: ServedAnthropic) -> None:
    request_body = {"model": SWITCHABLE, "messages": [HI]}
    assert (await post(double, request_body, "/v1/messages/count_tokens")).json()["input_tokens"] > 0
    assert (await post(double, request_body | {"max_tokens": 5}, "/v1/messages/count_tokens")).status_code == 400
