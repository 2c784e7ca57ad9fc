"""Selects that are compiled once give what the queryset gives, in whatever organization they are run next."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from chat.models import Conversation
from tenants.context import tenant_tx
from tenants.errors import NoTenant
from tenants.models import Membership
from tenants.prepared import PreparedSelect
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
    with pytest.raises(NoTenant):
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
