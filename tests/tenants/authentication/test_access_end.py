"""Session, user and membership are read by one statement at every entry point; whatever ends the access ends it at the next request or socket."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings as django_settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.backends import ModelBackend
from django.test import AsyncClient, Client
from django.utils import timezone
from pytest_django import Settings

from tenants.authentication.sessions import SessionStore, session_hash
from tenants.context import tenant_tx
from tenants.models import Membership, Session, User
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, communicator
from tests.support.stores.statements import statements

PATH = "/o/acme/api/conversations/"

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def rest(browser: Browser) -> bool:
    return bool((await browser.call("GET", PATH)).status_code == 200)


async def page(browser: Browser) -> bool:
    return bool((await browser.call("GET", "/o/acme/")).status_code == 200)


async def stream(browser: Browser) -> bool:
    client = AsyncClient()
    client.cookies.load(browser.cookie)
    return bool((await client.get(f"/o/acme/api/chat/{uuid4()}/stream")).status_code == 204)


async def socket(browser: Browser, slug: str = "acme") -> bool:
    """Whether it answers a frame. A page can read the code by which it is closed otherwise, and is loaded again."""
    connection = communicator(browser, f"/o/{slug}/ws/chat/")
    assert (await connection.connect(timeout=60))[0]
    await connection.send_to(text_data="{}")
    output = await connection.receive_output(timeout=60)
    await connection.disconnect()
    assert output.get("code") in (None, 4403)
    return bool(output["type"] == "websocket.send")


EntryPoint = Callable[[Browser], Awaitable[bool]]
ENTRY_POINTS: list[EntryPoint] = [rest, page, stream, socket]


@pytest.fixture
def bobs(cast: Cast) -> dict[EntryPoint, Browser]:
    """One for each entry point, with a session of its own: Django ends one that is not valid any more."""
    return {enter: Browser(cast.bob) for enter in ENTRY_POINTS}


@pytest.fixture
def bob(cast: Cast) -> Browser:
    return Browser(cast.bob)


def password_changed(cast: Cast) -> None:
    cast.bob.set_password("another one, long enough")
    cast.bob.save()


def user_deactivated(cast: Cast) -> None:
    cast.bob.is_active = False
    cast.bob.save()


def user_deleted(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        User.objects.using("system").get(pk=cast.bob.pk).delete()


def membership_ended(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        Membership.objects.using("system").get(user=cast.bob).delete()


def membership_deactivated(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        Membership.objects.filter(user=cast.bob).update(is_active=False)


def membership_elsewhere(cast: Cast) -> None:
    Membership.objects.filter(user=cast.bob).update(organization=cast.other)


def organization_deactivated(cast: Cast) -> None:
    cast.acme.is_active = False
    cast.acme.save()


def session_expired(cast: Cast) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def session_ended_elsewhere(cast: Cast) -> None:
    Session.objects.all().delete()


def data_forged(cast: Cast) -> None:
    Session.objects.update(session_data="eyJfYXV0aF91c2VyX2lkIjoiMSJ9:1aaaaa:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")


def hash_missing(cast: Cast) -> None:
    _saved_without(HASH_SESSION_KEY)


def user_missing(cast: Cast) -> None:
    _saved_without(SESSION_KEY)
    Session.objects.update(user=cast.bob)


def _saved_without(name: str) -> None:
    for row in Session.objects.all():
        data = row.get_decoded()
        del data[name]
        row.session_data = SessionStore().encode(data)
        row.save(update_fields=["session_data"])


ENDS = [
    password_changed,
    user_deactivated,
    user_deleted,
    membership_ended,
    membership_deactivated,
    membership_elsewhere,
    organization_deactivated,
    session_expired,
    session_ended_elsewhere,
    data_forged,
    hash_missing,
    user_missing,
]


@pytest.mark.parametrize("end", ENDS)
async def test_access_ends_at_every_entry_point(end: Callable[[Cast], None], bobs: dict[EntryPoint, Browser], cast: Cast) -> None:
    assert [await enter(bob) for enter, bob in bobs.items()] == [True] * 4
    await sync_to_async(end)(cast)
    assert [await enter(bob) for enter, bob in bobs.items()] == [False] * 4


class Strict(ModelBackend):
    """A way to sign in with a rule of its own."""

    def user_can_authenticate(self, user: Any) -> bool:
        return bool(user.name == "Bob")


async def test_a_way_to_sign_in_with_rules_of_its_own_is_asked(bobs: dict[EntryPoint, Browser], cast: Cast, settings: Settings) -> None:
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.Strict"]
    for bob in bobs.values():
        await sync_to_async(bob.client.force_login)(cast.bob)
    assert [await enter(bob) for enter, bob in bobs.items()] == [True] * 4
    await User.objects.aupdate(name="Robert")
    assert [await enter(bob) for enter, bob in bobs.items()] == [False] * 4


async def test_a_way_to_sign_in_that_is_gone_ends_its_sessions(bobs: dict[EntryPoint, Browser], settings: Settings) -> None:
    assert [await enter(bob) for enter, bob in bobs.items()] == [True] * 4
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.Strict"]
    assert [await enter(bob) for enter, bob in bobs.items()] == [False] * 4


@pytest.mark.parametrize("enter", [rest, page, stream])
async def test_a_session_from_before_the_secret_was_changed_goes_on_under_another_key(
    enter: EntryPoint, bob: Browser, cast: Cast, settings: Settings
) -> None:
    former = bob.cookie
    settings.SECRET_KEY_FALLBACKS = [django_settings.SECRET_KEY]
    settings.SECRET_KEY = "a new one, long enough to be one, and of no other use than this"
    assert await enter(bob)
    row = await Session.objects.aget()
    assert row.pk != session_hash(former.partition("=")[2])
    assert row.user_id == cast.bob.pk


@pytest.mark.parametrize("path", ["/o/other/api/conversations/", "/o/missing/api/conversations/", "/o/other/"])
def test_foreign_and_missing_organizations_are_not_found(path: str, bob: Browser) -> None:
    assert bob.client.get(PATH).status_code == 200
    assert bob.client.get(path).status_code == 404


async def test_foreign_and_missing_organizations_have_no_sockets(bob: Browser) -> None:
    assert await socket(bob)
    for slug in ("other", "missing"):
        assert not await socket(bob, slug)


def test_in_each_organization_the_role_is_its_own(bob: Browser, cast: Cast) -> None:
    Membership.objects.create(organization=cast.other, user=cast.bob, role=Membership.Role.VIEWER)
    responses = {slug: bob.client.post(f"/o/{slug}/api/conversations/", {}, content_type="application/json") for slug in ("acme", "other")}
    assert [responses[slug].status_code for slug in ("acme", "other")] == [201, 403]
    assert bob.client.get("/o/other/api/conversations/").json()["items"] == []


async def test_a_session_whose_row_names_another_user_opens_nothing(bob: Browser, cast: Cast) -> None:
    """The row is where to look; what was signed counts."""
    await Session.objects.aupdate(user=cast.vera)  # who may only read
    assert (await bob.call("POST", PATH, {})).status_code == 201
    assert await socket(bob)
    await Membership.objects.filter(user=cast.bob).aupdate(role=Membership.Role.VIEWER)
    await Session.objects.aupdate(user=cast.alice)  # who owns the organization
    assert (await bob.call("POST", PATH, {})).status_code == 403


async def test_a_row_that_names_nobody_is_read_as_django_does(bob: Browser) -> None:
    await Session.objects.aupdate(user=None)
    for enter in (rest, page, stream, socket):
        assert await enter(bob)


@pytest.mark.parametrize("enter", ENTRY_POINTS)
async def test_one_statement_finds_session_user_and_membership(enter: EntryPoint, bob: Browser) -> None:
    assert await enter(bob)
    async with statements() as queries:
        assert await enter(bob)
    assert "tenants_session" in queries[0]
    assert "tenants_user" in queries[0]
    assert not any("tenants_session" in sql or 'FROM "tenants_user"' in sql for sql in queries[1:])


@pytest.mark.parametrize("enter", ENTRY_POINTS)
@pytest.mark.parametrize("key", ["", "short", r'"\000aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"'])
async def test_without_a_session_no_statement_is_made(key: str, enter: EntryPoint, cast: Cast) -> None:
    async with statements() as queries:
        assert not await enter(Stranger(key))
    assert queries == []


class Stranger(Browser):
    """With a cookie that nobody was given."""

    def __init__(self, key: str) -> None:
        self._cookie = f"{django_settings.SESSION_COOKIE_NAME}={key}"
        self.client = Client(headers={"cookie": self._cookie})

    @property
    def cookie(self) -> str:
        return self._cookie
