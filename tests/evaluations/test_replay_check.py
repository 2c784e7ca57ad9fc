"""`manage.py replay_check`: recorded runs of many kinds, done again unchanged, make requests with the same hashes."""

from __future__ import annotations

import asyncio
import re
from io import StringIO
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command

from chat.models import ModelCall, Run
from doubles.demo import DemoScript
from tenants.models import User
from tests.evaluations.replay_pages import ask
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser
from tests.support.chat.release_runs import members_add
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

# One conversation: documents and their changes by other agents, a program, a diagram, an error of the provider, plain answers.
CONVERSATION = (
    "Hello",
    "Write a document about lighthouses",
    "Make it shorter",
    "Add a section about keepers",
    "Write a Python program that counts words",
    "/error busy",
    "Draw a sequence diagram of a login",
    "Tell me a story",
    "Write a document about green tea",
    "Undo that",
)
SUMMARY = re.compile(r"(\d+) of (\d+) runs, (\d+) of (\d+) requests byte for byte the same\.")
AT_ONCE = 5


async def talk(member: User) -> None:
    browser, chat_id = await sync_to_async(Browser)(member), str(uuid4())
    for question in CONVERSATION:
        await ask(browser, chat_id, question)


@pytest.mark.parametrize("conversations", [1, pytest.param(50, marks=pytest.mark.nightly)])
async def test_unchanged_runs_make_equal_requests(acme: Workspace, cast: Cast, conversations: int) -> None:
    acme.double.respond(DemoScript(pace=0))
    await sync_to_async(members_add)(cast.acme, conversations, acting=cast.alice)
    others = User.objects.filter(memberships__organization=cast.acme).exclude(name__in=("Alice", "Bob", "Vera"))
    members = [member async for member in others]
    for start in range(0, conversations, AT_ONCE):  # one conversation a member: nobody may ask more often than 120 times in a minute
        await asyncio.gather(*map(talk, members[start : start + AT_ONCE]))
    runs = len(await acme.rows(Run))
    assert runs == conversations * len(CONVERSATION)
    calls = await acme.rows(ModelCall)
    assert {call.kind for call in calls} >= {ModelCall.Kind.STEP, ModelCall.Kind.SUB_AGENT}
    request_count = len(acme.double.requests)

    output = StringIO()
    await sync_to_async(call_command)("replay_check", "acme", stdout=output)

    print(output.getvalue())
    match = SUMMARY.fullmatch(output.getvalue().strip())
    assert match, output.getvalue()
    same, of, equal, comparable = map(int, match.groups())
    assert (same, equal) == (of, comparable)
    assert (of, len(acme.double.requests)) == (runs, request_count)
    assert comparable > runs
