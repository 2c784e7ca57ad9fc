"""Webhooks: what arrives, that it is signed, and where it may not go."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError
from pytest_django import Settings

from agents.messages import Usage
from agents.plugins import webhook
from agents.plugins.hooks import PluginHooks
from agents.plugins.lifecycle import LifecycleEvent
from agents.plugins.webhook import WebhookPlugin, WebhookSettings
from agents.runtime.placeholders import Placeholders, RegisteredSecret
from security.egress import aclose_clients
from security.secrets.secret_text import SecretText
from tests.agents.plugins.receiver import Delivery, Receiver, receiver
from tests.agents.plugins.scripted import CALL, DONE, EXCHANGE, RESULT, Clock, facts, log_lines, participants
from tests.support.chat.workspace import allow_egress

SECRET = "whsec-3141592653589793"
ALL = tuple(LifecycleEvent)


@pytest.fixture(autouse=True)
def no_exceptions(settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset()
    settings.DEMO_PROVIDER_URL = ""


@asynccontextmanager
async def listening(status: str | None = "204 No Content") -> AsyncIterator[Receiver]:
    async with receiver(status) as server:
        with allow_egress(server.url):
            try:
                yield server
            finally:
                await aclose_clients()


async def run(
    url: str,
    *,
    events: Sequence[LifecycleEvent] = ALL,
    include_text: bool = False,
    secret: str | None = SECRET,
    placeholders: Placeholders | None = None,
    is_checked: bool = True,
) -> None:
    """A run of one step and one tool call with the webhook."""
    make = WebhookSettings if is_checked else WebhookSettings.model_construct
    plugin = WebhookPlugin(make(url=url, events=tuple(events), include_text=include_text), secret=SecretText(secret) if secret else None)
    clock = Clock()
    where = replace(facts(*EXCHANGE), placeholders=placeholders or Placeholders())
    async with aclosing(PluginHooks(participants(plugin, run=where), clock=clock)) as hooks:
        hooks.run_started()
        hooks.step_started(1)
        hooks.tool_started(CALL)
        clock.now_s += 0.25
        await hooks.tool_executed(CALL, RESULT)
        hooks.step_finished(1, Usage(10, 2))
        assert await hooks.finished(DONE) == []


def verified(delivery: Delivery, secret: str) -> dict[str, Any]:
    """The message, after the check that a receiver makes."""
    signature = dict(part.split("=", 1) for part in delivery.headers["x-parley-signature"].split(","))
    expected = hmac.new(secret.encode(), f"{signature['t']}.".encode() + delivery.body, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(signature["v1"], expected)
    assert abs(time.time() - int(signature["t"])) < 300
    return delivery.message


async def test_every_chosen_event_arrives_once_in_order_and_signed() -> None:
    async with listening() as server:
        await run(server.url)
        messages = [verified(delivery, SECRET) for delivery in server.deliveries]
    assert [message["event"] for message in messages] == [event.value for event in ALL]
    assert [delivery.headers["x-parley-event"] for delivery in server.deliveries] == [event.value for event in ALL]
    ids = [delivery.headers["x-parley-delivery"] for delivery in server.deliveries]
    assert ids == [message["delivery"] for message in messages]
    assert len(set(ids)) == len(ids)


async def test_events_that_were_not_chosen_are_not_sent() -> None:
    async with listening() as server:
        await run(server.url, events=(LifecycleEvent.TOOL_STARTED,))
        [delivery] = server.deliveries
    assert delivery.message["event"] == "tool.started"


async def test_a_message_holds_ids_names_and_numbers() -> None:
    async with listening() as server:
        await run(server.url, events=(LifecycleEvent.TOOL_FINISHED,))
        [delivery] = server.deliveries
    message = delivery.message
    assert delivery.line == "POST /hooks?team=1 HTTP/1.1"
    assert delivery.headers["content-type"] == "application/json"
    assert {message.pop("delivery"), message.pop("sent_at")}
    assert message == {
        "event": "tool.finished",
        "organization_id": "00000000-0000-0000-0000-000000000001",
        "conversation_id": "00000000-0000-0000-0000-000000000002",
        "run_id": "00000000-0000-0000-0000-000000000003",
        "membership_id": "00000000-0000-0000-0000-000000000004",
        "agent": "chat_model_agent_google",
        "step": 1,
        "tool": "look_up",
        "call_id": "c1",
        "is_error": False,
        "duration_ms": 250,
    }


async def test_text_is_sent_only_when_the_admin_wants_it() -> None:
    async with listening() as server:
        await run(server.url)
        without = b"".join(delivery.body for delivery in server.deliveries)
        server.deliveries.clear()
        await run(server.url, include_text=True)
        texts = {delivery.message["event"]: delivery.message["text"] for delivery in server.deliveries}
    assert not [text for text in (b"Ada", b"Lovelace", b"comet", b"ball of ice") if text in without]
    assert texts == {
        "run.started": {"message": "What is a comet?"},
        "step.started": {},
        "tool.started": {"arguments": {"name": "Ada"}},
        "tool.finished": {"arguments": {"name": "Ada"}, "output": {"found": "Lovelace"}},
        "step.finished": {},
        "run.finished": {"answer": "A ball of ice."},
    }


async def test_a_registered_secret_in_the_text_stays_behind_its_placeholder() -> None:
    secrets = Placeholders([RegisteredSecret("crm", SecretText("Lovelace"), "http", "https://crm.example:443")])
    async with listening() as server:
        await run(server.url, include_text=True, placeholders=secrets)
        [message] = [delivery.message for delivery in server.deliveries if delivery.message["event"] == "tool.finished"]
        bodies = b"".join(delivery.body for delivery in server.deliveries)
    assert message["text"]["output"] == {"found": "{{secret:crm}}"}
    assert b"Lovelace" not in bodies


async def test_another_secret_makes_another_signature() -> None:
    async with listening() as server:
        await run(server.url, events=(LifecycleEvent.RUN_STARTED,), secret="another-secret")
        [delivery] = server.deliveries
    verified(delivery, "another-secret")
    with pytest.raises(AssertionError):
        verified(delivery, SECRET)


@pytest.mark.parametrize("status", ["500 Internal Server Error", "302 Found", "404 Not Found"])
async def test_a_refusing_receiver_is_logged_and_not_asked_again(status: str, caplog: pytest.LogCaptureFixture) -> None:
    async with listening(status) as server:
        await run(server.url, events=(LifecycleEvent.RUN_STARTED,))
        assert len(server.deliveries) == 1
    [line] = log_lines(caplog)
    assert (line["event"], line["code"], line["plugin"]) == ("plugin_failed", "fetch_failed", "WebhookPlugin")
    assert status[:3] in line["reason"]


async def test_a_silent_receiver_is_given_up(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(webhook, "TIMEOUT_S", 0.2)
    async with listening(None) as server:
        await run(server.url, events=(LifecycleEvent.RUN_STARTED,))
        assert len(server.deliveries) == 1
    assert [(line["event"], line["reason"]) for line in log_lines(caplog)] == [("plugin_failed", "The other side did not answer in time.")]


async def test_a_receiver_that_is_not_there_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as server:
        pass
    with allow_egress(server.url):
        await run(server.url, events=(LifecycleEvent.RUN_STARTED,))
        await aclose_clients()
    assert [line["reason"] for line in log_lines(caplog)] == ["The other side could not be reached."]


async def test_without_a_secret_nothing_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as server:
        await run(server.url, events=(LifecycleEvent.RUN_STARTED,), secret=None)
        assert server.deliveries == []
    assert [line["code"] for line in log_lines(caplog)] == ["secret_unusable"]


async def test_an_address_that_is_no_longer_allowed_is_refused_by_the_egress(caplog: pytest.LogCaptureFixture) -> None:
    await run("https://localhost/hooks", events=(LifecycleEvent.RUN_STARTED,), is_checked=False)
    await aclose_clients()
    assert ("plugin_failed", "egress_refused") in [(line["event"], line.get("code")) for line in log_lines(caplog)]


@pytest.mark.parametrize("status", ["204 No Content", "500 Internal Server Error"])
async def test_the_secret_is_in_no_log_and_on_no_wire(status: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with listening(status) as server:
        await run(server.url, include_text=True)
        deliveries = str(server.deliveries)
    assert SECRET not in caplog.text + str(log_lines(caplog)) + deliveries
    assert SECRET not in repr(WebhookPlugin(WebhookSettings(url="https://hooks.example/"), secret=SecretText(SECRET)))


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://hooks.example/", "must start with https"),
        ("ftp://hooks.example/", "must start with https"),
        ("https://10.0.0.7/", "not a public address"),
        ("https://169.254.169.254/latest", "not a public address"),
        ("https://me:key@hooks.example/", "user name"),
        ("https://hooks.example:8443/", "Port 8443"),
        ("https://hooks.corp/", "inside a network"),
        ("https://localhost/", "inside a network"),
        ("https://hooks.example:\uff14\uff14\uff13/", "only look like"),
        ("hooks.example", "must start with https"),
    ],
)
def test_addresses_that_can_not_be_called_are_refused_in_the_form(url: str, problem: str) -> None:
    assert WebhookSettings(url="https://hooks.example/x?y=1").url == "https://hooks.example/x?y=1"
    with pytest.raises(ValidationError, match=problem):
        WebhookSettings(url=url)
