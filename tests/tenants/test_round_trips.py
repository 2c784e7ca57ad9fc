"""Selects that travel together: one after another, behind their locks, and one that fails fails as it does alone."""

from __future__ import annotations

import pytest
from django.db import DataError, connection, transaction
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from chat.models import Conversation
from tenants.context import database_pipeline, tenant_tx
from tenants.postgres.prepared_statements import read_rows, read_together
from tests.support.cast import Cast

TITLES = "SELECT title FROM chat_conversation WHERE title = %(title)s"


def test_each_select_gives_its_own_rows(cast: Cast) -> None:
    for user in (cast.alice, cast.charlie):
        actor = cast.actor(user)
        with tenant_tx(actor.organization_id), CaptureQueriesContext(connection) as made:
            Conversation.objects.create(owner_id=actor.membership_id, title="Plans", updated_at=Now())
            assert read_together((TITLES, {"title": "Plans"}), (TITLES, {"title": "Others"})) == [[("Plans",)], []]
        assert len(made) >= 3


def test_row_security_holds_without_an_organization(cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    with tenant_tx(actor.organization_id):
        Conversation.objects.create(owner_id=actor.membership_id, title="Plans", updated_at=Now())
    with tenant_tx(cast.other.id):
        assert read_rows(TITLES, {"title": "Plans"}) == []


def test_a_statement_that_fails_in_a_round_trip_fails_as_it_does_alone(cast: Cast) -> None:
    with tenant_tx(cast.acme.id):
        with pytest.raises(DataError):
            _two_of_which_the_first_fails()
        assert read_rows(TITLES, {"title": "Plans"}) == []


def _two_of_which_the_first_fails() -> None:
    with transaction.atomic(), connection.cursor() as cursor, database_pipeline():
        cursor.execute("select 1 / 0")
        cursor.execute("select 1")
