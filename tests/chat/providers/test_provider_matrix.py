"""Every agent and every kind of tool once for each provider's wire, from a message on the socket to what came of it (SPEC 4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from pytest_django import Settings

from admin_config.models import AgentConfig, AgentTool, AppSettings, ToolSource
from doubles.mcp import github_server
from doubles.script import Call, CitedText, Item, ProviderTool, Text
from files.knowledge.models import KnowledgeFile
from tenants.context import tenant_tx
from tests.agents.providers.matrix.modes import ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, Double, ProviderMode
from tests.chat.tools.test_sub_agents import nested_approval
from tests.chat.waits.approval_calls import decide, rest
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import serve
from tests.support.agents.mcp import MCP_TOKEN, ServedMcp, mcp_double
from tests.support.agents.search_engines import KEY, PAGE as FOUND, SearchEngines
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket, text_of
from tests.support.chat.tools import give_tool
from tests.support.chat.workspace import allow_egress, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

PAGE = ("https://tea.example/", "Tea")
TEXT = "Brew green tea at 80 degrees."
HTML = f"<!doctype html><title>Tea</title><main><h1>Tea</h1><p>{TEXT} {'Wait. ' * 60}</p></main>"


class Scene(NamedTuple):
    """`answers`: what the models say in turn, the chat agent first; `tool_output`: what the chat agent reads of its call."""

    name: str
    tool_output: str
    answers: Sequence[Sequence[Item]]


def artifact_scene(agent: str, content: str) -> Scene:
    order = Call(agent, {"operation": "create", "title": "Tea", "instruction": "Write it."})
    return Scene(agent, '"version": 1', [[order], [Text(content)]])


def scenes(web: SearchEngines, *, searches: bool) -> list[Scene]:
    steps = [{"text": "Boil water", "state": "running"}]
    search_items: list[Item] = [ProviderTool("web_search", {"query": "tea"}, pages=[PAGE]), CitedText("Tea is green.", pages=[PAGE])]
    provider_tools = Scene("provider_tools", "Tea is green.", [[Call("provider_tools_agent", {"task": "What is tea?"})], search_items])
    github: list[list[Item]] = [
        [Call("git_mcp_agent", {"task": "Which?"})],
        [Call("list_issues", {"owner": "demo", "repo": "tea"})],
        [Text("Three issues.")],
    ]
    return [
        *([provider_tools] if searches else []),
        Scene("github", "Three issues.", github),
        artifact_scene("document_agent", "# Tea\n\nIt is green."),
        artifact_scene("python_agent", "print('tea')"),
        artifact_scene("mermaid_agent", "flowchart TD\n  A --> B\n"),
        Scene("http", '"pounds": 12', [[Call("stock", {})]]),
        Scene("files", TEXT, [[Call("read_file", {"path": "guides/tea.md"})]]),
        Scene("search", str(FOUND["title"]), [[Call("search", {"query": "tea"})]]),
        Scene("fetch_url", TEXT, [[Call("fetch_url", {"url": f"{web.url}/tea"})]]),
        Scene("plan", "", [[Call("plan", {"title": "Tea", "steps": steps})]]),
    ]


class Stage:
    """An organization of one provider, which has everything, and a member who asks."""

    def __init__(self, mode: ProviderMode, double: Any, cast: Cast, alice: Browser, web: SearchEngines, github: ServedMcp) -> None:
        self.mode, self.double, self.alice = mode, double, alice
        self.organization, self.scenes = cast.acme, scenes(web, searches=mode.searches)
        self.workspace = make_workspace(cast.acme, double, mode.name, own_model=mode.model if mode is COMPATIBLE else "")
        self._furnish(web, github)

    def _furnish(self, web: SearchEngines, github: ServedMcp) -> None:
        chat, helper = (f"{kind}_{self.mode.name}" for kind in ("chat_model_agent", "helper"))
        with tenant_tx(self.organization.pk):
            AppSettings.objects.update(own_keys_allowed=True)
            ToolSource.objects.filter(kind="github").update(settings={"url": github.url})
            stock = ToolSource.objects.create(name="stock", kind="http", settings={"description": "Stock", "url": f"{web.url}/stock"})
            AgentTool.objects.create(agent=AgentConfig.objects.get(key=chat), source=stock)
        for kind in ("plan", "fetch_url"):
            give_tool(self.workspace, kind, agent=chat)
        give_tool(self.workspace, "search", secret=KEY, url=web.url, backend="tavily", base_url=web.url, agent=chat)
        folder = give_tool(self.workspace, "files", agent=chat)
        with tenant_tx(self.organization.pk):
            KnowledgeFile.objects.create(
                source=ToolSource.objects.get(pk=folder),
                path="guides/tea.md",
                media_type="text/markdown",
                kind="text",
                size_bytes=len(TEXT),
                text=TEXT,
                state="ready",
            )
        self.workspace.add_agent("helper", used_by=chat, provider=self.mode.name)
        self.workspace.add_agent("inner", used_by=helper, provider=self.mode.name, ask_first=True)

    async def play(self, answers: Sequence[Sequence[Item]], chat_id: str) -> list[Chunk]:
        for items in answers:
            self.double.answer(*items)
        async with chat_socket(self.alice, "acme") as socket:
            return await socket.answer(chat_id, "Please.")


@pytest.fixture(params=[GOOGLE, OPENAI, ANTHROPIC, COMPATIBLE], ids=str)
def stage(request: pytest.FixtureRequest, cast: Cast, alice: Browser, settings: Settings) -> Iterator[Stage]:
    mode: ProviderMode = request.param
    web = SearchEngines()
    with ExitStack() as serving:
        double: Double = serving.enter_context(mode.serve())
        github = serving.enter_context(mcp_double(github_server()))
        web.url = serving.enter_context(serve(web))
        url = urlsplit(web.url)
        settings.FETCH_ALLOW = frozenset({(url.hostname, url.port)})
        serving.enter_context(allow_egress(web.url, double.base_url, github.url))
        web.pages |= {"/tea": (200, "text/html", HTML.encode()), "/stock": (200, "application/json", b'{"pounds": 12}')}
        yield Stage(mode, double, cast, alice, web, github)


async def test_every_agent_and_tool_works_with_each_provider(stage: Stage) -> None:
    response = await stage.alice.call("PUT", "/o/acme/api/keys/", {"provider": "github", "key": MCP_TOKEN})
    assert response.status_code == 200
    for scene in stage.scenes:
        chunks = await stage.play([*scene.answers, [Text("Done.")]], str(uuid4()))
        outputs = [
            json.dumps(chunk.get("output", chunk), ensure_ascii=False) for chunk in chunks if chunk["type"].startswith("tool-output")
        ]
        assert [scene.tool_output in output for output in outputs] == [True], (scene.name, outputs, chunks[-1])
        assert (text_of(chunks), stage.double.queued_count) == ("Done.", 0), scene.name
    await allow_inside(stage, str(uuid4()))
    assert [request.refusal for request in stage.double.requests if request.refusal] == []
    tool_names = {name for request in stage.double.requests for name in request.tool_names}
    assert ("provider_tools_agent" in tool_names) is stage.mode.searches, "who can do nothing is not offered"


async def allow_inside(stage: Stage, chat_id: str) -> None:
    """A sub-agent's sub-agent asks first, is allowed, and all three end."""
    chunks = await stage.play([[Call("helper", {"task": "Help"})], [Call("inner", {"task": "Delete all"})]], chat_id)
    assert chunks[-1]["messageMetadata"]["waiting"] == "approval"
    for text in ("Deleted.", "Helped.", "Done."):
        stage.double.answer(Text(text))
    assert (await decide(stage.alice, chat_id, nested_approval(chunks), approved=True)).status_code == 202
    assert text_of(await rest(stage.alice, chat_id)) == "Done."
