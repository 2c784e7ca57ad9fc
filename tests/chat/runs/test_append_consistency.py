"""One append (SPEC 3.6): for random runs, the database, the client's transcript and the model's request are the same entries in the same order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from uuid import uuid4

import pytest

from agents.context.policy import ContextPolicy
from agents.context.view import build_context
from agents.providers.google.contents import build_contents
from chat.models import Run
from chat.storage.branches import branch_entries
from chat.storage.run_loading import stored_entries
from chat.stream.chunks import message_parts
from doubles.script import Answer, Call, Finish, Item, ReceivedRequest, Text, Thought
from tenants.db import in_db
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket
from tests.support.chat.workspace import Workspace
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def random_step(chance: random.Random) -> Iterator[Item]:
    """What a model may answer: thoughts, text, calls of known and unknown tools with good and bad arguments, all in any number."""
    if chance.random() < 0.4:
        yield Thought(f"Thinking {chance.random()}. ")
    if chance.random() < 0.6:
        yield Text(f'Text {chance.random()} ünïcode \\ "quoted".')
    for _ in range(chance.choice([0, 0, 1, 1, 2, 3])):
        yield chance.choice(
            [
                Call("document_agent", {"operation": "create", "title": f"T{chance.random()}", "instruction": "Write."}),
                Call("document_agent", {"operation": "update", "artifact_id": "none", "instruction": "Change."}),
                Call("document_agent", {"z": 1, "a": [1.0, 2, None]}),
                Call("unknown", {"q": chance.random()}),
            ]
        )


@pytest.fixture
def long_runs(acme: Workspace) -> Workspace:
    acme.change_agent("chat_model_agent_google", max_steps=4)
    return acme


@pytest.mark.parametrize("seed", range(6))
async def test_stored_shown_and_sent_entries_are_the_same(long_runs: Workspace, alice: Browser, chat_id: str, seed: int) -> None:
    chance = random.Random(seed)
    long_runs.double.respond(lambda request: answer_to(request, chance))

    async with chat_socket(alice, "acme") as socket:
        answers = [await socket.answer(chat_id, f"Question {number}", thinking=chance.random() < 0.5) for number in range(3)]

    runs = await long_runs.rows(Run)
    for run, chunks in zip(runs, answers, strict=True):
        entries = await in_db(stored_entries, run.answer_id, organization_id=long_runs.organization.pk)
        assert message_parts(entries) == shown_parts(chunks)
        replay_chunks = await replay(alice, chat_id) if run is runs[-1] else None
        assert replay_chunks is None or shown_parts(replay_chunks) == shown_parts(chunks)

    branch = await in_db(
        lambda: branch_entries(organization_id=runs[-1].organization_id, leaf_id=runs[-1].answer_id),
        organization_id=runs[-1].organization_id,
    )
    last = [request for request in long_runs.double.requests if is_chat(request)][-1]
    contents = last.body["contents"]
    whole = build_contents(build_context(branch, ContextPolicy()), "google", last.model)
    assert whole[: len(contents)] == contents, "the last request is the beginning of the branch as it is stored"


def answer_to(request: ReceivedRequest, chance: random.Random) -> Answer:
    if not is_chat(request):
        return Answer((Text(f"# Document {uuid4()}"),))
    return Answer(tuple(random_step(chance)) or (Finish("STOP"),))


def is_chat(request: ReceivedRequest) -> bool:
    return "document_agent" in request.tool_names


async def replay(browser: Browser, chat_id: str) -> list[Chunk]:
    async with chat_socket(browser, "acme") as socket:
        return await socket.chunks(await socket.resume(chat_id))
