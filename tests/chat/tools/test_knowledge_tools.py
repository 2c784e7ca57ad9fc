"""The files of an organization in its members' chats: listed, read, searched; and those of no other organization (SPEC 4.10)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async

from admin_config.models import ToolSource
from doubles.script import Call, Text
from files.knowledge.models import KnowledgeFile
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.tools import give_tool
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

LONG = "Tea. " * 10_000


def fill(organization: Any, source_id: UUID, **texts: str) -> None:
    with tenant_tx(organization.pk):
        source = ToolSource.objects.get(pk=source_id)
        for name, text in texts.items():
            KnowledgeFile.objects.create(
                source=source,
                path=f"guides/{name}.md",
                media_type="text/markdown",
                kind="text",
                size_bytes=len(text),
                text=text,
                state="ready",
            )


@sync_to_async
def folder(acme: Workspace, cast: Cast) -> UUID:
    """Acme's folder, beside another one of Acme and one of Other Ltd."""
    source_id = give_tool(acme, "files", about="How we brew")
    fill(cast.acme, source_id, green="Brew green tea at 80 degrees.\nWait.", long=LONG)
    with tenant_tx(cast.acme.pk):
        unused = ToolSource.objects.create(name="unused", kind="files").pk
    fill(cast.acme, UUID(str(unused)), hidden="UNUSEDTEA tea")
    with tenant_tx(cast.other.pk):
        theirs = ToolSource.objects.create(name="guides", kind="files").pk
    fill(cast.other, UUID(str(theirs)), theirs="OTHERTEA tea")
    return source_id


async def results(acme: Workspace, browser: Browser, *calls: Call) -> list[Any]:
    """What the calls of one answer gave, in their order."""
    acme.double.answer(*calls, when=lambda request: "read_file" in request.tool_names)
    acme.double.default(Text("Fine."))
    async with chat_socket(browser, "acme") as socket:
        chunks = await socket.answer(str(uuid4()), "Look it up.")
    ends = [chunk for chunk in chunks if chunk["type"] in ("tool-output-available", "tool-output-error")]
    return [end.get("output", end.get("errorText")) for end in ends]


async def test_an_agent_lists_reads_and_searches_its_folder(acme: Workspace, cast: Cast, alice: Browser) -> None:
    await folder(acme, cast)
    listing, glob_listing, stat, read, more, search_result, regex_result = await results(
        acme,
        alice,
        Call("list_files", {}),
        Call("list_files", {"glob": "*.md"}),
        Call("stat_file", {"path": "guides/green.md"}),
        Call("read_file", {"path": "guides/green.md"}),
        Call("read_file", {"path": "guides/long.md", "offset": 10, "max_chars": 5}),
        Call("search_files", {"query": "80 DEGREES"}),
        Call("search_files", {"query": "^wait", "regex": True}),
    )
    assert [file["path"] for file in listing["files"]] == ["guides/green.md", "guides/long.md"]
    assert glob_listing["total"] == 0
    assert (stat["lines"], stat["state"]) == (2, "ready")
    assert read["text"] == "Brew green tea at 80 degrees.\nWait."
    assert (more["text"], more["next_offset"], more["total_chars"]) == ("Tea. ", 15, len(LONG))
    assert search_result["matches"] == [{"path": "guides/green.md", "line": 1, "text": "Brew green tea at 80 degrees."}]
    assert [match["line"] for match in regex_result["matches"]] == [2]
    assert "How we brew" in str(acme.double.requests[-1].body["tools"])


async def test_no_name_leads_out_of_the_folder(acme: Workspace, cast: Cast, alice: Browser) -> None:
    await folder(acme, cast)
    paths = [
        "../unused/guides/hidden.md",
        "guides/hidden.md",
        "guides/theirs.md",
        "/etc/passwd",
        "guides/green.md\x00",
        "guides/\u2025/green.md",
    ]
    outputs = await results(acme, alice, *(Call("read_file", {"path": path}) for path in paths))
    assert [text for text in outputs if "no such file" not in text] == []
    listing, search_result = await results(acme, alice, Call("list_files", {"glob": "**"}), Call("search_files", {"query": "tea"}))
    assert "hidden" not in str(listing) + str(search_result)
    assert "theirs" not in str(listing) + str(search_result)
    assert len(search_result["matches"]) == 2
