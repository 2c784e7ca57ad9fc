"""A session's row names its user from sign-in to sign-out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.test import AsyncClient, Client
from django.utils import timezone

from tenants.authentication.sessions import SessionStore, session_hash
from tenants.models import Session, User
from tenants.tasks import sessions_clear
from tests.support.accounts.cast import PASSWORD, Cast

PATH = "/o/acme/api/conversations/"

pytestmark = pytest.mark.django_db


def sign_in(client: Client, user: User) -> str:
    """The session's key, which only the cookie holds."""
    assert client.post("/login/", {"username": user.email, "password": PASSWORD}).status_code == 302
    return client.cookies[django_settings.SESSION_COOKIE_NAME].value


def test_the_row_names_the_user_until_the_sign_out(client: Client, cast: Cast) -> None:
    key = sign_in(client, cast.bob)
    assert Session.objects.get(pk=session_hash(key)).user == cast.bob
    assert client.post("/logout/").status_code == 302
    assert not Session.objects.exists()
    client.cookies[django_settings.SESSION_COOKIE_NAME] = key
    assert client.get(PATH).status_code == 401


def test_another_user_gets_another_session(client: Client, cast: Cast) -> None:
    former = session_hash(sign_in(client, cast.bob))
    client.force_login(cast.vera)
    now = Session.objects.get()
    assert now.pk != former
    assert now.user == cast.vera


async def test_a_coroutines_session_names_its_user_too(cast: Cast) -> None:
    client = AsyncClient()
    await client.aforce_login(cast.bob)
    assert (await Session.objects.aget()).user_id == cast.bob.pk


def test_a_session_of_nobody_names_nobody(cast: Cast) -> None:
    session = SessionStore()
    session["language"] = "en"
    session.save()
    assert Session.objects.get().user is None


def test_expired_sessions_are_cleared(client: Client, cast: Cast) -> None:
    sign_in(client, cast.bob)
    active_hash = session_hash(sign_in(Client(), cast.bob))
    Session.objects.exclude(pk=active_hash).update(expire_date=timezone.now() - timedelta(seconds=1))
    sessions_clear()
    assert Session.objects.get().pk == active_hash
