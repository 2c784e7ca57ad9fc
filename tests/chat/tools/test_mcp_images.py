"""Images in the results of an MCP server's tools: shown to the user, and given to models that read images."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest
from asgiref.sync import sync_to_async
from mcp.server.mcpserver import MCPServer
from mcp_types import BlobResourceContents, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, TextContent

from admin_config.models import AgentConfig, AgentTool, ModelConfig, ToolSource
from admin_config.services.configuration import tool_source_secret_set
from admin_config.services.tool_review import ACCEPTED_KEY
from agents.tools.mcp.definitions import PinnedTool, definitions_dump
from chat.models import Part
from doubles.github.server import READ
from doubles.script import Call, Text
from doubles.signals import Gate
from files.models import File
from tenants.context import tenant_tx
from tests.agents.providers.matrix.modes import ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, Double, ProviderMode
from tests.chat.providers.test_provider_parts import parts_after_takeover, stored_parts
from tests.chat.runs.logged_calls import checked_calls
from tests.support.accounts.cast import Cast
from tests.support.agents.mcp import MCP_TOKEN, ServedMcp, mcp_double
from tests.support.chat.chat_socket import Browser, ChatSocket, Chunk, chat_socket, text_of
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace
from tests.support.files.documents import PICTURE
from tests.support.files.downloads import pieces_of
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def image(content: bytes = PICTURE) -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(content).decode(), mime_type="image/png")


def camera() -> MCPServer:
    server: MCPServer = MCPServer("camera")
    blob = BlobResourceContents(uri="camera://1", mime_type="image/png", blob=image().data)
    rolls: dict[str, list[ContentBlock]] = {
        "one": [TextContent(type="text", text="A cup."), image()],
        "resource": [EmbeddedResource(type="resource", resource=blob)],
        "broken": [image(b"no image at all")],
        "six": [image(PICTURE + bytes([number])) for number in range(6)],
    }

    def photograph(roll: str) -> CallToolResult:
        """Take a picture."""
        return CallToolResult(content=rolls[roll])

    server.add_tool(photograph, annotations=READ, structured_output=False)
    return server


def furnish(workspace: Workspace, provider: str, server: ServedMcp, *, reads_images: bool, user: str = "") -> None:
    """Give the camera to the chat agent, or to a new sub-agent named `user`."""
    if user:
        workspace.add_agent(user, used_by=f"chat_model_agent_{provider}", provider=provider)
    [tool] = server.server._tool_manager.list_tools()
    pin = PinnedTool(name=tool.name, description=tool.description, input_schema=tool.parameters, read_only=True)
    with tenant_tx(workspace.organization.pk):
        source = ToolSource.objects.create(
            name="camera",
            kind="mcp",
            open_hosts=urlsplit(server.url).netloc,  # so that a second call does not ask
            settings={"url": server.url, "auth": "bearer"},
            pins={ACCEPTED_KEY: definitions_dump({tool.name: pin})},
        )
        tool_source_secret_set(source=source, value=MCP_TOKEN)
        AgentTool.objects.create(agent=AgentConfig.objects.get(key=f"{user or 'chat_model_agent'}_{provider}"), source=source)
        ModelConfig.objects.filter(provider=provider).update(supports_images=reads_images)
    workspace.publish()


class Studio:
    """An organization of one provider whose chat agent has a camera."""

    def __init__(self, mode: ProviderMode, double: Any, cast: Cast, alice: Browser, server: ServedMcp) -> None:
        self.mode, self.double, self.alice, self.server = mode, double, alice, server
        self.workspace = make_workspace(cast.acme, double, mode.name, own_model=mode.model if mode is COMPATIBLE else "")

    async def take(self, chat_id: str, roll: str, *, reads_images: bool = True) -> list[Chunk]:
        await sync_to_async(furnish)(self.workspace, self.mode.name, self.server, reads_images=reads_images)
        self.double.answer(Call("photograph", {"roll": roll}))
        self.double.answer(Text("I see."))
        async with chat_socket(self.alice, "acme") as socket:
            return await socket.answer(chat_id, "Look.")


@pytest.fixture
def studio(request: pytest.FixtureRequest, cast: Cast, alice: Browser) -> Iterator[Studio]:
    mode: ProviderMode = getattr(request, "param", GOOGLE)
    with ExitStack() as serving:
        double: Double = serving.enter_context(mode.serve())
        server = serving.enter_context(mcp_double(camera()))
        serving.enter_context(allow_egress(double.base_url, server.url))
        yield Studio(mode, double, cast, alice, server)


def outputs(chunks: list[Chunk]) -> list[Any]:
    return [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]


@pytest.mark.parametrize("studio", [GOOGLE, OPENAI, ANTHROPIC, COMPATIBLE], indirect=True, ids=str)
async def test_an_image_is_shown_stored_and_read_by_the_model_over_every_wire(studio: Studio, chat_id: str) -> None:
    chunks = await studio.take(chat_id, "one")
    assert text_of(chunks) == "I see."
    assert outputs(chunks) == ["A cup.\n\n[image image.png: the user sees it. If you can read images, it follows the results.]"]
    [file] = await studio.workspace.rows(File)
    [file_part] = [part for part in shown_parts(chunks) if part["type"] == "file"]
    assert (file_part["url"], file_part["providerMetadata"]["parley"]["filename"]) == (f"parley-file:{file.pk}", "image.png")
    assert shown_parts(chunks) == await stored_parts(studio.alice, chat_id)
    item = await studio.alice.get(f"/o/acme/api/files/{file.pk}/")
    assert b"".join(await pieces_of(await studio.alice.call("get", item["url"]))) == PICTURE
    requests = [request for request in studio.double.requests if b"A cup." in request.raw]
    assert base64.b64encode(PICTURE) in requests[0].raw
    assert [request.refusal for request in studio.double.requests if request.refusal] == []
    await checked_calls(studio.workspace)


async def test_a_model_that_reads_no_images_gets_a_note_and_the_user_sees_them_all_the_same(studio: Studio, chat_id: str) -> None:
    chunks = await studio.take(chat_id, "resource", reads_images=False)
    assert [part["type"] for part in shown_parts(chunks) if part["type"] == "file"] == ["file"]
    raw = studio.double.requests[1].raw
    assert b"image.png" in raw
    assert b"Its content is not part of this text." in raw
    assert image().data.encode() not in raw


async def test_the_image_stays_in_the_conversation_of_the_next_answer(studio: Studio, chat_id: str) -> None:
    await studio.take(chat_id, "one")
    studio.double.answer(Text("A cup."))
    async with chat_socket(studio.alice, "acme") as socket:
        await socket.answer(chat_id, "What was it?")
    first, second = (request.body["contents"] for request in studio.double.requests[1:3])
    assert second[: len(first)] == first
    await checked_calls(studio.workspace)


async def test_another_process_goes_on_with_the_image_and_takes_no_second_one(studio: Studio, chat_id: str) -> None:
    await sync_to_async(furnish)(studio.workspace, "google", studio.server, reads_images=True)
    studio.double.answer(Call("photograph", {"roll": "one"}))
    studio.double.answer(Text("I "), Gate("never"))
    studio.double.answer(Text("I see."))

    async def begin(socket: ChatSocket, chat_id: str) -> tuple[str, list[Chunk]]:
        request = await socket.send(chat_id, "Look.")
        return request, await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")

    parts = await parts_after_takeover(studio.workspace, studio.alice, chat_id, begin)
    assert [part["type"] for part in parts] == ["step-start", "dynamic-tool", "file", "step-start", "text"]
    assert studio.server.calls() == ["photograph"]
    first, second = (request.body["contents"] for request in studio.double.requests[1:3])
    assert second == first


async def test_an_image_in_a_sub_agents_work_is_shown_in_its_call(studio: Studio, chat_id: str) -> None:
    await sync_to_async(furnish)(studio.workspace, "google", studio.server, reads_images=True, user="helper")
    studio.double.answer(Call("helper", {"task": "Look."}))
    studio.double.answer(Call("photograph", {"roll": "one"}))
    studio.double.answer(Text("A cup."))
    studio.double.answer(Text("It is a cup."))
    async with chat_socket(studio.alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Look.")
    assert text_of(chunks) == "It is a cup."
    [file] = await studio.workspace.rows(File)
    step_parts = [chunk["data"]["part"] for chunk in chunks if chunk["type"] == "data-agent-step" and chunk["data"].get("part")]
    assert [part["url"] for part in step_parts if part["type"] == "file"] == [f"parley-file:{file.pk}"]
    assert str(file.conversation_id) == chat_id
    assert image().data.encode() in studio.double.requests[2].raw
    assert outputs(chunks)[-1]["shown_to_user"] == ["image.png"]
    assert shown_parts(chunks) == await stored_parts(studio.alice, chat_id)


async def test_images_are_limited_and_what_is_none_is_told(studio: Studio, chat_id: str) -> None:
    [broken_output] = outputs(await studio.take(chat_id, "broken"))
    assert broken_output.startswith("[image, image/png, not shown: ")
    studio.double.answer(Call("photograph", {"roll": "six"}))
    studio.double.answer(Text("I see."))
    async with chat_socket(studio.alice, "acme") as socket:
        [six_output] = outputs(await socket.answer(chat_id, "Look again."))
    assert (six_output.count("the user sees it"), six_output.count("not shown: One result can have at most 4 images.")) == (4, 2)
    kinds = [part.kind for part in await studio.workspace.rows(Part)]
    assert kinds.count("file") == 4
