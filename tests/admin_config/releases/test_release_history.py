"""Old releases are compared, loaded into the draft and rolled back to."""

from __future__ import annotations

import pytest
from django.test import Client

from admin_config.models import AppSettings, Release
from admin_config.services.discarding.discard import unpublished_draft
from admin_config.services.drafts import draft_hashes
from admin_config.services.drafts.draft import draft_load
from admin_config.services.drafts.draft_hashes import rows_hash
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.admin_config.agents import agent_url
from tests.admin_config.pages import save
from tests.admin_config.releases.releases import (
    DRAFT_HASH_FIELD,
    RELEASES,
    draft_hash_on,
    drafted_steps,
    live_steps,
    publish,
    release_id,
    text_of,
)
from tests.support.accounts.cast import Cast


def test_any_two_releases_are_compared_in_the_words_of_the_form(alice: Client, seeded_cast: Cast) -> None:
    for steps in ("7", "8", "9"):
        save(alice, agent_url(seeded_cast.acme), max_steps=steps)
    response = alice.get(f"{RELEASES}compare/?from=2&to=4")
    [group] = response.context["groups"]
    [change] = group.changes
    assert (group.title, change.label) == ("Chat agent (Google Gemini)", "Max steps")
    assert [(line.kind, line.text) for line in change.lines] == [("removed", "7"), ("added", "9")]
    assert "Nothing differs." in text_of(alice.get(f"{RELEASES}compare/?from=4&to=draft"))
    for query in ("?from=99&to=1", "?from=%00&to=draft", "?from=1e3&to=x"):
        assert "Release not found." in text_of(alice.get(f"{RELEASES}compare/{query}"))


def test_a_release_is_loaded_into_the_draft_and_nothing_goes_live(alice: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    load = f"{RELEASES}{release_id(seeded_cast, 1)}/load/"
    assert "Max steps" in text_of(alice.get(load))
    response = alice.post(load, {"seen": draft_hash_on(alice, load)}, follow=True)
    assert "The draft has the content of release 1." in text_of(response)
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (7, None)
    with tenant_tx(seeded_cast.acme.id):
        assert not AppSettings.objects.get().publish_on_save
        assert AuditEvent.objects.get(action="draft.load").detail == {"number": 1}
    assert [author.who for author in response.context["authors"]] == ["Alice"]
    assert "Not loaded. The draft has changed since you looked." in text_of(alice.post(load, {"seen": "x"}, follow=True))


@pytest.mark.usefixtures("collecting")
def test_no_release_is_loaded_over_what_somebody_else_has_not_published(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    save(second_admin, agent_url(seeded_cast.acme), max_steps="7")
    load = f"{RELEASES}{release_id(seeded_cast, 1)}/load/"
    reason = "The draft holds unpublished changes of Bob. Publish or discard them first."
    page_text = text_of(alice.get(load))
    assert reason in page_text
    assert "Max steps" in page_text
    assert not DRAFT_HASH_FIELD.search(page_text)
    with tenant_tx(seeded_cast.acme.id):
        draft_hash = rows_hash(draft_load())
    assert f"Not loaded. {reason}" in text_of(alice.post(load, {"seen": draft_hash}, follow=True))
    assert drafted_steps(seeded_cast) == 7
    assert "The draft has the content of release 1." in text_of(
        second_admin.post(load, {"seen": draft_hash_on(second_admin, load)}, follow=True)
    )
    assert drafted_steps(seeded_cast) is None
    same = text_of(alice.get(load))
    assert "The draft has this content already." in same, "nothing of Bob's is left"
    assert not DRAFT_HASH_FIELD.search(same)
    assert "The draft has this content." in text_of(alice.get(f"{RELEASES}{release_id(seeded_cast, 1)}/change/"))


def test_an_agents_history_has_the_releases_and_which_changed_it(alice: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    save(alice, agent_url(seeded_cast.acme, "document_agent_google"), max_steps="3")
    context = alice.get(agent_url(seeded_cast.acme)).context
    lines = [(line.release.number, line.changed_agent) for line in context["releases"]]
    assert lines == [(3, False), (2, True), (1, False)]
    assert context["live_release_id"] == context["releases"][0].release.pk
    load = f"{RELEASES}{release_id(seeded_cast, 1)}/load/?agent={context['original'].pk}"
    page_text = text_of(alice.get(agent_url(seeded_cast.acme)))
    assert load in page_text
    assert f"{release_id(seeded_cast, 3)}/load/" not in page_text, "the draft has it"
    response = alice.post(load, {"seen": draft_hash_on(alice, load)})
    assert response["Location"] == f"{agent_url(seeded_cast.acme)}#history"
    for wrong in ("x", "//example.org/"):
        assert alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/load/?agent={wrong}", {"seen": "x"})["Location"] == RELEASES


def test_another_organizations_release_is_not_found(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.other.id):
        foreign = Release.objects.get().pk
    for page in ("load", "restore"):
        assert alice.post(f"{RELEASES}{foreign}/{page}/", {"seen": "x"}).status_code == 404
    assert alice.get(f"{RELEASES}{foreign}/load/").status_code == 404


def test_a_rollback_leaves_a_clean_draft_clean(alice: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/")
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (5, None)
    with tenant_tx(seeded_cast.acme.id):
        assert unpublished_draft() is None
        assert AppSettings.objects.get().publish_on_save
    save(alice, agent_url(seeded_cast.acme), temperature="0.5")
    assert live_steps(seeded_cast) == 5


def test_a_rollback_after_a_deploy_with_a_new_column_leaves_a_clean_draft_clean(
    alice: Client, seeded_cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before_deploy:  # when the code did not know the column yet
        before_deploy.setattr(draft_hashes, "_KEYS", draft_hashes._KEYS | {"temperature", "member_switch"})
        save(alice, agent_url(seeded_cast.acme), max_steps="7")
    alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/")
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (5, None)


@pytest.mark.usefixtures("collecting")
def test_a_rollback_keeps_unpublished_work(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    save(alice, agent_url(seeded_cast.acme), max_steps="7")
    publish(alice, draft_hash=draft_hash_on(alice))
    save(second_admin, agent_url(seeded_cast.acme, "document_agent_google"), max_steps="3")
    response = alice.post(f"{RELEASES}{release_id(seeded_cast, 1)}/restore/", follow=True)
    assert "The draft keeps its unpublished changes." in text_of(response)
    assert (live_steps(seeded_cast), drafted_steps(seeded_cast)) == (5, 7)
    assert "Bob" in [author.who for author in response.context["authors"]]
