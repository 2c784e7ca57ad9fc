"""From working rows to immutable releases."""

from __future__ import annotations

import pytest
from django.db import ProgrammingError, connection, transaction
from pytest_django import DjangoAssertNumQueries, Settings

from admin_config.defaults.platform import CHAT_AGENT, DOCUMENT_AGENT, KINDS
from admin_config.errors import NothingPublished, ReleaseInvalid
from admin_config.models import AgentConfig, AgentOperation, AppSettings, ModelConfig, ProviderEndpoint, Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.configuration import credential_remove, credential_set, organization_seed, release_publish
from admin_config.services.restoring import release_restore
from admin_config.services.selectors import live_release, release_load
from security.models import AuditEvent, Secret
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast


def publish(cast: Cast, note: str = "") -> Release:
    return release_publish(organization_id=cast.acme.id, author_id=cast.alice.pk, note=note)


def live(cast: Cast) -> ReleaseSnapshot:
    return live_release(organization_id=cast.acme.id).snapshot


def test_a_new_organization_starts_with_the_platforms_defaults(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        release = live_release(organization_id=seeded_cast.acme.id)
        assert release.number == 1
        assert release.snapshot.active_provider == "google"
        assert release.snapshot.agent(CHAT_AGENT).system_prompt == KINDS[CHAT_AGENT].system_prompt
        assert release.snapshot.agent(CHAT_AGENT).thinking_budget == 8192
        assert release.snapshot.endpoint("google").base_url == "https://generativelanguage.googleapis.com"
        assert release.snapshot.offered_models()[0].model_id == "gemini-2.5-flash"


def test_the_demo_provider_is_active_where_the_operator_runs_one(cast: Cast, settings: Settings) -> None:
    settings.DEMO_PROVIDER_URL = "http://127.0.0.1:9"
    with tenant_tx(cast.acme.id):
        organization_seed(organization_id=cast.acme.id)
        assert live(cast).active_provider == "demo"
        assert live(cast).endpoint("demo").base_url == "http://127.0.0.1:9"


def test_an_organization_without_a_release_is_a_clear_error(cast: Cast) -> None:
    with tenant_tx(cast.acme.id), pytest.raises(NothingPublished):
        live_release(organization_id=cast.acme.id)


def test_seeding_again_changes_nothing(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(kind=DOCUMENT_AGENT).update(max_steps=9)
        publish(seeded_cast)
        organization_seed(organization_id=seeded_cast.acme.id)
        assert Release.objects.count() == 2
        assert live(seeded_cast).agent(DOCUMENT_AGENT).max_steps == 9


def test_set_fields_override_the_defaults_one_by_one(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(key="document_agent_google").update(system_prompt="Ours.", temperature=0.0)
        AgentOperation.objects.filter(agent__key="document_agent_google", name="update").update(
            user_prompt_template="{current_content}|{instruction}"
        )
        release = publish(seeded_cast, note="House style")
        agent = live(seeded_cast).agent(DOCUMENT_AGENT)
    assert (release.number, release.note, release.author) == (2, "House style", seeded_cast.alice)
    assert (agent.system_prompt, agent.temperature) == ("Ours.", 0.0)
    assert agent.description == KINDS[DOCUMENT_AGENT].description
    update, defaults = agent.operations["update"], KINDS[DOCUMENT_AGENT].operation("update")
    assert defaults is not None
    assert (update.user_prompt_template, update.system_prompt) == ("{current_content}|{instruction}", defaults.system_prompt)


def test_publishing_an_unchanged_draft_gives_the_live_release_back(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        assert publish(seeded_cast).number == 1
        assert Release.objects.count() == 1


def test_publishing_is_audited(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(key="document_agent_google").update(max_steps=7)
        release = publish(seeded_cast)
        event = AuditEvent.objects.get(action="release.publish", object_id=str(release.id))
    assert (event.actor_user_id, event.detail) == (seeded_cast.alice.pk, {"number": 2, "replaces": 1})


@pytest.mark.parametrize("statement", ["update admin_config_release set note = 'x'", "delete from admin_config_release"])
def test_the_application_can_neither_change_nor_delete_a_release(seeded_cast: Cast, statement: str) -> None:
    with tenant_tx(seeded_cast.acme.id), pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        connection.cursor().execute(statement)


def test_a_release_is_cached_for_its_own_organization_alone(seeded_cast: Cast, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with tenant_tx(seeded_cast.acme.id):
        release_id = Release.objects.get().id
        first = release_load(release_id)
        with django_assert_num_queries(0):
            assert release_load(release_id) is first
    with tenant_tx(seeded_cast.other.id), pytest.raises(Release.DoesNotExist):
        release_load(release_id)


def problems(cast: Cast) -> list[tuple[str, str]]:
    with pytest.raises(ReleaseInvalid) as invalid:
        publish(cast)
    return [(problem.field, problem.text) for problem in invalid.value.problems]


def test_an_agent_needs_the_key_of_its_kind_and_provider(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(key="document_agent_google").update(key="writer")
        assert ("key", "Document agent (Google Gemini): The key of this agent must be document_agent_google.") in problems(seeded_cast)


def test_an_agent_needs_a_model_of_its_own_provider(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        foreign = ModelConfig.objects.filter(provider="demo").first()
        AgentConfig.objects.filter(key="document_agent_google").update(model=foreign)
        assert [field for field, _ in problems(seeded_cast)] == ["model"]


def test_a_template_with_an_unknown_placeholder_is_not_published(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentOperation.objects.filter(name="create").update(user_prompt_template="{instruction} {topic}")
        assert {field for field, _ in problems(seeded_cast)} == {"user_prompt_template"}


def test_each_provider_needs_a_default_model(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        ModelConfig.objects.filter(provider="demo").update(is_default=False)
        assert problems(seeded_cast) == [("", "Demo (no key, scripted) needs exactly one default model that is enabled.")]


def test_the_active_provider_needs_an_endpoint_and_its_chat_agent(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        ProviderEndpoint.objects.filter(provider="google").update(is_enabled=False)
        AgentConfig.objects.filter(key="chat_model_agent_google").update(is_enabled=False)
        assert problems(seeded_cast) == [
            ("", "Google Gemini is the active provider and needs an enabled endpoint."),
            ("", "Google Gemini is the active provider and needs its chat agent enabled."),
        ]


def test_an_endpoint_may_not_point_into_the_private_network(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        ProviderEndpoint.objects.filter(provider="google").update(base_url="http://user@10.0.0.1:22/")
        assert [field for field, _ in problems(seeded_cast)] == ["base_url"]


def test_a_restored_release_is_a_new_one_and_stays_live_until_the_next_publication(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        first = Release.objects.get()
        AgentConfig.objects.filter(key="document_agent_google").update(max_steps=7)
        publish(seeded_cast)
        release = release_restore(organization_id=seeded_cast.acme.id, release_id=first.id, author_id=seeded_cast.alice.pk)
        assert (release.number, release.note) == (3, "Restores release 1")
        assert release.content_hash == first.content_hash
        assert live(seeded_cast).agent(DOCUMENT_AGENT).max_steps == 5
        assert AppSettings.objects.get().publish_on_save is False


def test_a_restored_release_uses_the_keys_of_today(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        endpoint = ProviderEndpoint.objects.get(provider="google")
        credential_set(endpoint=endpoint, value="AIza-first-key-1111")
        old = publish(seeded_cast)
        AgentConfig.objects.filter(key="document_agent_google").update(max_steps=7)
        credential_set(endpoint=endpoint, value="AIza-second-key-2222")
        publish(seeded_cast)
        release_restore(organization_id=seeded_cast.acme.id, release_id=old.id)
        assert live(seeded_cast).endpoint("google").secret_id == Secret.objects.get().id


def test_a_removed_key_is_deleted(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        endpoint = ProviderEndpoint.objects.get(provider="google")
        credential_set(endpoint=endpoint, value="AIza-first-key-1111", author_id=seeded_cast.alice.pk)
        assert str(ProviderEndpoint.objects.get(id=endpoint.id).secret) == "set, ends in 1111"
        credential_remove(endpoint=endpoint, author_id=seeded_cast.alice.pk)
        assert not Secret.objects.exists()
        assert AuditEvent.objects.filter(object_kind="secret", actor_user_id=seeded_cast.alice.pk).count() == 2
