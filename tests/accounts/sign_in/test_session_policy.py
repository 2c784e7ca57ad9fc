"""How long sessions last and rest, by the policies of their user's organizations, and when they were last used."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from accounts.sessions.policy import sessions_end_by_policy
from chat.api.access_watch import AccessWatch
from tenants.authentication.sessions import STARTED, USE_INTERVAL, SessionStore
from tenants.models import Membership, Organization, Session, User
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.chat.chat_socket import Browser, communicator
from tests.support.stores.statements import statements

PATH = "/o/acme/api/conversations/"

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def signed_in(user: User) -> Client:
    client = Client()
    assert client.post("/login/", {"username": user.email, "password": PASSWORD}).status_code == 302
    return client


def policy(organization: Organization, **policy: Any) -> None:
    Organization.objects.filter(pk=organization.pk).update(policy=policy)


def rest(user: User, minutes: int) -> None:
    Session.objects.filter(user=user).update(last_used_at=timezone.now() - timedelta(minutes=minutes))


def age(user: User, hours: float) -> None:
    """As if everybody had signed in earlier: what is signed says so, and the row."""
    store = SessionStore()
    for row in Session.objects.filter(user=user):
        data = store.decode(row.session_data)
        data[STARTED] -= round(hours * 3600)
        row.session_data, row.started_at = store.encode(data), datetime.fromtimestamp(data[STARTED], tz=UTC)
        row.save()


def is_in(client: Client, path: str = PATH) -> bool:
    return client.get(path).status_code == 200


def test_a_session_ends_when_its_hours_are_over_however_much_it_was_used(cast: Cast) -> None:
    bob, charlie = signed_in(cast.bob), signed_in(cast.charlie)
    policy(cast.acme, session_hours=8)
    age(cast.bob, 7.9)
    age(cast.charlie, 100)  # of another organization
    assert (sessions_end_by_policy(), is_in(bob)) == (0, True)
    age(cast.bob, 0.2)
    assert (sessions_end_by_policy(), is_in(bob), is_in(charlie, "/o/other/api/conversations/")) == (1, False, True)
    assert bob.get("/accounts/").headers["Location"] == "/login/?next=/accounts/"
    assert is_in(signed_in(cast.bob))


def test_a_session_ends_when_it_rested_too_long(cast: Cast) -> None:
    bob, charlie = signed_in(cast.bob), signed_in(cast.charlie)
    policy(cast.acme, session_idle_minutes=30)
    rest(cast.bob, 29)
    rest(cast.charlie, 300)
    assert sessions_end_by_policy() == 0
    assert is_in(bob)  # which is a use
    assert sessions_end_by_policy() == 0
    rest(cast.bob, 31)
    assert (sessions_end_by_policy(), is_in(bob), is_in(charlie, "/o/other/api/conversations/")) == (1, False, True)


def test_the_strictest_of_ones_organizations_counts(cast: Cast) -> None:
    bob = signed_in(cast.bob)
    place = Membership.objects.create(organization=cast.other, user=cast.bob, role=Membership.Role.VIEWER)
    policy(cast.acme, session_idle_minutes=600, session_hours=None)
    policy(cast.other, session_idle_minutes=20)
    rest(cast.bob, 25)
    Membership.objects.filter(pk=place.pk).update(is_active=False)
    assert sessions_end_by_policy() == 0
    Membership.objects.filter(pk=place.pk).update(is_active=True)
    assert (sessions_end_by_policy(), is_in(bob)) == (1, False)


@pytest.mark.parametrize("wrong", ["soon", [], {"a": 1}, True])
def test_a_policy_that_is_no_number_stops_nothing_else(wrong: Any, cast: Cast) -> None:
    signed_in(cast.bob)
    policy(cast.acme, session_hours=wrong, session_idle_minutes=20)
    rest(cast.bob, 25)
    assert sessions_end_by_policy() == 1


async def test_the_use_is_noted_once_in_two_minutes(cast: Cast) -> None:
    bob = await sync_to_async(signed_in)(cast.bob)
    await sync_to_async(rest)(cast.bob, 3)
    async with statements() as first:
        assert await sync_to_async(is_in)(bob)
    async with statements() as second:
        assert await sync_to_async(is_in)(bob)
    assert [sum(sql.startswith('UPDATE "tenants_session"') for sql in batch) for batch in (first, second)] == [1, 0]
    assert await Session.objects.filter(last_used_at__gt=timezone.now() - timedelta(minutes=1)).aexists()


async def test_what_a_socket_gets_is_a_use(cast: Cast) -> None:
    connection = communicator(await sync_to_async(Browser)(cast.bob), "/o/acme/ws/chat/")
    await connection.connect()
    watch = AccessWatch.current()
    recent = Session.objects.filter(last_used_at__gt=timezone.now() - USE_INTERVAL)
    await sync_to_async(rest)(cast.bob, 30)
    await watch.check()
    assert not await recent.aexists(), "an open tab alone is no use"
    await connection.send_to(text_data='{"type": "unknown"}')
    await connection.receive_from()
    await watch.check()
    assert await recent.aexists()
    await connection.disconnect()


async def test_a_socket_closes_when_its_session_expires(cast: Cast) -> None:
    bob, alice = [communicator(await sync_to_async(Browser)(user), "/o/acme/ws/chat/") for user in (cast.bob, cast.alice)]
    await bob.connect()
    await alice.connect()
    await Session.objects.filter(user=cast.bob).aupdate(expire_date=timezone.now() - timedelta(seconds=1))
    await AccessWatch.current().check()
    assert await bob.receive_output(timeout=30) == {"type": "websocket.close", "code": 4403}
    assert await alice.receive_nothing(), "nobody else's socket ends"
    await alice.disconnect()


def test_the_list_of_devices_says_when_each_was_used(cast: Cast) -> None:
    signed_in(cast.bob)
    Session.objects.update(last_used_at=timezone.now().replace(year=2026, month=3, day=4, hour=5, minute=6))
    page = signed_in(cast.bob).get("/accounts/sessions/").content.decode()
    assert (page.count("In use now"), page.count("Last used 4 March 2026, 05:06 UTC")) == (1, 1)
