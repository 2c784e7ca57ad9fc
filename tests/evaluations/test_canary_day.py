"""A scripted day: a bad release goes to a tenth of the members, who send 2,000 messages to real runs; its rules take it back."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Sequence
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from admin_config.models import AgentConfig, Canary
from admin_config.services.canary.lifecycle import Audience, canary_start
from admin_config.services.drafts.draft import draft_compose, draft_load
from agents.runtime.key_lookup import NO_KEYS
from chat.api.frames import ChatRequest
from chat.api.sends import request_start
from chat.models import Run
from doubles.script import Answer, Fault, ReceivedRequest, Text
from evaluations.canary.looks import canaries_decide
from evaluations.canary.rules import Rules
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import Membership
from tests.support.accounts.cast import Cast
from tests.support.chat.release_runs import members_add
from tests.support.chat.workspace import Workspace

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default", "system", "auth"]), pytest.mark.nightly]

MEMBERS, RUNS, AT_ONCE = 100, 2000, 20
BAD = "You are unreliable."


def start(cast: Cast) -> Canary:
    with tenant_tx(cast.acme.pk):
        AgentConfig.objects.filter(key="chat_model_agent_google").update(system_prompt=BAD)
        draft_hash = draft_compose(draft_load()).content_hash()
        audience = Audience(percent=10, rules=Rules().model_dump())
        return canary_start(
            organization_id=cast.acme.pk, author_id=cast.alice.pk, note="Shorter", expected_hash=draft_hash, audience=audience
        )


def answering(seed: int) -> Callable[[ReceivedRequest], Answer]:
    """The model: of a hundred requests with the bad prompt forty are refused, of others one."""
    draw = random.Random(seed)

    def answer(request: ReceivedRequest) -> Answer:
        is_bad = BAD in str(request.body)
        return Answer((Fault.status(400),)) if draw.random() < (0.4 if is_bad else 0.01) else Answer((Text("Fine."),))

    return answer


def actors_of(cast: Cast) -> list[Actor]:
    members_add(cast.acme, MEMBERS, acting=cast.alice)
    with tenant_tx(cast.acme.pk):
        rows = Membership.objects.filter(organization=cast.acme, role=Membership.Role.MEMBER).exclude(user=cast.bob)
        return [Actor(row.user_id, cast.acme.pk, cast.acme.slug, row.pk, row.version, row.role) for row in rows]


async def ask(actor: Actor) -> None:
    part = {"type": "text", "text": "How are things?"}
    request = ChatRequest.model_validate({"id": str(uuid4()), "messages": [{"id": uuid4().hex, "role": "user", "parts": [part]}]})
    await request_start(actor, request, NO_KEYS)


async def idle(cast: Cast) -> None:
    async with asyncio.timeout(60):
        while await in_db(Run.objects.filter(finished_at=None).exists, organization_id=cast.acme.pk):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)


async def day(cast: Cast, members: Sequence[Actor]) -> int:
    """Send messages, and let the rules look after each twenty; return after how many they took the canary back."""
    turns = itertools.cycle(members)
    for message_count in range(AT_ONCE, RUNS + 1, AT_ONCE):
        await asyncio.gather(*(ask(next(turns)) for _ in range(AT_ONCE)))
        await idle(cast)
        if await sync_to_async(canaries_decide)():
            return message_count
    return 0


async def test_a_bad_release_is_taken_back_within_a_day(acme: Workspace, cast: Cast) -> None:
    members = await sync_to_async(actors_of)(cast)
    acme.double.respond(answering(3))
    await sync_to_async(start)(cast)
    taken_back_after = await day(cast, members)
    canary: Canary = await in_db(Canary.objects.get, organization_id=cast.acme.pk)
    assert (canary.outcome, canary.by_itself) == ("taken_back", True)
    assert canary.why.startswith("Failed runs:")
    assert 0 < taken_back_after <= RUNS
