"""Selects that travel together: one after another, behind their locks, and one that fails fails as it does alone."""

from __future__ import annotations

import pytest
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from chat.models import Conversation
from tenants.context import database_pipeline, tenant_tx
from tenants.postgres.prepared_statements import read_committed, read_rows, read_together
from tests.support.accounts.cast import Cast

TITLES = "SELECT title FROM chat_conversation WHERE title = %(title)s"


def test_each_select_gives_its_own_rows(cast: Cast) -> None:
    for user in (cast.alice, cast.charlie):
        actor = cast.actor(user)
        with tenant_tx(actor.organization_id), CaptureQueriesContext(connection) as queries:
            Conversation.objects.create(owner_id=actor.membership_id, title="Plans", updated_at=Now())
            assert read_together((TITLES, {"title": "Plans"}), (TITLES, {"title": "Others"})) == [[("Plans",)], []]
        assert len(queries) >= 3


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


class TestTheFirstStatementOfATransaction:
    """Whatever becomes of it, the organization stays that of the transaction, and of no other."""

    pytestmark = pytest.mark.django_db(transaction=True)

    def test_one_that_fails_leaves_nothing_behind(self, cast: Cast) -> None:
        with pytest.raises(DataError), tenant_tx(cast.acme.id), connection.cursor() as cursor:
            cursor.execute("select 1 / 0")
        with tenant_tx(cast.other.id):
            assert read_rows(TITLES, {"title": "Plans"}) == []

    def test_a_savepoint_that_is_rolled_back_keeps_the_organization(self, cast: Cast) -> None:
        with tenant_tx(cast.acme.id):
            with pytest.raises(DataError), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("select 1 / 0")
            assert read_rows("select current_setting('app.org')", []) == [(str(cast.acme.id),)]

    def test_it_may_be_many_rows_at_once(self, cast: Cast) -> None:
        titles = ["Plans", "Notes"]
        owner = cast.actor(cast.alice).membership_id
        with tenant_tx(cast.acme.id):
            Conversation.objects.bulk_create([Conversation(owner_id=owner, title=title, updated_at=Now()) for title in titles])
        with tenant_tx(cast.acme.id), connection.cursor() as cursor:
            cursor.executemany("update chat_conversation set title = %s where title = %s", [(f"Old {title}", title) for title in titles])
            assert cursor.rowcount == 2
        with tenant_tx(cast.other.id):
            assert read_rows(TITLES, {"title": "Old Plans"}) == []

    def test_one_that_breaks_a_rule_says_which(self, cast: Cast) -> None:
        owner = cast.actor(cast.alice).membership_id
        with tenant_tx(cast.acme.id):
            plans = Conversation.objects.create(owner_id=owner, title="Plans", updated_at=Now())
        with pytest.raises(IntegrityError, match="chat_conversation_pkey"), tenant_tx(cast.acme.id):
            plans.save(force_insert=True)


class TestASelectWithoutATransaction:
    pytestmark = pytest.mark.django_db(transaction=True)

    def test_it_sees_the_organization_alone_and_leaves_nothing_behind(self, cast: Cast) -> None:
        for user, title in ((cast.alice, "Plans"), (cast.charlie, "Others")):
            actor = cast.actor(user)
            with tenant_tx(actor.organization_id):
                Conversation.objects.create(owner_id=actor.membership_id, title=title, updated_at=Now())
        titles = "SELECT title FROM chat_conversation"
        assert read_committed(cast.acme.id, titles, []) == [("Plans",)]
        assert read_rows("select current_setting('app.org', true)", []) == [("",)]
        assert read_committed(cast.other.id, titles, []) == [("Others",)]

    def test_in_an_open_transaction_it_sees_what_that_has_written(self, cast: Cast) -> None:
        owner = cast.actor(cast.alice).membership_id
        with tenant_tx(cast.acme.id):
            Conversation.objects.create(owner_id=owner, title="Plans", updated_at=Now())
            assert read_committed(cast.acme.id, TITLES, {"title": "Plans"}) == [("Plans",)]
            assert read_rows(TITLES, {"title": "Plans"}) == [("Plans",)]

    def test_one_that_fails_fails_as_it_does_alone(self, cast: Cast) -> None:
        with pytest.raises(DataError):
            read_committed(cast.acme.id, "select 1 / 0", [])
        assert read_committed(cast.acme.id, TITLES, {"title": "Plans"}) == []
