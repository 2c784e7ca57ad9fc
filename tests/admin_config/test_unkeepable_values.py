"""Values that Python reads and that nothing can keep: refused on each page in a sentence that says where they are, and nothing is saved."""

from __future__ import annotations

import json
from html import unescape
from typing import Any

import pytest
import yaml
from django.test import Client

from admin_config.models import AgentConfig, ToolSource
from doubles.mcp import github_server
from evaluations.models import Case, DataSet
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, save, send_each
from tests.support.accounts.cast import Cast
from tests.support.agents.mcp import MCP_TOKEN, ServedMcp, github

__all__ = ["github"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

FILE = f"{ACME}admin_config/agentconfig/file/"
OPENAPI = f"{ACME}admin_config/toolsource/openapi/"
DIGITS = "the number has too many digits"
NO_NUMBER = "this is no number that can be kept"
NUL = "it has a null character"
HALF = "it has half of a character"
DEEP = "nested too deeply"
AGENT = "agents: {chat_model_agent_google: {kind: chat_model_agent, provider: google, %s}}"
SOURCE = "tool_sources: {tea: {kind: http, settings: {url: 'https://tea.example/', description: Tea, %s}}}"
SCHEMA = "input_schema: {type: object, properties: {n: {%s}}}"
IN_SCHEMA = "tool_sources.tea.settings.input_schema.properties.n"


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def sources(cast: Cast) -> int:
    with tenant_tx(cast.acme.pk):
        return ToolSource.objects.filter(kind__in=("http", "mcp")).count()


# A file and its problem. All are read in one organization: none of them may leave anything there.
IN_FILES = [
    (SOURCE % SCHEMA % "maximum: .inf", f"{IN_SCHEMA}.maximum: {NO_NUMBER}"),
    (SOURCE % SCHEMA % "maximum: .nan", f"{IN_SCHEMA}.maximum: {NO_NUMBER}"),
    (SOURCE % SCHEMA % "maximum: 1.0e+400", f"{IN_SCHEMA}.maximum: {NO_NUMBER}"),
    (SOURCE % SCHEMA % "maximum: 1.0e+20", f"{IN_SCHEMA}.maximum: {DIGITS}"),
    (SOURCE % SCHEMA % f"maximum: 1{'0' * 400}", f"{IN_SCHEMA}.maximum: {DIGITS}"),
    (SOURCE % SCHEMA % f"maximum: 0x{'f' * 9000}", f"{IN_SCHEMA}.maximum: {DIGITS}"),
    (SOURCE % SCHEMA % f"maximum: 1{'0' * 9000}", "The file is no YAML"),
    (SOURCE % SCHEMA % r'description: "a\0b"', f"{IN_SCHEMA}.description: {NUL}"),
    (SOURCE % SCHEMA % "enum: [2026-11-28]", f"{IN_SCHEMA}.enum[0]: only texts"),
    (SOURCE % SCHEMA % "enum: [!!binary aGk=]", f"{IN_SCHEMA}.enum[0]: only texts"),
    (SOURCE % SCHEMA % "2026-11-28: x", f"{IN_SCHEMA}: only texts"),
    (SOURCE % SCHEMA % f"default: {deep(99)}", DEEP),
    (SOURCE % SCHEMA % f"default: {deep(5000)}", DEEP),
    (SOURCE.replace("settings: {", "settings: [{").replace("%s}}}", "%s}]}}") % "method: GET", "tea (HTTP endpoint): "),
    (AGENT % "max_steps: 1.0e+20", "agents.chat_model_agent_google.max_steps: " + DIGITS),
    (AGENT % "max_steps: 99999999999", "agents.chat_model_agent_google.max_steps: "),
    (AGENT % "max_steps: .inf", "agents.chat_model_agent_google.max_steps: " + NO_NUMBER),
    (AGENT % "temperature: '1e400'", "agents.chat_model_agent_google.temperature: "),
    (AGENT % "temperature: 'NaN'", "agents.chat_model_agent_google.temperature: "),
    (AGENT % "provider_options: {a: 1.0e+20}", "agents.chat_model_agent_google.provider_options.a: " + DIGITS),
    (AGENT % "plugins: [{name: budget, settings: 7}]", "agents.chat_model_agent_google.plugins[0]"),
    (AGENT % "step_rules: [{first_step: 99999999999}]", "agents.chat_model_agent_google.step_rules[0].first_step: "),
    (AGENT % "assistant: {title: Tea, groups: 5}", "agents.chat_model_agent_google.assistant.groups must be a list of names."),
    (AGENT % f"assistant: {{title: {'T' * 500}}}", "agents.chat_model_agent_google.assistant.title: "),
    (f"tool_sources: {{{'t' * 60}: {{kind: plan}}}}", ".name: "),
    (r'tool_sources: {"a\0b": {kind: plan}}', NUL),
    ("2026-11-28: x", "the file: only texts"),
    ("tool_sources: {tea: {kind: [plan]}}", "tool_sources.tea: there is no kind of tool source named ['plan']."),
    (f"agents: {{{'t' * 60}_google: {{kind: custom_agent, provider: google, name: {'t' * 60}}}}}", ".name: "),
]


def test_an_agents_file_says_where_its_value_is(alice: Client, seeded_cast: Cast) -> None:
    for text, problem in IN_FILES:
        response = alice.post(FILE, {"text": f"parley: 1\n{text}", "step": "take"})
        assert response.status_code == 200, problem
        assert problem in "\n".join(response.context["problems"])
        assert response.context["problems"]
        assert text[:60] in unescape(response.content.decode()), "what was typed stays"
    assert sources(seeded_cast) == 0
    with tenant_tx(seeded_cast.acme.pk):
        assert AgentConfig.objects.get(key="chat_model_agent_google").max_steps is None


RESULT = '{"input": "Q", "tool_results": [{"tool": "t", "arguments": {"n": %s}, "output": 1}]}'
IN_RESULT = "Line 1.tool_results[0].arguments.n: "


@pytest.mark.parametrize(
    ("form", "text", "problem"),
    [
        ("jsonl", RESULT % "1e400", IN_RESULT + NO_NUMBER),
        ("jsonl", RESULT % "NaN", IN_RESULT + NO_NUMBER),
        ("jsonl", RESULT % "1e20", IN_RESULT + DIGITS),
        ("jsonl", RESULT % ("1" + "0" * 400), IN_RESULT + DIGITS),
        ("jsonl", RESULT % ("1" + "0" * 9000), "Line 1 is not JSON."),
        ("jsonl", RESULT % r'"\u0000"', IN_RESULT + NUL),
        ("jsonl", RESULT % r'"\ud800"', IN_RESULT + HALF),
        ("jsonl", RESULT % deep(200), DEEP),
        ("jsonl", RESULT % deep(100_000), "Line 1"),
        ("jsonl", r'{"input": "Q", "name": "\u0000"}', "Line 1.name: " + NUL),
        ("jsonl", r'{"input": "\ud800"}', "Line 1.input: " + HALF),
        ("csv", "question\n\0", "Row 2, question: " + NUL),
        ("csv", "question,name\nQ,\0", "Row 2, name: " + NUL),
        ("csv", "question,number\nQ,1e400", "must be a number"),
        ("promptfoo", r'tests: [{vars: {question: "\0"}}]', "Test 1.vars.question: " + NUL),
        ("promptfoo", "tests: [{vars: {question: .inf}}]", "Test 1.vars.question: " + NO_NUMBER),
        (
            "promptfoo",
            "tests: [{vars: {question: Q}, assert: [{type: latency, threshold: 1.0e+300}]}]",
            "Test 1.assert[0].threshold: " + DIGITS,
        ),
        ("promptfoo", f"tests: [{{vars: {{question: Q}}, assert: [{{type: latency, threshold: 1{'0' * 400}}}]}}]", DIGITS),
        (
            "promptfoo",
            "tests: [{vars: {question: Q}, assert: [{type: is-json, value: {const: 2026-11-28}}]}]",
            "Test 1.assert[0].value.const: ",
        ),
        ("promptfoo", f"tests: [{{vars: {{question: Q}}, assert: [{{type: 0x{'f' * 9000}}}]}}]", "Test 1.assert[0].type: " + DIGITS),
    ],
)
def test_a_file_of_cases_says_where_its_value_is(alice: Client, seeded_cast: Cast, form: str, text: str, problem: str) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        orders = DataSet.objects.create(name="Orders")
    response = alice.post(f"{ACME}evaluations/dataset/{orders.pk}/import/", {"form": form, "text": text})
    assert response.status_code == 200
    assert problem in response.context["problem"]
    with tenant_tx(seeded_cast.acme.pk):
        assert not Case.objects.exists()


def shop(schema: str = "{}", parameter: str = '{"name": "n", "in": "query"}', name: str = "tea", body: str = "{}") -> str:
    operation = f'{{"operationId": "{name}", "parameters": [{parameter[:-1]}, "schema": {schema}}}], "requestBody": {body}}}'
    return f'{{"openapi": "3.1.0", "servers": [{{"url": "https://tea.example"}}], "paths": {{"/tea": {{"post": {operation}}}}}}}'


def yaml_shop(old: str, new: str) -> str:
    return yaml.safe_dump(json.loads(shop())).replace(old, new, 1)


TEA = "POST /tea.input_schema.properties.n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (shop('{"enum": [1e400]}'), f"{TEA}.enum[0]: {NO_NUMBER}"),
        (shop('{"default": {"a": NaN}}'), f"{TEA}.default.a: {NO_NUMBER}"),
        (shop('{"enum": [1e20]}'), f"{TEA}.enum[0]: {DIGITS}"),
        (shop('{"const": {"a": 1%s}}' % ("0" * 400)), f"{TEA}.const.a: {DIGITS}"),
        (shop('{"enum": [1%s]}' % ("0" * 9000)), "A number of the document has too many digits."),
        (shop(r'{"description": "\u0000"}'), NUL),
        (shop(name=r"\ud800"), HALF),
        (shop(r'{"enum": ["\ud800"]}'), HALF),
        (shop(f'{{"default": {deep(300)}}}'), DEEP),
        (shop(f'{{"default": {deep(100_000)}}}'), DEEP),
        (yaml.safe_dump(json.loads(shop('{"enum": ["DAY"]}'))).replace("DAY", "2026-11-28"), f"{TEA}.enum[0]: only texts"),
        (yaml_shop("3.1.0", f"0x{'f' * 9000}"), "A number of the document has too many digits."),
        (yaml_shop("operationId: tea", f"operationId: 0x{'f' * 9000}"), "A number of the document has too many digits."),
        (yaml_shop("in: query", f"in: 0x{'f' * 9000}"), "A number of the document has too many digits."),
        (yaml_shop("name: n", f"? 0x{'f' * 9000}\n        : n\n        name: n"), "A number of the document has too many digits."),
    ],
)
def test_an_openapi_document_says_where_its_value_is(alice: Client, seeded_cast: Cast, text: str, problem: str) -> None:
    for body in ({"document": text}, {"document": text, "import": "1", "operation": "POST /tea"}):
        response = alice.post(OPENAPI, body)
        assert response.status_code == 200
        assert problem in unescape(response.content.decode())
    assert sources(seeded_cast) == 0


@pytest.mark.parametrize(
    "text",
    [
        shop('{"maximum": 1e400, "minimum": -1e300}'),
        shop(parameter='{"name": ["n"], "in": {"query": 1}, "required": 7}'),
        shop(body='{"required": true, "content": {"application/json": {"schema": {"properties": {"a": {}}, "required": true}}}}'),
    ],
)
def test_oddities_of_a_document_that_limit_nothing_are_left_out(alice: Client, seeded_cast: Cast, text: str) -> None:
    body = {"document": text, "import": "1", "operation": "POST /tea", "secret_header": ""}
    assert alice.post(OPENAPI, body).status_code == 302
    assert sources(seeded_cast) == 1


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"enum": [1e20]}, f"tea, input schema.properties.n.enum[0]: {DIGITS}"),
        ({"enum": [10**400]}, f"tea, input schema.properties.n.enum[0]: {DIGITS}"),
        ({"default": json.loads(deep(120))}, DEEP),
    ],
)
def test_a_tool_of_an_mcp_server_that_cannot_be_kept_is_named_and_takes_no_other_away(
    alice: Client, seeded_cast: Cast, github: ServedMcp, schema: dict[str, Any], problem: str
) -> None:
    source_page = save(
        alice, f"{ACME}admin_config/toolsource/add/?kind=mcp", name="tea", url=github.url, auth="bearer", new_secret=MCP_TOKEN
    )
    server = github_server(read_only=False)
    server.add_tool(lambda: "Tea", name="tea")
    server.add_tool(lambda: "Milk", name="milk")
    server._tool_manager._tools["tea"].parameters = {"type": "object", "properties": {"n": schema}}
    github.server = server
    response = alice.post(str(source_page.url), {"action": "discover"}, follow=True)
    assert (response.status_code, problem in unescape(response.content.decode())) == (200, True)
    tool_names = {tool["name"] for tool in pins(seeded_cast)["found"]}
    assert "milk" in tool_names
    assert "tea" not in tool_names


def pins(cast: Cast) -> dict[str, Any]:
    with tenant_tx(cast.acme.pk):
        tool_pins: dict[str, Any] = ToolSource.objects.get(kind="mcp").pins
        return tool_pins


UNKEEPABLE = ["1e400", "NaN", "1" + "0" * 400, "1" + "0" * 9000, '"\\u0000"', '"\\ud800"', deep(200), deep(100_000)]


def test_a_form_says_at_which_field_its_json_is(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        agent = AgentConfig.objects.get(key="chat_model_agent_google")
    of_agent = [{"provider_options": f'{{"x": {text}}}'} for text in UNKEEPABLE]
    new = {"name": "tea", "url": "https://tea.example/", "description": "Tea"}
    of_tool = [{**new, "input_schema": f'{{"type": "object", "properties": {{"n": {{"default": {text}}}}}}}'} for text in UNKEEPABLE]
    for page, field, tries in (
        (f"{ACME}admin_config/agentconfig/{agent.pk}/change/", "provider_options", of_agent),
        (f"{ACME}admin_config/toolsource/add/?kind=http", "input_schema", of_tool),
    ):
        responses = send_each(alice, page, tries)
        assert [(answer.status_code, [*answer.context["adminform"].form.errors]) for answer in responses] == [(200, [field])] * len(tries)
    assert sources(seeded_cast) == 0
