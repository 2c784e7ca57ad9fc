"""Runs that wait for a decision, and the decisions."""

from __future__ import annotations

from typing import Any

import pytest

from chat.models import Run
from chat.runs.supervisor import RunSupervisor
from chat.storage.leases import lease_claim
from doubles.script import Call
from tenants.access import Actor
from tenants.db import in_db
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket
from tests.support.chat.workspace import Workspace


def create(title: str = "Plan") -> Call:
    return Call("document_agent", {"operation": "create", "title": title, "instruction": "Write it."})


@pytest.fixture
def acme_that_asks(acme: Workspace) -> Workspace:
    """Acme, whose document agent asks before each call."""
    acme.change_agent("document_agent_google", ask_first=True)
    return acme


async def ask(browser: Browser, chat_id: str) -> list[Chunk]:
    """Send a message and read until the run waits."""
    async with chat_socket(browser, "acme") as socket:
        return await socket.answer(chat_id, "Write a plan.")


async def decide(browser: Browser, chat_id: str, approval_id: str, **decision: Any) -> Any:
    return await browser.call("POST", f"/o/acme/api/conversations/{chat_id}/approvals/{approval_id}/", decision)


async def work_on_freed_run(acme: Workspace) -> None:
    """What a worker does with a run that goes on by itself."""
    claim = await in_db(lease_claim, (await acme.rows(Run))[-1].pk, using="system")
    assert claim is not None
    _ = RunSupervisor.current().start(claim)


async def rest(browser: Browser, chat_id: str) -> list[Chunk]:
    """The whole answer, to its next end."""
    async with chat_socket(browser, "acme") as socket:
        return await socket.chunks(await socket.resume(chat_id))


def approval_ids(chunks: list[Chunk]) -> list[str]:
    return [chunk["approvalId"] for chunk in chunks if chunk["type"] == "tool-approval-request"]


@pytest.fixture
def actor(cast: Cast) -> Actor:
    return cast.actor(cast.alice)
