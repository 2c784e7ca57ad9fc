"""The platform's defaults: the operator edits, publishes and restores them, and organizations follow where they set nothing."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from admin_config.defaults.platform import ALL_PROVIDERS, CHAT_AGENT, CUSTOM_AGENT, KINDS, MERMAID_AGENT, agent_key
from admin_config.models import AgentConfig, AppSettings, PlatformRelease, PromptSection, Release
from admin_config.models.platform import platform_defaults
from admin_config.release import ReleaseSnapshot
from admin_config.services.agents.changed_defaults import changed_defaults
from admin_config.services.agents.custom_agents import custom_agent_save_new
from admin_config.services.configuration import release_publish
from admin_config.services.discarding.discard import draft_discard, unpublished_draft
from admin_config.services.discarding.loading import release_roll_back
from admin_config.services.platform.rollout import organization_roll_out, organizations_behind, rollout_of
from admin_config.services.selectors import live_release
from security.models import AuditEvent, PlatformEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import save
from tests.admin_config.sites.platform_defaults import CHAT, DEFAULTS, GOOGLE, follow, live, publish
from tests.support.accounts.cast import Cast

LANGUAGE = next(section.text for section in KINDS[CHAT_AGENT].sections if section.name == "language")
WELSH = "Answer in Welsh."


def change(organization: Organization, **values: Any) -> None:
    """Give the chat agent of Google values of its own, and publish them."""
    with tenant_tx(organization.id):
        AgentConfig.objects.filter(key=GOOGLE).update(**values)
        release_publish(organization_id=organization.id)


def test_agents_without_a_value_of_their_own_follow_and_others_keep_theirs(operator: Client, seeded_cast: Cast) -> None:
    acme, other = seeded_cast.acme, seeded_cast.other
    change(acme, max_steps=3)
    with tenant_tx(acme.id):
        old_release = live_release(organization_id=acme.id)
    before = old_release.snapshot.content_hash()
    text = {"sections__language__text": WELSH, "sections__skills__is_enabled": "off"}
    assert save(operator, CHAT, max_steps="9", compact_at_percent="60", **text).status_code == 302
    assert (live(other).max_steps, live(other).sections["language"].text) == (5, LANGUAGE), "a draft"
    assert b"Platform release 1 is published. 2 organizations" in publish(operator).content
    assert (live(acme).max_steps, live(other).max_steps) == (3, 9)
    for organization in (acme, other):
        agent = live(organization)
        assert (agent.sections["language"].text, agent.sections["skills"].is_enabled, agent.compact_at_percent) == (WELSH, False, 60)
        assert live(organization, agent_key(CHAT_AGENT, "openai")).max_steps == 9
        assert live(organization, agent_key(MERMAID_AGENT, "google")).max_steps == KINDS[MERMAID_AGENT].max_steps
        with tenant_tx(organization.id):
            assert unpublished_draft() is None
            assert Release.objects.get(pk=live_release(organization_id=organization.id).id).note == "Platform defaults, release 1"
    with tenant_tx(acme.id):
        old_snapshot = ReleaseSnapshot.model_validate(Release.objects.get(pk=old_release.id).content)
    assert old_snapshot.content_hash() == before, "a run that began before keeps its release"


def test_going_back_is_a_new_release_that_organizations_follow(operator: Client, seeded_cast: Cast) -> None:
    change(seeded_cast.acme, max_steps=3)
    save(operator, CHAT, max_steps="9")
    publish(operator, "Nine steps")
    save(operator, CHAT, max_steps="12")
    publish(operator, "Twelve steps")
    assert live(seeded_cast.other).max_steps == 12
    page = operator.get("/operator/admin_config/platformrelease/1/change/").content.decode()
    assert "Nine steps" in page
    assert "Go back to this release" in page
    answer = operator.post("/operator/admin_config/platformrelease/1/restore/", follow=True)
    assert b"Platform release 3 is published" in answer.content
    follow()
    assert (live(seeded_cast.acme).max_steps, live(seeded_cast.other).max_steps) == (3, 9)
    releases = list(PlatformRelease.objects.using("auth").order_by("number").values_list("note", flat=True))
    events = list(PlatformEvent.objects.using("auth").filter(action="platformrelease.operator.publish").values_list("detail", flat=True))
    assert releases == ["Nine steps", "Twelve steps", "Restores platform release 1"]
    assert sorted(event["number"] for event in events) == [1, 2, 3]
    assert 'name="max_steps" value="9"' in operator.get(CHAT).content.decode(), "the draft had nothing else and followed"


def test_one_that_publishes_itself_finds_it_in_its_draft(operator: Client, seeded_cast: Cast) -> None:
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        AppSettings.objects.update(publish_on_save=False)
    save(operator, CHAT, max_steps="9")
    publish(operator)
    assert live(acme).max_steps == 5
    with tenant_tx(acme.id):
        waiting = unpublished_draft()
        assert waiting is not None
        assert [change.where for change in waiting.changes] == [("agents", agent_key(CHAT_AGENT, ALL_PROVIDERS), "max steps")]
        release_publish(organization_id=acme.id)
    assert live(acme).max_steps == 9
    assert (rollout_of(1).all, rollout_of(1).reached, rollout_of(1).by_hand) == (2, 2, 1)


def test_work_that_waits_in_a_draft_is_not_published_with_it(operator: Client, seeded_cast: Cast) -> None:
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        AgentConfig.objects.filter(key=GOOGLE).update(temperature=0.5)
    save(operator, CHAT, max_steps="9")
    publish(operator)
    assert (live(acme).temperature, live(acme).max_steps) == (None, 5)
    assert live(seeded_cast.other).max_steps == 9


def test_values_of_a_release_from_before_become_own_ones_when_it_comes_back(operator: Client, seeded_cast: Cast) -> None:
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        first = Release.objects.get()
    save(operator, CHAT, max_steps="9")
    publish(operator)
    with tenant_tx(acme.id):
        release_roll_back(organization_id=acme.id, release_id=first.pk)
        assert unpublished_draft() is None
        assert AgentConfig.objects.get(kind=CHAT_AGENT, provider=ALL_PROVIDERS).max_steps == 5
    assert (live(acme).max_steps, live(seeded_cast.other).max_steps) == (5, 9)


def test_discarding_gives_back_what_is_live(operator: Client, seeded_cast: Cast) -> None:
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        AppSettings.objects.update(publish_on_save=False)
    save(operator, CHAT, sections__language__text=WELSH)
    publish(operator)
    with tenant_tx(acme.id):
        discard(acme)


def test_discarding_keeps_own_agents_with_the_defaults_of_their_kind(operator: Client, seeded_cast: Cast) -> None:
    """An agent that an admin made has no base: the platform's defaults are right below it."""
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        custom_agent_save_new(AgentConfig(name="helper", provider="google", description="Helps."))
        release_publish(organization_id=acme.id)
        AppSettings.objects.update(publish_on_save=False)
    save(operator, f"{DEFAULTS}{CUSTOM_AGENT}/change/", max_steps="9")
    publish(operator)
    with tenant_tx(acme.id):
        helper = AgentConfig.objects.get(name="helper")
        discard(acme)
        helper.refresh_from_db()
        assert helper.max_steps == KINDS[CUSTOM_AGENT].max_steps, "what was live"
        AgentConfig.objects.filter(pk=helper.pk).update(max_steps=None)
        release_publish(organization_id=acme.id)
        AgentConfig.objects.filter(pk=helper.pk).update(temperature=0.5)
        discard(acme)
        helper.refresh_from_db()
        assert [helper.max_steps, helper.temperature] == [None, None], "it goes on following"
    assert live(acme, agent_key("helper", "google")).max_steps == 9


def discard(organization: Organization) -> None:
    waiting = unpublished_draft()
    assert waiting is not None
    draft_discard(organization_id=organization.id, expected_hash=waiting.rows_hash)
    assert unpublished_draft() is None


def test_a_customized_text_says_that_the_platforms_default_changed(operator: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        PromptSection.objects.filter(agent__key=GOOGLE, name="language").update(text="Answer in Breton.")
        release_publish(organization_id=acme.id)
        agent = AgentConfig.objects.get(key=GOOGLE)
        assert changed_defaults(agent) == {}
    save(operator, CHAT, sections__language__text=WELSH)
    publish(operator)
    with tenant_tx(acme.id):
        agent = AgentConfig.objects.get(key=GOOGLE)
        assert changed_defaults(agent) == {("language", "text"): LANGUAGE}
    page = signed_in(seeded_cast.alice).get(f"/o/acme/admin/admin_config/agentconfig/{agent.pk}/change/").content.decode()
    assert "data-former-default" in page


def test_an_agents_page_shows_the_platforms_value(operator: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    save(operator, CHAT, max_steps="9", sections__language__text=WELSH)
    publish(operator)
    with tenant_tx(seeded_cast.acme.id):
        agent = AgentConfig.objects.get(key=GOOGLE)
    page = signed_in(seeded_cast.alice).get(f"/o/acme/admin/admin_config/agentconfig/{agent.pk}/change/").content.decode()
    assert re.search(r'name="max_steps"[^>]*placeholder="9"|placeholder="9"[^>]*name="max_steps"', page)
    assert f'placeholder="{WELSH}"' in page


def test_the_draft_needs_one_more_query_for_all_agents(operator: Client, seeded_cast: Cast, django_assert_num_queries: Any) -> None:
    with tenant_tx(seeded_cast.acme.id), django_assert_num_queries(1):
        defaults = platform_defaults()
        assert {defaults.of(kind).max_steps for kind in KINDS} == {of.max_steps for of in KINDS.values()}


def test_an_organization_is_brought_each_release_once(operator: Client, seeded_cast: Cast) -> None:
    save(operator, CHAT, max_steps="9")
    publish(operator)
    assert list(organizations_behind()) == []
    assert organization_roll_out(seeded_cast.acme.id)
    with tenant_tx(seeded_cast.acme.id):
        assert AuditEvent.objects.filter(action="release.publish").count() == 2, "the first release and this one"


def test_one_whose_own_values_contradict_follows_when_they_no_longer_do(operator: Client, seeded_cast: Cast) -> None:
    acme, options = seeded_cast.acme, KINDS[CHAT_AGENT].options
    change(acme, guard_percent=options.compact_at_percent)
    save(operator, CHAT, compact_at_percent=str(options.guard_percent))
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', operator.get(f"{DEFAULTS}publish/").content.decode())
    operator.post(f"{DEFAULTS}publish/", {"note": "Later", "seen": draft_hash})
    assert not organization_roll_out(acme.id)
    assert organization_roll_out(seeded_cast.other.id)
    assert list(organizations_behind()) == [acme.id], "it does not count as reached, and is tried again"
    assert live(acme).compact_at_percent == options.compact_at_percent
    save(operator, CHAT, compact_at_percent=str(options.compact_at_percent), max_steps="9")
    publish(operator)
    assert live(acme).max_steps == 9
    assert list(organizations_behind()) == []
