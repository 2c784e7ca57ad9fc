"""When a member's access ends, so do the answers that are being written for them, and nobody else's."""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from chat.models import Part, Run
from chat.runs import supervisor
from chat.storage.leases import HEARTBEAT_S
from doubles.script import Call, Text
from doubles.signals import Gate
from security.api_tokens import api_token_create, api_token_revoke
from tenants.access import Actor
from tenants.db import in_db
from tenants.models import ApiToken, Membership, Organization, User
from tests.chat.api.test_http_streams import request_body
from tests.chat.runs.test_takeover import take_over
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

ENDS = {"user": "account", "organization": "organization", "role": "may no longer write", "token": "token"}


@pytest.fixture
def actors(cast: Cast) -> dict[str, Actor]:
    return {name: cast.actor(getattr(cast, name)) for name in ("alice", "bob", "charlie")}


@pytest.fixture
def bob(actors: dict[str, Actor]) -> Actor:
    return actors["bob"]


async def token_of(actor: Actor) -> tuple[ApiToken, dict[str, str]]:
    row, text = await in_db(api_token_create, actor=actor, name="CI", scopes=("chat",), days=None, organization_id=actor.organization_id)
    return row, {"authorization": f"Bearer {text}"}


async def begin(headers: dict[str, str]) -> Any:
    body = request_body(str(uuid4()), "Go")
    return await AsyncClient().post("/api/chat", body, content_type="application/json", headers=headers)


async def end_access(kind: str, actor: Actor, token: ApiToken) -> None:
    if kind == "user":
        await User.objects.filter(pk=actor.user_id).aupdate(is_active=False)
    elif kind == "organization":
        await Organization.objects.filter(pk=actor.organization_id).aupdate(is_active=False)
    elif kind == "role":
        await Membership.objects.filter(pk=actor.membership_id).aupdate(role="viewer")
    else:
        await in_db(api_token_revoke, actor=actor, token_id=token.pk, organization_id=actor.organization_id)


def notice_of(parts: list[Part]) -> str:
    [text] = [part.content["text"] for part in parts if part.content.get("code") == "access_ended"]
    return str(text)


async def ended_run(workspace: Workspace, run_id: UUID) -> Any:
    async with asyncio.timeout(60):
        while (run := (await workspace.rows(Run, pk=run_id))[0]).is_active:  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.05)
    return run


@pytest.mark.parametrize(("kind", "why"), ENDS.items())
async def test_an_answer_ends_with_the_access_of_its_member(
    kind: str, why: str, acme: Workspace, cast: Cast, actors: dict[str, Actor]
) -> None:
    bob, gate = actors["bob"], Gate()
    acme.double.answer(Text("Half "), gate, Text("and half."), times=2)
    other = acme if kind != "organization" else await sync_to_async(make_workspace)(cast.other, acme.double)
    somebody = actors[{"organization": "charlie", "token": "bob"}.get(kind, "alice")]
    (token, headers), (_, other_headers) = await token_of(bob), await token_of(somebody)
    streams = [await begin(headers)]
    bobs_run = (await acme.rows(Run))[-1]
    streams.append(await begin(other_headers))
    other_run = (await other.rows(Run))[-1]
    await gate.reached.wait_async()

    await end_access(kind, bob, token)
    run = await ended_run(acme, bobs_run.pk)
    assert run.status == Run.Status.STOPPED
    assert why in notice_of(await acme.rows(Part, message_id=run.answer_id))
    await asyncio.sleep(2 * HEARTBEAT_S)
    assert (await other.rows(Run, pk=other_run.pk))[0].is_active
    gate.release()
    assert (await ended_run(other, other_run.pk)).status == Run.Status.DONE
    assert len(streams) == 2


async def test_no_tool_starts_for_a_member_who_may_not_write_any_more(acme: Workspace, bob: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "access_ends", lambda _: {})  # between two looks
    gate = Gate()
    acme.double.answer(gate, Call("document_agent", {"operation": "create", "title": "Plan", "instruction": "Write it."}))
    token, headers = await token_of(bob)
    stream = await begin(headers)
    await gate.reached.wait_async()
    await end_access("role", bob, token)
    gate.release()
    run = await ended_run(acme, (await acme.rows(Run))[-1].pk)
    assert stream.status_code == 200
    assert run.status == Run.Status.STOPPED
    assert "may no longer write" in notice_of(await acme.rows(Part, message_id=run.answer_id))
    assert await acme.rows(Part, kind="tool_call") == []
    assert len(acme.double.requests) == 1


async def test_a_next_owner_asks_nothing_for_a_member_whose_access_has_ended(
    acme: Workspace, bob: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "access_ends", lambda _: {})
    gate = Gate("never")
    acme.double.answer(Text("Half "), gate)
    token, headers = await token_of(bob)
    stream = await begin(headers)
    await gate.reached.wait_async()
    await end_access("user", bob, token)
    run = await ended_run(acme, await take_over(acme))
    assert stream.status_code == 200
    assert run.status == Run.Status.STOPPED
    assert len(acme.double.requests) == 1


async def test_the_heartbeat_of_an_answer_that_has_ended_renews_no_other(acme: Workspace, bob: Actor) -> None:
    gate = Gate()
    acme.double.answer(Text("Short."))
    acme.double.answer(gate, Text("Long."))
    _, headers = await token_of(bob)
    await begin(headers)
    await ended_run(acme, (await acme.rows(Run))[-1].pk)
    began_s = time.monotonic()
    await begin(headers)
    run = (await acme.rows(Run, finished_at=None))[0]
    async with asyncio.timeout(60):
        while (await acme.rows(Run, pk=run.pk))[0].lease_expires_at == run.lease_expires_at:  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.05)
    assert time.monotonic() - began_s >= HEARTBEAT_S
    gate.release()
    assert (await ended_run(acme, run.pk)).status == Run.Status.DONE
