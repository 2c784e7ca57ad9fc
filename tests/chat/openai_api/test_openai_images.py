"""Images in the OpenAI-compatible API: those of an answer, and those that a request holds."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import AsyncClient

from chat.models import Conversation
from doubles.script import Call, Picture, Text
from files.models import File
from files.storage import file_storage
from tenants.access import Actor
from tests.chat.api.test_token_streams import bob, token_of
from tests.chat.openai_api.openai_requests import TOOL, ask, showing, stream_events, user
from tests.chat.providers.test_files import takes_files
from tests.support.chat.workspace import Workspace
from tests.support.files.documents import PICTURE

__all__ = ["bob"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.mark.parametrize("stream", [False, True])
async def test_a_picture_of_an_answer_with_tools_is_told_kept_and_sent_back(stream: bool, acme: Workspace, bob: Actor) -> None:
    """Also one that follows a call, and in words one that is none."""
    acme.double.answer(Text("Here:"), Picture(PICTURE), Text("And:"), Picture(b"none"), Call("look_up", {"word": "tea"}), Picture(PICTURE))
    response = await ask(bob, user("Draw tea"), tools=[TOOL], stream=stream)
    text, calls = await _streamed_answer(response) if stream else _whole_answer(response)
    files = await acme.rows(File)
    [place] = await acme.rows(Conversation)
    assert {file.conversation_id for file in files} == {place.pk}
    _, _, _, refusal, _ = paragraphs = text.split("\n\n")
    links = [f"[{file.name}]({settings.PUBLIC_URL}/api/files/{file.pk}/)" for file in sorted(files, key=lambda file: len(file.name))]
    assert paragraphs == ["Here:", links[0], "And:", refusal, links[1]]
    assert "could not be kept" in refusal
    _, own = await token_of(bob, "read")
    assert (await AsyncClient().get(f"/api/files/{files[0].pk}/", headers=own)).status_code == 200

    acme.double.answer(Text("A drink."))
    history = [user("Draw tea"), {"role": "assistant", "content": text, "tool_calls": calls}]
    await ask(bob, *history, {"role": "tool", "tool_call_id": calls[0]["id"], "content": "a drink"}, tools=[TOOL])
    request_text = acme.double.requests[-1].raw.decode()
    assert request_text.count(b64encode(PICTURE).decode()) == 2
    assert "api/files" not in request_text


async def test_an_image_that_comes_with_each_request_is_kept_once_and_told_of(acme: Workspace, bob: Actor) -> None:
    """Twice in the first request; a model that takes no images is told that there was one."""
    acme.double.default(Text("Tea."))
    await ask(bob, showing(PICTURE), showing(PICTURE), tools=[TOOL])
    await ask(bob, showing(PICTURE), tools=[TOOL])
    [file] = await acme.rows(File)
    assert acme.double.requests[-1].raw.decode().count(b64encode(PICTURE).decode()) == 1
    assert sorted(file_storage().listdir(str(acme.organization.pk))[1]) == [str(file.pk), f"{file.pk}.shown"]
    await sync_to_async(takes_files)(acme, False)
    await ask(bob, showing(PICTURE), tools=[TOOL])
    assert "Its content is not part of this text." in acme.double.requests[-1].raw.decode()


@pytest.mark.parametrize("fields", [{}, {"tools": [TOOL]}], ids=["agent", "tools"])
async def test_what_only_says_that_it_is_an_image_is_refused(fields: dict[str, Any], acme: Workspace, bob: Actor) -> None:
    response = await ask(bob, showing(b"Only a text."), **fields)
    assert (response.status_code, response.json()["error"]["code"]) == (415, "file_type_not_allowed")
    assert await acme.rows(File) == []


def _whole_answer(response: Any) -> tuple[str, list[dict[str, Any]]]:
    message = response.json()["choices"][0]["message"]
    return message["content"], message["tool_calls"]


async def _streamed_answer(response: Any) -> tuple[str, list[dict[str, Any]]]:
    deltas = [choice["delta"] for event in await stream_events(response) for choice in event["choices"]]
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    for call in calls:
        del call["index"]
    return "".join(delta.get("content") or "" for delta in deltas), calls
