"""Saved views of the list of runs: an admin's own and those of all admins, and nobody else's."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.members.ownership import owned_delete
from chat.explorer import saved_views
from chat.models import RunView
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = pytest.mark.django_db(databases=["default", "system"])

RUNS = "/o/acme/admin/chat/run/"
FAILED = {"state": "failed", "period": "30"}


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


@pytest.fixture
def second_admin(cast: Cast) -> Client:
    Membership.objects.filter(user=cast.vera, organization=cast.acme).update(role=Membership.Role.ADMIN)
    return signed_in(cast.vera)


def post(client: Client, path: str = "views/", **values: str) -> str:
    response = client.post(f"{RUNS}{path}", values, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def views(client: Client, path: str = RUNS) -> dict[str, str]:
    """Names of the saved views with their addresses, as the page shows them."""
    return {str(label): href for label, href, _ in client.get(path).context["views"][5:]}


def only_view(cast: Cast) -> RunView:
    with tenant_tx(cast.acme.pk):
        return RunView.objects.get()


def test_an_admin_saves_opens_renames_and_deletes_a_view(cast: Cast, alice: Client) -> None:
    assert "The view is saved." in post(alice, name="  Failed\n lately ", **FAILED, cursor="3-x")
    assert views(alice) == {"Failed lately": "?period=30&state=failed"}
    response = alice.get(f"{RUNS}?state=failed&period=30")
    assert response.context["opened_view"].name == "Failed lately"
    assert "Change this view" in response.content.decode()
    view = only_view(cast)
    post(alice, f"views/{view.pk}/", name="Failures of the month", shared="on")
    assert [*views(alice)] == ["Failures of the month"]
    assert only_view(cast).owner_id is None
    assert "The view Failures of the month is deleted." in post(alice, f"views/{view.pk}/", delete="1", name="")
    assert views(alice) == {}


def test_each_change_of_a_view_is_an_event(cast: Cast, alice: Client) -> None:
    post(alice, name="Failed", **FAILED)
    view = only_view(cast)
    post(alice, f"views/{view.pk}/", name="Failed")
    post(alice, f"views/{view.pk}/", name="Failures", shared="on")
    post(alice, f"views/{view.pk}/", delete="1")
    [save_event] = events(cast.acme, "run.view_save")
    [change_event] = events(cast.acme, "run.view_change")
    [delete_event] = events(cast.acme, "run.view_delete")
    assert save_event.after == {"name": "Failed", "is_shared": False, "query": "period=30&state=failed"}
    assert (change_event.before["name"], change_event.after["name"], change_event.after["is_shared"]) == ("Failed", "Failures", True)
    assert (delete_event.object_label, delete_event.actor_user_id) == ("Failures", cast.alice.pk)


def test_own_views_are_seen_by_nobody_else_and_shared_ones_by_all_admins(cast: Cast, alice: Client, second_admin: Client) -> None:
    post(alice, name="Mine", **FAILED)
    mine = only_view(cast)
    post(alice, name="Ours", shared="on", **FAILED)
    assert {*views(alice)} == {"Mine", "Ours"}
    assert {*views(second_admin)} == {"Ours"}
    for values in ({"name": "Yours"}, {"delete": "1"}):
        assert second_admin.post(f"{RUNS}views/{mine.pk}/", values).status_code == 404
    with tenant_tx(cast.acme.pk):
        ours = RunView.objects.get(name="Ours")
    post(second_admin, f"views/{ours.pk}/", name="Everybody's", shared="on")
    assert {*views(alice)} == {"Mine", "Everybody's"}


def test_what_a_removed_admin_shared_stays_and_their_own_views_are_deleted(cast: Cast, alice: Client, second_admin: Client) -> None:
    post(alice, name="Alice's", **FAILED)
    post(second_admin, name="Vera's", **FAILED)
    post(second_admin, name="Ours", shared="on", state="done")
    with tenant_tx(cast.acme.pk):
        owned_delete(cast.actor(cast.vera).membership_id)
        assert {*RunView.objects.values_list("name", flat=True)} == {"Alice's", "Ours"}


def test_another_organization_has_its_own_views(cast: Cast, alice: Client) -> None:
    post(alice, name="Failed", shared="on", **FAILED)
    view, charlie = only_view(cast), signed_in(cast.charlie)
    theirs = RUNS.replace("acme", "other")
    assert views(charlie, theirs) == {}
    for values in ({"name": "Taken"}, {"delete": "1"}):
        assert charlie.post(f"{theirs}views/{view.pk}/", values).status_code == 404
        assert charlie.post(f"{RUNS}views/{view.pk}/", values).status_code == 404
    assert charlie.post(f"{RUNS}views/", {"name": "Mine"}).status_code == 404
    assert only_view(cast).name == "Failed"
    charlie.post(f"{theirs}views/", {"name": "Failed", "shared": "on", **FAILED})
    assert {*views(charlie, theirs)} == {"Failed"}, "a name is taken in one organization alone"
    assert events(cast.other, "run.view_save")


def test_members_and_auditors_save_nothing_and_auditors_open_shared_views(cast: Cast, alice: Client, second_admin: Client) -> None:
    post(alice, name="Ours", shared="on", **FAILED)
    assert signed_in(cast.bob).post(f"{RUNS}views/", {"name": "Mine"}).status_code == 404
    Membership.objects.filter(user=cast.vera, organization=cast.acme).update(role=Membership.Role.AUDITOR)
    auditor = signed_in(cast.vera)
    page = auditor.get(f"{RUNS}?state=failed&period=30")
    assert {str(label) for label, _, _ in page.context["views"]} >= {"Ours"}
    assert "Change this view" not in page.content.decode()
    assert auditor.post(f"{RUNS}views/", {"name": "Mine"}).status_code == 404
    assert auditor.post(f"{RUNS}views/{only_view(cast).pk}/", {"delete": "1"}).status_code == 404


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (" \n", "Give the view a name."),
        ("x" * 61, "A name can have 60 characters."),
        ("Failed", "There is a view with this name already."),
    ],
)
def test_a_name_that_is_none_or_taken_is_refused(cast: Cast, alice: Client, name: str, words: str) -> None:
    post(alice, name="Failed", **FAILED)
    assert words in post(alice, name=name, state="stopped")
    assert only_view(cast).query == "period=30&state=failed"
    post(alice, name="Other", state="stopped")
    with tenant_tx(cast.acme.pk):
        second = RunView.objects.get(name="Other")
    assert words in post(alice, f"views/{second.pk}/", name=name, state="stopped")
    assert "Other" in views(alice)


def test_there_are_at_most_so_many_views(cast: Cast, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_views, "MAX_VIEWS", 1)
    post(alice, name="One", **FAILED)
    assert "There are 1 views already. Delete one first." in post(alice, name="Two", **FAILED)
    post(alice, name="Two", shared="on", **FAILED)
    assert {*views(alice)} == {"One", "Two"}
    with tenant_tx(cast.acme.pk):
        own_view, shared_view = RunView.objects.get(name="One"), RunView.objects.get(name="Two")
    assert "Delete one first." in post(alice, f"views/{own_view.pk}/", name="One", shared="on"), "nor by sharing one"
    assert "Delete one first." in post(alice, f"views/{shared_view.pk}/", name="Two"), "nor by taking one for oneself"
    assert "The view is saved." in post(alice, f"views/{own_view.pk}/", name="First")
    assert {*views(alice)} == {"First", "Two"}


def test_what_a_view_asks_for_is_checked_like_any_address(cast: Cast, alice: Client) -> None:
    post(alice, name="Odd", period="forever", state="done", first="2026", unknown="x")
    assert views(alice) == {"Odd": "?state=done"}
