"""The admins' page of embedded chats."""

from __future__ import annotations

import pytest

from admin_config.models import Assistant
from embed.admin.forms import NO_ASSISTANT, NOT_FOR_VISITORS
from embed.keys import site_key
from embed.models import EmbedSite, EmbedVisitor
from limits.models import RateLimit
from security.models import Secret
from tenants.context import tenant_tx
from tenants.input.origins import origins_read
from tenants.models import Membership
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.admin_config.pages import ACME, errors, save
from tests.admin_config.test_assistants import make as make_assistant
from tests.embed.support import begin, host_token, make_site
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

__all__ = ["seeded_cast", "signed_in"]

PAGES = f"{ACME}embed/embedsite/"


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("https://Shop.example/\n\nhttps://shop.example", ["https://shop.example"]),
        ("https://shop.example:443", ["https://shop.example"]),
        ("https://a.b-c.example:8443", ["https://a.b-c.example:8443"]),
        ("http://localhost:3000\nhttp://app.localhost", ["http://localhost:3000", "http://app.localhost"]),
        *(
            (bad, None)
            for bad in ("http://shop.example", "shop.example", "https://*.example", "https://a.example/path", "https://a b", "'self'")
        ),
        *(
            (bad, None)
            for bad in ("https://a.example;script-src *", "https://u:p@a.example", "javascript:x", "https://a.example:x", "https://")
        ),
    ],
)
def test_nothing_but_an_origin_comes_into_the_policy(text: str, origins: list[str] | None) -> None:
    if origins is None:
        with pytest.raises(ValueError, match=r"origin|https"):
            origins_read(text, at_most=20)
    else:
        assert origins_read(text, at_most=20) == origins


def test_an_admin_makes_changes_renews_and_deletes_an_embed(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice, charlie = signed_in(seeded_cast.alice), signed_in(seeded_cast.charlie)
    fields = {"name": "Shop", "title": "Ask us", "origins": "https://shop.example", "starter_lines": "Which pot?\n\nWhich tea?"}
    assert save(alice, f"{PAGES}add/", **fields).status_code == 302
    assert errors(save(alice, f"{PAGES}add/", **{**fields, "origins": "http://shop.example", "accent_color": "red"})).keys() == {
        *("origins", "accent_color", "__all__"),
    }
    with tenant_tx(seeded_cast.acme.pk):
        site = EmbedSite.objects.get()
        assert (site.allowed_origins, site.starters) == (["https://shop.example"], ["Which pot?", "Which tea?"])
        assert RateLimit.objects.get(role=Membership.Role.VISITOR).per_hour == 40
    key, page = site_key(site), f"{PAGES}{site.pk}/change/"
    html = alice.get(page).content.decode()
    assert f'site="{key}"' in html

    # A new secret is shown once, and the former one is worth nothing.
    _, former = make_site(seeded_cast, seeded_cast.alice, name="Other shop")
    with tenant_tx(seeded_cast.acme.pk):
        other = EmbedSite.objects.get(name="Other shop")
    response = alice.post(f"{PAGES}{other.pk}/secret/")
    secret = response.context["secret"]
    assert begin(site_key(other), hostToken=host_token(former, site_key(other))).status_code == 401
    assert begin(site_key(other), hostToken=host_token(secret, site_key(other))).status_code == 200
    assert secret not in alice.get(f"{PAGES}{other.pk}/change/").content.decode()
    assert [event.object_label for event in events(seeded_cast.acme, "embedsite.rotate")] == ["Other shop"] * 2
    assert [event.object_label for event in events(seeded_cast.acme, "embedsite.create")] == ["Shop"]

    # What visitors may not use can't answer them.
    assert make_assistant(alice).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        Assistant.objects.update(audience="chosen", roles=["member"])
        assistant = Assistant.objects.select_related("agent").get()
    assert errors(save(alice, page, assistant=assistant.agent.key)) == {"assistant": [str(NOT_FOR_VISITORS)]}
    with tenant_tx(seeded_cast.acme.pk):
        Assistant.objects.update(roles=["visitor"])
    assert save(alice, page, assistant=assistant.agent.key).status_code == 302

    with tenant_tx(seeded_cast.acme.pk):
        Assistant.objects.all().delete()
    assert str(NO_ASSISTANT) in alice.get(PAGES).content.decode()
    assert save(alice, page, title="Ask").status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        assert EmbedSite.objects.get(pk=site.pk).assistant  # and not the chat agent in its place

    assert begin(key).status_code == 200
    assert "1 visitor so far" in alice.get(page).content.decode()
    assert "Ask us" not in charlie.get(page.replace("/acme/", "/other/"), follow=True).content.decode()
    assert charlie.post(f"{PAGES}{site.pk}/secret/").status_code == 404
    assert signed_in(seeded_cast.bob).get(PAGES).status_code == 404
    assert alice.post(f"{PAGES}{site.pk}/delete/", {"post": "yes"}).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        assert EmbedVisitor.objects.filter(site_id=site.pk).count() == 0
        assert Secret.objects.filter(purpose="embedded chat").count() == 1
    assert begin(key).status_code == 404
