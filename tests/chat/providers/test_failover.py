"""A second endpoint answers when the first one can't, as users and admins see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from admin_config.models import ProviderEndpoint
from admin_config.services.breakers import FAILED
from admin_config.services.configuration import credential_remove, credential_set
from agents.providers.circuit_breaker import CircuitBreaker
from chat.models import ModelCall, Run
from doubles.script import Call, Fault, Text
from tenants.context import tenant_tx
from tenants.db import in_db
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

NOTICE = "Google Gemini could not answer, so Backup did."


@pytest.fixture
def backup(acme: Workspace) -> Iterator[ServedGemini]:
    """Acme's second endpoint."""
    with gemini_double() as double, allow_egress(double.base_url, acme.double.base_url):
        add_endpoint(acme, double)
        yield double


def add_endpoint(workspace: Workspace, double: ServedGemini) -> None:
    with tenant_tx(workspace.organization.pk):
        endpoint = ProviderEndpoint.objects.create(provider="google", name="Backup", base_url=double.base_url, priority=2)
        credential_set(endpoint=endpoint, value=double.key)
    workspace.publish()


def remove_key(workspace: Workspace, name: str) -> None:
    with tenant_tx(workspace.organization.pk):
        credential_remove(endpoint=ProviderEndpoint.objects.get(name=name))
    workspace.publish()


def notices(parts: list[Any]) -> list[dict[str, Any]]:
    return [part["data"] for part in parts if part["type"] == "data-notice"]


async def newest_parts(alice: Browser, chat_id: str) -> list[Any]:
    """The parts of the newest message, as a reload shows them."""
    conversation = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    parts: list[Any] = conversation["messages"][-1]["parts"]
    return parts


async def calls(acme: Workspace) -> list[tuple[str, str, int]]:
    return [(call.endpoint, call.error_code, call.attempts) for call in await acme.rows(ModelCall)]


async def test_the_second_endpoint_answers_and_says_so_in_one_line(
    acme: Workspace, backup: ServedGemini, alice: Browser, chat_id: str
) -> None:
    acme.double.answer(Fault.status(503))
    backup.answer(Text("From the backup."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")
    assert text_of(chunks) == "From the backup."
    assert [notice["text"] for notice in notices(chunks)] == [NOTICE]
    parts = await newest_parts(alice, chat_id)
    assert [(notice["code"], notice["level"], notice["text"]) for notice in notices(parts)] == [("fallback", "info", NOTICE)]
    assert await calls(acme) == [("Google Gemini", "provider_unavailable", 1), ("Backup", "", 1)]
    [run] = await acme.rows(Run)
    assert run.status == "done"


async def test_a_run_of_several_steps_tells_it_once(acme: Workspace, backup: ServedGemini, alice: Browser, chat_id: str) -> None:
    for _ in range(2):
        acme.double.answer(Fault.status(503))
    backup.answer(Call("unknown_tool", {}))
    backup.answer(Text("Done."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")
    assert [notice["text"] for notice in notices(chunks)] == [NOTICE]
    assert [notice["text"] for notice in notices(await newest_parts(alice, chat_id))] == [NOTICE]


async def test_after_visible_text_the_answer_ends_with_an_error_to_retry(
    acme: Workspace, backup: ServedGemini, alice: Browser, chat_id: str
) -> None:
    acme.double.answer(Text("Half an ans"), Fault.drop())
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")
    assert text_of(chunks) == "Half an ans"
    assert backup.requests == []
    assert [(notice["level"], notice["action"]) for notice in notices(await newest_parts(alice, chat_id))] == [("error", "retry")]


async def test_without_a_key_the_other_endpoint_answers(acme: Workspace, backup: ServedGemini, alice: Browser, chat_id: str) -> None:
    await sync_to_async(remove_key)(acme, "Google Gemini")
    backup.answer(Text("From the backup."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")
    assert text_of(chunks) == "From the backup."
    assert await calls(acme) == [("Google Gemini", "key_missing", 0), ("Backup", "", 1)]
    assert acme.double.requests == []


async def test_when_all_are_down_the_first_ones_error_is_shown(acme: Workspace, backup: ServedGemini, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Fault.status(503, "Main is down"))
    for _ in range(3):
        backup.answer(Fault.status(503, "Backup is down", retry_after_s=0))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    [notice] = notices(await newest_parts(alice, chat_id))
    assert "Main is down" in notice["text"]
    assert await calls(acme) == [("Google Gemini", "provider_unavailable", 1), ("Backup", "provider_unavailable", 3)]


async def test_a_dead_endpoint_is_left_out_until_it_had_its_rest(
    acme: Workspace, backup: ServedGemini, alice: Browser, chat_id: str
) -> None:
    for _ in range(5):
        acme.double.answer(Fault.status(503))
    for _ in range(6):
        backup.answer(Text("Hi."))
    async with chat_socket(alice, "acme") as socket:
        answers = [await socket.answer(chat_id, "Hi") for _ in range(6)]
    assert len(acme.double.requests) == 5
    assert [notice["text"] for chunks in answers for notice in notices(chunks)] == [NOTICE] * 6, "each answer says where it came from"


async def test_another_organization_at_the_same_address_has_its_own_breaker(
    acme: Workspace, cast: Cast, alice: Browser, charlie: Browser, chat_id: str
) -> None:
    other = await sync_to_async(make_workspace)(cast.other, acme.double)
    endpoint = await in_db(ProviderEndpoint.objects.get, provider="google", organization_id=cast.acme.pk)
    for _ in range(5):
        await CircuitBreaker(cast.acme.pk, endpoint.pk, endpoint.name).report("", FAILED)
    acme.double.answer(Text("Fine here."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    async with chat_socket(charlie, "other") as socket:
        assert text_of(await socket.answer(str(uuid4()), "Hi")) == "Fine here."
    [notice] = notices(await newest_parts(alice, chat_id))
    assert notice["text"].startswith("Google Gemini failed again and again and is not asked for a while.")
    assert await calls(acme) == []
    assert await calls(other) == [("Google Gemini", "", 1)]
