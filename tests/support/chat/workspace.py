"""An organization that can chat: its configuration is published and its provider is the Gemini double of the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db.models import Model
from django.test import override_settings

from admin_config.models import AgentConfig, AgentOperation, AgentTool, AppSettings, Assistant, ModelConfig, ProviderEndpoint
from admin_config.services.agents.assistants import AssistantParts, assistant_save
from admin_config.services.agents.custom_agents import custom_agent_save_new
from admin_config.services.configuration import CREDENTIAL_PURPOSE, credential_remove, organization_seed, release_publish
from security.secrets.services import secret_create
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import Organization
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.seeding import make_or_copy


@dataclass(frozen=True)
class Workspace:
    """What a test changes of an organization's configuration."""

    organization: Organization
    double: ServedGemini

    def publish(self) -> int:
        """Publish the working rows; return the release's number."""
        with tenant_tx(self.organization.pk):
            return release_publish(organization_id=self.organization.pk).number

    def change_operation(self, key: str, name: str, **values: object) -> int:
        """Change an agent's operation as an admin would, and publish."""
        with tenant_tx(self.organization.pk):
            AgentOperation.objects.filter(agent__key=key, name=name).update(**values)
        return self.publish()

    def change_agent(self, key: str, **values: object) -> int:
        with tenant_tx(self.organization.pk):
            AgentConfig.objects.filter(key=key).update(**values)
        return self.publish()

    def add_agent(self, name: str, *, used_by: str, provider: str = "google", **values: Any) -> int:
        """Make a custom agent, give it to another one and publish."""
        with tenant_tx(self.organization.pk):
            agent = AgentConfig(name=name, provider=provider, **values)
            custom_agent_save_new(agent)
            AgentTool.objects.create(agent=AgentConfig.objects.get(key=used_by), sub_agent=agent)
        return self.publish()

    def add_assistant(self, title: str, *, prompt: str = "You help.", model: str = "", **values: Any) -> str:
        """Make an assistant of the active provider, or of the model with this id, and publish. Return its key."""
        with tenant_tx(self.organization.pk):
            own = ModelConfig.objects.filter(model_id=model).first() if model else None
            parts = AssistantParts(
                prompt=prompt, call_description="", model=own, sources=(), sub_agents=(), picture=None, without_picture=False
            )
            row = assistant_save(Assistant(title=title, description=f"{title} helps.", **values), parts)
            release_publish(organization_id=self.organization.pk)
            return row.agent.key

    def change_assistant(self, key: str, **values: object) -> int:
        with tenant_tx(self.organization.pk):
            Assistant.objects.filter(agent__key=key).update(**values)
        return self.publish()

    def remove_key(self) -> int:
        """Take the Google endpoint's key away, and publish."""
        with tenant_tx(self.organization.pk):
            credential_remove(endpoint=ProviderEndpoint.objects.get(provider="google"))
        return self.publish()

    async def rows(self, model: type[Model], **conditions: object) -> list[Any]:
        """The organization's rows of a model, in the order of their creation."""
        queryset = model._default_manager.filter(**conditions).order_by("created_at")
        return await in_db(list, queryset, organization_id=self.organization.pk)

    async def wait_for_row(self, model: type[Model], condition: Callable[[Any], object], timeout_s: float = 60) -> Any:
        """The newest row of a model as soon as it fulfils the condition. Raises TimeoutError."""
        async with asyncio.timeout(timeout_s):
            while True:  # another task changes the row, and the database tells nobody
                for row in (await self.rows(model))[-1:]:
                    if condition(row):
                        return row
                await asyncio.sleep(0.02)


@contextmanager
def allow_egress(*urls: str) -> Iterator[None]:
    """Allow calls to these loopback addresses, as an operator does with EGRESS_ALLOW."""
    targets = {(url.hostname, url.port) for url in map(urlsplit, urls)}
    with override_settings(EGRESS_ALLOW=frozenset(settings.EGRESS_ALLOW) | targets):
        yield


def make_workspace(organization: Organization, double: Any, provider: str = "google", own_model: str = "") -> Workspace:
    """Seed the organization with the provider at its double as the active one. Needs `allow_egress(double.base_url)`.

    `own_model`: for a provider that has no models by itself.
    """
    with tenant_tx(organization.pk):
        secret = secret_create(
            organization_id=organization.pk, value=double.key, url=double.base_url, purpose=CREDENTIAL_PURPOSE, actor_user_id=None
        )
        make = partial(_configure, organization, double.base_url, secret.pk, provider, own_model)
        make_or_copy(organization, ("workspace", provider, own_model), make, (double.base_url, str(secret.pk)))
    return Workspace(organization, double)


def _configure(organization: Organization, base_url: str, secret_id: UUID, provider: str, own_model: str) -> None:
    organization_seed(organization_id=organization.pk)
    AppSettings.objects.update(active_provider=provider)
    if own_model:
        ModelConfig.objects.create(provider=provider, model_id=own_model, display_name="Own", is_default=True)
    ProviderEndpoint.objects.filter(provider=provider).update(base_url=base_url, secret_id=secret_id)
    release_publish(organization_id=organization.pk)
