"""Links for people and groups by name, links with a password, and what a messenger shows of a link."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from sharing.models import Share, ShareReader
from sharing.pages import passwords
from tenants.context import tenant_tx
from tenants.models import GroupMember, MemberGroup, Membership, User
from tests.rest.conftest import post, signed_in
from tests.sharing.conftest import share
from tests.sharing.support import Talk, open_link, path_of
from tests.support.accounts.cast import Cast
from tests.support.stores.redis_servers import redis_away

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
SHARES = "/o/acme/api/shares/"
PASSWORD = "tea at nine"


def membership(cast: Cast, user: User) -> Membership:
    return Membership.objects.using("auth").get(user=user)


def member(cast: Cast, user: User) -> dict[str, Any]:
    return {"kind": "member", "id": str(membership(cast, user).pk)}


def make_group(cast: Cast, *users: User) -> dict[str, Any]:
    with tenant_tx(cast.acme.pk):
        group = MemberGroup.objects.create(name="Freight desk")
        for user in users:
            GroupMember.objects.create(group=group, membership=membership(cast, user))
    return {"kind": "group", "id": str(group.pk)}


def test_a_link_for_named_people_and_groups_opens_for_them_alone(cast: Cast, bob: Client, talk: Talk) -> None:
    group = make_group(cast, cast.vera)
    readers = bob.get(f"{SHARES}readers/", {"q": "ali"}).json()["items"]
    assert readers == [{**member(cast, cast.alice), "name": "Alice"}]
    assert bob.get(f"{SHARES}readers/", {"q": "freight"}).json()["items"] == [{**group, "name": "Freight desk"}]
    assert bob.get(f"{SHARES}readers/", {"q": cast.alice.email.upper()}).json()["items"] == readers
    for text in ("bob", "charlie", cast.charlie.email, "example"):  # neither oneself, nor other organizations, nor parts of addresses
        assert bob.get(f"{SHARES}readers/", {"q": text}).json()["items"] == [], text

    link = share(bob, **talk.target(), audience="named", readers=[member(cast, cast.alice)])
    of_group = share(bob, **talk.document(), audience="named", readers=[group])
    assert link["readers"] == readers
    assert [item["readers"] for item in bob.get(SHARES).json()["items"]] == [of_group["readers"], link["readers"]]
    alice, vera, charlie = (signed_in(user) for user in (cast.alice, cast.vera, cast.charlie))
    assert [open_link(client, link).status_code for client in (bob, alice, vera, charlie)] == [200, 200, 404, 404]
    assert [open_link(client, of_group).status_code for client in (bob, vera, alice, charlie)] == [200, 200, 404, 404]
    stranger = open_link(Client(), link)
    assert stranger.status_code == 302
    assert b"Freight" not in stranger.content
    assert alice.get(f"{path_of(link)}continue/").status_code == 200
    assert vera.get(f"{path_of(link)}continue/").status_code == 404
    with tenant_tx(cast.acme.pk):
        GroupMember.objects.all().delete()
    assert open_link(vera, of_group).status_code == 404
    admins = alice.get("/o/acme/admin/sharing/share/").content.decode()
    assert "Freight desk" in admins


def test_only_people_and_groups_of_the_organization_can_be_named(cast: Cast, bob: Client, talk: Talk) -> None:
    with tenant_tx(cast.other.pk):
        foreign = {"kind": "group", "id": str(MemberGroup.objects.create(name="Others").pk)}
    for readers in ([member(cast, cast.charlie)], [foreign], [{"kind": "group", "id": member(cast, cast.alice)["id"]}], []):
        response = post(bob, SHARES, {**talk.target(), "audience": "named", "readers": readers})
        assert response.status_code == (404 if readers else 400), readers
    for wrong in ({"audience": "members", "readers": [member(cast, cast.alice)]}, {"audience": "members", "password": PASSWORD}):
        assert post(bob, SHARES, {**talk.target(), **wrong}).status_code == 400
    assert signed_in(cast.charlie).get(f"{SHARES}readers/", {"q": "a"}).status_code == 404
    assert signed_in(cast.vera).get(f"{SHARES}readers/", {"q": "a"}).status_code == 403
    with tenant_tx(cast.acme.pk):
        assert not ShareReader.objects.exists()


@pytest.mark.usefixtures("public")
def test_a_password_is_asked_for_checked_and_limited(
    cast: Cast, bob: Client, nobody: Client, talk: Talk, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert post(bob, SHARES, {**talk.target(), "audience": "public", "password": "short"}).status_code == 400
    link = share(bob, **talk.target(), password=PASSWORD)
    assert link["hasPassword"]
    assert "password" not in link
    with tenant_tx(cast.acme.pk):
        assert PASSWORD not in str(Share.objects.values().get())
    path = path_of(link)
    for answer in (nobody.get(path), nobody.post(path, {"password": "wrong"}), signed_in(cast.alice).get(path)):
        assert b"Password needed" in answer.content
        assert b"Freight" not in answer.content
        assert "form-action 'self'" in answer["Content-Security-Policy"]
        assert not answer.cookies
    response = nobody.post(path, {"password": PASSWORD})
    assert b"They <em>fell</em>." in response.content
    assert b"og:title" not in response.content
    assert not response.cookies
    assert signed_in(cast.alice).get(f"{path}continue/").status_code == 404
    assert bob.get(SHARES).json()["items"][0]["viewCount"] == 1

    monkeypatch.setattr(passwords, "TRIES_OF_NETWORK", 0)  # the minute may have changed since the first tries
    assert nobody.post(path, {"password": PASSWORD}).status_code == 429
    with redis_away(settings):
        assert nobody.post(path, {"password": PASSWORD}).status_code == 503


@pytest.mark.usefixtures("public")
def test_a_messenger_gets_a_title_only_of_what_anyone_may_read(bob: Client, nobody: Client, talk: Talk) -> None:
    page = open_link(nobody, share(bob, **talk.target())).content.decode()
    assert '<meta property="og:title" content="Freight brief">' in page
    assert 'content="Shared by Bob, Acme. 2 messages, 1 document."' in page
    address = re.search(r'property="og:image" content="[^"]+(/s/[^"]+)"', page)
    assert address is not None
    picture = nobody.get(address[1])
    assert (picture["Content-Type"], Image.open(io.BytesIO(picture.content)).size) == ("image/png", (1200, 630))
    for private_link in (share(bob, **talk.target(), audience="members"), share(bob, **talk.target(), password=PASSWORD)):
        assert nobody.get(f"{path_of(private_link)}card.png").status_code == 404
    assert "og:title" not in open_link(bob, share(bob, **talk.target(), audience="members")).content.decode()


def test_nothing_is_hidden_from_those_who_may_edit(cast: Cast, bob: Client, talk: Talk) -> None:
    edit = {**talk.target(), "audience": "named", "readers": [member(cast, cast.alice)], "right": "edit", "follows": True}
    assert post(bob, SHARES, {**edit, "hidden": ["bob@example.org"]}).status_code == 400
    talk.say("Use sk-abcdefghijklmnop1234.")
    response = post(bob, SHARES, edit)
    assert response.status_code == 400
    assert "who may edit sees all" in response.json()["error"]["message"]


def test_a_link_that_hides_something_gets_no_right_to_edit(cast: Cast, bob: Client, talk: Talk) -> None:
    body = {**talk.target(), "audience": "named", "readers": [member(cast, cast.alice)], "follows": True}
    hiding, plain = share(bob, **body, hidden=["euros"]), share(bob, **body)

    def let(link: Any, right: str) -> Any:
        return bob.patch(f"{SHARES}{link['id']}/", {"right": right}, content_type="application/json")

    assert [let(plain, right).json()["hidesKeys"] for right in ("edit", "comment")] == [False, True]
    talk.say("Use sk-abcdefghijklmnop1234.")
    responses = [let(link, "edit") for link in (hiding, plain)]
    assert [answer.status_code for answer in responses] == [400, 400]
    assert all("who may edit sees all" in answer.json()["error"]["message"] for answer in responses)
