"""HTTP tools: what goes out, what comes back, and what never does (SPEC 3.17, 4.10; SECURITY 11, 14)."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from pydantic import ValidationError

from admin_config.models import AppSettings, ToolSource
from admin_config.release import ToolSourceSnapshot
from admin_config.services.configuration import tool_source_secret_set
from agents.engine.ports import Danger, ToolTraits
from agents.errors import ToolFailed
from agents.runtime.placeholders import Placeholders, RegisteredSecret
from agents.tools.base import with_source_options
from agents.tools.http.request import request_of
from agents.tools.http.settings import HttpSettings
from agents.tools.sources.http import HttpToolClient, http_traits
from security.egress import aclose_clients, origin_of
from security.models import AuditEvent
from security.secrets.secret_text import SecretText
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import allow_egress
from tests.support.stores.audit_log import counted_to_rows, events

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "q": {"type": "string"}, "n": {"type": "integer"}, "tags": {"type": "array"}},
}
SECRET = "s3cret-value-1234"


class Server(ThreadingHTTPServer):
    """Answers with `reply`, or with what it was sent; keeps the requests."""

    status = 200
    reply: bytes | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        echo = {"method": self.command, "path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}, "body": body}
        self.server.requests.append(echo)
        reply = json.dumps(echo).encode() if self.server.reply is None else self.server.reply
        self.send_response(self.server.status)
        self.send_header("location", "/elsewhere")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    do_POST = do_DELETE = do_GET  # noqa: N815 http.server's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    http_server = Server()
    threading.Thread(target=http_server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    with allow_egress(http_server.url):
        yield http_server
    http_server.shutdown()
    http_server.server_close()


def settings_of(server: Server, **changes: Any) -> HttpSettings:
    return HttpSettings.model_validate({"description": "Echo", "input_schema": SCHEMA, "url": f"{server.url}/a/{{id}}", **changes})


async def answer(settings: HttpSettings, *secrets: RegisteredSecret, **arguments: Any) -> Any:
    caller = HttpToolClient("echo", settings, None, UUID(int=0), Placeholders(secrets))
    try:
        return await caller.answer(request_of(settings, arguments))
    finally:
        await aclose_clients()


async def test_arguments_fill_address_query_and_body_and_mean_nothing_there(server: Server) -> None:
    settings = settings_of(
        server, method="POST", query={"q": "{q}", "tag": "{tags}"}, body={"n": "{n}", "say": "It is {q}.", "x": ["{id}"]}
    )
    echo = await answer(settings, id="../b?c#d", q="a&b=c", n=3, tags=["x", "y"])
    assert (echo["method"], echo["path"]) == ("POST", "/a/..%2Fb%3Fc%23d?q=a%26b%3Dc&tag=x&tag=y")
    assert json.loads(echo["body"]) == {"n": 3, "say": "It is a&b=c.", "x": ["../b?c#d"]}
    assert echo["headers"]["content-type"] == "application/json"
    assert json.loads((await answer(settings, id="1", q="q", n=10**30, tags=[]))["body"])["n"] == 10**30


async def test_what_was_not_given_is_left_out_and_what_is_needed_is_named(server: Server) -> None:
    settings = settings_of(server, method="POST", query={"q": "{q}"}, body={"n": "{n}"})
    echo = await answer(settings, id="1")
    assert (echo["path"], echo["body"]) == ("/a/1", "{}")
    for arguments, problem in (({}, "The argument id is needed"), ({"id": ".."}, "can't be")):
        with pytest.raises(ToolFailed, match=problem):
            await answer(settings, **arguments)


@pytest.mark.parametrize(
    ("path", "fields", "expected"),
    [
        ("", (), {"data": {"items": [{"name": "a", "id": 1}, {"name": "b", "id": 2}]}}),
        ("data.items[].name", (), ["a", "b"]),
        ("data.items[1]", ("id",), {"id": 2}),
        ("data.items", ("name", "gone"), [{"name": "a"}, {"name": "b"}]),
    ],
)
async def test_the_part_of_the_answer_that_was_asked_for(server: Server, path: str, fields: tuple[str, ...], expected: Any) -> None:
    server.reply = json.dumps({"data": {"items": [{"name": "a", "id": 1}, {"name": "b", "id": 2}]}}).encode()
    assert await answer(settings_of(server, result_path=path, result_fields=fields), id="1") == expected


@pytest.mark.parametrize(
    ("status", "reply", "changes", "problem"),
    [
        (404, b'{"error": "no such order"}', {}, 'answered 404: {"error": "no such order"}'),
        (302, b"", {}, "sends callers to another address"),
        (200, b"{}", {"result_path": "data"}, "has no data"),
        (200, b"<html>", {"result_path": "data"}, "is no JSON"),
        (200, b"x" * 1_100_000, {}, "larger than allowed"),
    ],
)
async def test_failures_are_told_in_words(server: Server, status: int, reply: bytes, changes: dict[str, Any], problem: str) -> None:
    server.status, server.reply = status, reply
    with pytest.raises(ToolFailed) as failure:
        await answer(settings_of(server, **changes), id="1")
    assert problem in str(failure.value)


async def test_a_long_answer_is_cut_and_a_server_that_is_gone_is_said_so(server: Server) -> None:
    server.reply = b"x" * 5000
    output = await answer(settings_of(server, result_limit=1000), id="1")
    assert output.startswith("x" * 1000)
    assert "[cut: 5,000 characters" in output
    with allow_egress("http://127.0.0.1:9"), pytest.raises(ToolFailed, match="could not be reached"):
        await answer(HttpSettings.model_validate({"description": "x", "url": "http://127.0.0.1:9/"}))


async def test_a_registered_secret_goes_to_its_own_tool_and_host_only_and_comes_back_masked(server: Server) -> None:
    settings = settings_of(server, method="POST", headers={"X-Key": "{{secret:own}} {{secret:other}}"}, body={"say": "{q}"})
    own = RegisteredSecret("own", SecretText(SECRET), "echo", origin_of(server.url))
    other = RegisteredSecret("other", SecretText("another-tools-secret"), "search", origin_of(server.url))
    echo = await answer(settings, own, other, id="{{secret:own}}", q="{{secret:own}}")
    [http_request] = server.requests
    assert http_request["headers"]["x-key"] == f"{SECRET} {{{{secret:other}}}}"
    assert json.loads(http_request["body"]) == {"say": SECRET}
    assert "secret" in http_request["path"], "an address never carries one"
    assert SECRET not in json.dumps(echo), "the server sent it back"


@pytest.mark.parametrize("status", [200, 500])
async def test_a_secret_that_comes_back_in_escapes_is_masked(server: Server, status: int) -> None:
    server.status, server.reply = status, rb'{"a": ["x ab\/cd\u002bef"], "ab\/cd+\u0065f": 1}'
    own = RegisteredSecret("own", SecretText("ab/cd+ef"), "echo", origin_of(server.url))
    try:
        output = json.dumps(await answer(settings_of(server), own, id="1"))
    except ToolFailed as failure:
        output = str(failure)
    assert output.count("{{secret:own}}") == 2
    assert "cd" not in output


@pytest.mark.parametrize("encoded_secret", [base64.b64encode(b"k=ab/cd+ef!"), b"ab/cd+ef".hex().encode(), b"ab%2Fcd%2bef", b"fe+dc/ba"])
async def test_a_secret_that_comes_back_encoded_is_masked(server: Server, encoded_secret: bytes) -> None:
    server.reply = b'{"a": "<' + encoded_secret + b'>"}'
    own = RegisteredSecret("own", SecretText("ab/cd+ef"), "echo", origin_of(server.url))
    assert "{{secret:own}}" in (await answer(settings_of(server), own, id="1"))["a"]


def test_a_source_raises_a_tools_danger_and_never_lowers_it() -> None:
    source = ToolSourceSnapshot(id=uuid4(), name="tea", kind="mcp", danger="moderate")
    levels = [with_source_options(source, ToolTraits(danger=level), name=source.name).danger.value for level in Danger]
    assert levels == ["moderate", "moderate", "dangerous"]


def test_addresses_inside_and_dangers() -> None:
    with pytest.raises(ValidationError, match="not a public address"):
        HttpSettings.model_validate({"description": "x", "url": "https://127.0.0.1/"})
    reading, writing = (
        http_traits(HttpSettings.model_validate({"description": "x", "url": "https://a.example/", "method": m})) for m in ("GET", "POST")
    )
    assert (reading.repeatable, reading.danger.value, reading.sends, reading.reads) == (
        True,
        "safe",
        True,
        frozenset({"private", "untrusted"}),
    )
    assert (writing.repeatable, writing.danger.value) == (False, "moderate")


@pytest.mark.django_db(transaction=True)
def test_an_admin_sees_the_request_then_sends_it_and_never_the_secret(cast: Cast, server: Server) -> None:
    settings = {"description": "Echo", "input_schema": SCHEMA, "url": f"{server.url}/a/{{id}}", "secret_header": "X-Key"}
    with tenant_tx(cast.acme.id):
        source = ToolSource.objects.create(name="echo", kind="http", settings=settings)
        plan = ToolSource.objects.create(name="plan", kind="plan")
    url = f"/o/acme/api/tool-sources/{source.id}/try/"

    def tried(user: Any, url: str = url, **body: Any) -> Any:
        client = Client()
        client.force_login(user)
        return client.post(url, body, content_type="application/json")

    preview = tried(cast.alice, arguments={"id": "7"}).json()
    assert (preview["request"].splitlines()[0], preview["result"]) == (f"GET {server.url}/a/7", None)
    assert "has to enter it again" in tried(cast.alice, arguments={"id": "7"}, send=True).json()["error"]
    with tenant_tx(cast.acme.id):
        tool_source_secret_set(source=source, value=SECRET)
    response = tried(cast.alice, arguments={"id": "7"}, send=True)
    assert response.json()["result"]["path"] == "/a/7"
    assert response.json()["result"]["headers"]["x-key"] == "[removed]", "it was sent, and is not shown"
    assert SECRET not in response.content.decode()
    with tenant_tx(cast.acme.id):  # what was only shown did not leave
        assert [event.object_label for event in AuditEvent.objects.filter(action="tool_source.try")] == ["echo"] * 2
    assert tried(cast.alice, arguments={"id": {"a": 1}, "n": "many"}).status_code == 400
    assert tried(cast.alice, f"/o/acme/api/tool-sources/{plan.id}/try/").status_code == 400
    assert tried(cast.alice, f"/o/acme/api/tool-sources/{uuid4()}/try/").status_code == 404
    assert tried(cast.bob, arguments={"id": "7"}).status_code == 403
    assert tried(cast.charlie, arguments={"id": "7"}).status_code == 404
    assert tried(cast.charlie, url.replace("acme", "other"), arguments={"id": "7"}).status_code == 404
    async_to_sync(aclose_clients)()


def test_a_trial_calls_no_host_that_the_organization_never_calls(cast: Cast, server: Server) -> None:
    settings = {"description": "Echo", "input_schema": SCHEMA, "url": f"{server.url}/a/{{id}}"}
    outcomes = {}
    for user, organization, hosts in ((cast.alice, cast.acme, "127.0.0.1"), (cast.charlie, cast.other, "elsewhere.example")):
        with tenant_tx(organization.id):
            AppSettings.objects.update_or_create(defaults={"never_hosts": hosts})
            source = ToolSource.objects.create(name="echo", kind="http", settings=settings)
        client = Client()
        client.force_login(user)
        url = f"/o/{organization.slug}/api/tool-sources/{source.id}/try/"
        outcomes[organization.slug] = client.post(url, {"arguments": {"id": "7"}, "send": True}, content_type="application/json").json()
    host = server.url.removeprefix("http://")
    assert outcomes["acme"]["result"] is None
    assert outcomes["acme"]["error"].startswith(f"Not sent: {host} is one of the hosts that are never called")
    assert outcomes["other"]["result"]["path"] == "/a/7", "the second organization has hosts of its own"
    counted_to_rows()
    assert [event.object_id for event in events(cast.acme, "egress.refuse")] == [host]
    async_to_sync(aclose_clients)()
