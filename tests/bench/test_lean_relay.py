"""The lean relay beside which a send of Parley is measured does what it is measured for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from bench.clients import QUESTION, MeasureError
from bench.measure import Load
from bench.stack.lean_relay import RunningLeanRelay, running_lean_relay
from bench.systems import LeanRelay, ModelServerClient, answer_as
from tests.support.agents.light_double import light_double
from tests.support.stores.database import connect, drop_database, server

DATABASE = "lean_relay_of_the_test"

pytestmark = pytest.mark.django_db  # it needs the session's PostgreSQL


@contextmanager
def lean_relay(model_url: str, logs: Path) -> Iterator[RunningLeanRelay]:
    with server() as owner:
        drop_database(owner, DATABASE)  # of a run that was killed
        try:
            with running_lean_relay(os.environ["DATABASE_OWNER_URL"], model_url, logs, database=DATABASE, cores=None) as relay:
                yield relay
        finally:
            drop_database(owner, DATABASE)


async def test_messages_of_a_signed_in_user_are_answered_and_stored(tmp_path: Path) -> None:
    answers: list[list[str]] = [[], []]
    async with light_double() as model, AsyncExitStack() as connections:
        relay, script = connections.enter_context(lean_relay(model, tmp_path)), ModelServerClient(model)
        await answer_as(Load(chats=1, tokens=3, tokens_per_s=50), script)
        with pytest.raises(MeasureError):
            await LeanRelay(replace(relay, cookie="sessionid=unknown")).chats(1, connections)
        (chat,) = await LeanRelay(relay, str(uuid4())).chats(1, connections)
        for texts in answers:
            await chat.ask(texts.append)
        contents = (await script.last_call()).body["contents"]
        with connect(DATABASE) as database:
            rows = database.execute("select role, text from lean_relay_message order by id").fetchall()
    first, second = map("".join, answers)
    assert [len(texts) for texts in answers] == [3, 3]
    assert rows == [("user", QUESTION), ("model", first), ("user", QUESTION), ("model", second)]
    assert [(content["role"], content["parts"][0]["text"]) for content in contents] == rows[:3]
