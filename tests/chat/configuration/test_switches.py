"""What a member switches for a message: it takes tools away, never gives more than the release, and stays with its answer."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from admin_config.models import AgentConfig, AgentTool, ToolSource
from chat.models import Run
from doubles.script import Text
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, save
from tests.chat.api.test_page import boot_of
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.tools import CHAT_AGENT, give_tool
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

STOCK = {"method": "GET", "url": "https://stock.example/", "description": "Looks at the stock.", "input_schema": {"type": "object"}}


def give_stock(acme: Workspace) -> UUID:
    """An HTTP tool of the organization's own."""
    with tenant_tx(acme.organization.pk):
        source = ToolSource.objects.create(name="stock", kind="http", settings=STOCK)
        AgentTool.objects.create(agent=AgentConfig.objects.get(key=CHAT_AGENT), source=source)
    acme.publish()
    assert source.id is not None
    return source.id


@sync_to_async
def stock(acme: Workspace, cast: Cast) -> str:
    """An organization's own tool, off at first, as an admin sets it. Returns the key of its switch."""
    source_id = give_stock(acme)
    client = Client()
    client.force_login(cast.alice)
    page = f"{ACME}admin_config/toolsource/{source_id}/change/"
    response = save(client, page, member_switch="starts_off", switch_label="Use stock system", switch_hint="Live numbers")
    assert response.status_code == 302, response.context["adminform"].form.errors
    acme.publish()
    return f"source:{source_id}"


@sync_to_async
def run_switches(acme: Workspace) -> list[dict[str, bool]]:
    with tenant_tx(acme.organization.pk):
        return list(Run.objects.order_by("created_at").values_list("switches", flat=True))


async def test_an_organizations_switch_decides_whether_its_tool_is_there(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    key = await stock(acme, cast)
    switch = {"key": key, "label": "Use stock system", "hint": "Live numbers", "isOn": False, "isPlatforms": False}
    assert switch in (await sync_to_async(boot_of)(cast, "/o/acme/"))["switches"]
    acme.double.default(Text("Fine."))
    choices: list[dict[str, bool]] = [{}, {key: True}, {key: False}, {"source:unknown": True}]
    async with chat_socket(alice, "acme") as socket:
        for switches in choices:
            await socket.answer(chat_id, f"With {switches}?", switches=switches)
    has_stock = ["stock" in request.tool_names for request in acme.double.requests if "<identity>" in request.system_text]
    assert has_stock == [False, True, False, False]
    assert await run_switches(acme) == choices


async def test_without_the_web_no_tool_reaches_it_and_no_other_is_missing(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    await sync_to_async(give_tool)(acme, "fetch_url")
    await sync_to_async(give_stock)(acme)
    await sync_to_async(acme.change_agent)("provider_tools_agent_google", builtin_tools=["web_search"])
    web = {"key": "web", "label": "Search the web", "hint": "", "isOn": True, "isPlatforms": True}
    assert web in (await sync_to_async(boot_of)(cast, "/o/acme/"))["switches"]
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "With it?")
        await socket.answer(chat_id, "Without it?", switches={"web": False})
    before, after = (request.tool_names for request in acme.double.requests if "<identity>" in request.system_text)
    assert set(before) - set(after) == {"fetch_url", "provider_tools_agent"}
    assert "stock" in after


async def test_what_is_no_switch_is_refused(acme: Workspace, alice: Browser, chat_id: str) -> None:
    wrong: list[Any] = [{"web": "maybe so"}, {"x" * 61: True}, {f"k{number}": True for number in range(51)}]
    async with chat_socket(alice, "acme") as socket:
        for switches in wrong:
            await socket.send(chat_id, "Hi", switches=switches)
            frame = await socket.receive()
            assert (frame["type"], "switches" in frame["errorText"]) == ("error", True)
    assert await run_switches(acme) == []
