"""Configuration reaches runs by releases: the next run has the new one, a running one keeps its own (ARCHITECTURE 5)."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from chat.models import Run
from doubles.script import Call, Text
from doubles.signals import Gate
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def system_texts(acme: Workspace, marker: str) -> list[str]:
    return [request.system_text for request in acme.double.requests if marker in request.user_text]


async def test_a_running_run_keeps_its_release_and_the_next_has_the_new_one(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(gate, Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "Tea"}))
    acme.double.default(Text("Fine."))

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        await socket.chunks(request, until=lambda chunk: chunk["type"] == "start-step")
        change = sync_to_async(acme.change_operation)
        number = await change("document_agent_google", "create", system_prompt="Write like Shakespeare.")
        gate.release()
        first = await socket.chunks_on(request, [{}] * 2)
        acme.double.answer(Call("document_agent", {"operation": "create", "title": "Ode", "instruction": "Ode"}))
        second = await socket.answer(chat_id, "Again")

    assert "Shakespeare" not in system_texts(acme, "<instruction>Tea</instruction>")[0]
    assert "Shakespeare" in system_texts(acme, "<instruction>Ode</instruction>")[0]
    assert first[-1]["messageMetadata"]["release"] == number - 1
    assert second[-1]["messageMetadata"]["release"] == number
    assert len({run.release_id for run in await acme.rows(Run)}) == 2


async def test_an_organization_without_a_key_is_told_where_to_enter_one(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    await sync_to_async(acme.remove_key)()

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")

    notice = next(chunk["data"] for chunk in chunks if chunk["type"] == "data-notice")
    assert (notice["code"], notice["action"]) == ("key_missing", "settings")
    assert "admin" in notice["text"]
    assert acme.double.requests == []
