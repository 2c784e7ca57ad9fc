"""Drafts of several admins: who changed what is named, nothing unseen is published, and releases can be compared and loaded again."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from admin_config.models import AgentConfig, AgentTool, AppSettings, Assistant, Release, ScheduledRelease
from admin_config.services.discarding.discard import unpublished_draft
from admin_config.services.drafts import draft_hashes
from admin_config.services.drafts.draft import draft_load
from admin_config.services.drafts.draft_hashes import rows_hash
from admin_config.services.selectors import live_release
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, Page, save, send
from tests.support.cast import Cast

RELEASES = f"{ACME}admin_config/release/"
PUBLISH = f"{RELEASES}publish/"
SEEN = re.compile(r'name="seen" value="(\w+)"')


@pytest.fixture
def bob(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    Membership.objects.filter(user=seeded_cast.bob).update(role=Membership.Role.ADMIN)
    return signed_in(seeded_cast.bob)


@pytest.fixture
def collecting(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)


def page_of(cast: Cast, key: str = "chat_model_agent_google") -> str:
    with tenant_tx(cast.acme.id):
        return f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key=key).pk}/change/"


def live_steps(cast: Cast) -> int:
    with tenant_tx(cast.acme.id):
        return live_release(organization_id=cast.acme.id).snapshot.agents["chat_model_agent_google"].max_steps


def drafted_steps(cast: Cast) -> int | None:
    with tenant_tx(cast.acme.id):
        return AgentConfig.objects.get(key="chat_model_agent_google").max_steps


def release_id(cast: Cast, number: int) -> str:
    with tenant_tx(cast.acme.id):
        return str(Release.objects.get(number=number).pk)


def text_of(page: Page) -> str:
    text: str = page.content.decode()
    return text


def publish(client: Client, *, seen: str, note: str = "Better") -> str:
    return text_of(client.post(f"{RELEASES}publish/", {"note": note, "seen": seen}, follow=True))


def seen_on(client: Client, page: str = f"{RELEASES}publish/") -> str:
    found: str = SEEN.findall(text_of(client.get(page)))[0]
    return found


@pytest.mark.usefixtures("collecting")
def test_the_draft_names_who_changed_what(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    save(bob, page_of(seeded_cast, "document_agent_google"), system_prompt="Write like a sailor.")
    shown = alice.get(RELEASES)
    assert [(author.who, author.rows) for author in shown.context["authors"]] == [("Bob", 1), ("Alice", 1)]
    assert [(group.title, [change.label for change in group.changes], names) for group, names in shown.context["groups"]] == [
        ("Chat agent (Google Gemini)", ["Max steps"], ["Alice"]),
        ("Document agent (Google Gemini)", ["System prompt"], ["Bob"]),
    ]
    assert "Write like a sailor." in text_of(shown)


@pytest.mark.usefixtures("collecting")
def test_two_admins_see_each_other(alice: Client, bob: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    page, other_page = page_of(seeded_cast), page_of(seeded_cast, "document_agent_google")
    assert "open, too" not in text_of(alice.get(page))
    assert "Alice has this agent open, too." in text_of(bob.get(page))
    editors = page.replace("/change/", "/editors/")
    assert "Bob has this agent open, too." in text_of(alice.get(editors))
    assert "Bob is editing Chat agent (Google Gemini) now." in text_of(alice.get(other_page))
    save(alice, page, max_steps="7")
    assert "Bob is editing Chat agent (Google Gemini) now. What is not saved yet is not published." in text_of(
        alice.get(f"{RELEASES}publish/")
    )
    charlie = signed_in(seeded_cast.charlie)
    assert charlie.get(editors.replace("/o/acme/", "/o/other/")).status_code == 404


@pytest.mark.usefixtures("collecting")
def test_a_change_of_an_assistant_is_a_change_of_its_agent(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    assistants = f"{ACME}admin_config/assistant/"
    save(alice, f"{assistants}add/", title="Analyst", description="Counts", prompt="You are an analyst.")
    page = page_of(seeded_cast, "analyst_google")
    opened = alice.get(page)
    with tenant_tx(seeded_cast.acme.id):
        assistant_id = Assistant.objects.get().pk
    save(bob, f"{assistants}{assistant_id}/change/", prompt="You are a poet.")
    names = {group.title: names for group, names in alice.get(RELEASES).context["groups"]}
    assert names == {"analyst (Google Gemini)": ["Bob", "Alice"]}
    assert [line.who for line in alice.get(page).context["history"]] == ["Bob", "Alice"]
    [refused] = send(alice, page, opened, max_steps="7").context["adminform"].form.non_field_errors()
    assert refused.startswith("Bob changed the assistant Analyst")


@pytest.mark.usefixtures("collecting")
def test_publishing_needs_a_note(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    assert "Write first what changes for members." in publish(alice, seen=seen_on(alice), note=" ")
    assert live_steps(seeded_cast) == 5
    assert "Release 2 is live." in publish(alice, seen=seen_on(alice))
    assert live_steps(seeded_cast) == 7


@pytest.mark.usefixtures("collecting")
def test_what_another_admin_changed_meanwhile_is_not_published_unseen(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    seen = seen_on(alice)
    save(bob, page_of(seeded_cast, "document_agent_google"), max_steps="3")
    refused = publish(alice, seen=seen)
    assert "Not published: the draft changed while you looked at it. Bob changed the agent Document agent (Google Gemini)" in refused
    assert live_steps(seeded_cast) == 5
    assert "Not published" in publish(alice, seen="")
    publish(alice, seen=seen_on(alice))
    assert live_steps(seeded_cast) == 7
    assert alice.get(RELEASES).context["authors"] == []


@pytest.mark.usefixtures("collecting")
def test_what_is_left_out_of_a_release_stays_in_the_draft(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    save(bob, page_of(seeded_cast), temperature="0.3")
    save(bob, page_of(seeded_cast, "document_agent_all"), max_steps="2")
    shown = alice.get(PUBLISH).context
    own, base = shown["groups"][1], shown["groups"][0]
    assert {change.label: change.names for change in own.changes} == {"Max steps": ["Alice"], "Temperature": ["Bob"]}
    assert [change.label for change in base.changes] == ["Max steps"]

    of_bob = next(author.address for author in shown["authors"] if author.author.who == "Bob")
    shown = alice.get(of_bob).context
    assert [(group.title, [change.label for change in group.changes]) for group in shown["groups"]] == [(own.title, ["Max steps"])]
    assert [change.label for group in shown["left_out"] for change in group.changes] == ["Max steps", "Temperature"]
    form = {"note": "Steps", "seen": shown["seen"], "without": shown["tokens"]}
    assert "Release 2 is live." in text_of(alice.post(PUBLISH, form, follow=True))

    with tenant_tx(seeded_cast.acme.id):
        live = live_release(organization_id=seeded_cast.acme.id).snapshot.agents
        event = AuditEvent.objects.filter(action="release.publish").latest("created_at")
    assert (live["chat_model_agent_google"].max_steps, live["chat_model_agent_google"].temperature) == (7, None)
    assert live["document_agent_anthropic"].max_steps != 2
    assert event.detail["left_out"] == ["agents > document_agent_all > max steps", "agents > chat_model_agent_google > temperature"]
    left = alice.get(RELEASES).context
    assert [[change.label for change in group.changes] for group, _ in left["groups"]] == [["Max steps"], ["Temperature"]]
    assert "Release 3 is live." in publish(bob, seen=seen_on(bob))
    assert alice.get(RELEASES).context["authors"] == []


@pytest.mark.usefixtures("collecting")
def test_a_release_that_went_live_later_leaves_the_authors_of_the_rest(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    save(bob, page_of(seeded_cast, "document_agent_google"), max_steps="3")
    of_bob = next(author.address for author in alice.get(PUBLISH).context["authors"] if author.author.who == "Bob")
    shown = alice.get(of_bob).context
    later = {"audience": "later", "publish_at": f"{timezone.now() + timedelta(days=2):%Y-%m-%dT%H:%M}"}
    alice.post(PUBLISH, {"note": "Steps", "seen": shown["seen"], "without": shown["tokens"], **later})
    with tenant_tx(seeded_cast.acme.id):
        waiting = ScheduledRelease.objects.get()
    alice.post(f"{RELEASES}scheduled/{waiting.pk}/publish/")
    with tenant_tx(seeded_cast.acme.id):
        event = AuditEvent.objects.filter(action="release.publish").latest("created_at")
    assert event.detail["left_out"] == ["agents > document_agent_google > max steps"]
    assert [author.who for author in alice.get(RELEASES).context["authors"]] == ["Bob"], "what Alice changed is live"


@pytest.mark.usefixtures("collecting")
def test_what_is_new_is_left_out_as_a_whole_and_with_what_needs_it(alice: Client, seeded_cast: Cast) -> None:
    save(alice, f"{ACME}admin_config/assistant/add/", title="Analyst", description="Counts", prompt="You are an analyst.")
    save(alice, page_of(seeded_cast, "chat_model_agent_google"), max_steps="7")
    [analyst, chat] = alice.get(PUBLISH).context["groups"]
    assert (analyst.title, {change.address for change in analyst.changes}) == ("analyst (Google Gemini)", {""})
    shown = alice.get(analyst.address).context
    assert [group.title for group in shown["groups"]] == [chat.title]
    form = {"note": "Steps", "seen": shown["seen"], "without": shown["tokens"]}
    save(alice, page_of(seeded_cast, "chat_model_agent_google"), max_steps="8")
    assert "the draft changed while you looked at it" in text_of(alice.post(PUBLISH, form))
    assert "The draft has changed since you looked" in text_of(alice.get(f"{PUBLISH}?without=unknown", follow=True))
    form["seen"] = alice.get(analyst.address).context["seen"]
    assert "Release 2 is live." in text_of(alice.post(PUBLISH, form, follow=True))
    with tenant_tx(seeded_cast.acme.id):
        assert "analyst_google" not in live_release(organization_id=seeded_cast.acme.id).snapshot.agents
        assert Assistant.objects.get().title == "Analyst"
        AgentTool.objects.create(
            agent=AgentConfig.objects.get(key="chat_model_agent_google"), sub_agent=AgentConfig.objects.get(name="analyst")
        )
    refused: Any = alice.get(f"{analyst.address}&note=Typed", follow=True)
    assert text_of(refused).count("These changes need each other") == 1
    assert (refused.context["tokens"], refused.context["kept"]["note"]) == ([], "Typed")


@pytest.mark.usefixtures("collecting")
def test_a_release_holds_what_was_shown_or_is_refused(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    """A rollback leaves the draft as it is, but what is left out would have other values than those that were shown."""
    save(alice, page_of(seeded_cast), max_steps="7")
    publish(alice, seen=seen_on(alice))
    save(alice, page_of(seeded_cast), max_steps="8", temperature="0.3")
    [group] = alice.get(PUBLISH).context["groups"]
    address = next(change.address for change in group.changes if change.label == "Max steps")
    shown = alice.get(address).context
    bob.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/")
    assert "Review it first." in text_of(alice.get(f"{address}&part=1&seen={shown['seen']}"))
    form = {"note": "Warmer", "seen": shown["seen"], "without": shown["tokens"]}
    assert "the draft changed while you looked at it" in text_of(alice.post(PUBLISH, form, follow=True))
    form["seen"] = alice.get(address).context["seen"]
    assert " is live." in text_of(alice.post(PUBLISH, form, follow=True))
    assert live_steps(seeded_cast) not in (7, 8)
    assert drafted_steps(seeded_cast) == 8


def test_any_two_releases_are_compared_in_the_words_of_the_form(alice: Client, seeded_cast: Cast) -> None:
    for steps in ("7", "8", "9"):
        save(alice, page_of(seeded_cast), max_steps=steps)
    shown = alice.get(f"{RELEASES}compare/?from=2&to=4")
    [group] = shown.context["groups"]
    [change] = group.changes
    assert (group.title, change.label) == ("Chat agent (Google Gemini)", "Max steps")
    assert [(line.kind, line.text) for line in change.lines] == [("removed", "7"), ("added", "9")]
    assert "Nothing differs." in text_of(alice.get(f"{RELEASES}compare/?from=4&to=draft"))
    for query in ("?from=99&to=1", "?from=%00&to=draft", "?from=1e3&to=x"):
        assert "Release not found." in text_of(alice.get(f"{RELEASES}compare/{query}"))


def test_a_release_is_loaded_into_the_draft_and_nothing_goes_live(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    load = f"{RELEASES}{release_id(seeded_cast, 1)}/load/"
    assert "Max steps" in text_of(alice.get(load))
    done = alice.post(load, {"seen": seen_on(alice, load)}, follow=True)
    assert "The draft has the content of release 1." in text_of(done)
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (7, None)
    with tenant_tx(seeded_cast.acme.id):
        assert not AppSettings.objects.get().publish_on_save
        assert AuditEvent.objects.get(action="draft.load").detail == {"number": 1}
    assert [author.who for author in done.context["authors"]] == ["Alice"]
    assert "Not loaded. The draft has changed since you looked." in text_of(alice.post(load, {"seen": "x"}, follow=True))


@pytest.mark.usefixtures("collecting")
def test_no_release_is_loaded_over_what_somebody_else_has_not_published(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    save(bob, page_of(seeded_cast), max_steps="7")
    load = f"{RELEASES}{release_id(seeded_cast, 1)}/load/"
    reason = "The draft holds unpublished changes of Bob. Publish or discard them first."
    shown = text_of(alice.get(load))
    assert reason in shown
    assert "Max steps" in shown
    assert not SEEN.search(shown)
    with tenant_tx(seeded_cast.acme.id):
        seen = rows_hash(draft_load())
    assert f"Not loaded. {reason}" in text_of(alice.post(load, {"seen": seen}, follow=True))
    assert drafted_steps(seeded_cast) == 7
    assert "The draft has the content of release 1." in text_of(bob.post(load, {"seen": seen_on(bob, load)}, follow=True))
    assert drafted_steps(seeded_cast) is None
    assert SEEN.search(text_of(alice.get(load))), "nothing of Bob's is left"


def test_an_agents_history_has_the_releases_and_which_changed_it(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    save(alice, page_of(seeded_cast, "document_agent_google"), max_steps="3")
    shown = alice.get(page_of(seeded_cast)).context
    lines = [(line.release.number, line.changed_agent) for line in shown["releases"]]
    assert lines == [(3, False), (2, True), (1, False)]
    assert shown["live_release_id"] == shown["releases"][0].release.pk
    load = f"{RELEASES}{release_id(seeded_cast, 1)}/load/?agent={shown['original'].pk}"
    assert load in text_of(alice.get(page_of(seeded_cast)))
    done = alice.post(load, {"seen": seen_on(alice, load)})
    assert done["Location"] == f"{page_of(seeded_cast)}#history"
    for wrong in ("x", "//example.org/"):
        assert alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/load/?agent={wrong}", {"seen": "x"})["Location"] == RELEASES


def test_another_organizations_release_is_not_found(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.other.id):
        foreign = Release.objects.get().pk
    for page in ("load", "restore"):
        assert alice.post(f"{RELEASES}{foreign}/{page}/", {"seen": "x"}).status_code == 404
    assert alice.get(f"{RELEASES}{foreign}/load/").status_code == 404


def test_a_rollback_leaves_a_clean_draft_clean(alice: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/")
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (5, None)
    with tenant_tx(seeded_cast.acme.id):
        assert unpublished_draft() is None
        assert AppSettings.objects.get().publish_on_save
    save(alice, page_of(seeded_cast), temperature="0.5")
    assert live_steps(seeded_cast) == 5


def test_a_rollback_after_a_deploy_with_a_new_column_leaves_a_clean_draft_clean(
    alice: Client, seeded_cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before_deploy:  # when the code did not know the column yet
        before_deploy.setattr(draft_hashes, "_KEYS", draft_hashes._KEYS | {"temperature", "member_switch"})
        save(alice, page_of(seeded_cast), max_steps="7")
    alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/")
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (5, None)


@pytest.mark.usefixtures("collecting")
def test_a_rollback_keeps_unpublished_work(alice: Client, bob: Client, seeded_cast: Cast) -> None:
    save(alice, page_of(seeded_cast), max_steps="7")
    publish(alice, seen=seen_on(alice))
    save(bob, page_of(seeded_cast, "document_agent_google"), max_steps="3")
    shown = alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/", follow=True)
    assert "The draft keeps its unpublished changes." in text_of(shown)
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (5, 7)
    assert "Bob" in [author.who for author in shown.context["authors"]]
