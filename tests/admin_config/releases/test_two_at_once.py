"""Two admins at once, in two transactions: one saves while the other discards or rolls back. No save is lost, and each has its name."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from admin_config.agent_files.exporting import agents_export
from admin_config.models import AgentConfig, AppSettings, Assistant, ProviderEndpoint, Release
from admin_config.services.agents.custom_agents import custom_agent_save_new
from admin_config.services.changes.exclusion import token_of
from admin_config.services.configuration import release_publish
from admin_config.services.discarding.discard import draft_discard, unpublished_draft
from admin_config.services.discarding.loading import release_roll_back
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, Page, save
from tests.admin_config.releases.two_admins import AGENTS, BUSY, CHAT, RELEASES, Admins, text_of, while_locked

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

CHANGED = "The draft has changed since you looked."


def the_agent(admins: Admins) -> Page:
    return save(admins.bob, admins.page(), description="Bob's.")


def a_new_agent(admins: Admins) -> Page:
    values = {"agent_name": "clerk", "agent_provider": "google", "description": "Bob's.", "system_prompt": "Help."}
    return admins.bob.post(f"{AGENTS}add/", values)


def a_copy(admins: Admins) -> Page:
    return post_copy(admins, what="everything")


def a_copy_of_a_value(admins: Admins) -> Page:
    return post_copy(admins, what="chosen", values="description")


def post_copy(admins: Admins, **fields: str) -> Page:
    with tenant_tx(admins.cast.acme.pk):
        target = AgentConfig.objects.get(key="chat_model_agent_openai").pk
    page = admins.page("chat_model_agent_anthropic").replace("/change/", "/copy/")
    return admins.bob.post(page, {**fields, "targets": [str(target)]})


def a_file(admins: Admins) -> Page:
    with tenant_tx(admins.cast.acme.pk):
        text = agents_export()
    at = text.index(f"  {CHAT}:\n") + len(f"  {CHAT}:\n")
    return admins.bob.post(f"{AGENTS}file/", {"text": f"{text[:at]}    description: Bob's.\n{text[at:]}", "step": "take"})


def an_assistant(admins: Admins) -> Page:
    with tenant_tx(admins.cast.acme.pk):
        page = f"{ACME}admin_config/assistant/{Assistant.objects.get().pk}/change/"
    return save(admins.bob, page, description="Bob's.")


@pytest.mark.parametrize("action", [the_agent, a_new_agent, a_copy, a_copy_of_a_value, a_file, an_assistant])
def test_what_is_saved_during_a_discard_stays_and_is_named(admins: Admins, action: Callable[[Admins], Page]) -> None:
    with tenant_tx(admins.cast.acme.pk):
        agent = AgentConfig(name="helper", provider="google", system_prompt="Help.")
        custom_agent_save_new(agent)
        Assistant.objects.create(agent=agent, title="Helper", description="Helps")
        AgentConfig.objects.filter(key="chat_model_agent_anthropic").update(description="Bob's.")
        release_publish(organization_id=admins.cast.acme.pk)
    save(admins.alice, admins.page(), max_steps="9")
    draft_hash = admins.draft_hash_on(f"{RELEASES}discard/")

    answer = admins.beside(
        lambda: draft_discard(organization_id=admins.cast.acme.pk, expected_hash=draft_hash, author_id=admins.cast.alice.pk),
        lambda: action(admins),
    )
    assert answer.status_code == 302, answer.content.decode()[:3000]
    assert set(admins.authors()) == {"Bob"}
    with tenant_tx(admins.cast.acme.pk):
        draft = unpublished_draft()
        assert draft is not None
        assert any("Bob's." in line.text for change in draft.changes for line in change.lines)
    with tenant_tx(admins.cast.other.pk):
        assert unpublished_draft() is None


def test_a_save_from_a_page_of_before_a_discard_names_all_that_it_brings_back(admins: Admins) -> None:
    save(admins.alice, admins.page(), max_steps="9")
    draft_hash = admins.draft_hash_on(f"{RELEASES}discard/")
    admins.beside(
        lambda: draft_discard(organization_id=admins.cast.acme.pk, expected_hash=draft_hash, author_id=admins.cast.alice.pk),
        lambda: the_agent(admins),
    )
    with tenant_tx(admins.cast.acme.pk):
        agent = AgentConfig.objects.get(key=CHAT)
        assert (agent.max_steps, agent.description) == (9, "Bob's.")
    assert admins.authors() == {"Bob": {"max_steps", "description"}}


def test_a_discard_that_waits_for_a_save_is_refused(admins: Admins) -> None:
    save(admins.alice, admins.page(), max_steps="9")
    draft_hash = admins.draft_hash_on(f"{RELEASES}discard/")
    answer = admins.beside(
        lambda: AgentConfig.objects.filter(key=CHAT).update(description="Bob's."),
        lambda: admins.alice.post(f"{RELEASES}discard/", {"seen": draft_hash}, follow=True),
    )
    assert f"Not discarded. {CHANGED}" in answer.content.decode()
    with tenant_tx(admins.cast.acme.pk):
        agent = AgentConfig.objects.get(key=CHAT)
        assert (agent.max_steps, agent.description) == (9, "Bob's.")


def test_a_value_that_waits_for_a_save_is_compared_with_what_was_saved(admins: Admins) -> None:
    value = admins.page().replace("/change/", "/value/?place=max_steps")
    answer = admins.beside(
        lambda: AgentConfig.objects.filter(key=CHAT).update(max_steps=7),
        lambda: admins.bob.post(value, {"max_steps": "3", "stored": ""}),
    )
    assert "It was changed to 7 meanwhile." in answer.content.decode()
    with tenant_tx(admins.cast.acme.pk):
        assert AgentConfig.objects.get(key=CHAT).max_steps == 7


def test_a_copy_that_waits_for_a_save_copies_no_value_that_is_set_no_more(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        AgentConfig.objects.filter(key="chat_model_agent_anthropic").update(description="Bob's.")
        AgentConfig.objects.filter(key="chat_model_agent_openai").update(description="Alice's.")
    answer = admins.beside(
        lambda: AgentConfig.objects.filter(key="chat_model_agent_anthropic").update(description=""),
        lambda: a_copy_of_a_value(admins),
    )
    assert {*answer.context["form"].errors} == {"values"}
    with tenant_tx(admins.cast.acme.pk):
        assert AgentConfig.objects.get(key="chat_model_agent_openai").description == "Alice's."


def test_a_rollback_that_waits_for_a_save_keeps_the_draft(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        first = Release.objects.get(number=1)
        AgentConfig.objects.filter(key=CHAT).update(max_steps=9)
        live = release_publish(organization_id=admins.cast.acme.pk)
    answer = admins.beside(
        lambda: AgentConfig.objects.filter(key=CHAT).update(description="Bob's."),
        lambda: admins.alice.post(f"{RELEASES}{first.pk}/restore/", {"live": str(live.pk)}, follow=True),
    )
    assert "The draft keeps its unpublished changes." in answer.content.decode()
    with tenant_tx(admins.cast.acme.pk):
        agent = AgentConfig.objects.get(key=CHAT)
        assert (agent.max_steps, agent.description) == (9, "Bob's.")


def test_a_save_during_a_rollback_is_named_with_all_that_it_brings_back(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        first = Release.objects.get(number=1)
        AgentConfig.objects.filter(key=CHAT).update(max_steps=9)
        release_publish(organization_id=admins.cast.acme.pk)
    admins.beside(
        lambda: release_roll_back(organization_id=admins.cast.acme.pk, release_id=first.pk, author_id=admins.cast.alice.pk),
        lambda: the_agent(admins),
    )
    with tenant_tx(admins.cast.acme.pk):
        agent = AgentConfig.objects.get(key=CHAT)
        assert (agent.max_steps, agent.description) == (9, "Bob's.")
    assert admins.authors() == {"Bob": {"max_steps", "description"}}


def test_a_rollback_names_what_went_live_since_the_page_was_opened(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        AppSettings.objects.update(publish_on_save=True)
        first = Release.objects.get(number=1)
    save(admins.alice, admins.page(), max_steps="9")
    page = f"{RELEASES}{first.pk}/change/"
    [live] = re.findall(r'name="live" value="([\w-]+)"', admins.alice.get(page).content.decode())
    the_agent(admins)
    page_html = admins.alice.post(f"{RELEASES}{first.pk}/restore/", {"live": live}, follow=True).content.decode()
    assert "Not restored. Release 3 of Bob went live since you looked. Look at it first." in page_html
    [live] = re.findall(r'name="live" value="([\w-]+)"', admins.alice.get(page).content.decode())
    assert (
        "is live again, as release 4" in admins.alice.post(f"{RELEASES}{first.pk}/restore/", {"live": live}, follow=True).content.decode()
    )


def test_what_is_saved_of_a_row_that_is_switched_off_counts_too(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        endpoint = ProviderEndpoint.objects.get(provider="openai")
        first = Release.objects.get(number=1)
    page = f"{ACME}admin_config/providerendpoint/{endpoint.pk}/change/"
    assert save(admins.alice, page, is_enabled="off").status_code == 302
    draft_hash = admins.draft_hash_on(f"{RELEASES}discard/")
    assert save(admins.bob, page, timeout_s="77").status_code == 302
    assert CHANGED in admins.alice.post(f"{RELEASES}discard/", {"seen": draft_hash}, follow=True).content.decode()
    with tenant_tx(admins.cast.acme.pk):
        release_publish(organization_id=admins.cast.acme.pk)
    assert save(admins.bob, page, timeout_s="78").status_code == 302
    with tenant_tx(admins.cast.acme.pk):
        assert unpublished_draft() is None, "nothing that a release has"
        release_roll_back(organization_id=admins.cast.acme.pk, release_id=first.pk, author_id=admins.cast.alice.pk)
        assert ProviderEndpoint.objects.get(pk=endpoint.pk).timeout_s == 78
    assert "Bob" in admins.authors()


def test_what_is_only_tried_in_the_rows_waits_too(admins: Admins) -> None:
    """It locks rows in an order of its own: a save that has one of them could wait for it, and it for the save."""
    save(admins.alice, admins.page(), max_steps="9")
    with tenant_tx(admins.cast.acme.pk):
        text = agents_export()
    token = token_of(("agents", CHAT))
    preview = admins.beside(lambda: None, lambda: admins.bob.post(f"{AGENTS}file/", {"text": text, "step": "look"}))
    assert (preview.status_code, preview.context["problems"]) == (200, [])
    left_out = admins.beside(lambda: None, lambda: admins.bob.get(f"{RELEASES}publish/", {"without": token}))
    assert left_out.context["tokens"] == [token]


@pytest.mark.parametrize(
    ("action", "pattern"),
    [(the_agent, "Bob's."), (a_new_agent, "clerk"), (a_copy_of_a_value, r'value="chosen"[^>]* checked'), (a_file, "description: Bob's.")],
)
def test_a_save_beside_a_longer_one_says_so_and_keeps_what_was_typed(
    admins: Admins, action: Callable[[Admins], Page], pattern: str
) -> None:
    with tenant_tx(admins.cast.acme.pk):
        AgentConfig.objects.filter(key="chat_model_agent_anthropic").update(description="To copy.")
    page = text_of(while_locked(admins, lambda: action(admins)))
    assert BUSY in page
    assert re.search(pattern, page)
    with tenant_tx(admins.cast.acme.pk):
        assert not AgentConfig.objects.filter(description="Bob's.").exists()
    assert action(admins).status_code == 302


def test_a_value_in_its_cell_stays_while_the_settings_are_locked(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        url = f"{AGENTS}{AgentConfig.objects.get(key=CHAT).pk}/value/?place=max_steps"
    form = {"max_steps": "17", "stored": "", "opened_at": ""}
    page = text_of(while_locked(admins, lambda: admins.bob.post(url, form)))
    assert BUSY in page
    assert 'value="17"' in page
    assert "data-row" in text_of(admins.bob.post(url, form))


def test_a_value_saved_again_after_a_busy_answer_is_still_compared(admins: Admins) -> None:
    url = admins.page().replace("/change/", "/value/?place=max_steps")
    values = hidden_values(text_of(admins.bob.get(url)))
    assert values["stored"] == ""
    assert "data-row" in text_of(admins.alice.post(url, {"max_steps": "9", "stored": ""}))
    busy = text_of(while_locked(admins, lambda: admins.bob.post(url, {"max_steps": "17", **values})))
    assert BUSY in busy
    assert "Alice changed it to 9 meanwhile." in text_of(admins.bob.post(url, {"max_steps": "17", **hidden_values(busy)}))
    with tenant_tx(admins.cast.acme.pk):
        assert AgentConfig.objects.get(key=CHAT).max_steps == 9


def hidden_values(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


def test_a_rollback_beside_a_longer_save_says_why_it_did_nothing(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        release = Release.objects.get()
    response = while_locked(admins, lambda: admins.alice.post(f"{RELEASES}{release.pk}/restore/", follow=True))
    assert BUSY in text_of(response)
