"""A session's user and membership are read together; whatever ends the access still ends it at the next request."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import HASH_SESSION_KEY
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tenants.context import tenant_tx
from tenants.models import Membership
from tests.support.cast import Cast

PATH = "/o/acme/api/conversations/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client: Client, cast: Cast) -> Client:
    client.force_login(cast.bob)
    assert client.get(PATH).status_code == 200
    return client


def password_changed(cast: Cast) -> None:
    cast.bob.set_password("another one, long enough")
    cast.bob.save()


def user_deactivated(cast: Cast) -> None:
    cast.bob.is_active = False
    cast.bob.save()


def membership_ended(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        Membership.objects.get(user=cast.bob).delete()


def organization_deactivated(cast: Cast) -> None:
    cast.acme.is_active = False
    cast.acme.save()


@pytest.mark.parametrize(
    ("end", "status"), [(password_changed, 401), (user_deactivated, 401), (membership_ended, 404), (organization_deactivated, 404)]
)
def test_access_ends_at_the_next_request(end: Callable[[Cast], None], status: int, signed_in: Client, cast: Cast) -> None:
    end(cast)
    assert signed_in.get(PATH).status_code == status


def test_a_session_without_a_hash_is_none(signed_in: Client) -> None:
    session = signed_in.session
    del session[HASH_SESSION_KEY]
    session.save()
    assert signed_in.get(PATH).status_code == 401


def test_a_session_of_a_way_to_sign_in_that_is_gone_is_none(signed_in: Client, settings: Settings) -> None:
    settings.AUTHENTICATION_BACKENDS = ["tests.tenants.test_session_member.OtherBackend"]
    assert signed_in.get(PATH).status_code == 401


def test_a_session_from_before_the_secret_was_changed_goes_on(signed_in: Client, settings: Settings) -> None:
    settings.SECRET_KEY_FALLBACKS = [django_settings.SECRET_KEY]
    settings.SECRET_KEY = "a new one, long enough to be one, and of no other use than this"
    assert signed_in.get(PATH).status_code == 200


def test_foreign_organizations_are_not_found(signed_in: Client) -> None:
    assert signed_in.get("/o/other/api/conversations/").status_code == 404


def test_one_statement_finds_user_and_membership(signed_in: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        signed_in.get(PATH)
    assert sum('FROM "tenants_membership"' in query["sql"] for query in queries) == 1
    assert not any('FROM "tenants_user"' in query["sql"] for query in queries)


class OtherBackend:
    pass
