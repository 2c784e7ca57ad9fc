"""Organizations follow the operator also after a deploy that changed a default in the code; what waits in a draft stays there."""

from __future__ import annotations

from typing import Any

from django.test import Client

from admin_config.defaults.platform import CHAT_AGENT, KINDS, agent_key
from admin_config.models import AgentConfig, AppSettings, PromptSection, Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.configuration import release_append, release_publish
from admin_config.services.discarding.discard import draft_discard, unpublished_draft
from admin_config.services.discarding.loading import release_roll_back
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import save
from tests.admin_config.sites.platform_defaults import CHAT, live, publish
from tests.support.accounts.cast import Cast

GOOGLE = agent_key(CHAT_AGENT, "google")
FORMER = "You were another agent."
IDENTITY = next(section.text for section in KINDS[CHAT_AGENT].sections if section.name == "identity")


def deploy(*organizations: Organization) -> None:
    """Make the live release one of former code, whose chat agents had another text: the deploy has just changed that default."""
    for organization in organizations:
        with tenant_tx(organization.id):
            settings = AppSettings.objects.get()
            assert settings.live_release is not None
            content: dict[str, Any] = settings.live_release.content
            for agent in content["agents"].values():
                if agent["kind"] == CHAT_AGENT:
                    agent["sections"]["identity"]["text"] = FORMER
            settings.live_release = release_append(ReleaseSnapshot.model_validate(content), author_id=None, note="Former code")
            settings.save(update_fields=["live_release"])


def change_draft(organization: Organization, **values: Any) -> None:
    with tenant_tx(organization.id):
        AgentConfig.objects.filter(key=GOOGLE).update(**values)


def identity(organization: Organization) -> str:
    return live(organization).sections["identity"].text


def test_one_that_changed_nothing_follows_and_a_draft_with_work_is_not_published(operator: Client, seeded_cast: Cast) -> None:
    acme, other = seeded_cast.acme, seeded_cast.other
    change_draft(other, max_output_tokens=2048)
    with tenant_tx(other.id):
        release_publish(organization_id=other.id)
    deploy(acme, other)
    change_draft(acme, temperature=0.5)
    save(operator, CHAT, max_steps="9")
    publish(operator)
    assert (live(other).max_steps, live(other).max_output_tokens, identity(other)) == (9, 2048, IDENTITY), "the deploy's default, too"
    assert (live(acme).max_steps, live(acme).temperature, identity(acme)) == (5, None, FORMER)
    with tenant_tx(acme.id):
        release_publish(organization_id=acme.id)
    assert (live(acme).max_steps, live(acme).temperature, identity(acme)) == (9, 0.5, IDENTITY), "with its next save"


def test_what_a_deploy_adds_blank_is_no_work_of_the_organization(operator: Client, seeded_cast: Cast) -> None:
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        PromptSection.objects.filter(agent__key=GOOGLE, name="skills").delete()
        release_publish(organization_id=acme.id)
        PromptSection.objects.create(agent=AgentConfig.objects.get(key=GOOGLE), name="skills")
    deploy(acme)
    save(operator, CHAT, max_steps="9")
    publish(operator)
    assert live(acme).max_steps == 9


def test_a_draft_that_was_discarded_or_followed_a_rollback_is_the_live_releases(operator: Client, seeded_cast: Cast) -> None:
    acme, other = seeded_cast.acme, seeded_cast.other
    change_draft(acme, temperature=0.5)
    with tenant_tx(acme.id):
        waiting = unpublished_draft()
        assert waiting is not None
        draft_discard(organization_id=acme.id, expected_hash=waiting.rows_hash)
    with tenant_tx(other.id):
        first = Release.objects.get()
    change_draft(other, temperature=0.5)
    with tenant_tx(other.id):
        release_publish(organization_id=other.id)
        release_roll_back(organization_id=other.id, release_id=first.pk)
    deploy(acme, other)
    save(operator, CHAT, max_steps="9")
    publish(operator)
    assert [live(organization).max_steps for organization in (acme, other)] == [9, 9]


def test_a_draft_that_a_release_left_behind_is_not_published(operator: Client, seeded_cast: Cast) -> None:
    acme = seeded_cast.acme
    with tenant_tx(acme.id):
        first = Release.objects.get()
    change_draft(acme, temperature=0.5)
    with tenant_tx(acme.id):
        release_publish(organization_id=acme.id)
    change_draft(acme, temperature=0.7)
    with tenant_tx(acme.id):
        release_roll_back(organization_id=acme.id, release_id=first.pk)
        AppSettings.objects.update(publish_on_save=True)
    deploy(acme)
    save(operator, CHAT, max_steps="9")
    publish(operator)
    assert (live(acme).temperature, live(acme).max_steps) == (None, 5)
