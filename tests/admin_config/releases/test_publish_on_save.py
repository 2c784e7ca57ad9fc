"""Publish on save is switched on again: what waits in the draft is seen, named and published, or nothing changes."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from admin_config.forms.base import SettingsForm
from admin_config.models import (
    AppSettings,
    ProviderEndpoint,
    Release,
)
from admin_config.services.canary.lifecycle import Audience, End, canary_start, canary_take_back
from admin_config.services.configuration import credential_set, release_publish
from admin_config.services.discarding.discard import unpublished_draft
from admin_config.services.selectors import live_release
from security.models import Secret
from tenants.context import tenant_tx
from tests.admin_config.agents import agent_url, live_agent
from tests.admin_config.pages import save
from tests.admin_config.releases.releases import RELEASES, settings_url
from tests.support.accounts.cast import Cast


def test_the_switch_publishes_what_was_seen_with_a_note_and_with_what_the_form_changes(alice: Client, seeded_cast: Cast) -> None:
    settings = settings_url(seeded_cast.acme)
    save(alice, settings, publish_on_save="off")
    save(alice, agent_url(seeded_cast.acme), system_prompt="Ours.")
    question = save(alice, settings, publish_on_save="on", approval_days="9").content.decode()
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', question)
    assert '<input type="hidden" name="approval_days" value="9">' in question
    assert "Write first" not in question
    with tenant_tx(seeded_cast.acme.id):
        assert (Release.objects.count(), AppSettings.objects.get().publish_on_save, AppSettings.objects.get().approval_days) == (
            1,
            False,
            7,
        )

    answer = {"publish_on_save": "on", "approval_days": "9", "note": "Our own prompt"}
    save(alice, agent_url(seeded_cast.acme), system_prompt="Ours, and more.")
    question = save(alice, settings, seen=draft_hash, **answer).content.decode()
    assert "It has changed since you looked." in question
    assert '<li class="added">Ours, and more.</li>' in question
    assert "Our own prompt</textarea>" in question
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', question)
    refusal = save(alice, settings, seen=draft_hash, **{**answer, "note": " "}).content.decode()
    assert "Write first what changes for members." in refusal
    assert '<input type="hidden" name="approval_days" value="9">' in refusal
    assert save(alice, settings, seen=draft_hash, **answer).status_code == 302
    assert live_agent(seeded_cast.acme).system_prompt == "Ours, and more."
    with tenant_tx(seeded_cast.acme.id):
        assert list(Release.objects.order_by("number").values_list("number", "note"))[1:] == [(2, "Our own prompt")]
        assert (AppSettings.objects.get().publish_on_save, AppSettings.objects.get().approval_days) == (True, 9)


def test_a_note_that_a_canary_keeps_from_going_live_is_on_the_publish_page(alice: Client, seeded_cast: Cast) -> None:
    settings = settings_url(seeded_cast.acme)
    save(alice, settings, publish_on_save="off")
    save(alice, agent_url(seeded_cast.acme), system_prompt="Ours.")
    question = save(alice, settings, publish_on_save="on").content.decode()
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', question)
    with tenant_tx(seeded_cast.acme.id):
        draft = unpublished_draft()
        assert draft is not None
        audience = Audience(percent=10, rules={})
        canary = canary_start(
            organization_id=seeded_cast.acme.id, author_id=seeded_cast.bob.pk, note="", expected_hash=draft.draft_hash, audience=audience
        )
    refusal = save(alice, settings, publish_on_save="on", seen=draft_hash, note="Our own prompt").content.decode()
    assert "Publish on save stays off" in refusal
    [address] = re.findall(r'href="([^"]*/release/publish/[^"]*)"[^>]*>Review and publish…', refusal)
    with tenant_tx(seeded_cast.acme.id):
        canary_take_back(canary_id=canary.pk, end=End(reason="no better", author_id=seeded_cast.bob.pk))
    assert "Our own prompt</textarea>" in alice.get(html.unescape(address)).content.decode()


def test_the_switch_is_free_when_only_the_form_itself_changes_something(alice: Client, seeded_cast: Cast) -> None:
    settings = settings_url(seeded_cast.acme)
    save(alice, settings, publish_on_save="off")
    assert save(alice, settings, publish_on_save="on", active_provider="anthropic").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert AppSettings.objects.get().publish_on_save
        assert Release.objects.order_by("-number").values_list("content__active_provider", flat=True)[0] == "anthropic"


def test_saving_settings_keeps_a_release_that_went_live_meanwhile(
    alice: Client, seeded_cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_url(seeded_cast.acme)
    save(alice, settings, publish_on_save="off")
    save(alice, agent_url(seeded_cast.acme), system_prompt="Ours.")
    is_valid = SettingsForm.is_valid

    def slow(form: SettingsForm) -> bool:
        valid = is_valid(form)
        release_publish(organization_id=seeded_cast.acme.id)
        return valid

    monkeypatch.setattr(SettingsForm, "is_valid", slow)
    assert save(alice, settings, approval_days="9").status_code == 302
    assert live_agent(seeded_cast.acme).system_prompt == "Ours."


def test_the_switch_is_free_when_nothing_differs_but_a_key(alice: Client, seeded_cast: Cast) -> None:
    """The old key is gone, so nothing could bring it back."""
    save(alice, settings_url(seeded_cast.acme), publish_on_save="off")
    with tenant_tx(seeded_cast.acme.id):
        credential_set(endpoint=ProviderEndpoint.objects.get(provider="google"), value="AIza-first-key-1111")
    assert "nothing to discard" in alice.get(f"{RELEASES}discard/", follow=True).content.decode()
    assert save(alice, settings_url(seeded_cast.acme), publish_on_save="on").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert live_release(organization_id=seeded_cast.acme.id).snapshot.endpoint("google").secret_id == Secret.objects.get().id


def test_why_beside_save_becomes_the_releases_note(alice: Client, seeded_cast: Cast) -> None:
    page = agent_url(seeded_cast.acme)
    assert 'name="_why"' in alice.get(page).content.decode()
    refused = save(alice, page, max_steps="99", _why="Long <answers>").content.decode()
    assert 'value="Long &lt;answers&gt;"' in refused
    assert save(alice, page, max_steps="9", _why="  Long answers ").status_code == 302
    assert save(alice, page, max_steps="8").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert list(Release.objects.order_by("number").values_list("number", "note"))[1:] == [(2, "Long answers"), (3, "")]
        AppSettings.objects.update(publish_on_save=False)
    assert 'name="_why"' not in alice.get(page).content.decode()
    with tenant_tx(seeded_cast.other.id):
        assert Release.objects.count() == 1
