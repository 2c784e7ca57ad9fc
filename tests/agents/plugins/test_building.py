"""From a release's plugins to those of a run: whatever is wrong with one of them, the run begins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from admin_config.release import PluginSnapshot
from agents.engine.agent import RunBudget
from agents.engine.ports import LanguageModel
from agents.messages import DataPart, SystemPrompt
from agents.plugins.building import plugin_hooks_build
from agents.plugins.hooks import PluginHooks
from agents.plugins.lifecycle import LifecycleEvent
from agents.runtime.call_recording import CallKind
from security.egress import aclose_clients
from security.secrets.services import secret_create
from tenants.db import in_db
from tenants.models import Organization
from tests.agents.engine.scripted import ScriptedModel, answer
from tests.agents.plugins.receiver import receiver
from tests.agents.plugins.scripted import DONE, EXCHANGE, Actions, facts, log_lines
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import allow_egress

TITLE = PluginSnapshot(name="title")
SUGGESTIONS = PluginSnapshot(name="suggestions")


async def hooks_of(
    organization: Organization, plugins: Iterable[PluginSnapshot], *, model: ScriptedModel | None = None, actions: Actions | None = None
) -> PluginHooks:
    def language_model(kind: CallKind) -> LanguageModel:
        assert kind is CallKind.SUGGESTIONS
        return model or ScriptedModel()

    run = replace(facts(*EXCHANGE, actions=actions), organization_id=organization.pk)
    return await plugin_hooks_build(
        plugins, run=run, model="model-1", language_model=language_model, budget=RunBudget(), provider_options=dict
    )


def webhook(url: str, secret_id: UUID | None) -> PluginSnapshot:
    return PluginSnapshot(name="webhook", settings={"url": url, "events": [LifecycleEvent.RUN_STARTED.value]}, secret_id=secret_id)


async def secret_of(organization: Organization, url: str) -> UUID:
    def create() -> UUID:
        secret = secret_create(organization_id=organization.pk, value="whsec-3141592653589793", url=url, purpose="plugin")
        assert secret.id is not None
        return secret.id

    return await in_db(create, organization_id=organization.pk)


async def test_a_releases_plugins_take_part(cast: Cast) -> None:
    actions, model = Actions(), ScriptedModel([answer('["One?"]')])
    hooks = await hooks_of(cast.acme, [TITLE, SUGGESTIONS], model=model, actions=actions)
    assert await hooks.finished(DONE) == [DataPart("suggestions", {"items": ["One?"]}, id="suggestions")]
    assert actions.titles == 1
    assert model.requests[0].model == "model-1"


async def test_without_plugins_nothing_happens(cast: Cast) -> None:
    hooks = await hooks_of(cast.acme, [])
    assert await hooks.prompt(SystemPrompt("Be kind."), 1) == SystemPrompt("Be kind.")
    assert await hooks.finished(DONE) == []


async def test_unusable_plugins_are_left_out_and_logged_without_their_settings(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    unusable = [
        PluginSnapshot(name="forgotten"),
        PluginSnapshot(name="suggestions", settings={"count": "private words"}),
        webhook("https://hooks.example/", None),
        webhook("https://hooks.example/", uuid4()),
    ]
    actions = Actions()
    await (await hooks_of(cast.acme, [*unusable, TITLE], actions=actions)).finished(DONE)
    assert actions.titles == 1
    lines = log_lines(caplog)
    assert [(line["event"], line["plugin"]) for line in lines] == [("plugin_left_out", plugin.name) for plugin in unusable]
    assert {line["organization_id"] for line in lines} == {str(cast.acme.pk)}
    assert "private words" not in str(lines)


async def test_a_webhooks_secret_goes_to_its_own_host_only(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    async with receiver() as server:
        with allow_egress(server.url):
            secret_id = await secret_of(cast.acme, server.url)
            hooks = await hooks_of(cast.acme, [webhook(server.url, secret_id), webhook("https://other.example/", secret_id)])
            hooks.run_started()
            await hooks.aclose()
            await aclose_clients()
        assert len(server.deliveries) == 1
    assert [(line["event"], line["plugin"]) for line in log_lines(caplog)] == [("plugin_left_out", "webhook")]


async def test_another_organizations_secret_is_not_found(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    foreign = await secret_of(cast.other, "https://hooks.example/")
    hooks = await hooks_of(cast.acme, [webhook("https://hooks.example/", foreign)])
    hooks.run_started()
    await hooks.aclose()
    assert [line["event"] for line in log_lines(caplog)] == ["plugin_left_out"]
