"""Provider keys of every source are used and stay out of sight: of tables, Redis, tasks, logs, events, pages and error texts (SPEC 2.5)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings as django_settings
from django.db.models.functions import Now
from pytest_django import Settings

from admin_config.defaults.platform import PROVIDERS
from admin_config.models import AppSettings, ProviderEndpoint
from admin_config.services.configuration import credential_remove, credential_set, release_publish
from chat.models import Run
from chat.runs.supervisor import RunSupervisor
from chat.runs.title_generation import title_generate
from chat.storage.leases import lease_claim
from doubles.script import Fault, Text
from doubles.signals import Gate
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import Organization
from tests.chat.api.test_http_streams import client_of, request_body
from tests.security.secrets.canary import capture_logs, database_text, places_with, redis_text
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

# Long, and like no vendor's keys: nothing may depend on redaction knowing their form.
REQUEST_KEY, SESSION_KEY, SAVED_KEY, ORGANIZATION_KEY, PLATFORM_KEY = CANARIES = tuple(
    f"Canary{name}Key7Qz41xWv9Tn3" for name in ("Request", "Session", "Saved", "Organization", "Platform")
)
QUESTION, ANSWER = "Where does the planted question go?", "The planted answer goes everywhere."


@dataclass
class ServerOutput:
    """What left the server, by a name of the place."""

    places: dict[str, bytes] = field(default_factory=dict)

    def note(self, name: str, content: bytes) -> None:
        self.places[f"{len(self.places)} {name}"] = content

    async def call(self, browser: Browser, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A REST call or page whose answer is noted, with its headers."""
        client = await client_of(browser)
        arguments: dict[str, Any] = {} if body is None else {"data": body, "content_type": "application/json"}
        response = await getattr(client, method.lower())(path, headers=headers, **arguments)
        content = b"".join([part async for part in response.streaming_content]) if response.streaming else response.content
        self.note(f"{method} {path}", repr(response.headers).encode() + content)
        return response

    async def answer(self, browser: Browser, slug: str, text: str = QUESTION) -> None:
        """An answer over the socket, all of whose frames are noted."""
        async with chat_socket(browser, slug) as socket:
            self.note(f"frames of {slug}", json.dumps(await socket.answer(str(uuid4()), text)).encode())


@pytest.fixture
def gemini() -> Iterator[ServedGemini]:
    with gemini_double(keys=None) as double:
        yield double


@pytest.fixture
def acme(cast: Cast, gemini: ServedGemini, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Google's own address is the double's. Acme has a key and lets members bring theirs; the other one uses the platform's."""
    monkeypatch.setitem(PROVIDERS, "google", replace(PROVIDERS["google"], base_url=gemini.base_url))
    settings.PROVIDER_KEYS = {"google": PLATFORM_KEY}
    with allow_egress(gemini.base_url):
        workspace = make_workspace(cast.acme, gemini)
        make_workspace(cast.other, gemini)
        give_key(cast.acme, ORGANIZATION_KEY)
        give_key(cast.other, None)
        yield workspace


def give_key(organization: Organization, key: str | None) -> None:
    with tenant_tx(organization.pk):
        AppSettings.objects.update(own_keys_allowed=True)
        endpoint = ProviderEndpoint.objects.get(provider="google")
        if key is None:
            credential_remove(endpoint=endpoint)
        else:
            credential_set(endpoint=endpoint, value=key)
        release_publish(organization_id=organization.pk)


async def post(output: ServerOutput, browser: Browser, chat_id: str = "", **fields: Any) -> Any:
    body = request_body(chat_id or str(uuid4()), QUESTION, **fields)
    return await output.call(browser, "POST", "/o/acme/api/chat", body, **{"X-Google-Api-Key": REQUEST_KEY})


async def enter(output: ServerOutput, browser: Browser, key: str, *, session_only: bool) -> None:
    body = {"provider": "google", "key": key, "sessionOnly": session_only}
    assert (await output.call(browser, "PUT", "/o/acme/api/keys/", body)).status_code == 200
    assert (await output.call(browser, "POST", "/o/acme/api/keys/google/check/", {})).json()["result"] == "ok"


async def use_each_key(output: ServerOutput, cast: Cast) -> dict[str, tuple[Browser, str]]:
    """Bring each key to where it is used; give a browser and its organization for each."""
    alice, bob, charlie = [await sync_to_async(Browser)(user) for user in (cast.alice, cast.bob, cast.charlie)]
    other_bob = await sync_to_async(Browser)(cast.bob)
    await enter(output, alice, SAVED_KEY, session_only=False)
    await enter(output, bob, SESSION_KEY, session_only=True)
    return {SAVED_KEY: (alice, "acme"), SESSION_KEY: (bob, "acme"), ORGANIZATION_KEY: (other_bob, "acme"), PLATFORM_KEY: (charlie, "other")}


def echo(key: str) -> list[Fault]:
    """A provider that repeats the key: in refusals, in its own trouble, and in the middle of an answer."""
    message = f"Incorrect API key provided: {key}."
    return [Fault.status(401, message), Fault.status(400, message), Fault.status(403, message), Fault.mid_stream_error(400, message)]


async def pages(output: ServerOutput, cast: Cast) -> None:
    """All that an owner can look at."""
    owner = await sync_to_async(Browser)(cast.alice)
    with_rows = ["providerendpoint", "agentconfig", "release", "appsettings", "modelconfig"]
    for page in ["", *(f"admin_config/{name}/" for name in with_rows), "security/registeredsecret/", "tenants/membership/"]:
        await output.call(owner, "GET", f"/o/acme/admin/{page}")
    for name, model in (("providerendpoint", ProviderEndpoint), ("appsettings", AppSettings)):
        for row in await in_db(lambda model=model: list(model.objects.all()), organization_id=cast.acme.pk):
            await output.call(owner, "GET", f"/o/acme/admin/admin_config/{name}/{row.pk}/change/")
    for path in ("", "api/keys/", "api/secrets/", "api/me/", "api/conversations/"):
        await output.call(owner, "GET", f"/o/acme/{path}")


async def refusals(output: ServerOutput, browser: Browser) -> None:
    """Requests that hold a key and go wrong."""
    for body in (
        '{"provider": "google", "key": "' + REQUEST_KEY + '"',
        {"provider": REQUEST_KEY, "key": SAVED_KEY},
        {"key": [SAVED_KEY]},
        {"provider": "google", "key": f"{SAVED_KEY}\n{SAVED_KEY}"},
    ):
        response = await output.call(browser, "PUT", "/o/acme/api/keys/", body)
        assert response.status_code in {400, 404}
    header = {"X-Google-Api-Key": REQUEST_KEY}
    for method, path in (
        ("GET", "/o/acme/no-such-page/"),
        ("GET", "/o/other/"),
        ("DELETE", "/o/acme/api/keys/nonsense/"),
        ("PUT", "/o/acme/api/chat"),
    ):
        assert (await output.call(browser, method, path, **header)).status_code >= 400
    assert (await output.call(browser, "POST", "/o/acme/api/chat", {"id": "no/id"}, **header)).status_code == 400
    assert (await output.call(browser, "POST", "/o/acme/api/chat", {}, **{"X-Google-Api-Key": REQUEST_KEY + "\u00e9"})).status_code == 400


async def lose_and_take_over(output: ServerOutput, acme: Workspace, browser: Browser) -> None:
    """A run with a sent key whose process dies; a worker goes on."""
    acme.double.answer(Text("Lost "), Gate("never"))
    acme.double.answer(Text("Whole."))
    before = len(acme.double.requests)
    client = await client_of(browser)
    body = request_body(str(uuid4()), QUESTION)
    response: Any = await client.post("/o/acme/api/chat", body, content_type="application/json", headers={"X-Google-Api-Key": REQUEST_KEY})
    await acme.double.arrived(before + 1).wait_async()
    run = (await acme.rows(Run))[-1]
    await in_db(lambda: Run.unscoped.using("system").filter(pk=run.pk).update(lease_expires_at=Now(), lease_owner="dead"), using="system")
    claim = await in_db(lease_claim, run.pk, using="system")
    assert claim is not None
    await RunSupervisor().start(claim)
    output.note("taken over", b"".join([part async for part in response.streaming_content]))


async def test_no_key_is_found_anywhere_in_clear(acme: Workspace, cast: Cast, gemini: ServedGemini, settings: Settings) -> None:
    output = ServerOutput()
    with capture_logs() as log:
        gemini.default(Text(ANSWER, pieces=[ANSWER]))
        places = await use_each_key(output, cast)
        sender = places[SAVED_KEY][0]
        await post(output, sender)
        for fault in echo(REQUEST_KEY):
            gemini.answer(fault)
            await post(output, sender)
        for key, (browser, slug) in places.items():
            await output.answer(browser, slug)
            for fault in echo(key):
                gemini.answer(fault)
                await output.answer(browser, slug)
        await lose_and_take_over(output, acme, sender)
        for run in (await acme.rows(Run))[:2]:
            await title_generate(organization_id=cast.acme.pk, conversation_id=run.conversation_id)
        settings.RUN_EXECUTOR = "celery"
        async with chat_socket(sender, "acme") as socket:
            await socket.send(str(uuid4()), QUESTION)
            await acme.wait_for_row(Run, lambda row: not row.lease_owner)
        await refusals(output, sender)
        await pages(output, cast)
    everywhere = output.places | {"logs": log.getvalue().encode()}
    everywhere |= await sync_to_async(redis_text)()
    everywhere |= await in_db(database_text, using="system")

    assert not django_settings.DEBUG
    for key in CANARIES:
        assert any(request.key_is(key) for request in gemini.requests), f"{key} was used"
        assert places_with(key, everywhere) == []
    assert_all_was_searched(everywhere)


def assert_all_was_searched(everywhere: dict[str, bytes]) -> None:
    """What may be seen is found at every kind of place, so a key would have been."""
    for text, places in ((QUESTION, ["table chat_part"]), (ANSWER, ["table chat_part", "redis ", "frames ", "POST "])):
        place_names = " | ".join(places_with(text, everywhere))
        assert all(place in place_names for place in places), place_names
    assert everywhere["table security_secret"].count(REQUEST_KEY[-4:].encode()) >= 3, "the last four characters may be seen"
    assert any("celery" in place for place in everywhere if place.startswith("redis ")), "tasks are in Redis"
    assert b"run_failed" in everywhere["logs"]


def test_a_key_would_be_found_in_every_spelling() -> None:
    encoding = "x Q2FuYXJ5UmVxdWVzdEtleTdRejQxeFd2OVRuMw== y"  # base64 of the key alone
    for text in (REQUEST_KEY, REQUEST_KEY.encode().hex(), encoding):
        assert places_with(REQUEST_KEY, {"here": text.encode()}) == ["here"]
    for before in ("a", "bc", "def"):
        assert places_with(REQUEST_KEY, {"here": base64.b64encode(f"{before}{REQUEST_KEY}:x".encode())}) == ["here"]
    assert places_with(REQUEST_KEY, {"here": b"nothing"}) == []
