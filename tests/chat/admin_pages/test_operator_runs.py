"""`manage.py runs` and `stuck`: an operator sees the runs of all organizations, ends one, and lets another process go on with one."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from chat.models import Run
from chat.runs.supervisor import RunSupervisor
from chat.storage.leases import lease_claim
from doubles.script import Text
from doubles.signals import Gate
from security.models import AuditEvent
from tenants.db import in_db
from tests.chat.runs.test_takeover import begin, everything_logged
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def command_output(command: str, *options: str) -> str:
    out = StringIO()
    await sync_to_async(call_command)(command, *options, stdout=out)
    return out.getvalue()


async def test_an_operator_ends_a_run_and_its_text_stays(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Half of it"), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        [run] = await acme.rows(Run)
        output = await command_output("runs")
        assert f"{run.pk}  acme" in output
        assert run.lease_owner in output
        assert "0 runs." in await command_output("stuck")
        await command_output("runs", "--end", str(run.pk))
        chunks += await socket.chunks_on(request, chunks)
    assert text_of(chunks) == "Half of it"
    [run] = await acme.rows(Run)
    assert run.status == Run.Status.STOPPED
    [event] = await acme.rows(AuditEvent, action="run.end")
    assert (event.object_id, event.organization_id) == (str(run.pk), acme.organization.pk)
    with pytest.raises(CommandError, match="There is no run"):
        await command_output("runs", "--end", str(uuid4()))


async def test_an_operator_takes_a_run_from_a_process_that_is_stuck(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("From the first"), Gate("never"))
    acme.double.answer(Text("From the second."))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        [run] = await acme.rows(Run)
        await everything_logged(run.pk)
        rows = Run.unscoped.using("system").filter(pk=run.pk)
        await in_db(lambda: rows.update(lease_owner="dead", lease_expires_at=Now() - timedelta(minutes=5)), using="system")
        assert "dead" in await command_output("stuck")
        assert "The next free worker" in await command_output("stuck", "--take-over", str(run.pk))
        claim = await in_db(lease_claim, run.pk, using="system")  # as the worker does
        assert claim is not None
        _ = RunSupervisor().start(claim)
        chunks += await socket.chunks_on(request, chunks)
    assert text_of(chunks).endswith("From the second.")
