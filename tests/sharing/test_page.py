"""The page of a link: what it shows and hides, and who gets it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.sign_in.throttle import network_prefix
from artifacts.services import version_create
from chat.models import Conversation, Run
from security.redaction import redact
from sharing.pages import reading as shared_pages
from tenants.context import tenant_tx
from tests.artifacts.support import agent_version
from tests.rest.conftest import signed_in
from tests.sharing.conftest import share
from tests.sharing.support import PRIVATE, Talk, open_link, path_of, stop_links, unfinished_run
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
public = pytest.mark.usefixtures("public")


@public
def test_anyone_sees_texts_and_documents_and_nothing_else(bob: Client, nobody: Client, talk: Talk) -> None:
    response = open_link(nobody, share(bob, **talk.target()))
    page = response.content.decode()
    assert response.status_code == 200
    for fragment in (
        "<h1>Freight brief</h1>",
        "<strong>Bob</strong>, Acme",
        "2 messages, 1 document",
        "How did <strong>rates</strong> move?<br />",
    ):
        assert fragment in page
    for fragment in (
        "They <em>fell</em>.",
        "Brief for Jonas",
        "<h3>Book January</h3>",
        "print(&#x27;&lt;b&gt;&#x27;)",
        "A file that isn&#x27;t shared",
    ):
        assert fragment in page
    assert not [private for private in PRIVATE if private in page]
    assert 'rel="noopener noreferrer nofollow ugc"' in page


@public
def test_nothing_that_was_written_runs_or_loads(bob: Client, nobody: Client, talk: Talk) -> None:
    page = open_link(nobody, share(bob, **talk.target())).content.decode()
    assert not [bad for bad in ("<script", 'javascript:alert(1)"', "<img", "<b>", 'href="javascript') if bad in page]


@public
def test_columns_of_a_table_are_aligned_without_inline_styles_which_the_policy_refuses(bob: Client, nobody: Client, talk: Talk) -> None:
    talk.say("Rates?", answer="| Port | Rate | Note |\n| :--- | ---: | :---: |\n| Mombasa | 412 | up |")
    page = open_link(nobody, share(bob, **talk.target())).content.decode()
    assert '<td class="left">Mombasa</td>\n<td class="right">412</td>\n<td class="center">up</td>' in page
    assert "style=" not in page


@public
def test_the_page_keeps_the_address_to_itself(bob: Client, nobody: Client, talk: Talk) -> None:
    response = open_link(nobody, share(bob, **talk.target()))
    assert response["Cache-Control"] == "public, no-cache"
    assert response["Referrer-Policy"] == "no-referrer"
    assert "noindex" in response["X-Robots-Tag"]
    assert response["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri")
    assert not response.cookies
    assert "Cookie" not in response.get("Vary", "")


@public
def test_a_cache_keeps_the_page_but_asks_each_time_so_that_a_stopped_link_is_gone_from_it(
    cast: Cast, bob: Client, nobody: Client, talk: Talk
) -> None:
    link = share(bob, **talk.target(), follows=True)
    first = open_link(nobody, link)
    again = nobody.get(path_of(link), HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    header_names = ("Cache-Control", "Content-Security-Policy", "ETag", "Referrer-Policy", "X-Robots-Tag")
    assert {name: again[name] for name in header_names} == {name: first[name] for name in header_names}
    picture = nobody.get(f"{path_of(link)}card.png")
    assert nobody.get(f"{path_of(link)}card.png", HTTP_IF_NONE_MATCH=picture["ETag"]).status_code == 304
    talk.say("And in February?", answer="Wait.")
    changed = nobody.get(path_of(link), HTTP_IF_NONE_MATCH=first["ETag"])
    assert (changed.status_code, b"And in February?" in changed.content) == (200, True)
    stop_links(bob)
    for path, etag in ((path_of(link), changed["ETag"]), (f"{path_of(link)}card.png", picture["ETag"])):
        response = nobody.get(path, HTTP_IF_NONE_MATCH=etag)
        assert (response.status_code, response["Cache-Control"]) == (404, "private, no-store")
    for_members = open_link(bob, share(bob, **talk.target(), audience="members"))
    assert (for_members["Cache-Control"], for_members.get("ETag")) == ("private, no-store", None)


@public
def test_a_document_is_shown_in_pages_of_the_origins_that_its_link_names(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    def name(link: dict[str, Any], *origins: str, by: Client = bob, slug: str = "acme") -> Any:
        return by.patch(f"/o/{slug}/api/shares/{link['id']}/", {"frameOrigins": origins}, content_type="application/json")

    link = share(bob, **talk.document())
    frame = f"{path_of(link)}frame/"
    assert (link["frameOrigins"], nobody.get(frame).status_code) == ([], 404)
    changed = name(link, "https://Wiki.example/", "http://localhost:8080")
    assert changed.json()["frameOrigins"] == ["https://wiki.example", "http://localhost:8080"]
    response = nobody.get(frame)
    policy = response["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors https://wiki.example http://localhost:8080")
    assert "X-Frame-Options" not in response
    assert ("Book January" in response.content.decode(), response.cookies, "noindex" in response["X-Robots-Tag"]) == (True, {}, True)
    assert open_link(nobody, link)["Content-Security-Policy"].endswith("frame-ancestors 'none'")
    assert name(link, "https://wiki.example").status_code == 200
    narrower = nobody.get(frame, HTTP_IF_NONE_MATCH=response["ETag"])
    assert (narrower.status_code, "localhost" in narrower["Content-Security-Policy"]) == (200, False)

    for bad in ("wiki.example", "https://wiki.example/page", "https://wiki.example; script-src *", "https://*", "http://wiki.example"):
        assert name(link, bad).status_code == 400
    others = [
        share(bob, **talk.document(), audience="members"),
        share(bob, **talk.document(), password="tea at nine"),
        share(bob, **talk.target()),
    ]
    assert {name(other, "https://wiki.example").status_code for other in others} == {400}
    assert name(link, by=signed_in(cast.charlie), slug="other").status_code == 404
    assert name(link, by=signed_in(cast.alice)).status_code == 404
    assert [event.detail["origins"] for event in events(cast.acme, "share.frame")][-1] == ["https://wiki.example"]
    assert (name(link).status_code, nobody.get(frame).status_code) == (200, 404)
    name(link, "https://wiki.example")
    stop_links(bob)
    final_response = nobody.get(frame)
    assert (final_response.status_code, final_response["Content-Security-Policy"].endswith("frame-ancestors 'none'")) == (404, True)


@public
def test_views_are_counted_and_heads_are_not(bob: Client, nobody: Client, talk: Talk) -> None:
    link = share(bob, **talk.target())
    open_link(nobody, link)
    open_link(nobody, link)
    nobody.head(path_of(link))
    [item] = bob.get("/o/acme/api/shares/").json()["items"]
    assert (item["viewCount"], item["lastViewedAt"] is not None) == (2, True)


@public
def test_a_copy_stays_and_a_following_link_goes_on(bob: Client, nobody: Client, talk: Talk) -> None:
    copy, following = share(bob, **talk.target()), share(bob, **talk.target(), follows=True)
    talk.say("And in February?", answer="Wait.")
    with tenant_tx(talk.actor.organization_id):
        version_create(artifact=talk.artifact, version=agent_version("# Book February\n", parent=1))
    then, now = open_link(nobody, copy).content.decode(), open_link(nobody, following).content.decode()
    assert ("February" not in then, "Book January" in then) == (True, True)
    assert ("And in February?" in now, "Book February" in now, "Always the latest" in now) == (True, True, True)


@public
def test_another_branch_is_not_shown(bob: Client, nobody: Client, talk: Talk) -> None:
    with tenant_tx(talk.actor.organization_id):
        first = Conversation.objects.get(pk=talk.id).head
    talk.say("Only here", answer="other-branch")
    with tenant_tx(talk.actor.organization_id):
        Conversation.objects.filter(pk=talk.id).update(head=first)
    assert "other-branch" not in open_link(nobody, share(bob, **talk.target())).content.decode()


@public
def test_a_document_is_shared_in_one_version_or_always_the_latest(bob: Client, nobody: Client, talk: Talk) -> None:
    with tenant_tx(talk.actor.organization_id):
        version_create(artifact=talk.artifact, version=agent_version("# Book February\n", parent=1))
    first = share(bob, **talk.document(), version=1)
    latest = share(bob, **talk.document(), follows=True)
    with tenant_tx(talk.actor.organization_id):
        version_create(artifact=talk.artifact, version=agent_version("# Book March\n", parent=2))
    assert "Book January" in open_link(nobody, first).content.decode()
    page = open_link(nobody, latest).content.decode()
    assert ("Book March" in page, "How did" in page) == (True, False)


@pytest.mark.parametrize("token", ["x", "a" * 43, "a" * 44, "%00", "é" * 43, "A" * 42 + "="])
def test_what_is_no_token_is_an_unknown_link(nobody: Client, db: None, token: str) -> None:
    assert nobody.get(f"/s/{token}/").status_code == 404


def test_a_link_for_members_asks_for_signing_in_and_for_membership(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    link = share(bob, **talk.target(), audience="members")
    response = open_link(nobody, link)
    assert (response.status_code, response["Location"].startswith("/login/?next=/s/")) == (302, True)
    assert open_link(signed_in(cast.vera), link).status_code == 200
    foreign = open_link(signed_in(cast.charlie), link)
    assert (foreign.status_code, b"Freight" in foreign.content, b"Acme" in foreign.content) == (404, False, False)


@public
def test_logs_have_no_token(bob: Client, talk: Talk) -> None:
    assert redact(share(bob, **talk.target())["url"]) == "http://testserver/s/[removed]/"


@public
def test_an_answer_that_is_being_written_is_not_shown_yet(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    with tenant_tx(cast.acme.pk):
        run = unfinished_run(talk.say("And in February?", answer="half an ans"))
    copy, following = share(bob, **talk.target()), share(bob, **talk.target(), follows=True)
    for link in (copy, following):
        page = open_link(nobody, link).content.decode()
        assert ("And in February?" in page, "half an ans" in page) == (True, False)
    with tenant_tx(cast.acme.pk):
        Run.objects.filter(pk=run.pk).update(finished_at=timezone.now(), status=Run.Status.DONE)
    assert "half an ans" not in open_link(nobody, copy).content.decode()
    assert "half an ans" in open_link(nobody, following).content.decode()


@pytest.mark.usefixtures("public")
def test_a_network_that_opens_too_many_pages_waits(bob: Client, nobody: Client, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_pages, "PAGES_PER_MINUTE", 2)
    link = share(bob, **talk.target())
    answers = [nobody.get(path_of(link), REMOTE_ADDR="203.0.113.77") for _ in range(5)]
    assert 429 in {answer.status_code for answer in answers}
    assert int(answers[-1].headers.get("Retry-After", "1")) <= 60
    assert network_prefix("203.0.113.77") == "203.0.113.0/24"
    assert open_link(Client(REMOTE_ADDR="198.51.100.9"), link).status_code == 200
