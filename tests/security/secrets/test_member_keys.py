"""Keys for one session go with it, however it goes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from security.models import AuditEvent, MemberKey, Secret
from security.secrets.member_keys import KeySession, member_key_save
from security.tasks import session_keys_expire
from tenants.authentication.sessions import session_hash
from tenants.context import tenant_tx
from tenants.models import Organization, Session, User
from tests.support.accounts.cast import Cast
from tests.support.stores.failing_rows import first_row_refused

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def signed_in(user: User) -> Session:
    client = Client()
    client.force_login(user)
    return Session.objects.get(pk=session_hash(client.session.session_key))


def enter(cast: Cast, user: User, session: Session, *, session_only: bool = True) -> None:
    actor = cast.actor(user)
    of_session = KeySession(session.pk, user.get_session_auth_hash(), session.expire_date)
    with tenant_tx(actor.organization_id):
        member_key_save(
            actor=actor,
            provider="google",
            value="a-long-key-wxyz",
            url="https://api.example",
            session=of_session,
            session_only=session_only,
        )


def keys_of(organization: Organization) -> tuple[int, int]:
    with tenant_tx(organization.pk):
        return MemberKey.objects.count(), Secret.objects.count()


def end(session: Session) -> None:
    Session.objects.filter(pk=session.pk).update(expire_date=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("end_session", [Session.delete, end], ids=["deleted", "ended"])
def test_the_task_removes_keys_of_sessions_that_are_over_in_every_organization(
    cast: Cast, end_session: Callable[[Session], object]
) -> None:
    sessions = {user: signed_in(user) for user in (cast.alice, cast.bob, cast.charlie)}
    for user, session in sessions.items():
        enter(cast, user, session)
    assert session_keys_expire() == 0
    end_session(sessions[cast.alice])
    end_session(sessions[cast.charlie])
    with first_row_refused(AuditEvent, "57014"):
        assert session_keys_expire() == 1, "a fault of one organization holds up no other"
    assert session_keys_expire() == 1
    assert keys_of(cast.acme) == (1, 1)
    assert keys_of(cast.other) == (0, 0)
    assert session_keys_expire() == 0


def test_the_task_leaves_saved_keys_alone(cast: Cast) -> None:
    session = signed_in(cast.bob)
    enter(cast, cast.bob, session, session_only=False)
    session.delete()
    assert session_keys_expire() == 0
    assert keys_of(cast.acme) == (1, 1)


def test_a_key_ends_when_its_session_was_to_end_even_if_that_lives_longer(cast: Cast) -> None:
    session = signed_in(cast.bob)
    enter(cast, cast.bob, session)
    with tenant_tx(cast.acme.pk):
        MemberKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert session_keys_expire() == 1
    assert keys_of(cast.acme) == (0, 0)
