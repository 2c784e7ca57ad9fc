"""Selects that are compiled once give what the queryset gives, in whatever organization they are run next."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import DataError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from chat.models import Conversation
from tenants.context import database_pipeline, tenant_tx
from tenants.errors import NoTenantContext
from tenants.models import Membership
from tenants.postgres.prepared_select import PreparedSelect, read_ahead
from tests.support.cast import Cast


def test_rows_come_with_their_relations_and_annotations_in_one_query(cast: Cast) -> None:
    members = PreparedSelect(
        lambda *, user_id, role: Membership.objects.filter(user_id=user_id, role=role).select_related("user").annotate(again=F("role"))
    )
    for user, role in ((cast.bob, "member"), (cast.alice, "owner"), (cast.alice, "member")):
        with CaptureQueriesContext(connection) as made:
            found: list[Any] = members.rows(user_id=user.pk, role=role)
            names = [(row.user.name, row.again) for row in found]
        assert names == ([] if (user, role) == (cast.alice, "member") else [(user.name, role)])
        assert len(made) == 1


def test_the_organization_is_that_of_the_transaction(cast: Cast) -> None:
    titles = PreparedSelect(lambda *, title: Conversation.objects.filter(title=title).values_list("title", "owner_id"))
    for user in (cast.alice, cast.charlie):
        actor = cast.actor(user)
        with tenant_tx(actor.organization_id):
            Conversation.objects.create(owner_id=actor.membership_id, title="Plans", updated_at=Now())
            assert titles.rows(title="Plans") == [("Plans", actor.membership_id)]
            assert titles.first(title="Others") is None
    with pytest.raises(NoTenantContext):
        titles.rows(title="Plans")


def test_a_statement_that_would_be_wrong_for_the_next_values_is_refused(cast: Cast) -> None:
    fixed = uuid4()
    with tenant_tx(cast.acme.id):
        for build in (
            lambda *, title: Conversation.objects.filter(title__icontains=title),
            lambda *, title: Conversation.objects.filter(title=title, owner_id=fixed),
        ):
            with pytest.raises(ValueError, match="parameter"):
                PreparedSelect(build).rows(title="Plans")


def test_what_is_read_ahead_is_asked_once_and_handed_out_once(cast: Cast) -> None:
    titles = PreparedSelect(lambda *, title: Conversation.objects.filter(title=title).values_list("title"))
    with tenant_tx(cast.acme.id):
        Conversation.objects.create(owner_id=cast.actor(cast.alice).membership_id, title="Plans", updated_at=Now())
        with CaptureQueriesContext(connection) as made, read_ahead([titles.bind(title="Plans"), titles.bind(title="Others")]):
            assert titles.first(title="Others") is None
            assert titles.rows(title="Plans") == [("Plans",)]
            assert len(made) == 2
            Conversation.objects.update(title="Others")
            assert titles.rows(title="Others") == [("Others",)]  # a second question is a new one
        with read_ahead([titles.bind(title="Others")]):
            Conversation.objects.update(title="Plans")
        assert titles.rows(title="Others") == []  # nothing is left of the block


def test_a_statement_that_fails_in_a_round_trip_fails_as_it_does_alone(cast: Cast) -> None:
    texts = PreparedSelect(lambda *, title: Conversation.objects.filter(title=title).values_list("title"))
    with tenant_tx(cast.acme.id):
        with pytest.raises(DataError):
            _two_of_which_the_first_fails()
        assert texts.rows(title="Plans") == []


def _two_of_which_the_first_fails() -> None:
    with transaction.atomic(), connection.cursor() as cursor, database_pipeline():
        cursor.execute("select 1 / 0")
        cursor.execute("select 1")
