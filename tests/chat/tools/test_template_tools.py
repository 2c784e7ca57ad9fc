"""An agent finds a template of its organization and makes a document from it."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from doubles.script import Call, Text
from gallery.models import TemplateKind
from gallery.services import template_create, template_submit
from gallery.shapes import TemplateText
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.tools import give_tool
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def publish(cast: Cast, user: Any, title: str) -> str:
    actor = cast.actor(user)
    with tenant_tx(actor.organization_id):
        text = TemplateText(title=title, body="# Brief: {{market}}\n")
        version = template_create(actor=actor, kind=TemplateKind.TEXT, text=text, owner_id=actor.membership_id)
        template_submit(actor=actor, template_id=version.template_id)
    return str(version.template_id)


async def test_an_agent_finds_and_uses_a_template_of_its_organization_alone(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    await sync_to_async(give_tool)(acme, "templates")
    ours = await sync_to_async(publish)(cast, cast.alice, "Tea brief")
    theirs = await sync_to_async(publish)(cast, cast.charlie, "Tea secrets")
    calls = [
        Call("find_templates", {"query": "tea"}),
        Call("use_template", {"id": theirs, "values": {}}),
        Call("use_template", {"id": ours, "values": {"city": "Assam"}}),
        Call("use_template", {"id": ours, "values": {"market": "Assam"}}),
    ]
    for call in calls:
        acme.double.answer(call, when=lambda request: "use_template" in request.tool_names)
    acme.double.default(Text("Done."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "A brief on Assam, please.")
    outputs = [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]
    assert [one["title"] for one in outputs[0]["templates"]] == ["Tea brief"]
    assert [one["name"] for one in outputs[0]["templates"][0]["placeholders"]] == ["market"]
    assert [chunk["errorText"] for chunk in chunks if chunk["type"] == "tool-output-error"] == [
        "There is no such template. find_templates gives the ids.",
        "The template has no placeholder city.",
    ]
    artifact = await alice.get(f"/o/acme/api/artifacts/{outputs[-1]['id']}/")
    assert (artifact["title"], artifact["content"]) == ("Brief: Assam", "# Brief: Assam\n")
