"""The admin page "Feedback": who reads what, the filters, and what is done with chosen lines."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import Conversation, MessageFeedback
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.chat.admin_pages.activity import Activity, acme, alice, other
from tests.support.accounts.cast import Cast

__all__ = ["acme", "alice", "other"]

pytestmark = pytest.mark.django_db(databases=["default", "system"])

PAGE = "/o/acme/admin/chat/messagefeedback/"
COMMENT = "It told me Monday, it is not Monday."


def rate(activity: Activity, rating: str = "down", *, assistant: str = "", **values: Any) -> MessageFeedback:
    run = activity.run(timezone.now())
    with tenant_tx(activity.organization_id):
        if assistant:
            type(run).objects.filter(pk=run.pk).update(assistant=assistant)
        return MessageFeedback.objects.create(message_id=run.answer_id, rating=rating, **values)


def feedback_row(activity: Activity, feedback: MessageFeedback) -> MessageFeedback:
    with tenant_tx(activity.organization_id):
        return MessageFeedback.objects.get(pk=feedback.pk)


def mark(client: Client, **fields: Any) -> str:
    return str(client.post(f"{PAGE}mark/", {"here": "", **fields}, follow=True).content.decode())


def test_comments_are_shown_and_the_conversation_is_not(acme: Activity, other: Activity, alice: Client) -> None:
    mine = rate(acme, comment=COMMENT, reasons=["not_correct"])
    rate(other, comment="Of somebody else")
    with tenant_tx(acme.organization_id):
        Conversation.objects.update(title="Merger with Kestrel")
    text = alice.get(PAGE).content.decode()
    assert COMMENT in text
    assert "Not correct" in text
    assert "1 not seen" in text
    assert "Of somebody else" not in text
    assert "Kestrel" not in text
    assert "Run and conversation" not in text
    with tenant_tx(acme.organization_id):
        Conversation.objects.update(admins_may_read_until=timezone.now() + timedelta(days=1))
        run_id = MessageFeedback.objects.select_related("message").get(pk=mine.pk).message.run_id
    text = alice.get(PAGE).content.decode()
    assert "Run and conversation" in text
    assert f"/o/acme/admin/chat/run/{run_id}/" in text


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("", True),
        ("?rating=down", True),
        ("?rating=up", False),
        ("?q=monday", True),
        ("?q=tuesday", False),
        ("?comment=1", True),
        ("?reason=not_correct", True),
        ("?reason=too_long", False),
        ("?agent=desk", True),
        ("?agent=-", False),
        ("?seen=no", True),
        ("?seen=yes", False),
        ("?assignee=-", True),
        ("?assignee={alice}", False),
        ("?period=1", True),
        ("?period=x&cursor=1&rating=nothing&reason=%00&seen=x&assignee=x", True),
    ],
)
def test_the_filters_are_in_the_address(acme: Activity, alice: Client, query: str, is_found: bool) -> None:
    rate(acme, comment=COMMENT, reasons=["not_correct"], assistant="desk")
    assert (COMMENT in alice.get(PAGE + query.format(alice=acme.owner_id)).content.decode()) == is_found


def test_feedback_is_marked_and_assigned_alone_and_several_at_once(acme: Activity, alice: Client) -> None:
    one, two = rate(acme), rate(acme)
    assert "Marked as seen" in mark(alice, see=one.pk)
    assert feedback_row(acme, one).seen_at is not None
    assert feedback_row(acme, two).seen_at is None
    mark(alice, unsee=one.pk)
    assert feedback_row(acme, one).seen_at is None
    both = [str(one.pk), str(two.pk)]
    assert "2 marked as seen" in mark(alice, action="seen", chosen=both)
    assert "Everything has been seen" in mark(alice, action="assign", chosen=both, assignee=str(acme.owner_id))
    assert {feedback_row(acme, each).assignee_id for each in (one, two)} == {acme.owner_id}
    assert "2 marked as not seen" in mark(alice, action="unseen", chosen=both)
    mark(alice, action="assign", chosen=both, assignee="-")
    assert feedback_row(acme, two).assignee_id is None


def test_nothing_foreign_is_touched_and_nobody_else_may(acme: Activity, other: Activity, cast: Cast, alice: Client) -> None:
    mine, foreign = rate(acme), rate(other)
    bob = cast.actor(cast.bob).membership_id
    mark(alice, see=foreign.pk)
    mark(alice, action="seen", chosen=[str(foreign.pk)])
    assert feedback_row(other, foreign).seen_at is None
    for assignee in (other.owner_id, bob):
        assert "can only be assigned to an owner or admin" in mark(alice, action="assign", chosen=[str(mine.pk)], assignee=str(assignee))
    assert feedback_row(acme, mine).assignee_id is None
    assert "Tick the feedback" in mark(alice, action="seen")
    assert "Choose what to do" in mark(alice, action="delete", chosen=[str(mine.pk)])
    assert "Choose to whom" in mark(alice, action="assign", chosen=[str(mine.pk)])
    assert alice.get(f"{PAGE}mark/").status_code == 404
    for user in (cast.bob, cast.charlie):
        client = Client()
        client.force_login(user)
        assert client.get(PAGE).status_code == 404
        assert client.post(f"{PAGE}mark/", {"see": mine.pk}).status_code == 404
    Membership.objects.filter(user=cast.bob).update(role=Membership.Role.AUDITOR)
    client = Client()
    client.force_login(cast.bob)
    assert client.get(PAGE).status_code == 404
    assert client.post(f"{PAGE}mark/", {"see": mine.pk}).status_code == 404
    assert feedback_row(acme, mine).seen_at is None


def test_a_button_returns_to_the_list_as_it_was_filtered(acme: Activity, alice: Client) -> None:
    feedback = rate(acme)
    here = alice.post(f"{PAGE}mark/", {"see": feedback.pk, "here": "rating=down&period=7&next=//evil.example"})
    assert here["location"] == f"{PAGE}?period=7&rating=down"


@pytest.mark.parametrize("count", [1, 12])
def test_the_page_asks_the_same_number_of_statements_however_much_there_is(acme: Activity, alice: Client, count: int) -> None:
    for _ in range(count):
        rate(acme)
    alice.get(PAGE)
    with CaptureQueriesContext(connection) as queries:
        assert alice.get(PAGE).status_code == 200
    assert len([query for query in queries if query["sql"].startswith("SELECT")]) == 11
