"""Saved prompts: everybody has their own beside the organization's, which admins write on their site."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from gallery.models import Template, TemplateKind, TemplateVersion
from gallery.services import MAX_OWN
from tenants.context import tenant_tx
from tests.rest.conftest import post, signed_in
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
BASE = "/o/acme/api/prompts/"
TRANSLATE = {"title": "Translate", "text": "Translate into {{language}}."}


def titles(client: Client, base: str = BASE) -> list[str]:
    return [item["title"] for item in client.get(base).json()["items"] if item["source"] != "parley"]


def put(client: Client, path: str, body: Any) -> Any:
    return client.put(path, body, content_type="application/json")


def test_a_prompt_is_saved_changed_and_deleted_by_its_owner_alone(cast: Cast) -> None:
    alice, bob, charlie = signed_in(cast.alice), signed_in(cast.bob), signed_in(cast.charlie)
    response = post(alice, BASE, TRANSLATE)
    assert (response.status_code, response.json()["own"], response.json()["text"]) == (201, True, TRANSLATE["text"])
    one = f"{BASE}{response.json()['id']}/"
    assert (titles(alice), titles(bob)) == (["Translate"], [])
    for client, path in ((bob, one), (charlie, one), (charlie, one.replace("acme", "other"))):
        assert put(client, path, {"title": "Mine", "text": "now"}).status_code == 404
        assert client.delete(path).status_code == 404
    assert put(alice, one, {"title": "Put into", "text": "{{language}}"}).json()["title"] == "Put into"
    assert alice.delete(one).status_code == 204
    assert titles(alice) == []


def test_the_organizations_prompts_are_for_all_of_its_members_and_only_admins_write_them(cast: Cast) -> None:
    admin_page = "/o/acme/admin/gallery/template/add/"
    form = {"kind": "prompt", "title": "Delay notice", "body": "Write to {{customer}}."}
    assert signed_in(cast.alice).post(admin_page, form).status_code == 302
    assert signed_in(cast.bob).post(admin_page, form).status_code in (302, 403, 404)
    with tenant_tx(cast.acme.pk):
        prompt = Template.objects.get()
    assert (prompt.owner_id, prompt.published_number) == (None, 1)
    bob = signed_in(cast.bob)
    prompts = bob.get(BASE).json()["items"]
    assert (prompts[0]["title"], prompts[0]["own"], prompts[0]["source"]) == ("Delay notice", False, "organization")
    assert {item["source"] for item in prompts[1:]} == {"parley"}
    assert bob.delete(f"{BASE}{prompt.pk}/").status_code == 404
    assert titles(signed_in(cast.charlie), "/o/other/api/prompts/") == []
    post(bob, BASE, TRANSLATE)
    html = signed_in(cast.alice).get("/o/acme/admin/gallery/template/").content.decode()
    assert "Delay notice" in html
    assert "Translate" not in html, "members' own prompts are theirs"


@pytest.mark.parametrize(
    "body", [{}, {"title": " ", "text": "x"}, {"title": "x", "text": ""}, {"title": "x" * 61, "text": "x"}, {"title": "x", "text": "\0"}]
)
def test_a_prompt_needs_a_title_and_a_text(cast: Cast, body: dict[str, str]) -> None:
    assert post(signed_in(cast.alice), BASE, body).status_code == 400


def test_the_list_takes_the_same_queries_however_long_it_is(cast: Cast, django_assert_max_num_queries: Any) -> None:
    alice = signed_in(cast.alice)
    owner_id = cast.actor(cast.alice).membership_id
    with tenant_tx(cast.acme.pk):
        rows = Template.objects.bulk_create(Template(owner_id=owner_id, kind=TemplateKind.PROMPT, latest_number=1) for _ in range(MAX_OWN))
        TemplateVersion.objects.bulk_create(TemplateVersion(template=row, number=1, title="x", body="x") for row in rows)
    with django_assert_max_num_queries(6):
        assert len(titles(alice)) == MAX_OWN
    assert post(alice, BASE, TRANSLATE).status_code == 400, "these are enough"
