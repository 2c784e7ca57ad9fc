"""The platform's operator sees what organizations use, and suspends and resumes one."""

from __future__ import annotations

import time
from datetime import timedelta
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import Run
from doubles.script import Text
from doubles.signals import Gate
from security.models import PlatformEvent
from tenants.models import Organization, User
from tests.chat.conftest import acme, alice, charlie, chat_id, gemini, no_key_in_redis_after_all
from tests.chat.runs.logged_calls import is_text
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.stores.audit_log import events
from tests.usage.call_rows import LoggedCalls
from usage.rollup import usage_fill

__all__ = ["acme", "alice", "charlie", "chat_id", "gemini", "no_key_in_redis_after_all"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.fixture
def operator(cast: Cast) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))
    return client


async def test_a_suspended_organization_loses_sockets_and_answers_and_gets_them_back(
    acme: Workspace, cast: Cast, alice: Browser, charlie: Browser, operator: Client, chat_id: str
) -> None:
    page = f"/operator/tenants/organization/{cast.acme.pk}/suspension/"
    gate = Gate()
    acme.double.answer(Text("It begins"), gate, Text(" and goes on."))
    post = sync_to_async(operator.post)
    async with chat_socket(alice, "acme") as socket, chat_socket(charlie, "other") as other:
        request_id = await socket.send(chat_id, "Write")
        await socket.chunks(request_id, until=is_text)
        response = await post(page, {"action": "suspend", "reason": " ", "message": "The bill is open."})
        assert "This field is required." in response.content.decode()
        assert "The bill is open." in response.content.decode(), "what was typed stays"
        answer = await post(page, {"action": "suspend", "reason": "Invoice 7 is unpaid", "message": "The bill is open."})
        assert answer.status_code == 302
        run = await acme.wait_for_row(Run, lambda row: row.finished_at is not None)
        gate.release()
        while (frame := await socket.socket.receive_output(timeout=60))["type"] != "websocket.close":
            pass
        assert frame["code"] == 4403
        await other.frame("resume", id=str(uuid4()), headers={}, body={})
        assert (await other.receive())["type"] == "no-active", "the other organization goes on"
    reply = await alice.call("GET", "/o/acme/api/me/")
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "organization_suspended")
    assert "The bill is open." in reply.json()["error"]["message"]
    assert (await post(page, {"action": "resume", "reason": "Paid"})).status_code == 302
    conversation = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    assert "It begins" in str(conversation["messages"][1]["parts"]), "the text is kept"
    assert run.status == "stopped"
    suspend_event, resume_event = await sync_to_async(
        lambda: [*events(cast.acme, "organization.operator.suspend"), *events(cast.acme, "organization.operator.resume")]
    )()
    assert (suspend_event.detail["reason"], resume_event.detail["reason"]) == ("Invoice 7 is unpaid", "Paid")
    assert await sync_to_async(PlatformEvent.objects.using("system").filter(action__startswith="organization.operator.").count)() >= 2


def test_the_operator_sees_all_organizations_in_one_statement(cast: Cast, operator: Client) -> None:
    logged = LoggedCalls(cast, cast.acme, cast.bob)
    now = timezone.now()
    before = now.replace(day=1, hour=0, minute=0) - timedelta(minutes=30)
    logged.call(now - timedelta(minutes=20), cost_usd=2.5, error_code="timeout")
    logged.call(now - timedelta(minutes=20), cost_usd=None)
    logged.call(before, cost_usd=7.0)
    usage_fill(organization_id=cast.acme.pk, until=time.monotonic() + 60)
    Organization.objects.filter(pk=cast.other.pk).update(is_active=False, suspension_message="Unpaid")
    with CaptureQueriesContext(connections["system"]) as queries:
        text = operator.get("/operator/", {"sort": "cost"}).content.decode()
    assert len([one for one in queries if "usage_modelsum" in one["sql"]]) == 1
    for words in ("$2.50 + unknown", "$7.00", "50.0 %", '>Suspended<span class="parley-spoken">: Unpaid</span>', 'aria-sort="descending"'):
        assert words in text, words
    assert text.index("/o/acme/") < text.index("/o/other/"), "the one that cost most comes first"
    assert text.index("/o/other/") > operator.get("/operator/", {"sort": "cost", "turned": "1"}).content.decode().index("/o/other/")
    assert "/o/other/" in operator.get("/operator/tenants/organization/").content.decode(), "the address, as the form calls it"
    html = operator.get("/operator/", {"q": "oth", "page": "1", "sort": "nothing"}).content.decode()
    assert ("/o/acme/" in html, "/o/other/" in html) == (False, True)
    for odd in ("9" * 30, "9", "-1", "x"):
        assert "/o/acme/" in operator.get("/operator/", {"page": odd}).content.decode(), "the first page"
