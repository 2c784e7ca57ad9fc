"""A recorded run, and its replays through the pages of admins."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync, sync_to_async

from chat.models import Run
from doubles.script import Call, Text, Usage
from evaluations.models import ReplayedRun
from evaluations.replays.work import replay_work
from security.models import AuditEvent
from tenants.db import in_db
from tests.chat.runs.logged_calls import is_document
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

REPLAYS = "/o/acme/admin/evaluations/replay/"
TEA = {"operation": "create", "title": "Tea", "instruction": "About tea"}
ANSWER = "I wrote about tea."


@pytest.fixture
def run(acme: Workspace, bob: Browser, chat_id: str) -> Run:
    """A run of Bob's that wrote a document."""
    return async_to_sync(_run_of)(acme, bob, chat_id)


async def _run_of(acme: Workspace, bob: Browser, chat_id: str) -> Run:
    acme.double.answer(Call("document_agent", TEA))
    acme.double.answer(Text("# Tea"), when=is_document)
    acme.double.default(Text(ANSWER), Usage(1200, 34))
    await ask(bob, chat_id)
    [run_row] = await acme.rows(Run)
    assert isinstance(run_row, Run)
    return run_row


async def ask(browser: Browser, chat_id: str, text: str = "Tell me of Kestrel's tea") -> None:
    async with chat_socket(browser, "acme") as socket:
        await socket.answer(chat_id, text)


async def post(browser: Browser, address: str, **fields: str) -> Any:
    return await sync_to_async(browser.client.post)(f"{REPLAYS}{address}", {"source": "recorded", **fields})


async def page(browser: Browser, address: str, status: int = 200) -> str:
    response = await browser.call("GET", address if address.startswith("/") else f"{REPLAYS}{address}")
    assert response.status_code == status
    return str(response.content.decode())


async def replay_run(acme: Workspace, browser: Browser, run: Run, **fields: str) -> tuple[ReplayedRun, str]:
    """Replay the run to its end. Return its row, and the address of the comparison."""
    response = await post(browser, f"of-run/{run.pk}/", **fields)
    assert response.status_code == 302, response.content.decode()
    replay_id = UUID(response.url.split("/")[-4])
    assert await replay_work(acme.organization.pk, replay_id, work_s=60) is False
    [row] = await rows_of(acme, replay_id)
    return row, response.url


async def rows_of(acme: Workspace, replay_id: UUID) -> list[ReplayedRun]:
    rows: list[ReplayedRun] = await in_db(list, ReplayedRun.objects.filter(replay=replay_id), organization_id=acme.organization.pk)
    return rows


async def events(acme: Workspace, action: str) -> list[AuditEvent]:
    return [event for event in await acme.rows(AuditEvent) if event.action == action]
