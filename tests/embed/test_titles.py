"""The title that a model gives a visitor's conversation, over the visitor's socket."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async

from chat.models import Conversation
from chat.runs.title_generation import title_generate
from doubles.script import Text
from tenants.db import in_db
from tests.embed.support import begin, make_site, visitor_socket
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import ChatSocket
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])


async def bearer_of(key: str) -> str:
    return str((await sync_to_async(begin)(key, address="127.0.0.23")).json()["bearer"])


def title_frame(chat_id: str) -> dict[str, Any]:
    return {"type": "title", "requestId": "", "conversationId": chat_id, "title": "Tea at night"}


async def name_conversation(acme: Workspace, chat_id: str) -> None:
    acme.double.answer(Text("Tea at night"))
    conversation = await in_db(lambda: Conversation.objects.get(pk=UUID(chat_id)), organization_id=acme.organization.pk)
    assert await title_generate(organization_id=acme.organization.pk, conversation_id=conversation.pk) == "Tea at night"


async def has_told_nothing(socket: ChatSocket) -> bool:
    """What was told before the answer to this request came before it."""
    request = await socket.resume(str(uuid4()))
    return await socket.receive() == {"type": "no-active", "requestId": request}


async def test_a_title_is_told_once_and_to_its_visitor_alone(acme: Workspace, cast: Cast, chat_id: str) -> None:
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    foreign_key, _ = await sync_to_async(make_site)(cast, cast.charlie)
    mine, other, foreign = [await bearer_of(each) for each in (key, key, foreign_key)]
    acme.double.default(Text("Hojicha."))
    async with (
        visitor_socket(key, mine) as socket,
        visitor_socket(key, other) as others,
        visitor_socket(foreign_key, foreign) as foreigners,
    ):
        for stranger in (others, foreigners):
            await stranger.resume(chat_id)
            assert (await stranger.receive())["type"] == "no-active"
        await socket.answer(chat_id, "What tea at night?")
        await name_conversation(acme, chat_id)
        assert await socket.receive() == title_frame(chat_id)
        await socket.answer(chat_id, "And in the morning?")
        assert [await has_told_nothing(each) for each in (socket, others, foreigners)] == [True] * 3


async def test_a_title_of_before_the_socket_is_told_with_the_next_answer(acme: Workspace, cast: Cast, chat_id: str) -> None:
    """The socket of the first answer broke; the page hears of the title all the same."""
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    bearer = await bearer_of(key)
    acme.double.default(Text("Hojicha."))
    async with visitor_socket(key, bearer) as socket:
        await socket.answer(chat_id, "What tea at night?")
    await name_conversation(acme, chat_id)
    async with visitor_socket(key, bearer) as socket:
        await socket.answer(chat_id, "And in the morning?")
        assert await socket.receive() == title_frame(chat_id)
