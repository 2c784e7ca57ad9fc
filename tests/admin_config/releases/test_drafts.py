"""Drafts of several admins: who changed what is named, nothing unseen is published, and releases can be compared and loaded again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from admin_config.models import AgentConfig, AgentTool, Assistant, ScheduledRelease
from admin_config.services.selectors import live_release
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.admin_config.agents import agent_url
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, save, send
from tests.admin_config.releases.releases import (
    PUBLISH,
    RELEASES,
    draft_hash_on,
    drafted_steps,
    live_steps,
    publish,
    release_id,
    settings_url,
    text_of,
)
from tests.support.accounts.cast import Cast


@pytest.mark.usefixtures("collecting")
def test_the_draft_names_who_changed_what(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    save(alice, settings_url(seeded_cast.acme), approval_days="9")  # holds at once, so it is no change of the draft
    save(second_admin, agent_url(seeded_cast.acme, "document_agent_google"), system_prompt="Write like a sailor.")
    page = alice.get(RELEASES)
    assert [(author.who, author.rows) for author in page.context["authors"]] == [("Bob", 1), ("Alice", 1)]
    assert [(group.title, [change.label for change in group.changes], names) for group, names in page.context["groups"]] == [
        ("Chat agent (Google Gemini)", ["Max steps"], ["Alice"]),
        ("Document agent (Google Gemini)", ["System prompt"], ["Bob"]),
    ]
    assert "Write like a sailor." in text_of(page)


@pytest.mark.usefixtures("collecting")
def test_two_admins_see_each_other(alice: Client, second_admin: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    page, other_page = agent_url(seeded_cast.acme), agent_url(seeded_cast.acme, "document_agent_google")
    assert "open, too" not in text_of(alice.get(page))
    assert "Alice has this agent open, too." in text_of(second_admin.get(page))
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
def test_a_change_of_an_assistant_is_a_change_of_its_agent(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    assistants = f"{ACME}admin_config/assistant/"
    save(alice, f"{assistants}add/", title="Analyst", description="Counts", prompt="You are an analyst.")
    page = agent_url(seeded_cast.acme, "analyst_google")
    agent_page = alice.get(page)
    with tenant_tx(seeded_cast.acme.id):
        assistant_id = Assistant.objects.get().pk
    save(second_admin, f"{assistants}{assistant_id}/change/", prompt="You are a poet.")
    names = {group.title: names for group, names in alice.get(RELEASES).context["groups"]}
    assert names == {"analyst (Google Gemini)": ["Bob", "Alice"]}
    assert [line.who for line in alice.get(page).context["history"]] == ["Bob", "Alice"]
    [error] = send(alice, page, agent_page, max_steps="7").context["adminform"].form.non_field_errors()
    assert error.startswith("Bob changed the assistant Analyst")


@pytest.mark.usefixtures("collecting")
def test_publishing_needs_a_note(alice: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    assert "Write first what changes for members." in publish(alice, draft_hash=draft_hash_on(alice), note=" ")
    assert live_steps(seeded_cast) == 5
    assert "Release 2 is live." in publish(alice, draft_hash=draft_hash_on(alice))
    assert live_steps(seeded_cast) == 7


@pytest.mark.usefixtures("collecting")
def test_what_another_admin_changed_meanwhile_is_not_published_unseen(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    draft_hash = draft_hash_on(alice)
    save(second_admin, agent_url(seeded_cast.acme, "document_agent_google"), max_steps="3")
    page_text = publish(alice, draft_hash=draft_hash)
    assert "Not published: the draft changed while you looked at it. Bob changed the agent Document agent (Google Gemini)" in page_text
    assert live_steps(seeded_cast) == 5
    assert "Not published" in publish(alice, draft_hash="")
    publish(alice, draft_hash=draft_hash_on(alice))
    assert live_steps(seeded_cast) == 7
    assert alice.get(RELEASES).context["authors"] == []


@pytest.mark.usefixtures("collecting")
def test_what_is_left_out_of_a_release_stays_in_the_draft(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    save(second_admin, agent_url(seeded_cast.acme), temperature="0.3")
    save(second_admin, agent_url(seeded_cast.acme, "document_agent_all"), max_steps="2")
    context = alice.get(PUBLISH).context
    own, base = context["groups"][1], context["groups"][0]
    assert {change.label: change.names for change in own.changes} == {"Max steps": ["Alice"], "Temperature": ["Bob"]}
    assert [change.label for change in base.changes] == ["Max steps"]

    of_bob = next(author.address for author in context["authors"] if author.author.who == "Bob")
    context = alice.get(of_bob).context
    assert [(group.title, [change.label for change in group.changes]) for group in context["groups"]] == [(own.title, ["Max steps"])]
    assert [change.label for group in context["left_out"] for change in group.changes] == ["Max steps", "Temperature"]
    form = {"note": "Steps", "seen": context["seen"], "without": context["tokens"]}
    assert "Release 2 is live." in text_of(alice.post(PUBLISH, form, follow=True))

    with tenant_tx(seeded_cast.acme.id):
        live = live_release(organization_id=seeded_cast.acme.id).snapshot.agents
        event = AuditEvent.objects.filter(action="release.publish").latest("created_at")
    assert (live["chat_model_agent_google"].max_steps, live["chat_model_agent_google"].temperature) == (7, None)
    assert live["document_agent_anthropic"].max_steps != 2
    assert event.detail["left_out"] == ["agents > document_agent_all > max steps", "agents > chat_model_agent_google > temperature"]
    later_context = alice.get(RELEASES).context
    assert [[change.label for change in group.changes] for group, _ in later_context["groups"]] == [["Max steps"], ["Temperature"]]
    assert "Release 3 is live." in publish(second_admin, draft_hash=draft_hash_on(second_admin))
    assert alice.get(RELEASES).context["authors"] == []


@pytest.mark.usefixtures("collecting")
def test_a_release_that_went_live_later_leaves_the_authors_of_the_rest(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    save(second_admin, agent_url(seeded_cast.acme, "document_agent_google"), max_steps="3")
    of_bob = next(author.address for author in alice.get(PUBLISH).context["authors"] if author.author.who == "Bob")
    context = alice.get(of_bob).context
    later = {"audience": "later", "publish_at": f"{timezone.now() + timedelta(days=2):%Y-%m-%dT%H:%M}"}
    alice.post(PUBLISH, {"note": "Steps", "seen": context["seen"], "without": context["tokens"], **later})
    with tenant_tx(seeded_cast.acme.id):
        scheduled_release = ScheduledRelease.objects.get()
    alice.post(f"{RELEASES}scheduled/{scheduled_release.pk}/publish/")
    with tenant_tx(seeded_cast.acme.id):
        event = AuditEvent.objects.filter(action="release.publish").latest("created_at")
    assert event.detail["left_out"] == ["agents > document_agent_google > max steps"]
    assert [author.who for author in alice.get(RELEASES).context["authors"]] == ["Bob"], "what Alice changed is live"


@pytest.mark.usefixtures("collecting")
def test_what_is_new_is_left_out_as_a_whole_and_with_what_needs_it(alice: Client, seeded_cast: Cast) -> None:
    save(alice, f"{ACME}admin_config/assistant/add/", title="Analyst", description="Counts", prompt="You are an analyst.")
    save(alice, agent_url(seeded_cast.acme, "chat_model_agent_google"), max_steps="7")
    [analyst, chat] = alice.get(PUBLISH).context["groups"]
    assert (analyst.title, {change.address for change in analyst.changes}) == ("analyst (Google Gemini)", {""})
    context = alice.get(analyst.address).context
    assert [group.title for group in context["groups"]] == [chat.title]
    form = {"note": "Steps", "seen": context["seen"], "without": context["tokens"]}
    save(alice, agent_url(seeded_cast.acme, "chat_model_agent_google"), max_steps="8")
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
    response: Any = alice.get(f"{analyst.address}&note=Typed", follow=True)
    assert text_of(response).count("These changes need each other") == 1
    assert (response.context["tokens"], response.context["kept"]["note"]) == ([], "Typed")


@pytest.mark.usefixtures("collecting")
def test_a_release_holds_what_was_shown_or_is_refused(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    """A rollback leaves the draft as it is, but what is left out would have other values than those that were shown."""
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    publish(alice, draft_hash=draft_hash_on(alice))
    save(alice, agent_url(seeded_cast.acme), max_steps="8", temperature="0.3")
    [group] = alice.get(PUBLISH).context["groups"]
    address = next(change.address for change in group.changes if change.label == "Max steps")
    context = alice.get(address).context
    second_admin.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/")
    assert "Review it first." in text_of(alice.get(f"{address}&part=1&seen={context['seen']}"))
    form = {"note": "Warmer", "seen": context["seen"], "without": context["tokens"]}
    assert "the draft changed while you looked at it" in text_of(alice.post(PUBLISH, form, follow=True))
    form["seen"] = alice.get(address).context["seen"]
    assert " is live." in text_of(alice.post(PUBLISH, form, follow=True))
    assert live_steps(seeded_cast) not in (7, 8)
    assert drafted_steps(seeded_cast) == 8
