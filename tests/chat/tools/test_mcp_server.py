"""The MCP server as the official SDK's client uses it: agents as tools, documents as resources, saved prompts as prompts (SPEC 5.5)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from chat.api.sends import run_start
from chat.mcp_server import tools
from chat.models import Conversation, Run
from chat.openai_api import agent_completion
from config.web.handler import Handler
from doubles.script import Call, Text
from doubles.signals import Gate
from gallery.saved_prompts import NewSavedPrompt, prompt_create
from security.api_tokens import api_token_revoke
from tenants.access import Actor
from tenants.db import in_db
from tests.chat.api.test_token_streams import bob, charlie, token_of, vera
from tests.chat.openai_api.openai_requests import other
from tests.chat.tools.test_artifact_agents import is_artifact_agent
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])
__all__ = ["bob", "charlie", "other", "vera"]

ALL = ("chat", "read")
DOCUMENT = {"operation": "create", "title": "Tea", "instruction": "About tea"}


@asynccontextmanager
async def connected(actor: Actor, *, scopes: tuple[str, ...] = ALL, path: str = "/mcp", mode: Any = "auto") -> AsyncIterator[Client]:
    _, headers = await token_of(actor, *scopes)
    app: Any = Handler()
    transport = httpx2.ASGITransport(app=app)
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(streamable_http_client(f"http://testserver{path}", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("path", ["/mcp", "/o/acme/mcp"])
async def test_an_agent_answers_writes_a_document_and_goes_on(mode: str, path: str, acme: Workspace, bob: Actor) -> None:
    acme.double.answer(Call("document_agent", DOCUMENT), when=lambda request: bool(request.tool_names))
    acme.double.answer(Text("# Tea"), when=is_artifact_agent)
    acme.double.answer(Text("It is written."))
    async with connected(bob, mode=mode, path=path) as client:
        first = await client.call_tool("ask", {"message": "Write about tea"})
        acme.double.answer(Text("Yes."))
        second = await client.call_tool("ask", {"message": "Sure?", "conversation": first.structured_content["conversation"]})
        listing = await client.list_resources()
        latest = await client.read_resource(first.structured_content["artifacts"][0]["uri"])
        version = await client.read_resource(f"{listing.resources[0].uri}/versions/1")
        templates = await client.list_resource_templates()

    assert first.content == [TextContent(type="text", text="It is written.")]
    assert first.structured_content["artifacts"] == [{"uri": listing.resources[0].uri, "title": "Tea", "kind": "text", "version": 1}]
    assert second.structured_content["answer"] == "Yes."
    assert (listing.resources[0].title, listing.resources[0].mime_type) == ("Tea", "text/markdown")
    assert [one.contents[0].model_dump()["text"] for one in (latest, version)] == ["# Tea", "# Tea"]
    assert templates.resource_templates[0].uri_template == "parley://artifact/{id}/versions/{number}"
    assert len(await acme.rows(Conversation)) == 1


async def test_assistants_are_tools_of_those_who_may_choose_them(acme: Workspace, bob: Actor) -> None:
    key = await sync_to_async(acme.add_assistant)("Gardener", prompt="You garden.")
    auditor = await sync_to_async(acme.add_assistant)("Auditor", audience="chosen", roles=["owner"])
    acme.double.answer(Text("Water it."))
    async with connected(bob) as client:
        visible_tools = (await client.list_tools()).tools
        answer = await client.call_tool(f"ask_{key}", {"message": "My fern?"})
        refusal = await client.call_tool(f"ask_{auditor}", {"message": "Well?"})
        model = await client.call_tool("ask_chat_model_agent", {"message": "Well?"})

    assert [(tool.name, tool.title) for tool in visible_tools] == [("ask", "Parley"), (f"ask_{key}", "Gardener")]
    assert visible_tools[1].description == "Gardener helps."
    assert answer.structured_content["answer"] == "Water it."
    assert (refusal.is_error, text_in(refusal)) == (True, f"There is no tool ask_{auditor}.")
    assert text_in(model) == "There is no tool ask_chat_model_agent.", "models are none"
    [run] = await acme.rows(Run)
    assert run.assistant == key


async def test_saved_prompts_are_filled(acme: Workspace, bob: Actor) -> None:
    new = NewSavedPrompt(title="Reply", text="Write to {{name}}.")
    prompt = await in_db(prompt_create, actor=bob, new=new, organization_id=bob.organization_id)
    async with connected(bob) as client:
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        filled_prompt = await client.get_prompt(str(prompt.id), {"name": "Ann"})
        with pytest.raises(MCPError, match="has no placeholder"):
            await client.get_prompt(str(prompt.id), {"age": "7"})

    assert [one.name for one in prompts[str(prompt.id)].arguments or []] == ["name"]
    assert filled_prompt.messages[0].content == TextContent(type="text", text="Write to Ann.")


async def test_another_organization_and_another_member_get_nothing(acme: Workspace, other: Workspace, bob: Actor, charlie: Actor) -> None:
    """Nor does a token that lacks the scope, or that is sent to another organization's address."""
    acme.double.answer(Call("document_agent", DOCUMENT), when=lambda request: bool(request.tool_names))
    acme.double.answer(Text("# Tea"), when=is_artifact_agent)
    acme.double.default(Text("Done."))
    async with connected(bob) as client:
        result = (await client.call_tool("ask", {"message": "Write"})).structured_content
    async with connected(charlie) as client:
        assert (await client.list_resources()).resources == []
        foreign = await client.call_tool("ask", {"message": "And?", "conversation": result["conversation"]})
        missing = await client.call_tool("ask", {"message": "And?", "conversation": "none"})
        for uri in (result["artifacts"][0]["uri"], f"{result['artifacts'][0]['uri']}/versions/1"):
            with pytest.raises(MCPError, match="does not exist"):
                await client.read_resource(uri)
    async with connected(bob, scopes=("chat",)) as client:
        with pytest.raises(MCPError, match='lacks the scope "read"'):
            await client.list_resources()
    _, headers = await token_of(charlie, *ALL)
    elsewhere = await AsyncClient().post("/o/acme/mcp", {}, content_type="application/json", headers=headers)

    assert foreign.is_error
    assert foreign.content == missing.content
    assert elsewhere.status_code == 404
    assert await other.rows(Run) == []


async def test_what_is_wrong_is_said(acme: Workspace, bob: Actor, vera: Actor) -> None:
    response = await AsyncClient().post("/mcp", {}, content_type="application/json")
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert (await AsyncClient().get("/mcp")).status_code == 405
    async with connected(bob) as client:
        empty = await client.call_tool("ask", {"message": " "})
        with pytest.raises(MCPError, match="There is no tool nothing"):
            await client.call_tool("nothing", {})
        for uri in ("parley://artifact/x", f"parley://artifact/{'-' * 36}"):
            with pytest.raises(MCPError, match="does not exist"):
                await client.read_resource(uri)
    async with connected(vera) as client:
        viewer = await client.call_tool("ask", {"message": "Hi"})

    assert (empty.is_error, text_in(empty)) == (True, "message: String should have at least 1 character.")
    assert (viewer.is_error, text_in(viewer)) == (
        True,
        "Your role here is read only. Ask an admin of this organization for the role of a member.",
    )
    assert await acme.rows(Run) == []


async def test_a_client_hears_of_progress_and_a_revoked_token_ends_the_answer(
    acme: Workspace, bob: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "PROGRESS_S", 0.01)
    gate, endless = Gate(), Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    row, headers = await token_of(bob, *ALL)

    events = await call_events(headers, "Count")
    progress = await anext(events)
    gate.release()
    *_, last = [event async for event in events]
    assert (progress["method"], progress["params"]["progressToken"]) == ("notifications/progress", 7)
    assert last["result"]["structuredContent"]["answer"] == "One two."

    acme.double.answer(Text("One "), endless, Text("two."))
    events = await call_events(headers, "Again")
    await anext(events)
    await in_db(api_token_revoke, actor=bob, token_id=row.pk, organization_id=bob.organization_id)
    with pytest.raises(asyncio.CancelledError):
        _ = [event async for event in events]
    await acme.wait_for_row(Run, lambda run: run.status == Run.Status.STOPPED)
    endless.release()


async def call_events(headers: dict[str, str], message: str) -> AsyncGenerator[dict[str, Any], None]:
    """The events of a tool's call, as a client reads them that wants to hear of progress."""
    params = {"name": "ask", "arguments": {"message": message}, "_meta": {"progressToken": 7}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    mcp_headers = {**headers, "accept": "application/json, text/event-stream"}
    response: Any = await AsyncClient().post("/mcp", body, content_type="application/json", headers=mcp_headers)

    async def events() -> AsyncGenerator[dict[str, Any], None]:
        async for block in response:
            for line in block.decode().splitlines():
                if line.startswith("data: {"):
                    yield json.loads(line.removeprefix("data: "))

    return events()


def text_in(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("wants_progress", [True, False])
async def test_a_client_that_leaves_stops_the_run(
    version: str, wants_progress: bool, acme: Workspace, bob: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its answer has begun or not."""
    monkeypatch.setattr(tools, "PROGRESS_S", 0.01)
    endless = Gate()
    acme.double.answer(Text("One "), endless, Text("two."))
    client = LeavingClient((await token_of(bob, *ALL))[1], version, wants_progress=wants_progress)
    answering = asyncio.create_task(Handler()(client.scope, client.receive, client.send))
    await endless.reached.wait_async()
    if wants_progress:
        await client.answer_started.wait()
    client.left.set()
    await answering
    await acme.wait_for_row(Run, lambda run: run.status == Run.Status.STOPPED)
    endless.release()

    assert not [task for task in asyncio.all_tasks() if "SdkExchange" in repr(task)]


class LeavingClient:
    """A client that calls a tool and leaves when `left` is set, as an ASGI server sees it. `answer_started`: something of the answer was sent."""

    def __init__(self, headers: dict[str, str], version: str, *, wants_progress: bool) -> None:
        self.answer_started, self.left = asyncio.Event(), asyncio.Event()
        meta = {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}
        params = {"name": "ask", "arguments": {"message": "Count"}, "_meta": {**meta, **({"progressToken": 7} if wants_progress else {})}}
        self._body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        mcp_headers = {"mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "ask"}
        http_headers = {"accept": "application/json, text/event-stream", "content-type": "application/json", "host": "testserver"}
        raw_headers = [(name.lower().encode(), value.encode()) for name, value in {**headers, **http_headers, **mcp_headers}.items()]
        self.scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": raw_headers}

    async def receive(self) -> dict[str, Any]:
        if self._body:
            body, self._body = self._body, b""
            return {"type": "http.request", "body": body}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message.get("body"):
            self.answer_started.set()


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_a_client_that_leaves_while_the_run_starts_stops_it(
    version: str, acme: Workspace, bob: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK cancels its tasks again and again until they end, which must not cancel what stops the run."""
    endless, started, left = Gate(), asyncio.Event(), asyncio.Event()

    async def run_start_slowly(*args: Any, **kwargs: Any) -> Any:
        run = await run_start(*args, **kwargs)
        started.set()
        await left.wait()
        for _ in range(100):  # turns of the loop, in each of which the SDK cancels
            await asyncio.sleep(0)
        return run

    monkeypatch.setattr(agent_completion, "run_start", run_start_slowly)
    acme.double.answer(Text("One "), endless, Text("two."))
    client = LeavingClient((await token_of(bob, *ALL))[1], version, wants_progress=False)
    answering = asyncio.create_task(Handler()(client.scope, client.receive, client.send))
    await started.wait()
    client.left.set()
    left.set()
    await answering
    await acme.wait_for_row(Run, lambda run: run.status == Run.Status.STOPPED)
    endless.release()
