"""The admin's page of shared links, and the policy that stops them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from sharing.models import Share, ShareComment
from tenants.context import tenant_tx
from tests.rest.conftest import post, signed_in
from tests.sharing.conftest import share
from tests.sharing.support import Talk, make_talk, open_link
from tests.sharing.test_rights import named_audience
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited", "public")]
LIST = "/o/acme/admin/sharing/share/"


def test_admins_see_and_stop_members_links_without_their_addresses(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    link, alice = share(bob, **talk.target()), signed_in(cast.alice)
    page = alice.get(LIST).content.decode()
    assert ("Freight brief" in page, "Bob" in page, link["url"] in page) == (True, True, False)
    alice.post(LIST, {"action": "stop", "_selected_action": [link["id"]]})
    assert open_link(nobody, link).status_code == 404
    [event] = events(cast.acme, "share.stop")
    assert event.actor_user_id == cast.alice.pk


@pytest.mark.parametrize(("policy", "remaining_count"), [("off", 0), ("members", 1)])
def test_a_narrower_policy_stops_links_for_good(
    cast: Cast, bob: Client, nobody: Client, talk: Talk, policy: str, remaining_count: int
) -> None:
    link = share(bob, **talk.target())
    share(bob, **talk.document(), audience="members")
    alice = signed_in(cast.alice)
    alice.post(f"{LIST}policy/", {"policy": policy})
    assert open_link(nobody, link).status_code == 404
    assert len(bob.get("/o/acme/api/shares/").json()["items"]) == remaining_count
    alice.post(f"{LIST}policy/", {"policy": "public"})
    assert open_link(nobody, link).status_code == 404
    assert events(cast.acme, "share.policy")[0].after == {"sharing": policy}
    assert events(cast.acme, "share.stop_by_policy")[0].detail == {"links": 2 - remaining_count}


def test_no_link_is_made_while_sharing_is_off(cast: Cast, bob: Client, talk: Talk) -> None:
    signed_in(cast.alice).post(f"{LIST}policy/", {"policy": "off"})
    response = post(bob, "/o/acme/api/shares/", talk.target())
    assert (response.status_code, response.json()["error"]["message"]) == (403, "Acme doesn't allow sharing by link.")


def test_another_organization_sees_and_changes_nothing(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    link, charlie = share(bob, **talk.target()), signed_in(cast.charlie)
    other: Any = charlie.get("/o/other/admin/sharing/share/")
    assert (other.status_code, b"Freight" in other.content) == (200, False)
    assert charlie.get(LIST).status_code == 404
    charlie.post("/o/other/admin/sharing/share/", {"action": "stop", "_selected_action": [link["id"]]})
    charlie.post("/o/other/admin/sharing/share/policy/", {"policy": "off"})
    assert open_link(nobody, link).status_code == 200


def test_members_have_no_such_page(bob: Client) -> None:
    assert [bob.get(path).status_code for path in (LIST, f"{LIST}policy/")] == [404, 404]


def test_a_wrong_policy_changes_nothing(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    link = share(bob, **talk.target())
    signed_in(cast.alice).post(f"{LIST}policy/", {"policy": "everybody"})
    assert open_link(nobody, link).status_code == 200
    assert events(cast.acme, "share.policy") == []


def stop_own(cast: Cast, bob: Client, link: dict[str, Any]) -> None:
    assert bob.delete(f"/o/acme/api/shares/{link['id']}/").status_code == 204


def stop_as_admin(cast: Cast, bob: Client, link: dict[str, Any]) -> None:
    signed_in(cast.alice).post(LIST, {"action": "stop", "_selected_action": [link["id"]]})


def stop_by_policy(cast: Cast, bob: Client, link: dict[str, Any]) -> None:
    signed_in(cast.alice).post(f"{LIST}policy/", {"policy": "off"})


@pytest.mark.parametrize("stop", [stop_own, stop_as_admin, stop_by_policy])
def test_a_stopped_link_stays_as_a_row_for_nobody_and_its_comments_go(cast: Cast, bob: Client, stop: Callable[..., None]) -> None:
    link, other = (share(bob, **make_talk(cast, cast.bob).document(), **named_audience(cast, cast.alice)) for _ in range(2))
    with tenant_tx(cast.acme.pk):
        for each in Share.objects.all():
            ShareComment.objects.create(share=each, artifact_id=each.artifact_id, version=1, text="Which lane?")
    stop(cast, bob, link)
    with tenant_tx(cast.acme.pk):
        assert not ShareComment.objects.filter(share_id=link["id"]).exists()
        assert ShareComment.objects.filter(share_id=other["id"]).exists() == (stop is not stop_by_policy)
        Share.objects.filter(pk=other["id"]).delete()
    assert "Brief for Jonas" not in signed_in(cast.alice).get(LIST).content.decode()
    with tenant_tx(cast.acme.pk):
        assert Share.objects.get(pk=link["id"]).revoked_at is not None
